#include "mindgap/server/gate.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <condition_variable>
#include <csignal>
#include <cstring>
#include <deque>
#include <mutex>
#include <optional>
#include <thread>
#include <unordered_map>
#include <vector>

#include "mindgap/base/error.h"
#include "mindgap/server/transport.h"

namespace mindgap::server {
namespace {

using GateClock = std::chrono::steady_clock;

std::string address_text(const sockaddr_storage& from) {
  char text[INET6_ADDRSTRLEN] = "";
  if (from.ss_family == AF_INET6) {
    ::inet_ntop(AF_INET6, &reinterpret_cast<const sockaddr_in6&>(from).sin6_addr, text, sizeof text);
  } else {
    ::inet_ntop(AF_INET, &reinterpret_cast<const sockaddr_in&>(from).sin_addr, text, sizeof text);
  }
  return text;
}

bool is_loopback_address(const sockaddr_storage& address) {
  if (address.ss_family == AF_INET6)
    return IN6_IS_ADDR_LOOPBACK(&reinterpret_cast<const sockaddr_in6&>(address).sin6_addr);
  return (ntohl(reinterpret_cast<const sockaddr_in&>(address).sin_addr.s_addr) >> 24) == 127;
}

int listening_socket(const GateOptions& options) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV;
  addrinfo* found = nullptr;
  const std::string where = fmt::format("{}:{}", options.host, options.port);
  if (const int code =
          ::getaddrinfo(options.host.c_str(), std::to_string(options.port).c_str(), &hints, &found))
    throw InvalidArgument(
        fmt::format("cannot listen on {}: {}", base::printable(where), ::gai_strerror(code)));
  int reason = 0;
  int result = -1;
  for (const addrinfo* at = found; at != nullptr && result < 0; at = at->ai_next) {
    const int socket = ::socket(at->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    const int yes = 1;
    ::setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    if (socket >= 0 && ::bind(socket, at->ai_addr, at->ai_addrlen) == 0 && ::listen(socket, 512) == 0) {
      result = socket;
    } else {
      reason = errno;
      if (socket >= 0) ::close(socket);
    }
  }
  ::freeaddrinfo(found);
  if (result < 0)
    throw StoreError(fmt::format("cannot listen on {}: {}", base::printable(where), std::strerror(reason)));
  return result;
}

// One client.
struct Connection {
  enum class Phase {
    reading,
    busy,     // a worker has its request
    waiting,  // for the log to grow
    writing,
    closing,  // the last answer is out; what the client still sends is thrown away
  };
  Connection(int socket, const TlsContext* tls, std::string from)
      : transport(socket, tls), address(std::move(from)) {}

  Transport transport;
  std::string address;
  Phase phase = Phase::reading;
  std::string in, out, request;
  std::size_t written = 0;
  bool has_header = false, is_last = false, is_gone = false;
  int served = 0;
  Later later = {};
  GateClock::time_point since = GateClock::now();  // that its phase began
  GateClock::time_point deadline;
};

}  // namespace

void read_address(const std::string& text, GateOptions& options) {
  const std::size_t colon = text.rfind(':');
  int port = -1;
  if (colon != std::string::npos) {
    const auto [end, error] = std::from_chars(text.data() + colon + 1, text.data() + text.size(), port);
    if (error != std::errc() || end != text.data() + text.size()) port = -1;
  }
  std::string host = text.substr(0, colon == std::string::npos ? 0 : colon);
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  if (port < 0 || port > 65535 || host.empty())
    throw InvalidArgument(fmt::format("--listen wants HOST:PORT, as 127.0.0.1:8080, but '{}' was given",
                                      base::printable(text)));
  options.host = host;
  options.port = port;
}

class Gate::Impl {
 public:
  Impl(const GateOptions& options, Answer answer) : options_(options), answer_(std::move(answer)) {
    if (!options.tls_certificate.empty()) tls_.emplace(options.tls_certificate, options.tls_key);
    ::signal(SIGPIPE, SIG_IGN);  // TLS writes to sockets that may be closed
    if (::pipe2(wake_, O_NONBLOCK | O_CLOEXEC) != 0) throw StoreError("no pipe can be made");
    socket_ = listening_socket(options);
    socklen_t size = sizeof bound_;
    ::getsockname(socket_, reinterpret_cast<sockaddr*>(&bound_), &size);
    for (int i = 0; i < options.workers; ++i) workers_.emplace_back([this] { work(); });
  }

  ~Impl() {
    {
      const std::lock_guard lock(mutex_);
      ends_ = true;
    }
    changed_.notify_all();
    for (std::thread& worker : workers_) worker.join();
    connections_.clear();
    if (socket_ >= 0) ::close(socket_);
    ::close(wake_[0]);
    ::close(wake_[1]);
  }

  int port() const {
    return ntohs(bound_.ss_family == AF_INET6 ? reinterpret_cast<const sockaddr_in6&>(bound_).sin6_port
                                              : reinterpret_cast<const sockaddr_in&>(bound_).sin_port);
  }
  bool is_loopback() const { return is_loopback_address(bound_); }

  void stop() {
    stops_.store(true);
    wake();
  }

  void grown(std::int64_t sequence) {
    sequence_.store(sequence);
    wake();
  }

  void run() {
    std::optional<GateClock::time_point> stopping;
    while (true) {
      if (options_.asked_to_stop && options_.asked_to_stop()) stops_.store(true);
      if (stops_.load() && !stopping) {
        stopping = GateClock::now() + options_.stop_time;
        begin_to_stop();
      }
      if (stopping && (connections_.empty() || GateClock::now() > *stopping)) return;
      look(stopping.has_value());
      take_answers();
      for (auto& [number, connection] : connections_) tend(number, *connection);
      std::erase_if(connections_, [](const auto& entry) {
        return entry.second->is_gone && entry.second->phase != Connection::Phase::busy;
      });
    }
  }

 private:
  struct Job {
    std::uint64_t connection = 0;
    std::string request, address;
    bool may_wait = false, last = false;
  };
  struct Finished {
    std::uint64_t connection = 0;
    HttpAnswer answer;
  };

  void wake() {
    const char byte = 0;
    [[maybe_unused]] const ssize_t ignored = ::write(wake_[1], &byte, 1);
  }

  // The workers' side.
  void work() {
    while (true) {
      Job job;
      {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [this] { return ends_ || !jobs_.empty(); });
        if (jobs_.empty()) return;
        job = std::move(jobs_.front());
        jobs_.pop_front();
      }
      Finished finished{job.connection, {}};
      try {
        finished.answer = answer_(job.request, job.address, job.may_wait, job.last);
      } catch (...) {
        finished.answer = {refusal_bytes(500, "internal", "something went wrong in the server"), true, {}};
      }
      {
        const std::lock_guard lock(mutex_);
        finished_.push_back(std::move(finished));
      }
      wake();
    }
  }

  // What this thread waits for.
  void look(bool stopping) {
    polled_.clear();
    numbers_.clear();
    polled_.push_back({wake_[0], POLLIN, 0});
    polled_.push_back({stopping ? -1 : socket_, POLLIN, 0});
    GateClock::time_point next = GateClock::now() + std::chrono::milliseconds(250);
    for (const auto& [number, connection] : connections_) {
      using Phase = Connection::Phase;
      const Phase phase = connection->phase;
      short events = phase == Phase::reading || phase == Phase::closing ? POLLIN
                     : phase == Phase::writing                          ? POLLOUT
                                                                        : POLLRDHUP;
      if (phase == Phase::reading && connection->transport.wants_to_write()) events = POLLOUT;
      // A worker that is busy with it will find out.
      if (phase != Phase::busy) {
        polled_.push_back({connection->transport.socket(), events, 0});
        numbers_.push_back(number);
        next = std::min(next, connection->deadline);
      }
    }
    const auto wait =
        std::chrono::duration_cast<std::chrono::milliseconds>(next - GateClock::now()).count() + 1;
    ::poll(polled_.data(), polled_.size(), static_cast<int>(std::clamp<std::int64_t>(wait, 0, 1000)));
    char bytes[256];
    while (::read(wake_[0], bytes, sizeof bytes) > 0) {
    }
    for (std::size_t i = 0; i < numbers_.size(); ++i) {
      const auto found = connections_.find(numbers_[i]);
      if (polled_[i + 2].revents != 0 && found != connections_.end())
        ready(*found->second, polled_[i + 2].revents);
    }
    if (!stopping && polled_[1].revents != 0) accept_all();
  }

  void accept_all() {
    for (int i = 0; i < 256; ++i) {
      sockaddr_storage from{};
      socklen_t size = sizeof from;
      const int socket =
          ::accept4(socket_, reinterpret_cast<sockaddr*>(&from), &size, SOCK_NONBLOCK | SOCK_CLOEXEC);
      if (socket < 0) return;
      const int yes = 1;
      ::setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
      if (connections_.size() >= options_.connections) make_room();
      auto connection = std::make_unique<Connection>(socket, tls_ ? &*tls_ : nullptr, address_text(from));
      connection->deadline = connection->since + options_.header_time;
      connections_.emplace(++last_number_, std::move(connection));
    }
  }

  // Whoever has been reading or waiting for the longest goes.
  void make_room() {
    auto oldest = connections_.end();
    for (auto at = connections_.begin(); at != connections_.end(); ++at) {
      const auto phase = at->second->phase;
      if (phase == Connection::Phase::busy) continue;
      if (oldest == connections_.end() || at->second->since < oldest->second->since) oldest = at;
    }
    if (oldest != connections_.end()) connections_.erase(oldest);
  }

  void ready(Connection& connection, short events) {
    using Phase = Connection::Phase;
    if (connection.phase == Phase::reading) {
      const bool was_empty = connection.in.empty();
      const Transport::Result result = connection.transport.read(connection.in);
      if (result == Transport::Result::over) connection.is_gone = true;
      if (was_empty && !connection.in.empty()) {  // a request begins
        connection.since = GateClock::now();
        connection.deadline = connection.since + options_.header_time;
      }
    } else if (connection.phase == Phase::closing) {
      connection.in.clear();
      connection.is_gone = connection.transport.read(connection.in) == Transport::Result::over;
    } else if ((events & (POLLERR | POLLHUP | POLLRDHUP)) != 0 && connection.phase == Phase::waiting) {
      connection.is_gone = true;
    }
  }

  void give_to_worker(std::uint64_t number, Connection& connection, bool may_wait) {
    {
      const std::lock_guard lock(mutex_);
      if (jobs_.size() < options_.queue) {
        jobs_.push_back({number, connection.request, connection.address, may_wait, connection.is_last});
        connection.phase = Connection::Phase::busy;
      }
    }
    if (connection.phase == Connection::Phase::busy) {
      changed_.notify_one();
    } else {
      refuse(connection, 503, "busy", "the server is busy: send it again");
    }
  }

  void answer_with(Connection& connection, std::string bytes, bool last) {
    connection.out = std::move(bytes);
    connection.written = 0;
    connection.is_last = last;
    connection.phase = Connection::Phase::writing;
    connection.since = GateClock::now();
    connection.deadline = connection.since + options_.write_time;
  }

  void refuse(Connection& connection, int status, const std::string& code, const std::string& message) {
    answer_with(connection, refusal_bytes(status, code, message), true);
  }

  void take_answers() {
    std::vector<Finished> finished;
    {
      const std::lock_guard lock(mutex_);
      finished.swap(finished_);
    }
    for (Finished& done : finished) {
      const auto found = connections_.find(done.connection);
      if (found == connections_.end()) continue;
      Connection& connection = *found->second;
      if (done.answer.later && !stops_.load()) {
        connection.phase = Connection::Phase::waiting;
        connection.later = *done.answer.later;
        connection.since = GateClock::now();
        connection.deadline = connection.since + connection.later.wait;
      } else if (done.answer.later) {
        give_to_worker(found->first, connection, false);
      } else {
        answer_with(connection, std::move(done.answer.bytes), done.answer.close);
      }
    }
  }

  // Whatever can go on goes on; whoever is late is closed.
  void tend(std::uint64_t number, Connection& connection) {
    using Phase = Connection::Phase;
    if (connection.is_gone) return;
    if (connection.phase == Phase::writing) {
      const Transport::Result result = connection.transport.write(connection.out, connection.written);
      if (result == Transport::Result::over) connection.is_gone = true;
      if (result == Transport::Result::some) after_answer(connection);
    }
    if (connection.phase == Phase::reading && !connection.in.empty() && !connection.is_gone)
      take_request(number, connection);
    if (connection.phase == Phase::waiting &&
        (sequence_.load() > connection.later.since || GateClock::now() >= connection.deadline)) {
      give_to_worker(number, connection, false);
    } else if (connection.phase != Phase::busy && GateClock::now() >= connection.deadline) {
      connection.is_gone = true;
    }
  }

  void after_answer(Connection& connection) {
    connection.out.clear();
    if (connection.is_last) {
      // Closed at once, with bytes unread, the client might not get to see the answer.
      if (!tls_) ::shutdown(connection.transport.socket(), SHUT_WR);
      connection.phase = Connection::Phase::closing;
      connection.since = GateClock::now();
      connection.deadline = connection.since + std::chrono::seconds(1);
      return;
    }
    connection.phase = Connection::Phase::reading;
    connection.has_header = false;
    connection.since = GateClock::now();
    connection.deadline = connection.since + options_.idle_time;
  }

  void take_request(std::uint64_t number, Connection& connection) {
    const Frame frame = frame_of(connection.in, options_.limits);
    if (frame.refused != 0) return refuse(connection, frame.refused, frame.code, frame.message);
    if (frame.has_header && !connection.has_header) {
      connection.has_header = true;
      connection.deadline = connection.since + options_.request_time;
    }
    if (frame.size == 0) return;
    connection.request = connection.in.substr(0, frame.size);
    connection.in.erase(0, frame.size);
    connection.is_last = ++connection.served >= kMostRequests || stops_.load();
    give_to_worker(number, connection, true);
  }

  // No new connections; those that are idle end, those who wait are answered.
  void begin_to_stop() {
    ::close(socket_);
    socket_ = -1;
    for (auto& [number, connection] : connections_) {
      if (connection->phase == Connection::Phase::reading && connection->in.empty())
        connection->is_gone = true;
      if (connection->phase == Connection::Phase::waiting) connection->deadline = GateClock::now();
      connection->is_last = true;
    }
  }

  static constexpr int kMostRequests = 1000;  // of one connection
  const GateOptions options_;
  Answer answer_;
  std::optional<TlsContext> tls_;
  int socket_ = -1;
  int wake_[2] = {-1, -1};
  sockaddr_storage bound_{};
  std::atomic<bool> stops_ = false;
  std::atomic<std::int64_t> sequence_ = 0;
  std::uint64_t last_number_ = 0;
  std::unordered_map<std::uint64_t, std::unique_ptr<Connection>> connections_;
  std::vector<pollfd> polled_;
  std::vector<std::uint64_t> numbers_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Job> jobs_;
  std::vector<Finished> finished_;
  bool ends_ = false;
  std::vector<std::thread> workers_;
};

Gate::Gate(const GateOptions& options, Answer answer)
    : impl_(std::make_unique<Impl>(options, std::move(answer))) {}
Gate::~Gate() = default;
int Gate::port() const {
  return impl_->port();
}
bool Gate::is_loopback() const {
  return impl_->is_loopback();
}
void Gate::run() {
  impl_->run();
}
void Gate::stop() {
  impl_->stop();
}
void Gate::grown(std::int64_t sequence) {
  impl_->grown(sequence);
}

}  // namespace mindgap::server

#include "mindgap/server/serve.h"

#include <fmt/format.h>

#include "mindgap/base/error.h"
#include "mindgap/server/api.h"
#include "mindgap/server/writer.h"
#include "mindgap/study/signing.h"

namespace mindgap::server {
namespace {

constexpr const char* kProgram = "mindgap " MINDGAP_VERSION;

GateOptions gate_options(const ServeRequest& request) {
  GateOptions options = request.gate;
  read_address(request.listen, options);
  if (request.tls_certificate.empty() != request.tls_key.empty())
    throw InvalidArgument("TLS takes both a certificate and its key (--tls-cert and --tls-key)");
  options.tls_certificate = request.tls_certificate;
  options.tls_key = request.tls_key;
  options.asked_to_stop = request.run.listener.stop;
  return options;
}

void check_public_url(const std::string& url) {
  const bool good = url.empty() || ((url.starts_with("https://") || url.starts_with("http://")) &&
                                    url.find_first_of(" \t\r\n\"<>") == std::string::npos &&
                                    url.find('/', url.find("://") + 3) == std::string::npos);
  if (!good) throw InvalidArgument("--public-url wants a URL without a path, as https://study.example.org");
}

std::shared_ptr<const study::SigningKey> key_of(const std::string& file) {
  return file.empty() ? nullptr : std::make_shared<const study::SigningKey>(file);
}

}  // namespace

class Server::Impl {
 public:
  explicit Impl(const ServeRequest& request)
      : request_(request),
        study_(request.folder, kProgram, key_of(request.key), "http://" + request.listen),
        people_(study_.folder(), request.cost),
        sessions_(study_.folder()),
        gate_(gate_options(request),
              [this](std::string_view bytes, const std::string& address, bool may_wait, bool last) {
                return http_->answer(bytes, address, may_wait, last);
              }) {
    check_public_url(request.public_url);
    has_users_ = !people_.all()->empty();
    if (!has_users_ && (!gate_.is_loopback() || !request.public_url.empty()))
      throw InvalidArgument(fmt::format(
          "the study has no users, so it is served to this computer alone, and not on {}: add users first "
          "(mindgap study user add {} NAME --role owner)",
          request.public_url.empty() ? request.listen : request.public_url, request.folder));
    study_.move_to(url());
    writer_ = std::make_unique<LogWriter>(study_, [this](std::int64_t sequence) { gate_.grown(sequence); });
    api_ = std::make_unique<Api>(study_, *writer_, people_, sessions_,
                                 ApiOptions{.version = kProgram,
                                            .public_url = request.public_url,
                                            .tls = !request.tls_certificate.empty(),
                                            .loopback = gate_.is_loopback(),
                                            .rate = request.rate,
                                            .burst = request.burst,
                                            .threads = request.run.threads,
                                            .page = request.page});
    http_ = std::make_unique<Http>([this](const Request& asked) { return api_->handle(asked); });
  }

  std::string url() const {
    const bool tls = !request_.tls_certificate.empty();
    const std::size_t colon = request_.listen.rfind(':');
    return fmt::format("{}://{}:{}", tls ? "https" : "http", request_.listen.substr(0, colon), gate_.port());
  }

  const ServeRequest request_;
  study::LiveStudy study_;
  People people_;
  Sessions sessions_;
  bool has_users_ = false;
  std::unique_ptr<LogWriter> writer_;
  std::unique_ptr<Api> api_;
  std::unique_ptr<Http> http_;
  Gate gate_;  // the last: its workers end before what they use does
};

Server::Server(const ServeRequest& request) : impl_(std::make_unique<Impl>(request)) {}
Server::~Server() = default;

int Server::port() const {
  return impl_->gate_.port();
}

std::string Server::url() const {
  return impl_->url();
}

std::vector<std::string> Server::notes() const {
  std::vector<std::string> notes = {fmt::format("serving {} at {}", impl_->request_.folder, url())};
  if (!impl_->has_users_)
    notes.emplace_back(
        "the study has no users: it is served to this computer alone, and whoever uses it is the owner "
        "(mindgap study "
        "user add makes users)");
  if (impl_->has_users_ && !impl_->gate_.is_loopback() && impl_->request_.tls_certificate.empty())
    notes.emplace_back(
        "WARNING: passwords travel unprotected: use --tls-cert and --tls-key, or a proxy with TLS and "
        "--public-url");
  notes.emplace_back("other commands can read the study meanwhile, not write to it; Ctrl-C stops the server");
  return notes;
}

void Server::run() {
  impl_->gate_.run();
}

void Server::stop() {
  impl_->gate_.stop();
}

}  // namespace mindgap::server

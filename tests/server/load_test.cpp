#include <sys/wait.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <mutex>
#include <set>

#include "mindgap/base/distributions.h"
#include "server/served.h"

// Many clients, slow clients, clients that send anything, and kill -9.
namespace mindgap::server {
namespace load_test {

using namespace std::chrono_literals;

// Not a test: a server in a process of its own, for those below. It writes its port into a file.
TEST(ServerProcess, DISABLED_Serves) {
  const char* folder = std::getenv("MINDGAP_TEST_SERVED");
  if (folder == nullptr) return;
  ServeRequest request{.folder = folder, .listen = "127.0.0.1:0"};
  request.rate = request.burst = 1e6;
  request.run.threads = 1;
  Server server(request);
  std::ofstream(std::string(folder) + "/port.new") << server.port();
  std::filesystem::rename(std::string(folder) + "/port.new", std::string(folder) + "/port");
  server.run();
}

class LoadTest : public ServedTest {
 protected:
  // Starts this program again as a server; returns its process, and its port.
  std::pair<pid_t, int> start_process() {
    std::filesystem::remove(folder_ / "port");
    const std::string folder = folder_.string();
    const pid_t child = ::fork();
    if (child == 0) {
      ::setenv("MINDGAP_TEST_SERVED", folder.c_str(), 1);
      ::execl("/proc/self/exe", "server_tests", "--gtest_filter=ServerProcess.DISABLED_Serves",
              "--gtest_also_run_disabled_tests", "--gtest_brief=1", static_cast<char*>(nullptr));
      ::_exit(1);
    }
    int port = 0;
    for (int i = 0; i < 600 && port == 0; ++i) {
      std::this_thread::sleep_for(50ms);
      std::ifstream(folder_ / "port") >> port;
    }
    EXPECT_GT(port, 0);
    return {child, port};
  }

  // Kills a server while four clients record, so many times. Every acknowledged result must be there.
  void kill_under_load(int kills) {
    begin(40 * kills);
    std::map<std::string, double> acknowledged;
    std::mutex mutex;
    base::Stream words({7, base::Purpose::test});
    for (int round = 0; round < kills; ++round) {
      const auto [child, port] = start_process();
      std::atomic<bool> ends = false;
      std::vector<std::thread> clients;
      clients.reserve(4);
      for (int c = 0; c < 4; ++c) {
        clients.emplace_back([&, c, port = port] {
          Client client{port};
          const Reply session = client.get("/api/v1/session");
          if (session.status != 200) return;  // killed before it answered
          client.headers["X-CSRF-Token"] = session.json().value("csrf", "");
          for (int i = 0; i < 10 && !ends; ++i) {
            const int number = 40 * round + 10 * c + i;
            const std::string unit = "u" + std::to_string(number);
            const Json body = {
                {"id", "unit-of-" + unit}, {"seen", 1}, {"unit", unit}, {"step", 0}, {"reward", number},
                {"next_state", "north"}};
            const Reply reply = client.post("/api/v1/results", body);
            if (reply.status != 201) continue;
            const std::lock_guard lock(mutex);
            acknowledged[unit] = number;
          }
        });
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(base::uniform_index(words, 120)));
      ::kill(child, SIGKILL);
      ends = true;
      for (std::thread& client : clients) client.join();
      int status = 0;
      ::waitpid(child, &status, 0);
    }
    const study::State state = study::read_study(*study::storage_at(folder_));
    std::map<std::string, double> found;
    for (const study::ObservationRow& row : state.observations)
      EXPECT_TRUE(found.emplace(state.units[row.unit].name, row.reward).second) << "twice";
    for (const auto& [unit, reward] : acknowledged) {
      ASSERT_TRUE(found.contains(unit)) << unit << " was acknowledged and is lost";
      EXPECT_EQ(found[unit], reward);
    }
    std::cout << kills << " kills: " << acknowledged.size() << " results acknowledged, " << found.size()
              << " in the log\n";
    EXPECT_GT(acknowledged.size(), 0u);
    expect_verified();
  }

  // Bytes that are a request, changed in a few places, or none at all.
  void random_requests(int count) {
    start();
    const Client client = local();
    const std::vector<std::string> seeds = {
        client.bytes("GET", "/api/v1/events?since=1&limit=5", ""),
        client.bytes("POST", "/api/v1/results", result("u0", 0, 1, 2).dump()),
        client.bytes("POST", "/api/v1/results/batch", Json{{"results", {result("u1", 0, 1, 2)}}}.dump()),
        client.bytes("PUT", "/api/v1/people/ada", R"({"role":"field","units":["u0"]})"),
        client.bytes("GET", "/api/v1/audit?who=a&from=2026-01-01", ""),
        client.bytes("GET", "/index.html", "")};
    base::Stream words({11, base::Purpose::test});
    const auto pick = [&](std::size_t size) {
      return static_cast<std::size_t>(base::uniform_index(words, static_cast<std::int64_t>(size)));
    };
    auto line = std::make_unique<Line>(client.port);
    for (int i = 0; i < count; ++i) {
      std::string bytes = seeds[pick(seeds.size())];
      const std::size_t changes = 1 + pick(6);
      for (std::size_t c = 0; c < changes && !bytes.empty(); ++c) {
        const std::size_t at = pick(bytes.size());
        switch (pick(4)) {
          case 0:
            bytes[at] = static_cast<char>(pick(256));
            break;
          case 1:
            bytes.erase(at, 1 + pick(8));
            break;
          case 2:
            bytes.insert(at, bytes.substr(pick(bytes.size()), pick(20)));
            break;
          default:
            bytes.insert(at, 1, "\r\n\"{}[]:,0%&?/"[pick(14)]);
        }
      }
      line->send(bytes + "\r\n\r\n");
      // One that cannot be told apart from a slow one gets no answer within the second.
      if (pick(8) == 0) {
        const Reply reply = line->receive(1);
        EXPECT_NE(reply.status, 500) << bytes;
      }
      line = std::make_unique<Line>(client.port);
      ASSERT_TRUE(line->is_open()) << "after " << i;
    }
    EXPECT_EQ(client.get("/api/v1/health").status, 200);
    stop();
    expect_verified();
  }
};

TEST_F(LoadTest, NothingAcknowledgedIsLostByAKill) {
  kill_under_load(3);
}

TEST_F(LoadTest, RandomRequestsDoNoHarm) {
  random_requests(1500);
}

// 200 connections that send a byte now and then hold up nobody, and are closed in the end.
TEST_F(LoadTest, SlowClientsLockNobodyOut) {
  ServeRequest request = this->request();
  request.gate.workers = 4;
  request.gate.header_time = 1500ms;
  request.gate.request_time = 2000ms;
  start(request);
  std::vector<std::unique_ptr<Line>> slow;
  for (int i = 0; i < 200; ++i) {
    slow.push_back(std::make_unique<Line>(server_->port()));
    slow.back()->send(i % 2 == 0
                          ? "GET / HTTP/1.1\r\nHost: a\r\nX"
                          : "POST /api/v1/results HTTP/1.1\r\nHost: a\r\nContent-Length: 1000\r\n\r\n{");
  }
  std::vector<double> seconds;
  for (int i = 0; i < 20; ++i) {
    for (std::size_t s = static_cast<std::size_t>(i); s < slow.size(); s += 20) slow[s]->send("a");
    const auto before = std::chrono::steady_clock::now();
    EXPECT_EQ(nobody().get("/api/v1/health").status, 200);
    seconds.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - before).count());
  }
  EXPECT_LT(*std::max_element(seconds.begin(), seconds.end()), 1.0);
  int closed = 0;
  for (const auto& line : slow) closed += line->is_closed_within(5) ? 1 : 0;
  EXPECT_EQ(closed, 200);
}

TEST_F(LoadTest, AServerThatIsStoppedAnswersWhatItBegan) {
  start();
  const Client client = local();
  const std::int64_t now = sequence(client);
  Line waiting(client.port);
  waiting.send(client.bytes("GET", "/api/v1/events?wait=25&since=" + std::to_string(now), ""));
  std::this_thread::sleep_for(100ms);
  const auto before = std::chrono::steady_clock::now();
  stop();
  EXPECT_LT(std::chrono::steady_clock::now() - before, 8s);
  EXPECT_EQ(waiting.receive(2).status, 200);
}

class ServerLong : public LoadTest {};

TEST_F(ServerLong, ThreeHundredKills) {
  kill_under_load(300);
}

TEST_F(ServerLong, AHundredThousandRandomRequests) {
  random_requests(100'000);
}

// 100 clients, 10,000 results: none lost, none twice, 99 of 100 within 250 ms.
TEST_F(ServerLong, AHundredClientsAtOnce) {
  constexpr int kClients = 100, kEach = 100;
  begin(kClients * kEach);
  ServeRequest request = this->request();
  request.gate.workers = 64;
  start(request);
  const Client client = local();
  std::vector<std::vector<double>> taken(kClients);
  std::vector<std::thread> threads;
  threads.reserve(kClients);
  const auto begun = std::chrono::steady_clock::now();
  for (int c = 0; c < kClients; ++c) {
    threads.emplace_back([&, c] {
      Line line(client.port);
      for (int i = 0; i < kEach; ++i) {
        const int number = kEach * c + i;
        const Json body = {{"id", "result-" + std::to_string(number)},
                           {"seen", 1},
                           {"unit", "u" + std::to_string(number)},
                           {"step", 0},
                           {"reward", number},
                           {"next_state", "north"}};
        const auto before = std::chrono::steady_clock::now();
        line.send(client.bytes("POST", "/api/v1/results", body.dump()));
        EXPECT_EQ(line.receive().status, 201);
        taken[static_cast<std::size_t>(c)].push_back(
            std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - before).count());
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
  std::vector<double> all;
  for (const auto& list : taken) all.insert(all.end(), list.begin(), list.end());
  std::sort(all.begin(), all.end());
  ASSERT_EQ(all.size(), std::size_t{kClients * kEach});
  std::cout << "10,000 results of 100 clients in " << seconds << " s; ms: median " << all[5000] << ", p99 "
            << all[9900] << ", longest " << all.back() << "\n";
  EXPECT_LT(all[9900], 250);
  stop();
  const study::State state = study::read_study(*study::storage_at(folder_));
  std::set<std::int32_t> units;
  for (const study::ObservationRow& row : state.observations) EXPECT_TRUE(units.insert(row.unit).second);
  EXPECT_EQ(units.size(), std::size_t{kClients * kEach});
  expect_verified();
}

}  // namespace load_test
}  // namespace mindgap::server

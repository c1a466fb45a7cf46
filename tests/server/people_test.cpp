#include "mindgap/server/people.h"

#include <sys/stat.h>

#include "mindgap/server/sessions.h"
#include "server/served.h"

namespace mindgap::server {
namespace people_test {

using namespace std::chrono_literals;

class PeopleTest : public ServedTest {};

TEST_F(PeopleTest, PasswordsAreArgon2idAndTheFileIsPrivate) {
  add_people();
  People people(folder_, HashCost::least);
  EXPECT_TRUE(people.is_right("olga", "owner password"));
  EXPECT_FALSE(people.is_right("olga", "Owner password"));
  EXPECT_FALSE(people.is_right("nobody", "owner password"));
  EXPECT_TRUE(people.find("olga")->password.starts_with("$argon2id$"));
  const std::string file = read(folder_ / "people.json");
  EXPECT_EQ(file.find("owner password"), std::string::npos);
  struct stat found {};
  ASSERT_EQ(::stat((folder_ / "people.json").c_str(), &found), 0);
  EXPECT_EQ(found.st_mode & 0777u, 0600u);
  const People::NewToken token = people.add_token("finn", "phone", 1);
  EXPECT_EQ(people.owner_of(token.secret), "finn");
  EXPECT_EQ(people.owner_of("mgt_" + std::string(64, '0')), std::nullopt);
  EXPECT_EQ(read(folder_ / "people.json").find(token.secret), std::string::npos);
}

TEST_F(PeopleTest, BadPeopleAreRefused) {
  People people(folder_, HashCost::least);
  const auto code = [](auto deed) -> std::string {
    try {
      deed();
    } catch (const PeopleError& error) {
      return error.code();
    }
    return "";
  };
  EXPECT_EQ(code([&] { people.add("finn", "field password", Role::field, {"u0"}); }), "last_owner");
  people.add("olga", "owner password", Role::owner, {});
  for (const char* name : {"", "a b", "<b>", "../x", "a\n", "ä"})
    EXPECT_EQ(code([&] { people.add(name, "long password", Role::owner, {}); }), "invalid") << name;
  EXPECT_EQ(code([&] { people.add("p", "short", Role::owner, {}); }), "weak_password");
  EXPECT_EQ(code([&] { people.add("p", std::string(257, 'x'), Role::owner, {}); }), "weak_password");
  EXPECT_EQ(code([&] { people.add("olga", "long password", Role::owner, {}); }), "exists");
  EXPECT_EQ(code([&] { people.add("finn", "long password", Role::field, {}); }), "invalid");
  EXPECT_EQ(code([&] { people.add("vera", "long password", Role::viewer, {"u0"}); }), "invalid");
  EXPECT_EQ(code([&] { people.remove("nobody"); }), "not_found");
  EXPECT_EQ(code([&] { people.change("olga", Role::viewer, {}); }), "last_owner");
  EXPECT_EQ(code([&] { people.add_token("olga", "", 1); }), "invalid");
  EXPECT_EQ(code([&] { people.add_token("olga", "x", 4000); }), "invalid");
}

TEST(LoginThrottle, WaitsLongerEachTimeAndForgets) {
  LoginThrottle throttle;
  const Clock::time_point now = Clock::now();
  for (int i = 0; i < 4; ++i) throttle.failed("ada", "1.1.1.1", now);
  EXPECT_EQ(throttle.wait_of("ada", "1.1.1.1", now), 0);
  throttle.failed("ada", "1.1.1.1", now);
  EXPECT_EQ(throttle.wait_of("ada", "1.1.1.1", now), 3);  // 2 s, rounded up
  EXPECT_EQ(throttle.wait_of("ada", "2.2.2.2", now), 0);
  EXPECT_EQ(throttle.wait_of("bob", "1.1.1.1", now), 0);
  EXPECT_EQ(throttle.wait_of("ada", "1.1.1.1", now + 3s), 0);
  for (int i = 0; i < 20; ++i) throttle.failed("ada", "1.1.1.1", now);
  EXPECT_EQ(throttle.wait_of("ada", "1.1.1.1", now), 901);
  // Fifty of one name from fifty places.
  for (int i = 0; i < 60; ++i) throttle.failed("eve", "10.0.0." + std::to_string(i), now);
  EXPECT_GT(throttle.wait_of("eve", "9.9.9.9", now), 0);
}

TEST(RateLimit, TakesABurstAndThenTheRate) {
  RateLimit limit(10, 20);
  const Clock::time_point now = Clock::now();
  int taken = 0;
  for (int i = 0; i < 100; ++i) taken += limit.take("ada", now) ? 1 : 0;
  EXPECT_EQ(taken, 20);
  EXPECT_TRUE(limit.take("bob", now));
  taken = 0;
  for (int i = 0; i < 100; ++i) taken += limit.take("ada", now + 1s) ? 1 : 0;
  EXPECT_EQ(taken, 10);
}

TEST_F(PeopleTest, TheCookieIsStrictAndEndsWithTheSession) {
  add_people();
  start();
  const Reply reply = nobody().post("/api/v1/session", {{"name", "finn"}, {"password", "field password"}});
  const std::string cookie = reply.headers.at("set-cookie");
  for (const char* part : {"HttpOnly", "SameSite=Strict", "Max-Age=43200", "Path=/"})
    EXPECT_NE(cookie.find(part), std::string::npos) << part;
  EXPECT_EQ(cookie.find("Secure"), std::string::npos);
  const Client client = field();
  const Json session = client.get("/api/v1/session").json();
  EXPECT_EQ(session["user"], "finn");
  EXPECT_EQ(session["units"], Json({"u0", "u1"}));
  // It outlives a restart, and not a new password.
  stop();
  EXPECT_EQ(read(folder_ / "sessions.json").find(client.headers.at("Cookie").substr(8)), std::string::npos);
  start();
  Client again = client;
  again.port = server_->port();
  EXPECT_EQ(again.get("/api/v1/study").status, 200);
  People(folder_, HashCost::least).set_password("finn", "another password");
  EXPECT_EQ(again.get("/api/v1/study").status, 401);
}

TEST_F(PeopleTest, BehindAProxyCookiesAreSecureAndTheNameIsChecked) {
  add_people();
  ServeRequest request = this->request();
  request.public_url = "https://study.example.org";
  start(request);
  const std::map<std::string, std::string> proxied = {{"Host", "study.example.org"},
                                                      {"X-Forwarded-For", "9.9.9.9"}};
  const Reply reply =
      nobody().ask("POST", "/api/v1/session", {{"name", "finn"}, {"password", "field password"}}, proxied);
  ASSERT_EQ(reply.status, 200) << reply.body;
  EXPECT_TRUE(reply.headers.at("set-cookie").starts_with("__Host-mindgap="));
  EXPECT_NE(reply.headers.at("set-cookie").find("; Secure"), std::string::npos);
  EXPECT_TRUE(reply.headers.contains("strict-transport-security"));
  EXPECT_EQ(nobody().ask("GET", "/api/v1/health", nullptr, {{"Host", "evil.example"}}).status, 421);
  // Wrong passwords count for where they came from, as the proxy says.
  for (int i = 0; i < 6; ++i)
    nobody().ask("POST", "/api/v1/session", {{"name", "vera"}, {"password", "wrong one"}}, proxied);
  EXPECT_EQ(nobody()
                .ask("POST", "/api/v1/session", {{"name", "vera"}, {"password", "viewer password"}}, proxied)
                .status,
            429);
  EXPECT_EQ(nobody()
                .ask("POST", "/api/v1/session", {{"name", "vera"}, {"password", "viewer password"}},
                     {{"Host", "study.example.org"}, {"X-Forwarded-For", "8.8.8.8"}})
                .status,
            200);
}

TEST_F(PeopleTest, ChangesByTheCommandLineHoldAtOnceAndAreWrittenDown) {
  add_people();
  start();
  const Client owner = this->owner(), field = this->field();
  EXPECT_EQ(field.get("/api/v1/study").json()["units"].size(), 2u);
  People(folder_, HashCost::least).change("finn", Role::field, {"u5"});
  const Json units = field.get("/api/v1/study").json()["units"];
  ASSERT_EQ(units.size(), 1u);
  EXPECT_EQ(units[0]["name"], "u5");
  People(folder_, HashCost::least).remove("finn");
  EXPECT_EQ(field.get("/api/v1/study").status, 401);
  EXPECT_EQ(owner.get("/api/v1/audit?kind=people").json()["total"], 3);
  stop();
  expect_verified();
}

TEST_F(PeopleTest, TooManyRequestsWait) {
  add_people();
  ServeRequest request = this->request();
  request.rate = 1;
  request.burst = 10;
  start(request);
  const Client viewer = this->viewer(), field = this->field();
  int refused = 0;
  for (int i = 0; i < 20; ++i) {
    const Reply reply = viewer.get("/api/v1/session");
    if (reply.status != 429) continue;
    ++refused;
    EXPECT_TRUE(reply.headers.contains("retry-after"));
  }
  EXPECT_GE(refused, 5);
  EXPECT_EQ(field.get("/api/v1/session").status, 200);  // others go on
}

}  // namespace people_test
}  // namespace mindgap::server

#include "server/served.h"

// Two dozen attacks after the OWASP Top Ten and its testing guide, each against a server on the loopback.
namespace mindgap::server {
namespace attack_test {

const std::string kScript = "<script>alert(1)</script>";

class AttackTest : public ServedTest {
 protected:
  void SetUp() override {
    ServedTest::SetUp();
    add_people();
    start();
  }
  Reply raw(const std::string& bytes) {
    Line line(server_->port());
    line.send(bytes);
    return line.receive(5);
  }
  std::string host() const { return "Host: 127.0.0.1\r\n"; }
  // Nothing was written, and the server is well.
  void expect_unharmed(std::int64_t before) {
    EXPECT_EQ(sequence(owner()), before);
    EXPECT_EQ(nobody().get("/api/v1/health").status, 200);
  }
};

// 1. Script in every text that a page shows: it comes back as data, never as HTML.
TEST_F(AttackTest, A01ScriptInWhatPeopleWrite) {
  const Client owner = this->owner(), field = this->field();
  Json body = result("u0", 0, 1, sequence(owner));
  body["why"] = kScript;
  EXPECT_EQ(field.post("/api/v1/results", body).status, 201);
  EXPECT_EQ(owner.post("/api/v1/stop", {{"id", id()}, {"seen", 1}, {"why", kScript}}).status, 200);
  for (const char* path :
       {"/api/v1/audit", "/api/v1/events", "/api/v1/results", "/api/v1/study", "/api/v1/status"}) {
    const Reply reply = owner.get(path);
    EXPECT_EQ(reply.headers.at("content-type"), "application/json; charset=utf-8") << path;
    EXPECT_EQ(reply.headers.at("x-content-type-options"), "nosniff") << path;
    EXPECT_NE(reply.headers.at("content-security-policy").find("default-src 'none'"), std::string::npos)
        << path;
  }
  const Reply report = owner.get("/api/v1/report");
  EXPECT_EQ(report.status, 200);
  EXPECT_EQ(report.body.find(kScript), std::string::npos);
  EXPECT_NE(report.headers.at("content-security-policy").find("sandbox"), std::string::npos);
}

// 2. Script in names, paths and parameters that errors repeat.
TEST_F(AttackTest, A02ScriptInErrors) {
  const Client owner = this->owner();
  for (const Reply& reply :
       {owner.get("/api/v1/" + std::string("%3Cscript%3E")), owner.get("/api/v1/events?%3Cscript%3E=1"),
        owner.post("/api/v1/results", {{kScript, 1}}),
        owner.post("/api/v1/results", result(kScript, 0, 1, 1))}) {
    EXPECT_GE(reply.status, 400);
    EXPECT_EQ(reply.headers.at("content-type"), "application/json; charset=utf-8");
  }
  EXPECT_EQ(
      owner.post("/api/v1/people", {{"name", kScript}, {"password", "long password"}, {"role", "owner"}})
          .status,
      422);
}

// 3. SQL in every field.
TEST_F(AttackTest, A03SqlInjection) {
  const Client owner = this->owner();
  const std::int64_t before = sequence(owner);
  const std::string sql = "u0'; DROP TABLE event; --";
  EXPECT_EQ(owner.post("/api/v1/results", result(sql, 0, 1, before)).code(), "unknown_unit");
  EXPECT_EQ(owner.get("/api/v1/audit?who=x'%20OR%20'1'='1").json()["total"], 0);
  EXPECT_EQ(nobody().post("/api/v1/session", {{"name", "olga' --"}, {"password", "x"}}).status, 401);
  Json body = result("u0", 0, 1, before);
  body["why"] = sql;
  EXPECT_EQ(owner.post("/api/v1/results", body).status, 201);
  stop();
  expect_verified();
}

// 4. Formulas in what becomes a spreadsheet.
TEST_F(AttackTest, A04CsvInjection) {
  const Client owner = this->owner();
  Json body = result("u0", 0, 1, sequence(owner));
  body["why"] = R"(=HYPERLINK("http://evil","x"))";
  EXPECT_EQ(owner.post("/api/v1/results", body).status, 201);
  const std::string csv = owner.get("/api/v1/audit.csv").body;
  EXPECT_NE(csv.find("\"'=HYPERLINK("), std::string::npos) << csv;
  EXPECT_EQ(csv.find(",=HYPERLINK"), std::string::npos);
}

// 5. Out of the folder of the page, plainly, encoded, twice encoded.
TEST_F(AttackTest, A05PathTraversal) {
  for (const char* path :
       {"/../people.json", "/..%2fpeople.json", "/%2e%2e/people.json", "/%252e%252e/people.json",
        "/....//people.json", "/..\\people.json", "/people.json", "/study.db", "/sessions.json",
        "//etc/passwd", "/index.html%00.js", "/index.html/", "/./index.html", "/.git/config"}) {
    const Reply reply = owner().get(path);
    EXPECT_TRUE(reply.status == 404 || reply.status == 400) << path << " " << reply.status;
    EXPECT_EQ(reply.body.find("argon2"), std::string::npos) << path;
  }
}

// 6. Cookies that nobody was given.
TEST_F(AttackTest, A06ForgedCookies) {
  const std::string good = field().headers.at("Cookie");
  std::string flipped = good;
  flipped.back() = flipped.back() == '0' ? '1' : '0';
  for (const std::string& cookie :
       {std::string("mindgap="), std::string("mindgap=olga"), "mindgap=" + std::string(64, '0'), flipped,
        good + "0", good.substr(0, good.size() - 1), std::string("mindgap=") + std::string(4000, 'a')}) {
    Client client = nobody();
    client.headers["Cookie"] = cookie;
    EXPECT_EQ(client.get("/api/v1/study").status, 401) << cookie.substr(0, 80);
  }
}

// 7. A cookie that was logged out, and one of somebody who was removed.
TEST_F(AttackTest, A07StolenCookiesEndWithTheSession) {
  const Client field = this->field(), viewer = this->viewer();
  EXPECT_EQ(field.ask("DELETE", "/api/v1/session").status, 200);
  EXPECT_EQ(field.get("/api/v1/study").status, 401);
  EXPECT_EQ(owner().ask("DELETE", "/api/v1/people/vera").status, 200);
  EXPECT_EQ(viewer.get("/api/v1/study").status, 401);
}

// 8. Tokens that nobody was given.
TEST_F(AttackTest, A08ForgedTokens) {
  for (const char* value : {"Bearer ", "Bearer x", "Bearer mgt_0000",
                            "Basic b2xnYTpvd25lciBwYXNzd29yZA==", "bearer x", "Bearer mgt_%00", "olga"}) {
    Client client = nobody();
    client.headers["Authorization"] = value;
    EXPECT_EQ(client.get("/api/v1/study").status, 401) << value;
  }
}

// 9. Another site's page sends requests with the cookie.
TEST_F(AttackTest, A09CrossSiteRequests) {
  Client client = owner();
  const std::int64_t before = sequence(client);
  const Json body = {{"id", id()}, {"seen", 1}, {"why", "x"}};
  const std::string csrf = client.headers["X-CSRF-Token"];
  client.headers.erase("X-CSRF-Token");
  EXPECT_EQ(client.post("/api/v1/stop", body).code(), "csrf");
  client.headers["X-CSRF-Token"] = std::string(64, 'a');
  EXPECT_EQ(client.post("/api/v1/stop", body).code(), "csrf");
  client.headers["X-CSRF-Token"] = viewer().headers["X-CSRF-Token"];  // of another session
  EXPECT_EQ(client.post("/api/v1/stop", body).code(), "csrf");
  client.headers["X-CSRF-Token"] = csrf;
  EXPECT_EQ(client.ask("POST", "/api/v1/stop", body, {{"Origin", "https://evil.example"}}).code(), "csrf");
  EXPECT_EQ(client.ask("POST", "/api/v1/stop", body, {{"Origin", "null"}}).code(), "csrf");
  EXPECT_EQ(client.ask("POST", "/api/v1/stop", body, {{"Sec-Fetch-Site", "cross-site"}}).code(), "csrf");
  expect_unharmed(before);
  EXPECT_EQ(client.ask("POST", "/api/v1/stop", body, {{"Origin", "http://127.0.0.1"}}).status, 200);
}

// 10. A form of another site can send text and forms, not JSON.
TEST_F(AttackTest, A10FormsAreNoJson) {
  const Client client = owner();
  const std::int64_t before = sequence(client);
  const std::string body = Json{{"id", id()}, {"seen", 1}, {"why", "x"}}.dump();
  for (const char* type :
       {"text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", ""})
    EXPECT_EQ(client.ask_text("POST", "/api/v1/stop", body, {{"Content-Type", type}}).status, 415) << type;
  expect_unharmed(before);
}

// 11. Units of others: by name, by conflict, by list.
TEST_F(AttackTest, A11OtherPeoplesUnits) {
  const Client field = this->field(), owner = this->owner();
  const std::int64_t before = sequence(owner);
  EXPECT_EQ(field.post("/api/v1/results", result("u5", 0, 1, before)).code(), "not_your_unit");
  const Json batch = field.post("/api/v1/results/batch", {{"results", {result("u5", 0, 1, before)}}}).json();
  EXPECT_EQ(batch["results"][0]["status"], 403);
  expect_unharmed(before);
  owner.post("/api/v1/results", result("u5", 0, 1, before));
  owner.post("/api/v1/results", result("u5", 0, 2, before));
  EXPECT_EQ(field.get("/api/v1/results?unit=u5").json()["results"].size(), 0u);
  EXPECT_EQ(field.get("/api/v1/assignments?open=0&unit=u5").json()["assignments"].size(), 0u);
  EXPECT_EQ(field.get("/api/v1/conflicts?open=0").json()["conflicts"].size(), 0u);
  EXPECT_EQ(field.get("/api/v1/events?limit=1000").body.find("u5"), std::string::npos);
}

// 12. More rights: for oneself, by fields that are not asked for.
TEST_F(AttackTest, A12MoreRights) {
  const Client field = this->field();
  EXPECT_EQ(field.ask("PUT", "/api/v1/people/finn", {{"role", "owner"}}).status, 403);
  EXPECT_EQ(field.post("/api/v1/people/olga/tokens", {{"label", "x"}, {"days", 1}}).status, 403);
  EXPECT_EQ(field.ask("PUT", "/api/v1/people/olga/password", {{"password", "mine, all mine"}}).status, 403);
  Json body = result("u0", 0, 1, 1);
  body["role"] = "owner";
  EXPECT_EQ(field.post("/api/v1/results", body).status, 422);
  body = result("u0", 0, 1, 1);
  body["who"] = "olga";
  EXPECT_EQ(field.post("/api/v1/results", body).status, 422);
}

// 13. The same request again, as whoever listened would send it.
TEST_F(AttackTest, A13Replay) {
  const Client field = this->field();
  const Json body = result("u0", 0, 1, sequence(owner()));
  const std::string bytes = field.bytes("POST", "/api/v1/results", body.dump());
  EXPECT_EQ(raw(bytes).status, 201);
  const std::int64_t after = sequence(owner());
  for (int i = 0; i < 5; ++i) EXPECT_EQ(raw(bytes).status, 200);
  EXPECT_EQ(sequence(owner()), after);
}

// 14. An id of somebody else's deed, to see or to change it.
TEST_F(AttackTest, A14ForgedIds) {
  const Json body = result("u5", 0, 1, sequence(owner()));
  EXPECT_EQ(owner().post("/api/v1/results", body).status, 201);
  Json mine = result("u0", 0, 9, 1);
  mine["id"] = body["id"];
  const Reply reply = field().post("/api/v1/results", mine);
  EXPECT_EQ(reply.code(), "id_reused");
  EXPECT_EQ(reply.body.find("u5"), std::string::npos);
  for (const char* id :
       {"", "short", "with space", "../../etc", "<script>alert", "12345678\n", "'; DROP--"}) {
    mine["id"] = id;
    EXPECT_EQ(field().post("/api/v1/results", mine).status, 422) << id;
  }
}

// 15. A body that is too large, said or not.
TEST_F(AttackTest, A15OversizedBodies) {
  const Client client = owner();
  EXPECT_EQ(client.ask_text("POST", "/api/v1/results", std::string(2 << 20, ' ')).status, 413);
  EXPECT_EQ(raw("POST /api/v1/results HTTP/1.1\r\n" + host() + "Content-Length: 99999999999\r\n\r\n").status,
            413);
  Json many = {{"results", Json::array()}};
  for (int i = 0; i < 501; ++i) many["results"].push_back(1);
  EXPECT_EQ(client.post("/api/v1/results/batch", many).status, 422);
  Json longer = result("u0", 0, 1, 1);
  longer["why"] = std::string(501, 'x');
  EXPECT_EQ(client.post("/api/v1/results", longer).status, 422);
}

// 16. Chunked bodies, and requests hidden in requests.
TEST_F(AttackTest, A16ChunkedBodiesAndSmuggling) {
  const std::int64_t before = sequence(owner());
  EXPECT_EQ(raw("POST /api/v1/results HTTP/1.1\r\n" + host() +
                "Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n")
                .status,
            411);
  EXPECT_EQ(raw("POST / HTTP/1.1\r\n" + host() +
                "Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET /x HTTP/1.1\r\n\r\n")
                .status,
            411);
  EXPECT_EQ(raw("POST / HTTP/1.1\r\n" + host() + "Content-Length: 0\r\nContent-Length: 40\r\n\r\n").status,
            400);
  EXPECT_EQ(raw("POST / HTTP/1.1\r\n" + host() + "Content-Length : 4\r\n\r\nabcd").status, 400);
  EXPECT_EQ(raw("POST / HTTP/1.1\r\n" + host() + "Content-Length: +4\r\n\r\nabcd").status, 400);
  expect_unharmed(before);
}

// 17. Line ends in what becomes a header.
TEST_F(AttackTest, A17HeaderInjection) {
  for (const char* path :
       {"/%0d%0aSet-Cookie:%20x=1", "/api/v1/audit.csv%0d%0aX:%20y", "/?a=%0d%0aSet-Cookie:%20x=1"}) {
    const Reply reply = owner().get(path);
    EXPECT_FALSE(reply.headers.contains("set-cookie")) << path;
    EXPECT_FALSE(reply.headers.contains("x")) << path;
  }
  EXPECT_EQ(raw("GET / HTTP/1.1\r\n" + host() + "X: a\rSet-Cookie: x\r\n\r\n").status, 400);
  EXPECT_EQ(raw("GET / HTTP/1.1\r\n" + host() + "X: a\nHost: evil\r\n\r\n").status, 400);
}

// 18. Another Host: for a link in a mail, or a name that leads to the loopback.
TEST_F(AttackTest, A18HostHeader) {
  EXPECT_EQ(raw("GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n").status, 400);
  EXPECT_EQ(raw("GET / HTTP/1.1\r\n\r\n").status, 400);
  stop();
  std::filesystem::remove(folder_ / "people.json");
  start();
  for (const char* host :
       {"evil.example", "127.0.0.1.evil.example", "localhost.evil.example", "", "evil@127.0.0.1"})
    EXPECT_EQ(nobody().ask("GET", "/api/v1/study", nullptr, {{"Host", host}}).status, 421) << host;
  EXPECT_EQ(nobody().ask("GET", "/api/v1/study", nullptr, {{"Host", "localhost:1234"}}).status, 200);
}

// 19. Guessing passwords.
TEST_F(AttackTest, A19GuessingPasswords) {
  int tried = 0;
  for (int i = 0; i < 30; ++i) {
    const Reply reply = nobody().post("/api/v1/session",
                                      {{"name", "olga"}, {"password", "guess number " + std::to_string(i)}});
    ASSERT_TRUE(reply.status == 401 || reply.status == 429);
    tried += reply.status == 401;
  }
  EXPECT_LE(tried, 7);
  EXPECT_EQ(nobody().post("/api/v1/session", {{"name", "olga"}, {"password", "owner password"}}).status, 429);
  EXPECT_EQ(nobody().post("/api/v1/session", {{"name", "vera"}, {"password", "viewer password"}}).status,
            200);
}

// 20. Which names exist is not told.
TEST_F(AttackTest, A20NamesAreNotTold) {
  const Reply wrong = nobody().post("/api/v1/session", {{"name", "olga"}, {"password", "wrong password"}});
  const Reply unknown =
      nobody().post("/api/v1/session", {{"name", "nobody"}, {"password", "wrong password"}});
  EXPECT_EQ(wrong.status, unknown.status);
  EXPECT_EQ(wrong.body, unknown.body);
  EXPECT_EQ(nobody().get("/api/v1/people").status, 401);
  EXPECT_FALSE(nobody().get("/api/v1/health").json().contains("sequence"));
}

// 21. JSON that is none, nested without end, of other types, with numbers that are too large.
TEST_F(AttackTest, A21StrangeJson) {
  const Client client = owner();
  const std::int64_t before = sequence(client);
  const std::string deep = std::string(100'000, '[') + std::string(100'000, ']');
  for (const std::string& body :
       {std::string("{"), std::string("[]"), std::string("null"), deep, "{\"id\":" + deep + "}",
        std::string("{\"a\":1e999}"), std::string("\xff\xfe"), std::string("{\"id\":\"\xc3\x28\"}"),
        std::string(R"({"id":"\ud800"})"), std::string("NaN")}) {
    const Reply reply = client.ask_text("POST", "/api/v1/results", body);
    EXPECT_TRUE(reply.status == 400 || reply.status == 422) << reply.status << body.substr(0, 40);
  }
  const auto with = [&](const char* key, const Json& value) {
    Json body = result("u0", 0, 1, 1);
    body[key] = value;
    return client.post("/api/v1/results", body).status;
  };
  EXPECT_EQ(with("step", -1), 422);
  EXPECT_EQ(with("step", 1.5), 422);
  EXPECT_EQ(with("step", "0"), 422);
  EXPECT_EQ(with("step", std::uint64_t{1} << 63), 422);
  EXPECT_EQ(with("seen", nullptr), 422);
  EXPECT_EQ(with("reward", "1"), 422);
  EXPECT_EQ(with("reward", 1e300), 422);
  EXPECT_EQ(with("unit", Json::object()), 422);
  EXPECT_EQ(with("void", 1), 422);
  EXPECT_EQ(with("at", "tomorrow"), 422);
  EXPECT_EQ(with("why", "a\tb\x01"), 422);
  expect_unharmed(before);
}

// 22. Methods that nobody needs.
TEST_F(AttackTest, A22Methods) {
  const Client client = owner();
  for (const char* method : {"TRACE", "CONNECT", "PATCH", "OPTIONS", "PRI", "DEBUG"}) {
    const int status = client.ask_text(method, "/api/v1/study", "").status;
    EXPECT_TRUE(status == 405 || status == 400) << method << " " << status;
  }
  // A method in a header or a parameter is not one.
  EXPECT_EQ(client.ask("POST", "/api/v1/people/vera", Json::object(), {{"X-HTTP-Method-Override", "DELETE"}})
                .status,
            405);
  EXPECT_EQ(client.get("/api/v1/people/vera?_method=DELETE").status, 405);
  EXPECT_EQ(client.get("/api/v1/people").json()["people"].size(), 3u);
}

// 23. Frames, sniffing, caches: what protects the page is on every answer.
TEST_F(AttackTest, A23HeadersThatProtect) {
  for (const char* path : {"/", "/api/v1/health", "/api/v1/study", "/nothing", "/api/v1/report"}) {
    const Reply reply = owner().get(path);
    EXPECT_EQ(reply.headers.at("x-frame-options"), "DENY") << path;
    EXPECT_EQ(reply.headers.at("x-content-type-options"), "nosniff") << path;
    EXPECT_EQ(reply.headers.at("referrer-policy"), "no-referrer") << path;
    EXPECT_NE(reply.headers.at("content-security-policy").find("frame-ancestors 'none'"), std::string::npos)
        << path;
    EXPECT_FALSE(reply.headers.contains("access-control-allow-origin")) << path;
    EXPECT_FALSE(reply.headers.contains("server")) << path;
    if (std::string(path).starts_with("/api")) {
      EXPECT_EQ(reply.headers.at("cache-control"), "no-store") << path;
    }
  }
}

// 24. Errors tell nothing of the inside: no paths, no types, no hashes.
TEST_F(AttackTest, A24ErrorsTellNothing) {
  const Client client = owner();
  for (const Reply& reply :
       {client.get("/nothing"), client.get("/api/v1/nothing"),
        client.ask_text("POST", "/api/v1/results", "{"), client.post("/api/v1/results", Json::object()),
        client.get("/api/v1/events?since=x"), raw("nonsense\r\n\r\n")}) {
    EXPECT_GE(reply.status, 400);
    EXPECT_FALSE(reply.code().empty()) << reply.body;
    for (const std::string& inside : {folder_.string(), std::string("nlohmann"), std::string("std::"),
                                      std::string("src/"), std::string("argon2"), std::string("SQLite")})
      EXPECT_EQ(reply.body.find(inside), std::string::npos) << reply.body;
  }
  EXPECT_EQ(owner().get("/api/v1/people").body.find("argon2"), std::string::npos);
  EXPECT_EQ(owner().get("/api/v1/export").body.find("argon2"), std::string::npos);
}

// 25. A compressed body that would become very large.
TEST_F(AttackTest, A25CompressedBodies) {
  for (const char* coding : {"gzip", "br", "deflate"})
    EXPECT_EQ(owner().ask_text("POST", "/api/v1/results", "{}", {{"Content-Encoding", coding}}).status, 415);
}

// 26. Very many ranges of a page, which would be sent one by one.
TEST_F(AttackTest, A26Ranges) {
  std::string ranges = "bytes=0-1";
  for (int i = 0; i < 500; ++i) ranges += ",0-1";
  const Reply reply = nobody().ask("GET", "/", nullptr, {{"Range", ranges}});
  EXPECT_TRUE(reply.status == 200 || reply.status == 416 || reply.status == 206) << reply.status;
  EXPECT_LT(reply.body.size(), 1'000'000u);
}

}  // namespace attack_test
}  // namespace mindgap::server

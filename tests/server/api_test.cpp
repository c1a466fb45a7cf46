#include "mindgap/server/api.h"

#include <fstream>
#include <set>

#include "mindgap/study/serving.h"
#include "server/served.h"

namespace mindgap::server {
namespace api_test {

struct Operation {
  std::set<std::string> roles;
  std::set<int> statuses;
};
using Operations = std::map<std::pair<std::string, std::string>, Operation>;  // by method and path

std::string without_indent(const std::string& line) {
  return line.substr(std::min(line.find_first_not_of(' '), line.size()));
}

// Of docs/reference/study-api.yaml: paths, methods, x-roles and the statuses of responses, by their
// indentation.
Operations documented() {
  std::ifstream in(MINDGAP_SOURCE_DIR "/docs/reference/study-api.yaml");
  Operations found;
  std::string path, method;
  bool in_paths = false, in_responses = false;
  for (std::string line; std::getline(in, line);) {
    const std::size_t indent = line.find_first_not_of(' ');
    if (indent == std::string::npos) continue;
    const std::string text = without_indent(line);
    if (indent == 0) in_paths = text == "paths:";
    if (!in_paths) continue;
    if (indent == 2 && text.starts_with("/")) path = text.substr(0, text.size() - 1);
    if (indent == 4) {
      method = text.substr(0, text.size() - 1);
      for (char& c : method) c = static_cast<char>(std::toupper(c));
    }
    if (indent == 6) in_responses = text == "responses:";
    if (indent == 6 && text.starts_with("x-roles: [")) {
      std::string names = text.substr(10, text.find(']') - 10) + ", ";
      for (std::size_t at = 0, end; (end = names.find(", ", at)) != std::string::npos; at = end + 2)
        found[{method, path}].roles.insert(names.substr(at, end - at));
    }
    if (indent == 8 && in_responses && text.starts_with("\""))
      found[{method, path}].statuses.insert(std::stoi(text.substr(1, 3)));
  }
  return found;
}

TEST(ApiDocument, SaysWhatTheServerHas) {
  Operations served;
  for (const Api::Route& route : Api::routes())
    served[{route.method, route.path}] = {{route.roles.begin(), route.roles.end()},
                                          {route.statuses.begin(), route.statuses.end()}};
  const Operations written = documented();
  EXPECT_EQ(written.size(), served.size());
  for (const auto& [name, operation] : served) {
    ASSERT_TRUE(written.contains(name)) << name.first << " " << name.second;
    EXPECT_EQ(written.at(name).roles, operation.roles) << name.first << " " << name.second;
    EXPECT_EQ(written.at(name).statuses, operation.statuses) << name.first << " " << name.second;
  }
}

class ApiTest : public ServedTest {
 protected:
  std::map<std::pair<std::string, std::string>, std::set<int>> seen_;
  // Asks and notes what was answered by which operation.
  Reply note(const Client& client, const std::string& method, const std::string& form,
             const std::string& path, const Json& body, int wanted) {
    Reply reply = client.ask(method, path, body);
    EXPECT_EQ(reply.status, wanted) << method << " " << path << " " << body << " -> " << reply.body;
    seen_[{method, form}].insert(reply.status);
    return reply;
  }
  Reply note(const Client& client, const std::string& method, const std::string& path, const Json& body,
             int wanted) {
    return note(client, method, path.substr(0, path.find('?')), path, body, wanted);
  }
};

// Everything that the document promises is answered at least once, on the wire.
TEST_F(ApiTest, EveryDocumentedStatusIsAnswered) {
  start();
  const Client local = this->local();
  const std::string v = "/api/v1/";
  note(local, "GET", v + "health", nullptr, 200);
  note(local, "POST", v + "session", {{"name", "a"}, {"password", "b"}}, 409);
  note(local, "POST", v + "people", {{"name", "x"}, {"password", "long enough 1"}, {"role", "viewer"}}, 422);
  note(local, "POST", v + "people", {{"name", "olga"}, {"password", "owner password"}, {"role", "owner"}},
       201);
  EXPECT_EQ(local.get(v + "study").status, 401);  // from now on everybody logs in
  const Client owner = this->owner();
  note(owner, "POST", v + "people", {{"name", "olga"}, {"password", "owner password"}, {"role", "owner"}},
       409);
  note(owner, "POST", v + "people",
       {{"name", "finn"}, {"password", "field password"}, {"role", "field"}, {"units", {"u0", "u1"}}}, 201);
  note(owner, "POST", v + "people", {{"name", "vera"}, {"password", "viewer password"}, {"role", "viewer"}},
       201);
  const Client field = this->field(), viewer = this->viewer();
  note(owner, "POST", v + "session", {{"name", "olga"}, {"password", "owner password"}}, 200);
  note(owner, "POST", v + "session", {{"name", "olga"}}, 422);
  for (int i = 0; i < 5; ++i) note(owner, "POST", v + "session", {{"name", "zoe"}, {"password", "no"}}, 401);
  const Reply slow = note(owner, "POST", v + "session", {{"name", "zoe"}, {"password", "no"}}, 429);
  EXPECT_TRUE(slow.headers.contains("retry-after"));
  note(owner, "GET", v + "session", nullptr, 200);
  const Json study = note(field, "GET", v + "study", nullptr, 200).json();
  EXPECT_EQ(study["units"].size(), 2u);
  EXPECT_EQ(study["name"], "Row of places");
  const Json assigned = note(field, "GET", v + "assignments", nullptr, 200).json();
  ASSERT_EQ(assigned["assignments"].size(), 2u);
  EXPECT_FALSE(assigned["assignments"][0].contains("arm"));
  EXPECT_TRUE(
      note(viewer, "GET", v + "assignments?open=0", nullptr, 200).json()["assignments"][0].contains("arm"));
  note(field, "GET", v + "assignments?open=2", nullptr, 422);
  note(field, "GET", v + "results?unknown=1", nullptr, 422);
  const std::int64_t now = sequence(owner);
  const Json first = result("u0", 0, 1.5, now);
  EXPECT_EQ(note(field, "POST", v + "results", first, 201).json()["outcome"], "recorded");
  EXPECT_EQ(note(field, "POST", v + "results", first, 200).json()["repeated"], true);
  note(field, "POST", v + "results", result("u2", 0, 1, now), 403);
  note(field, "POST", v + "results", result("u1", 0, 1, now + 1000), 409);
  note(field, "POST", v + "results", result("u1", 3, 1, now), 422);
  EXPECT_EQ(note(field, "GET", v + "results", nullptr, 200).json()["results"][0]["who"], "finn");
  note(field, "POST", v + "results/batch", {{"results", {result("u1", 0, 2, now)}}}, 200);
  note(field, "POST", v + "results/batch", {{"results", Json::array()}}, 422);
  const Json kept = note(field, "POST", v + "results", result("u1", 0, 3, now), 201).json();
  ASSERT_EQ(kept["outcome"], "conflict");
  note(owner, "GET", v + "conflicts", nullptr, 200);
  note(owner, "GET", v + "conflicts?open=x", nullptr, 422);
  const std::string form = v + "conflicts/{conflict}";
  const std::string conflict = v + "conflicts/" + kept["conflict"].dump();
  const auto settle = [&](const char* choose) {
    return Json{{"id", id()}, {"seen", now}, {"choose", choose}, {"why", "he called"}};
  };
  note(owner, "POST", form, v + "conflicts/1", settle("keep"), 404);
  note(owner, "POST", form, conflict, settle("none"), 422);
  note(owner, "POST", form, conflict, settle("take"), 200);
  note(owner, "POST", form, conflict, settle("take"), 409);
  const auto deed = [&] { return Json{{"id", id()}, {"seen", now}, {"why", "because"}}; };
  note(owner, "POST", v + "assignments", deed(), 200);
  note(owner, "POST", v + "assignments", {{"id", "x"}, {"seen", 0}}, 422);
  note(owner, "POST", v + "redesign", deed(), 200);
  note(owner, "POST", v + "redesign", Json::object(), 422);
  note(viewer, "GET", v + "status", nullptr, 200);
  note(viewer, "GET", v + "export", nullptr, 200);
  note(viewer, "GET", v + "report", nullptr, 200);
  note(viewer, "GET", v + "report?download=7", nullptr, 422);
  note(field, "GET", v + "events?since=1", nullptr, 200);
  note(field, "GET", v + "events?since=-1", nullptr, 422);
  note(viewer, "GET", v + "audit?who=finn", nullptr, 200);
  note(viewer, "GET", v + "audit?from=yesterday", nullptr, 422);
  note(viewer, "GET", v + "audit.csv", nullptr, 200);
  note(viewer, "GET", v + "audit.csv?to=2026", nullptr, 422);
  note(owner, "POST", v + "stop", {{"id", id()}, {"seen", now}}, 422);
  note(owner, "POST", v + "stop", deed(), 200);
  note(owner, "POST", v + "stop", deed(), 409);
  note(owner, "POST", v + "assignments", deed(), 409);
  note(owner, "POST", v + "redesign", deed(), 409);
  note(viewer, "GET", v + "people", nullptr, 200);
  const std::string person = v + "people/{name}";
  note(owner, "PUT", person, v + "people/vera", {{"role", "viewer"}}, 200);
  note(owner, "PUT", person, v + "people/vera", {{"role", "king"}}, 422);
  note(owner, "PUT", person, v + "people/nobody", {{"role", "viewer"}}, 404);
  note(owner, "PUT", person, v + "people/olga", {{"role", "viewer"}}, 409);
  const std::string tokens = person + "/tokens";
  const Json token =
      note(owner, "POST", tokens, v + "people/vera/tokens", {{"label", "x"}, {"days", 1}}, 201).json();
  note(owner, "POST", tokens, v + "people/vera/tokens", {{"label", "x"}, {"days", 0}}, 422);
  note(owner, "POST", tokens, v + "people/nobody/tokens", {{"label", "x"}}, 404);
  Client program = nobody();
  program.headers["Authorization"] = "Bearer " + token["secret"].get<std::string>();
  EXPECT_EQ(program.get(v + "status").status, 200);
  const std::string one = tokens + "/{token}";
  note(owner, "DELETE", one, v + "people/vera/tokens/" + token["token"].get<std::string>(), nullptr, 200);
  note(owner, "DELETE", one, v + "people/vera/tokens/" + token["token"].get<std::string>(), nullptr, 404);
  EXPECT_EQ(program.get(v + "status").status, 401);
  const std::string password = person + "/password";
  note(field, "PUT", password, v + "people/finn/password",
       {{"password", "a new password"}, {"old", "wrong one"}}, 401);
  note(field, "PUT", password, v + "people/finn/password", {{"password", "short"}, {"old", "field password"}},
       422);
  note(owner, "PUT", password, v + "people/nobody/password", {{"password", "long enough 1"}}, 404);
  note(field, "PUT", password, v + "people/finn/password",
       {{"password", "a new password"}, {"old", "field password"}}, 200);
  EXPECT_EQ(field.get(v + "study").status, 401);  // the old session ended
  note(owner, "DELETE", person, v + "people/finn", nullptr, 200);
  note(owner, "DELETE", person, v + "people/finn", nullptr, 404);
  note(owner, "DELETE", person, v + "people/vera", nullptr, 200);
  note(owner, "DELETE", person, v + "people/olga", nullptr, 409);
  note(owner, "DELETE", v + "session", nullptr, 200);
  EXPECT_EQ(owner.get(v + "study").status, 401);
  for (const auto& [name, operation] : documented())
    EXPECT_EQ(seen_[name], operation.statuses) << name.first << " " << name.second;
  stop();
  expect_verified();
}

// Every operation, asked by everybody: only those that the document lists get past the door.
TEST_F(ApiTest, RolesAreKept) {
  add_people();
  start();
  const std::map<std::string, Client> clients = {
      {"owner", owner()}, {"field", field()}, {"viewer", viewer()}, {"nobody", nobody()}};
  for (const auto& [name, operation] : documented()) {
    const auto& [method, form] = name;
    if (form == "/api/v1/session") continue;  // would log them out
    std::string path = form;
    for (const char* part : {"{conflict}", "{name}", "{token}"}) {
      if (const std::size_t at = path.find(part); at != std::string::npos)
        path.replace(at, std::string(part).size(), "999");
    }
    for (const auto& [role, client] : clients) {
      const Reply reply =
          client.ask(method, path, method == "GET" || method == "DELETE" ? Json(nullptr) : Json::object());
      const bool allowed = operation.roles.contains(role) || operation.roles.contains("anyone");
      const bool refused = reply.status == 401 || (reply.status == 403 && reply.code() == "forbidden");
      // Somebody else's password is for owners: the path is of nobody here.
      if (form.ends_with("/password") && role != "owner") {
        EXPECT_TRUE(reply.status == 401 || reply.status == 403 || reply.status == 422) << role;
        continue;
      }
      EXPECT_EQ(refused, !allowed) << role << " " << method << " " << path << " " << reply.status
                                   << reply.body;
      if (!allowed) {
        EXPECT_EQ(reply.status, role == "nobody" ? 401 : 403);
      }
    }
  }
}

TEST_F(ApiTest, AWaitingRequestIsAnsweredByTheNextEvent) {
  start();
  const Client client = local();
  const std::int64_t now = sequence(client);
  Line line(client.port);
  line.send(client.bytes("GET", "/api/v1/events?wait=20&since=" + std::to_string(now), ""));
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  const auto before = std::chrono::steady_clock::now();
  EXPECT_EQ(client.post("/api/v1/results", result("u0", 0, 1, now)).status, 201);
  const Json events = line.receive(10).json();
  EXPECT_LT(std::chrono::steady_clock::now() - before, std::chrono::seconds(5));
  ASSERT_EQ(events["events"].size(), 1u);
  EXPECT_EQ(events["events"][0]["kind"], "record");
  EXPECT_EQ(events["events"][0]["units"], Json({"u0"}));
  EXPECT_EQ(events["next"], now + 1);
  const Json none = client.get("/api/v1/events?wait=1&since=" + std::to_string(now + 1)).json();
  EXPECT_EQ(none["events"].size(), 0u);
}

// The server is the only writer; readers go on, and after it everybody may write again.
TEST_F(ApiTest, OthersMayReadAndNotWrite) {
  start();
  const auto storage = study::storage_at(folder_);
  EXPECT_NO_THROW(study::read_study(*storage));
  try {
    study::assign(*storage, std::nullopt, study::kWriter, 1);
    FAIL() << "somebody else wrote";
  } catch (const StoreError& error) {
    EXPECT_NE(std::string(error.what()).find("being served (" + server_->url()), std::string::npos)
        << error.what();
  }
  EXPECT_THROW(Server another(request()), StoreError);
  stop();
  EXPECT_NO_THROW(study::assign(*storage, std::nullopt, study::kWriter, 1));
  EXPECT_FALSE(std::filesystem::exists(storage->serving_file()));
}

TEST_F(ApiTest, WithoutUsersOnlyTheLoopback) {
  ServeRequest request = this->request();
  request.listen = "0.0.0.0:0";
  EXPECT_THROW(Server open(request), InvalidArgument);
  request.listen = "127.0.0.1:0";
  request.public_url = "https://study.example.org";
  EXPECT_THROW(Server proxied(request), InvalidArgument);
  start();
  const std::vector<std::string> notes = server_->notes();
  EXPECT_NE(notes[1].find("this computer alone"), std::string::npos);
  EXPECT_EQ(nobody().ask("GET", "/api/v1/study", nullptr, {{"Host", "evil.example"}}).status, 421);
  EXPECT_EQ(nobody().ask("GET", "/api/v1/study", nullptr, {{"X-Forwarded-For", "1.2.3.4"}}).status, 403);
}

TEST_F(ApiTest, ThePageIsServedWithAStrictPolicy) {
  start();
  const Reply page = nobody().get("/");
  EXPECT_EQ(page.status, 200);
  EXPECT_EQ(page.headers.at("content-type"), "text/html; charset=utf-8");
  const std::string policy = page.headers.at("content-security-policy");
  EXPECT_EQ(policy.find("unsafe"), std::string::npos);
  EXPECT_NE(policy.find("default-src 'none'"), std::string::npos);
  EXPECT_EQ(nobody().get("/index.html").body, page.body);
  EXPECT_EQ(nobody().ask("GET", "/", nullptr, {{"If-None-Match", page.headers.at("etag")}}).status, 304);
  EXPECT_EQ(nobody().ask("POST", "/", Json::object()).status, 405);
}

}  // namespace api_test
}  // namespace mindgap::server

#include "mindgap/server/people.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <nlohmann/json.hpp>

#include "mindgap/files/output.h"
#include "mindgap/files/place.h"
#include "mindgap/files/text_file.h"
#include "mindgap/mdp/names.h"

namespace mindgap::server {
namespace {

using PeopleJson = nlohmann::ordered_json;

constexpr const char* kPeopleFile = "people.json";
constexpr std::size_t kShortestPassword = 10, kLongestPassword = 256;
constexpr std::size_t kMostTokens = 50;

PeopleJson json_of_account(const std::string& name, const Account& account) {
  PeopleJson json = {{"name", name}, {"role", to_string(account.role)}};
  if (account.role == Role::field) json["units"] = account.units;
  json["password"] = account.password;
  json["changed"] = account.changed;
  json["tokens"] = PeopleJson::array();
  for (const Token& token : account.tokens)
    json["tokens"].push_back({{"token", token.number},
                              {"fingerprint", token.fingerprint},
                              {"label", token.label},
                              {"expires", token.expires}});
  return json;
}

Account account_from(const PeopleJson& json) {
  Account account;
  const std::optional<Role> role = role_from(json.at("role").get<std::string>());
  if (!role) throw StoreError("a role is none of owner, field and viewer");
  account.role = *role;
  account.units = json.value("units", std::vector<std::string>{});
  account.password = json.at("password").get<std::string>();
  account.changed = json.value("changed", "");
  for (const auto& token : json.value("tokens", PeopleJson::array()))
    account.tokens.push_back({token.at("token").get<std::string>(),
                              token.at("fingerprint").get<std::string>(),
                              token.at("label").get<std::string>(), token.at("expires").get<std::int64_t>()});
  return account;
}

// One change at a time, whoever makes it: the server or the command line.
class PeopleLock {
 public:
  explicit PeopleLock(const std::filesystem::path& folder)
      : held_(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
    if (held_ < 0 || ::flock(held_, LOCK_EX) != 0) {
      const int reason = errno;
      if (held_ >= 0) ::close(held_);
      throw StoreError(fmt::format("{}: {}", folder.string(), std::strerror(reason)));
    }
  }
  ~PeopleLock() { ::close(held_); }
  PeopleLock(const PeopleLock&) = delete;
  PeopleLock& operator=(const PeopleLock&) = delete;

 private:
  int held_;
};

std::string mark_of_file(const std::filesystem::path& file) {
  struct stat found {};
  if (::stat(file.c_str(), &found) != 0) return "none";
  return fmt::format("{} {} {}.{}", found.st_ino, found.st_size, found.st_mtim.tv_sec, found.st_mtim.tv_nsec);
}

void check_password_strength(const std::string& password) {
  if (password.size() < kShortestPassword || password.size() > kLongestPassword)
    throw PeopleError("weak_password",
                      fmt::format("a password has {} to {} characters", kShortestPassword, kLongestPassword));
}

void check_units(Role role, std::vector<std::string>& units) {
  if (role != Role::field) {
    if (!units.empty()) throw PeopleError("invalid", "units are for the role field: others see all of them");
    return;
  }
  std::sort(units.begin(), units.end());
  units.erase(std::unique(units.begin(), units.end()), units.end());
  if (units.empty()) throw PeopleError("invalid", "somebody in the field has at least one unit");
  for (const std::string& unit : units) {
    if (unit.empty() || !mdp::is_clean_utf8(unit)) throw PeopleError("invalid", "a unit has no proper name");
  }
}

Account& account_at(Accounts& accounts, const std::string& name) {
  const auto found = accounts.find(name);
  if (found == accounts.end())
    throw PeopleError("not_found", fmt::format("there is nobody named '{}'", base::printable(name)));
  return found->second;
}

void check_owner(const Accounts& accounts) {
  const bool any = std::any_of(accounts.begin(), accounts.end(),
                               [](const auto& entry) { return entry.second.role == Role::owner; });
  if (!any)
    throw PeopleError("last_owner",
                      "a study with users has at least one owner: add that one first, or remove it last");
}

}  // namespace

const char* to_string(Role role) {
  return role == Role::owner ? "owner" : role == Role::field ? "field" : "viewer";
}

std::optional<Role> role_from(std::string_view text) {
  for (const Role role : {Role::owner, Role::field, Role::viewer}) {
    if (text == to_string(role)) return role;
  }
  return std::nullopt;
}

bool is_name(std::string_view name) {
  constexpr std::string_view kAllowed = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-@";
  return !name.empty() && name.size() <= 64 && name.find_first_not_of(kAllowed) == std::string_view::npos;
}

std::int64_t unix_now() {
  return std::time(nullptr);
}

std::string time_text(std::int64_t seconds) {
  const std::time_t time = seconds;
  std::tm parts{};
  ::gmtime_r(&time, &parts);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text;
}

void write_private(const std::filesystem::path& file, const std::string& text) {
  const std::filesystem::path beside = file.string() + "." + random_hex(6);
  const int out = ::open(beside.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  bool good = out >= 0 && ::write(out, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  good = good && ::fsync(out) == 0;
  if (out >= 0) ::close(out);
  good = good && ::rename(beside.c_str(), file.c_str()) == 0;
  if (!good) {
    const int reason = errno;
    ::unlink(beside.c_str());
    throw StoreError(fmt::format("{}: cannot be written: {}", file.string(), std::strerror(reason)));
  }
  files::sync_to_disk(files::absolute_path(file).parent_path());
}

People::People(const std::filesystem::path& folder, HashCost cost)
    : file_((files::is_file(folder) ? folder.parent_path() : folder) / kPeopleFile),
      cost_(cost),
      nobody_(hash_password(random_hex(16), cost)) {}

Accounts People::read_file() const {
  Accounts accounts;
  if (!files::is_there(file_)) return accounts;
  try {
    const files::TextFile text = files::open_text_file(file_);
    const auto json = PeopleJson::parse(text.text);
    for (const auto& person : json.at("people"))
      accounts[person.at("name").get<std::string>()] = account_from(person);
  } catch (const nlohmann::json::exception& error) {
    throw StoreError(fmt::format("{}: is no list of people ({})", file_.string(), error.what()));
  }
  return accounts;
}

std::shared_ptr<const Accounts> People::all() {
  const std::lock_guard lock(mutex_);
  const std::string mark = mark_of_file(file_);
  if (mark != mark_) {
    accounts_ = std::make_shared<const Accounts>(read_file());
    mark_ = mark;
  }
  return accounts_;
}

std::optional<Account> People::find(const std::string& name) {
  const std::shared_ptr<const Accounts> accounts = all();
  const auto found = accounts->find(name);
  return found == accounts->end() ? std::nullopt : std::optional(found->second);
}

void People::edit(const std::function<void(Accounts&)>& change) {
  const PeopleLock alone(file_.parent_path());
  Accounts accounts = read_file();
  change(accounts);
  if (!accounts.empty()) check_owner(accounts);
  PeopleJson json = {{"format", "mindgap-people/1"}, {"people", PeopleJson::array()}};
  for (const auto& [name, account] : accounts) json["people"].push_back(json_of_account(name, account));
  write_private(file_, json.dump(1) + "\n");
}

void People::add(const std::string& name, const std::string& password, Role role,
                 std::vector<std::string> units) {
  if (!is_name(name))
    throw PeopleError("invalid", "a name has 1 to 64 letters, digits, dots, underscores, hyphens or @");
  check_password_strength(password);
  check_units(role, units);
  const std::string hash = hash_password(password, cost_);
  edit([&](Accounts& accounts) {
    if (accounts.contains(name))
      throw PeopleError("exists", fmt::format("there is somebody named '{}' already", name));
    accounts[name] = {role, units, hash, {}, random_hex(8)};
  });
}

void People::change(const std::string& name, Role role, std::vector<std::string> units) {
  check_units(role, units);
  edit([&](Accounts& accounts) {
    Account& account = account_at(accounts, name);
    if (account.role != role) account.changed = random_hex(8);
    account.role = role;
    account.units = units;
  });
}

void People::remove(const std::string& name) {
  edit([&](Accounts& accounts) {
    account_at(accounts, name);
    accounts.erase(name);
  });
}

void People::set_password(const std::string& name, const std::string& password) {
  check_password_strength(password);
  const std::string hash = hash_password(password, cost_);
  edit([&](Accounts& accounts) {
    Account& account = account_at(accounts, name);
    account.password = hash;
    account.changed = random_hex(8);
  });
}

People::NewToken People::add_token(const std::string& name, const std::string& label, std::int64_t days) {
  if (label.empty() || label.size() > 100 || !mdp::is_clean_utf8(label))
    throw PeopleError("invalid", "a token has a label of 1 to 100 characters");
  if (days < 1 || days > 3650) throw PeopleError("invalid", "a token lasts 1 to 3650 days");
  NewToken token{random_hex(4), "mgt_" + random_hex(32), unix_now() + 86400 * days};
  edit([&](Accounts& accounts) {
    Account& account = account_at(accounts, name);
    std::erase_if(account.tokens, [](const Token& old) { return old.expires <= unix_now(); });
    if (account.tokens.size() >= kMostTokens)
      throw PeopleError("invalid",
                        fmt::format("nobody has more than {} tokens: end some first", kMostTokens));
    account.tokens.push_back({token.number, fingerprint(token.secret), label, token.expires});
  });
  return token;
}

void People::remove_token(const std::string& name, const std::string& number) {
  edit([&](Accounts& accounts) {
    Account& account = account_at(accounts, name);
    if (std::erase_if(account.tokens, [&](const Token& token) { return token.number == number; }) == 0)
      throw PeopleError("not_found", "there is no such token");
  });
}

bool People::is_right(const std::string& name, const std::string& password) {
  const std::optional<Account> account = find(name);
  const bool right = is_password(account ? account->password : nobody_, password);
  return account && right;
}

std::optional<std::string> People::owner_of(const std::string& secret) {
  const std::string wanted = fingerprint(secret);
  const std::shared_ptr<const Accounts> accounts = all();
  for (const auto& [name, account] : *accounts) {
    for (const Token& token : account.tokens) {
      if (equal_secrets(token.fingerprint, wanted) && token.expires > unix_now()) return name;
    }
  }
  return std::nullopt;
}

std::map<std::string, study::Person> People::persons() {
  std::map<std::string, study::Person> persons;
  const std::shared_ptr<const Accounts> accounts = all();
  for (const auto& [name, account] : *accounts) persons.emplace(name, account.person());
  return persons;
}

}  // namespace mindgap::server

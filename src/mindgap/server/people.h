#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "mindgap/server/secrets.h"
#include "mindgap/study/state.h"

// Who may do what: people.json beside a study, readable by its owner alone. The command line and a running
// server may both change it; a server sees what the command line did with the next request.
namespace mindgap::server {

enum class Role { owner, field, viewer };
const char* to_string(Role role);
std::optional<Role> role_from(std::string_view text);

struct Token {
  std::string number;       // by which people know it
  std::string fingerprint;  // of the secret
  std::string label;
  std::int64_t expires = 0;  // seconds since 1970
};

struct Account {
  Role role = Role::viewer;
  std::vector<std::string> units = {};  // of a field person
  std::string password = {};            // its hash
  std::vector<Token> tokens = {};
  std::string changed = {};  // another one whenever sessions must end: role or password changed

  study::Person person() const { return {to_string(role), units}; }
};

using Accounts = std::map<std::string, Account>;

/// What is wrong with an argument: `code` is one of the API's words.
class PeopleError : public InvalidArgument {
 public:
  PeopleError(std::string code, const std::string& message)
      : InvalidArgument(message), code_(std::move(code)) {}
  const std::string& code() const { return code_; }

 private:
  std::string code_;
};

class People {
 public:
  /// Of the study in a folder. Nothing needs to be there yet.
  explicit People(const std::filesystem::path& folder, HashCost cost = HashCost::interactive);

  /// As the file says now. Throws StoreError where it cannot be read.
  std::shared_ptr<const Accounts> all();
  std::optional<Account> find(const std::string& name);

  /// All throw PeopleError: `invalid`, `exists`, `not_found`, `weak_password`, `last_owner`.
  void add(const std::string& name, const std::string& password, Role role, std::vector<std::string> units);
  void change(const std::string& name, Role role, std::vector<std::string> units);
  void remove(const std::string& name);
  void set_password(const std::string& name, const std::string& password);
  struct NewToken {
    std::string number, secret;
    std::int64_t expires = 0;
  };
  NewToken add_token(const std::string& name, const std::string& label, std::int64_t days);
  void remove_token(const std::string& name, const std::string& number);

  /// Whether this is the person's password. Takes as long where there is no such person.
  bool is_right(const std::string& name, const std::string& password);
  /// Whose token this is, where it has not expired.
  std::optional<std::string> owner_of(const std::string& secret);

  std::map<std::string, study::Person> persons();

 private:
  Accounts read_file() const;
  void edit(const std::function<void(Accounts&)>& change);

  std::filesystem::path file_;
  HashCost cost_;
  std::mutex mutex_;
  std::shared_ptr<const Accounts> accounts_;
  std::string mark_;    // of the file as it was read
  std::string nobody_;  // the hash of a password that nobody has
};

/// 1 to 64 letters, digits, '.', '_', '-', '@'.
bool is_name(std::string_view name);

/// The clock, in seconds since 1970, and as events have it.
std::int64_t unix_now();
std::string time_text(std::int64_t seconds);

/// Writes a file that only its owner may read, whole or not at all.
void write_private(const std::filesystem::path& file, const std::string& text);

}  // namespace mindgap::server

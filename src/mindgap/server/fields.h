#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "mindgap/server/http.h"

// What a request says, read strictly: what is missing, of another type, too long or unknown is refused.
namespace mindgap::server {

using ApiJson = nlohmann::ordered_json;

/// A request that is refused: `code` is one of the API's words.
class ApiError : public std::runtime_error {
 public:
  ApiError(int status, std::string code, const std::string& message)
      : std::runtime_error(message), status_(status), code_(std::move(code)) {}
  int status() const { return status_; }
  const std::string& code() const { return code_; }

 private:
  int status_;
  std::string code_;
};

[[noreturn]] void refuse_field(const std::string& message);

/// The object of a body. Throws ApiError 400 where it is none.
ApiJson read_body(const std::string& body);

/// The keys of an object. Every getter marks its key as known; done() refuses those that nobody asked for.
class Fields {
 public:
  explicit Fields(const ApiJson& object);

  std::string text(const char* key, std::size_t most = 200);  // it must be there and not be empty
  std::optional<std::string> text_or_none(const char* key, std::size_t most = 200);  // null is none
  std::int64_t whole(const char* key);
  std::optional<std::int64_t> whole_or_none(const char* key);
  std::optional<double> number_or_none(const char* key);
  bool flag(const char* key);  // default false
  std::optional<std::vector<std::string>> texts_or_none(const char* key, std::size_t most = 10'000);
  const ApiJson* find(const char* key);
  void done() const;

 private:
  const ApiJson& object_;
  std::set<std::string> known_;
};

/// Parameters of a query, read in the same way.
class Parameters {
 public:
  explicit Parameters(const Request& request);
  std::int64_t whole(const char* name, std::int64_t otherwise, std::int64_t least, std::int64_t most);
  std::string text(const char* name);  // "" where it is not there
  void done() const;

 private:
  const Request& request_;
  std::set<std::string> known_;
};

}  // namespace mindgap::server

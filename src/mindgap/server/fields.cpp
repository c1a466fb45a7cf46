#include "mindgap/server/fields.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "mindgap/base/error.h"
#include "mindgap/mdp/names.h"

namespace mindgap::server {
namespace {

// Text of people: UTF-8 without control characters.
std::string checked_text(const ApiJson& value, const char* key, std::size_t most) {
  if (!value.is_string()) refuse_field(fmt::format("{} must be a text", key));
  std::string text = value.get<std::string>();
  if (text.size() > most) refuse_field(fmt::format("{} is longer than {} bytes", key, most));
  const bool control = std::any_of(text.begin(), text.end(),
                                   [](char c) { return static_cast<unsigned char>(c) < 32 || c == 127; });
  if (control || !mdp::is_clean_utf8(text))
    refuse_field(fmt::format("{} has characters that have no place in it", key));
  return text;
}

}  // namespace

void refuse_field(const std::string& message) {
  throw ApiError(422, "invalid", message);
}

ApiJson read_body(const std::string& body) {
  ApiJson json = ApiJson::parse(body, nullptr, false);
  if (json.is_discarded()) throw ApiError(400, "malformed", "the body is no JSON");
  if (!json.is_object()) throw ApiError(400, "malformed", "the body must be a JSON object");
  return json;
}

Fields::Fields(const ApiJson& object) : object_(object) {
  if (!object.is_object()) refuse_field("expected an object");
}

const ApiJson* Fields::find(const char* key) {
  known_.insert(key);
  const auto found = object_.find(key);
  return found == object_.end() || found->is_null() ? nullptr : &*found;
}

std::string Fields::text(const char* key, std::size_t most) {
  const std::optional<std::string> found = text_or_none(key, most);
  if (!found || found->empty()) refuse_field(fmt::format("{} is missing", key));
  return *found;
}

std::optional<std::string> Fields::text_or_none(const char* key, std::size_t most) {
  const ApiJson* found = find(key);
  return found == nullptr ? std::nullopt : std::optional(checked_text(*found, key, most));
}

std::int64_t Fields::whole(const char* key) {
  const std::optional<std::int64_t> found = whole_or_none(key);
  if (!found) refuse_field(fmt::format("{} is missing", key));
  return *found;
}

std::optional<std::int64_t> Fields::whole_or_none(const char* key) {
  const ApiJson* found = find(key);
  if (found == nullptr) return std::nullopt;
  const bool fits = found->is_number_integer() &&
                    (!found->is_number_unsigned() || found->get<std::uint64_t>() <= std::uint64_t{1} << 53);
  if (!fits || found->get<std::int64_t>() < 0)
    refuse_field(fmt::format("{} must be a whole number from 0", key));
  return found->get<std::int64_t>();
}

std::optional<double> Fields::number_or_none(const char* key) {
  const ApiJson* found = find(key);
  if (found == nullptr) return std::nullopt;
  if (!found->is_number() || !std::isfinite(found->get<double>()))
    refuse_field(fmt::format("{} must be a number", key));
  return found->get<double>();
}

bool Fields::flag(const char* key) {
  const ApiJson* found = find(key);
  if (found == nullptr) return false;
  if (!found->is_boolean()) refuse_field(fmt::format("{} must be true or false", key));
  return found->get<bool>();
}

std::optional<std::vector<std::string>> Fields::texts_or_none(const char* key, std::size_t most) {
  const ApiJson* found = find(key);
  if (found == nullptr) return std::nullopt;
  if (!found->is_array() || found->size() > most)
    refuse_field(fmt::format("{} must be a list of texts", key));
  std::vector<std::string> texts;
  for (const ApiJson& value : *found) texts.push_back(checked_text(value, key, 200));
  return texts;
}

void Fields::done() const {
  for (const auto& [key, value] : object_.items()) {
    if (!known_.contains(key)) refuse_field(fmt::format("'{}' is not known here", base::printable(key)));
  }
}

Parameters::Parameters(const Request& request) : request_(request) {
  if (request.twice) refuse_field("a parameter is there twice");
}

std::string Parameters::text(const char* name) {
  known_.insert(name);
  const auto found = request_.parameters.find(name);
  if (found == request_.parameters.end()) return "";
  if (found->second.size() > 200 || !mdp::is_clean_utf8(found->second))
    refuse_field(fmt::format("{} has characters that have no place in it, or too many", name));
  return found->second;
}

std::int64_t Parameters::whole(const char* name, std::int64_t otherwise, std::int64_t least,
                               std::int64_t most) {
  const std::string value = text(name);
  if (value.empty()) return otherwise;
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
  if (error != std::errc() || end != value.data() + value.size() || number < least || number > most)
    refuse_field(fmt::format("{} must be a whole number from {} to {}", name, least, most));
  return number;
}

void Parameters::done() const {
  for (const auto& [name, value] : request_.parameters) {
    if (!known_.contains(name))
      refuse_field(fmt::format("the parameter '{}' is not known here", base::printable(name)));
  }
}

}  // namespace mindgap::server

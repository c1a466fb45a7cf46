#include "mindgap/study/author.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "mindgap/base/error.h"
#include "mindgap/study/whole_number.h"

namespace mindgap::study {
namespace {

using AuthorJson = nlohmann::ordered_json;

std::string text_at(const AuthorJson& object, const char* key) {
  const auto found = object.find(key);
  if (found == object.end()) return "";
  if (!found->is_string()) throw StoreError("the study is damaged: an author is malformed");
  return found->get<std::string>();
}

}  // namespace

std::string with_author(const std::string& content, const Author& author) {
  AuthorJson by;
  by["who"] = author.who;
  by["role"] = author.role;
  by["id"] = author.id;
  by["seen"] = author.seen;
  if (!author.at.empty()) by["at"] = author.at;
  if (!author.why.empty()) by["why"] = author.why;
  const std::string beginning = content.substr(0, content.size() - 1);  // without the last brace
  return fmt::format("{}{}\"by\":{}}}", beginning, beginning == "{" ? "" : ",", by.dump());
}

std::shared_ptr<const Author> author_of(const Event& event) {
  if (event.content.find("\"by\":") == std::string::npos) return nullptr;
  const auto content = AuthorJson::parse(event.content, nullptr, false);
  if (!content.is_object() || !content.contains("by")) return nullptr;
  const AuthorJson& by = content["by"];
  if (!by.is_object() || !by.contains("seen") || !by["seen"].is_number_integer())
    throw StoreError(fmt::format("the study is damaged: event {} has a malformed author", event.number));
  return std::make_shared<const Author>(Author{text_at(by, "who"), text_at(by, "role"), text_at(by, "id"),
                                               whole_number(by["seen"]), text_at(by, "at"),
                                               text_at(by, "why")});
}

bool is_time(std::string_view text) {
  constexpr std::string_view kForm = "dddd-dd-ddTdd:dd:ddZ";
  if (text.size() != kForm.size()) return false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool digit = text[i] >= '0' && text[i] <= '9';
    if (kForm[i] == 'd' ? !digit : text[i] != kForm[i]) return false;
  }
  const auto two = [&](std::size_t at) { return 10 * (text[at] - '0') + (text[at + 1] - '0'); };
  return two(5) >= 1 && two(5) <= 12 && two(8) >= 1 && two(8) <= 31 && two(11) < 24 && two(14) < 60 &&
         two(17) <= 60;
}

bool is_id(std::string_view text) {
  constexpr std::string_view kAllowed = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-";
  return text.size() >= 8 && text.size() <= 64 && text.find_first_not_of(kAllowed) == std::string_view::npos;
}

}  // namespace mindgap::study

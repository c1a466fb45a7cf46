#include "mindgap/base/option_name.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>

namespace mindgap::base {
namespace {

std::atomic<Speech> reader_of_messages = Speech::command_line;

bool is_number(std::string_view text) {
  return !text.empty() && text.find_first_not_of("+-.0123456789e") == std::string_view::npos;
}

}  // namespace

void speak_to(Speech reader) {
  reader_of_messages = reader;
}

Speech spoken_to() {
  return reader_of_messages;
}

std::string option_name(std::string_view name) {
  if (spoken_to() == Speech::command_line) return fmt::format("--{}", name);
  std::string word(name);
  std::replace(word.begin(), word.end(), '-', '_');
  return word;
}

std::string option_value(std::string_view name, std::string_view value) {
  if (spoken_to() == Speech::command_line) return fmt::format("--{} {}", name, value);
  const char* quote = is_number(value) ? "" : "'";
  return fmt::format("{}={}{}{}", option_name(name), quote, value, quote);
}

std::string option_flag(std::string_view name) {
  return spoken_to() == Speech::command_line ? option_name(name) : option_name(name) + "=True";
}

std::string_view told(std::string_view on_command_line, std::string_view in_python) {
  return spoken_to() == Speech::command_line ? on_command_line : in_python;
}

}  // namespace mindgap::base

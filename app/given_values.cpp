#include "given_values.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstdlib>

#include "mindgap/base/error.h"

namespace mindgap::app {
namespace {

bool is_out_of_range(const std::string& text, const std::string& type) {
  if (type != "INT" && type != "UINT") return false;
  errno = 0;
  if (type == "INT") {
    std::strtoll(text.c_str(), nullptr, 0);
  } else {
    std::strtoull(text.c_str(), nullptr, 0);
  }
  return errno == ERANGE;
}

}  // namespace

void check_given_values(const CLI::App& command) {
  for (const CLI::Option* option : command.get_options()) {
    if (option->count() == 0 || option->get_expected_max() == 0) continue;  // a flag has no value
    for (const std::string& value : option->results()) {
      if (value.empty())
        throw InvalidArgument(
            fmt::format("{} is empty: give a value or leave the option out", option->get_name()));
      if (is_out_of_range(value, option->get_type_name()))
        throw InvalidArgument(
            fmt::format("{} is out of range: {}", option->get_name(), base::printable(value)));
    }
  }
  for (const CLI::App* chosen : command.get_subcommands()) check_given_values(*chosen);
}

}  // namespace mindgap::app

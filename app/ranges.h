#pragma once

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <limits>
#include <string>

// Checks of numbers, with messages for people. What a check allows also stands in the help.
namespace mindgap::app {

/// From `least` to `most`, both included. A bound of a billion or more is there for safety and is not shown.
template <typename Number>
CLI::Validator in_range(Number least, Number most) {
  const std::string wanted = static_cast<double>(most) < 1e9 ? fmt::format("from {} to {}", least, most)
                                                             : fmt::format("at least {}", least);
  return CLI::Validator(
      [=](const std::string& text) {
        Number value{};
        if (!CLI::detail::lexical_cast(text, value)) return fmt::format("'{}' is not a number", text);
        if (value >= least && value <= most) return std::string();
        return value < least || static_cast<double>(most) < 1e9
                   ? fmt::format("must be {}, but is {}", wanted, text)
                   : fmt::format("must be at most {}, but is {}", most, text);
      },
      wanted);
}

/// A finite number; 0 is allowed only where `zero` says so.
inline CLI::Validator finite_number(bool zero) {
  const std::string wanted = zero ? "0 or more" : "above 0";
  return CLI::Validator(
      [=](const std::string& text) {
        double value = 0;
        if (!CLI::detail::lexical_cast(text, value)) return fmt::format("'{}' is not a number", text);
        const bool good = (zero ? value >= 0 : value > 0) && value <= std::numeric_limits<double>::max();
        return good ? std::string() : fmt::format("must be {}, but is {}", wanted, text);
      },
      wanted);
}

}  // namespace mindgap::app

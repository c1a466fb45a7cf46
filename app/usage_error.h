#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace mindgap::app {

/// The command that the words led to: "mindgap study init", and its options.
struct Reached {
  const CLI::App* command = nullptr;
  std::string path;
  std::size_t words = 0;  // how many of the words name it
};
Reached reached_by(const CLI::App& program, const std::vector<std::string>& words);

/// One line that says what is wrong with the words, what was probably meant, and whose help to read.
std::string usage_error(const CLI::App& program, const std::vector<std::string>& words,
                        const CLI::ParseError& error);

}  // namespace mindgap::app

#pragma once

#include <string>
#include <vector>

namespace mindgap::app {

/// Does what the program does when it is called with these words (those after its name), and gives its exit
/// status. Reports every error on standard error. The Python package calls it, too.
int run_command_line(const std::vector<std::string>& words);

}  // namespace mindgap::app

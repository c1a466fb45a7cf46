#pragma once

#include <span>
#include <string>
#include <vector>

#include "mindgap/files/text_file.h"

namespace mindgap::files {

/// The columns of a table of sampled models, one line each, that are wanted: finite numbers. Other
/// columns may hold anything. Throws InvalidModel with file, line and column where one is missing or holds
/// something else.
std::vector<std::vector<double>> parse_draws(const TextFile& file, std::span<const std::string> wanted);

}  // namespace mindgap::files

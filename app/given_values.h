#pragma once

#include <CLI/CLI.hpp>

namespace mindgap::app {

/// Throws InvalidArgument for an option that was given an empty value, as `--log "$UNSET"` gives it, or a
/// whole number that does not fit: neither may stand for "not given" or for another number.
void check_given_values(const CLI::App& command);

}  // namespace mindgap::app

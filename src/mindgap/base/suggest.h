#pragma once

#include <span>
#include <string>
#include <string_view>

namespace mindgap::base {

/// "there is no planner 'asp'; there are: asop, sop, sep, ..." with the nearest name first (edit distance,
/// ties in the order given), the others in the order given.
std::string unknown_name(std::string_view what, std::string_view name, std::span<const std::string> known);

}  // namespace mindgap::base

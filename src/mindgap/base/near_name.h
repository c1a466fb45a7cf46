#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace mindgap::base {

/// The known name that was probably meant: it begins with `name` (of two letters or more), or is at most a
/// third of its letters away from it (edit distance, in which a swap of two neighbours counts once). The
/// nearest, of several the first; none where nothing is near.
std::optional<std::string> near_name(std::string_view name, std::span<const std::string> known);

}  // namespace mindgap::base

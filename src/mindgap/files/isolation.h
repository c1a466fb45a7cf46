#pragma once

#include <functional>

namespace mindgap::files {

/// Runs `deed` in a copy of this process that is thrown away, and says whether it came through: false where
/// it crashed or used more than `seconds` of processor time. Exceptions do not count as crashes. For code of
/// others that is known to crash or loop on damaged input.
bool comes_through(const std::function<void()>& deed, int seconds);

}  // namespace mindgap::files

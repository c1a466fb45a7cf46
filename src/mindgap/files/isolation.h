#pragma once

#include <functional>

namespace mindgap::files {

/// How a deed says that it goes on: from now on it may use `seconds` of processor time until it says so
/// again.
using GoesOn = std::function<void(double seconds)>;

/// Runs `deed` in a copy of this process that is thrown away, and says whether it came through: false where
/// it crashed or used up the processor time that it had until it said again that it goes on. So long work
/// passes and an endless loop does not. Exceptions do not count as crashes. For code of others that is known
/// to crash or loop on damaged input.
bool comes_through(const std::function<void(const GoesOn&)>& deed, double seconds);

}  // namespace mindgap::files

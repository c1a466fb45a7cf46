#include "mindgap/trial/open_case.h"

#include <fmt/format.h>

#include <algorithm>

#include "mindgap/base/error.h"

namespace mindgap::trial {

OpenCase::OpenCase(const Case& on, std::vector<OtherPlanner> others) : on_(on), others_(std::move(others)) {
  if (others_.empty()) return;
  if (!on_.takes_others()) {
    throw InvalidArgument(fmt::format(
        "{}: '{}' cannot act here: this case has planners of a kind of its own and takes no "
        "others; treasure, riverswim, deepsea, confounded, world folders and worlds of your own do",
        on_.name(), others_.front().name));
  }
  const std::vector<PlannerName> known = on_.planners();
  for (const OtherPlanner& other : others_) {
    if (std::any_of(known.begin(), known.end(), [&](const auto& one) { return one.name == other.name; }))
      throw InvalidArgument(
          fmt::format("a planner of ours is called '{}': give yours another name", other.name));
  }
}

std::vector<PlannerName> OpenCase::planners() const {
  std::vector<PlannerName> names = on_.planners();
  for (const OtherPlanner& other : others_)
    names.insert(other.name == kOracle ? names.begin() : names.end(), {other.name, other.description});
  return names;
}

std::vector<std::string> OpenCase::default_planners() const {
  std::vector<std::string> names = on_.default_planners();
  for (const OtherPlanner& other : others_)
    names.insert(other.name == kOracle ? names.begin() : names.end(), other.name);
  return names;
}

std::vector<double> OpenCase::run(std::string_view planner, std::uint64_t trial,
                                  std::span<const std::int64_t> horizons) const {
  const auto other =
      std::find_if(others_.begin(), others_.end(), [&](const auto& one) { return one.name == planner; });
  return other == others_.end() ? on_.run(planner, trial, horizons) : on_.run_other(*other, trial, horizons);
}

}  // namespace mindgap::trial

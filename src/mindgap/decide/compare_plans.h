#pragma once

#include <span>

#include "mindgap/decide/decide.h"

// Numbers of finished worlds.
namespace mindgap::decide {

/// Fills in the plans (by place in decision.plans) that `outcomes` has, in its order.
void fill_results(const Outcomes& outcomes, std::span<const std::size_t> places, const DecideOptions& options,
                  Decision& decision);

/// Whether the mean of `one` is below that of `other` by more than `margin`, world by world, with all of an
/// interval at the level.
bool surely_behind(std::span<const double> one, std::span<const double> other, double level,
                   double margin = 0);

/// One plan against another, both places in `plans`; `places` are the plans of `outcomes`, in its order.
Comparison compare_plans(const Outcomes& outcomes, std::span<const std::size_t> places, std::size_t plan,
                         std::size_t other, const DecideOptions& options, std::span<const Plan> plans);

}  // namespace mindgap::decide

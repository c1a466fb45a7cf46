#include "mindgap/gap/post_pilot.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "mindgap/base/check.h"
#include "mindgap/base/error.h"

namespace mindgap::gap {
namespace {

using mdp::Mdp;

void check_at_least(const char* function, const char* name, std::int64_t value, std::int64_t wanted) {
  if (value < wanted) {
    throw InvalidArgument(
        fmt::format("{}: {} is {}, but must be at least {}", function, name, value, wanted));
  }
}

void check_delta(const char* function, double delta) {
  base::check_positive(function, "delta", delta);
  base::check_range(function, "delta", delta, 0, 1);
  if (delta == 1) throw InvalidArgument(fmt::format("{}: delta is 1, but must be below 1", function));
}

// The radii, with log(1/delta) instead of delta.
double hoeffding(std::int64_t count, double span, double log_odds) {
  return span * std::min(1.0, std::sqrt((std::numbers::ln2 + log_odds) / (2 * static_cast<double>(count))));
}

double weissman(std::int64_t count, std::int32_t successors, double log_odds) {
  if (successors == 1) return 0;
  // log(2^m - 2) = m log 2 + log(1 - 2^(1-m))
  const double subsets = successors * std::numbers::ln2 + std::log1p(-std::exp2(1.0 - successors));
  return std::min(2.0, std::sqrt(2 * (subsets + log_odds) / static_cast<double>(count)));
}

void check_arguments(const Mdp& simulator, std::span<const std::int64_t> count,
                     const PostPilotOptions& options, double span) {
  const char* function = "post_pilot_bound";
  const auto pairs = static_cast<std::size_t>(simulator.pairs());
  base::check_size(function, "count", count.size(), pairs);
  for (const std::int64_t n : count) check_at_least(function, "count", n, 0);
  check_delta(function, options.delta);
  base::check_nonnegative(function, "reward_span", span);
  if (!options.successors.empty()) {
    base::check_size(function, "successors", options.successors.size(), pairs);
    for (const std::int32_t m : options.successors) check_at_least(function, "successors", m, 1);
  }
  if (!options.reward_error.empty()) {
    base::check_size(function, "reward_error", options.reward_error.size(), pairs);
    base::check_nonnegative(function, "reward_error", options.reward_error);
  }
  if (!options.transition_error.empty()) {
    base::check_size(function, "transition_error", options.transition_error.size(), pairs);
    for (const double e : options.transition_error) base::check_range(function, "transition_error", e, 0, 2);
  }
}

std::int32_t position_of_largest(const std::vector<double>& values) {
  return static_cast<std::int32_t>(std::max_element(values.begin(), values.end()) - values.begin());
}

}  // namespace

double reward_radius(std::int64_t count, double span, double delta) {
  check_at_least("reward_radius", "count", count, 1);
  base::check_nonnegative("reward_radius", "span", span);
  check_delta("reward_radius", delta);
  return hoeffding(count, span, -std::log(delta));
}

double transition_radius(std::int64_t count, std::int32_t successors, double delta) {
  check_at_least("transition_radius", "count", count, 1);
  check_at_least("transition_radius", "successors", successors, 1);
  check_delta("transition_radius", delta);
  return weissman(count, successors, -std::log(delta));
}

PostPilotBound post_pilot_bound(const Mdp& simulator, std::span<const std::int64_t> count,
                                const PostPilotOptions& options) {
  const double reward_max =
      options.reward_max.value_or(std::max(simulator.reward_max(), simulator.reward_magnitude()));
  const double span = options.reward_span.value_or((options.sign == RewardSign::any ? 2 : 1) * reward_max);
  check_arguments(simulator, count, options, span);
  const auto pairs = static_cast<std::size_t>(simulator.pairs());

  PostPilotBound result;
  result.delta = options.delta;
  result.reward_span = span;
  result.statements = 2 * std::count_if(count.begin(), count.end(), [](std::int64_t n) { return n > 0; });
  const double log_odds =
      std::log(static_cast<double>(std::max<std::int64_t>(1, result.statements)) / options.delta);
  result.reward_radius =
      options.reward_error.empty() ? std::vector<double>(pairs, span) : options.reward_error;
  result.transition_radius =
      options.transition_error.empty() ? std::vector<double>(pairs, 2.0) : options.transition_error;
  for (std::size_t k = 0; k < pairs; ++k) {
    if (count[k] == 0) continue;
    const auto successors =
        options.successors.empty()
            ? static_cast<std::int32_t>(simulator.entries_of(static_cast<std::int32_t>(k)).size())
            : options.successors[k];
    result.reward_radius[k] = hoeffding(count[k], span, log_odds);
    result.transition_radius[k] = weissman(count[k], successors, log_odds);
  }
  result.reward_pair = position_of_largest(result.reward_radius);
  result.transition_pair = position_of_largest(result.transition_radius);
  result.error = {result.reward_radius[result.reward_pair], result.transition_radius[result.transition_pair]};
  result.bound = simulation_lemma_bound(result.error, reward_max, simulator.discount(), options.sign);
  return result;
}

}  // namespace mindgap::gap

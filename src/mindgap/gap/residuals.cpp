#include "mindgap/gap/residuals.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "mindgap/base/check.h"
#include "mindgap/base/error.h"
#include "mindgap/base/tails.h"
#include "mindgap/stats/multiple_testing.h"

namespace mindgap::gap {
namespace {

using mdp::Mdp;

constexpr double kRounding = 1e-12;

void check_counts(const char* name, const std::vector<std::int64_t>& counts, std::size_t wanted) {
  base::check_size("PilotStatistics", name, counts.size(), wanted);
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (counts[i] < 0) {
      throw InvalidArgument(
          fmt::format("PilotStatistics: {}[{}] is {}, but must be zero or more", name, i, counts[i]));
    }
  }
}

// The law that reward residuals are held against.
struct RewardLaw {
  RewardTest method = RewardTest::none;
  double pooled_variance = 0;
  double degrees_of_freedom = 0;

  double p_value(double z) const {
    if (method == RewardTest::normal) return base::normal_two_sided(z);
    if (method == RewardTest::student) return base::student_two_sided(z, degrees_of_freedom);
    return 1;
  }
};

RewardLaw reward_law(const PilotStatistics& pilot, bool variance_is_stated) {
  if (variance_is_stated) return {RewardTest::normal};
  double squares = 0, magnitude = 0;
  std::int64_t freedom = 0;
  for (std::size_t k = 0; k < pilot.count.size(); ++k) {
    if (pilot.count[k] == 0) continue;
    squares += pilot.squared_deviations[k];
    freedom += pilot.count[k] - 1;
    magnitude = std::max(magnitude, std::abs(pilot.mean_reward[k]));
  }
  if (freedom == 0) return {};
  const double variance = squares / static_cast<double>(freedom);
  if (std::sqrt(variance) <= kRounding * magnitude) return {};
  return {RewardTest::student, variance, static_cast<double>(freedom)};
}

void compare_reward(double simulated, double observed, std::int64_t count, double variance,
                    const RewardLaw& law, PairResidual& result) {
  result.reward = std::abs(simulated - observed);
  if (result.reward <= kRounding * std::max(std::abs(simulated), std::abs(observed))) result.reward = 0;
  result.reward_standard_error = std::sqrt(variance / static_cast<double>(count));
  if (result.reward > 0 && law.method != RewardTest::none) {
    result.reward_z = result.reward_standard_error > 0 ? result.reward / result.reward_standard_error
                                                       : std::numeric_limits<double>::infinity();
  }
  result.reward_test.p_value = law.p_value(result.reward_z);
}

void compare_transitions(std::span<const double> simulated, std::span<const std::int64_t> observed,
                         std::int64_t off_support, std::int64_t moves, PairResidual& result) {
  const auto n = static_cast<double>(moves);
  double distance = static_cast<double>(off_support) / n, smallest = 1;
  for (std::size_t i = 0; i < simulated.size(); ++i) {
    distance += std::abs(simulated[i] - static_cast<double>(observed[i]) / n);
    // A sole successor may have 1 + 1e-9.
    const double p = std::min(1.0, simulated[i]);
    smallest = std::min(smallest, base::binomial_two_sided(observed[i], moves, p));
  }
  result.transition = std::min(2.0, distance);
  result.transition_test.p_value =
      off_support > 0 ? 0 : std::min(1.0, static_cast<double>(simulated.size()) * smallest);
}

// For all tests that were made.
void adjust(std::span<TestResult* const> tests, double level) {
  std::vector<double> p_values;
  for (const TestResult* test : tests) p_values.push_back(test->p_value);
  const std::vector<double> any = stats::bonferroni(p_values), share = stats::benjamini_hochberg(p_values);
  for (std::size_t i = 0; i < p_values.size(); ++i)
    *tests[i] = {p_values[i], any[i], share[i], any[i] <= level, share[i] <= level};
}

std::int64_t whole(double count) {
  if (count != std::floor(count))
    throw InvalidArgument(fmt::format(
        "pilot_statistics: something was observed {} times, but tests need whole observations", count));
  return static_cast<std::int64_t>(count);
}

}  // namespace

std::string_view to_string(RewardTest test) {
  switch (test) {
    case RewardTest::normal:
      return "normal";
    case RewardTest::student:
      return "student";
    case RewardTest::none:
      break;
  }
  return "none";
}

PilotStatistics pilot_statistics(const belief::Belief& belief) {
  if (belief.censored_rewards() > 0) {
    throw InvalidArgument(
        fmt::format("pilot_statistics: {} rewards are censored, but none may be", belief.censored_rewards()));
  }
  PilotStatistics pilot;
  pilot.off_support.resize(static_cast<std::size_t>(belief.simulator().pairs()));
  for (const belief::OffSupport& off : belief.off_support()) pilot.off_support[off.pair] += whole(off.count);
  for (const belief::SampleSummary& seen : belief.rewards_seen()) {
    pilot.count.push_back(whole(seen.count));
    pilot.mean_reward.push_back(seen.mean);
    pilot.squared_deviations.push_back(seen.squared_deviations);
  }
  for (const double n : belief.transitions_seen()) pilot.next_count.push_back(whole(n));
  return pilot;
}

std::int64_t PilotStatistics::moves(const Mdp& simulator, std::int32_t pair) const {
  std::int64_t sum = off_support[static_cast<std::size_t>(pair)];
  for (const std::int64_t i : simulator.entries_of(pair)) sum += next_count[static_cast<std::size_t>(i)];
  return sum;
}

void PilotStatistics::validate(const Mdp& simulator) const {
  const auto pairs = static_cast<std::size_t>(simulator.pairs());
  check_counts("count", count, pairs);
  check_counts("off_support", off_support, pairs);
  check_counts("next_count", next_count, static_cast<std::size_t>(simulator.nonzeros()));
  base::check_size("PilotStatistics", "mean_reward", mean_reward.size(), pairs);
  base::check_size("PilotStatistics", "squared_deviations", squared_deviations.size(), pairs);
  for (std::size_t k = 0; k < pairs; ++k) {
    if (count[k] == 0) continue;
    base::check_finite("PilotStatistics", "mean_reward", mean_reward[k]);
    base::check_nonnegative("PilotStatistics", "squared_deviations", squared_deviations[k]);
  }
}

Residuals pilot_residuals(const Mdp& simulator, const PilotStatistics& pilot,
                          std::span<const double> observation_variance, const ResidualOptions& options) {
  const char* function = "pilot_residuals";
  pilot.validate(simulator);
  const bool stated = !observation_variance.empty();
  if (stated)
    base::check_size(function, "observation_variance", observation_variance.size(), pilot.count.size());
  base::check_nonnegative(function, "observation_variance", observation_variance);
  base::check_positive(function, "level", options.level);
  base::check_range(function, "level", options.level, 0, 1);

  const RewardLaw law = reward_law(pilot, stated);
  Residuals result{law.method, law.pooled_variance, law.degrees_of_freedom, options.level, 0, {}, {}};
  ModelError largest;
  for (std::int32_t k = 0; k < simulator.pairs(); ++k) {
    const std::int64_t rewards = pilot.count[k], moves = pilot.moves(simulator, k);
    if (rewards == 0 && moves == 0) continue;
    PairResidual& pair = result.pairs.emplace_back();
    pair.pair = k;
    pair.count = std::max(rewards, moves);
    if (rewards > 0)
      compare_reward(simulator.reward()[k], pilot.mean_reward[k], rewards,
                     stated ? observation_variance[k] : law.pooled_variance, law, pair);
    if (moves > 0)
      compare_transitions(simulator.row(k).probability,
                          base::part_of(std::span(pilot.next_count), simulator.entries_of(k)),
                          pilot.off_support[k], moves, pair);
    largest.reward = std::max(largest.reward, pair.reward);
    largest.transition = std::max(largest.transition, pair.transition);
  }
  std::vector<TestResult*> tests;
  for (PairResidual& pair : result.pairs) {
    if (pilot.count[pair.pair] > 0) tests.push_back(&pair.reward_test);
    if (pilot.moves(simulator, pair.pair) > 0) tests.push_back(&pair.transition_test);
  }
  result.tests = static_cast<std::int64_t>(tests.size());
  if (!result.pairs.empty()) result.largest = largest;
  adjust(tests, options.level);
  return result;
}

}  // namespace mindgap::gap

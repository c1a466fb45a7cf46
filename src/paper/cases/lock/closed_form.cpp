#include "paper/cases/lock/closed_form.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "mindgap/base/check.h"

namespace mindgap::cases::lock {
namespace {

/// The law of K, and what one unit makes of it.
struct Known {
  std::vector<double> probability;  // of K = 0..T

  /// Returns the probability that the unit reaches the end.
  double pass(const UnitRule& rule, double error) {
    const std::size_t length = probability.size() - 1;
    const double right = (1 - error) * rule.simulator_right + error * rule.simulator_wrong;
    std::vector<double> next(length + 1, 0.);
    double reach = 0;
    for (std::size_t known = 0; known <= length; ++known) {
      const double arrives = probability[known] * std::pow(rule.known, static_cast<double>(known));
      next[known] += probability[known] - arrives;
      double here = arrives;  // stands at state `s`, where nothing is known
      for (std::size_t s = known; s < length; ++s) {
        next[s + 1] += here * (1 - right);
        here *= right;
      }
      next[length] += here;
      reach += here;
    }
    if (rule.learns) probability = std::move(next);
    return reach;
  }
};

double log_choose(double n, double k) {
  return std::lgamma(n + 1) - std::lgamma(k + 1) - std::lgamma(n - k + 1);
}

void check_front(const Lock& lock, std::string_view function, std::int64_t units) {
  lock.validate();
  base::check_range(function, "units in front", static_cast<double>(units), 0,
                    static_cast<double>(lock.units));
}

}  // namespace

double sop_share(const Lock& lock) {
  lock.validate();
  return std::pow(1 - lock.error_probability(), static_cast<double>(lock.length));
}

double asop_share(const Lock& lock) {
  lock.validate();
  const double length = static_cast<double>(lock.length), units = static_cast<double>(lock.units);
  const double error = lock.error_probability();
  if (lock.units >= lock.length) return 1 - lock.errors / units;
  if (error == 0) return 1;
  double share = 0;
  for (double wrong = 0; wrong < units; ++wrong) {
    const double rest = length - wrong;
    const double log_probability =
        log_choose(length, wrong) + wrong * std::log(error) + (rest > 0 ? rest * std::log1p(-error) : 0);
    share += std::exp(log_probability) * (units - wrong) / units;
  }
  return share;
}

double epsilon_share(const Lock& lock, double epsilon) {
  lock.validate();
  base::check_probability("epsilon_share", "epsilon", epsilon);
  const double error = lock.error_probability();
  return std::pow((1 - error) * (1 - epsilon / 2) + error * epsilon / 2, static_cast<double>(lock.length));
}

double pilot_share(const Lock& lock, std::int64_t pilot_units) {
  check_front(lock, "pilot_share", pilot_units);
  const double units = static_cast<double>(lock.units), pilot = static_cast<double>(pilot_units);
  double unseen = 0;  // expected number of states that no pilot unit decides at
  for (std::int64_t k = 0; k < lock.length; ++k)
    unseen += std::pow(1 - std::exp2(-static_cast<double>(k)), pilot);
  return (units - pilot) / units + pilot / units * std::exp2(-static_cast<double>(lock.length)) -
         lock.error_probability() / units * unseen;
}

double sep_share(const Lock& lock, std::int64_t explorer_units) {
  check_front(lock, "sep_share", explorer_units);
  const double units = static_cast<double>(lock.units), explorers = static_cast<double>(explorer_units);
  if (explorer_units == 0) return sop_share(lock);
  const double right = 1 - lock.error_probability();
  double found = 0, expected = 0;  // P(N < T), and the part of the expectation there
  for (std::int64_t j = explorer_units; j < lock.length; ++j) {
    const double count = static_cast<double>(j);
    const double probability = std::exp(log_choose(count - 1, explorers - 1) - count * std::log(2.));
    found += probability;
    expected += probability * std::pow(right, static_cast<double>(lock.length - j));
  }
  return (units - explorers) / units * (expected + 1 - found);
}

double expected_share(std::string_view planner, Reading reading, const Lock& lock) {
  lock.validate();
  Known known{std::vector<double>(static_cast<std::size_t>(lock.length) + 1, 0.)};
  known.probability[0] = 1;
  const Rule rule = find_rule(planner);
  double reach = 0;
  for (std::int64_t unit = 0; unit < lock.units; ++unit) {
    const UnitRule own = rule(reading, lock, unit);
    const double reaches = known.pass(own, lock.error_probability());
    if (own.counted) reach += reaches;
  }
  return reach / static_cast<double>(lock.units);
}

}  // namespace mindgap::cases::lock

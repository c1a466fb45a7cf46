#include "mindgap/decide/compare_plans.h"

#include <algorithm>
#include <cmath>

#include "mindgap/gap/evpi.h"
#include "mindgap/stats/bootstrap.h"
#include "mindgap/stats/moments.h"
#include "mindgap/stats/paired.h"
#include "mindgap/stats/share.h"

namespace mindgap::decide {
namespace {

std::vector<double> minus(std::span<const double> a, std::span<const double> b) {
  std::vector<double> difference(a.size());
  std::transform(a.begin(), a.end(), b.begin(), difference.begin(), std::minus<>());
  return difference;
}

void add_curve(const Outcomes& outcomes, std::size_t place, PlanResult& result) {
  result.mean.clear();
  result.lower.clear();
  result.upper.clear();
  for (std::size_t point = 0; point < outcomes.steps.size(); ++point) {
    const std::vector<double> values = outcomes.values_at(place, point);
    const stats::Interval band = stats::percentile_interval(values, .8);
    result.mean.push_back(stats::mean(values));
    result.lower.push_back(band.lower);
    result.upper.push_back(band.upper);
  }
}

std::size_t place_in(std::span<const std::size_t> places, std::size_t plan) {
  return static_cast<std::size_t>(std::find(places.begin(), places.end(), plan) - places.begin());
}

// The first step from which on the difference stays at or above 0; none where it ends below.
std::optional<std::int64_t> break_even(std::span<const double> difference) {
  std::size_t step = difference.size();
  while (step > 0 && difference[step - 1] >= 0) --step;
  if (step == difference.size()) return std::nullopt;
  return static_cast<std::int64_t>(step) + 1;
}

// Student's interval of the mean of `gains`. Where few worlds of many differ it is too short: others, too
// rare to have been drawn, may differ as well, and by as much as worlds differ from each other. So two worlds
// are added that differ by +-m, m the standard deviation of the other plan's value over worlds. Where none
// differs the half-width is then 2.8 m / n, close to the 3 / n that n worlds leave open (rule of three).
stats::Interval gain_interval(std::span<const double> gains, const stats::PairedT& gain,
                              std::span<const double> value, double level) {
  constexpr double kEnough = 30, kShare = .1;
  const auto n = static_cast<double>(gains.size());
  const double differ = n - static_cast<double>(std::count(gains.begin(), gains.end(), 0.0));
  if (differ >= std::min(kEnough, kShare * n)) return *gain.interval;
  const double error = stats::standard_deviation(gains) / std::sqrt(n),
               rare = stats::standard_deviation(value) / n;
  return stats::student_interval(gain.mean, std::sqrt(error * error + 2 * rare * rare),
                                 static_cast<std::int64_t>(gains.size()), level);
}

}  // namespace

bool surely_behind(std::span<const double> one, std::span<const double> other, double level, double margin) {
  if (one.size() < 2) return false;
  return stats::paired_t(minus(one, other), level).interval->upper < -margin;
}

void fill_results(const Outcomes& outcomes, std::span<const std::size_t> places, const DecideOptions& options,
                  Decision& decision) {
  std::vector<std::vector<double>> values;
  std::size_t best = 0;
  for (std::size_t i = 0; i < places.size(); ++i) {
    values.push_back(outcomes.values(i, options.objective));
    if (stats::mean(values[i]) > stats::mean(values[best])) best = i;
  }
  const double others = std::max<double>(1, static_cast<double>(places.size()) - 1);
  for (std::size_t i = 0; i < places.size(); ++i) {
    PlanResult& result = decision.plans[places[i]];
    result.worlds = outcomes.worlds;
    result.value = stats::mean(values[i]);
    result.standard_error = gap::estimate(values[i]).standard_error;
    result.range = stats::percentile_interval(outcomes.sums(i, options.objective.sum), .8);
    result.total = stats::mean(outcomes.values(i, Objective::total));
    result.discounted = stats::mean(outcomes.values(i, Objective::discounted));
    const std::vector<double> difference = minus(values[i], values[best]);
    result.difference_to_best = stats::mean(difference);
    result.interval =
        outcomes.worlds < 2
            ? stats::Interval{result.difference_to_best, result.difference_to_best}
            : stats::student_interval(result.difference_to_best, gap::estimate(difference).standard_error,
                                      outcomes.worlds, 1 - (1 - options.level) / others);
    add_curve(outcomes, i, result);
  }
}

Comparison compare_plans(const Outcomes& outcomes, std::span<const std::size_t> places, std::size_t plan,
                         std::size_t other, const DecideOptions& options, std::span<const Plan> plans) {
  const std::size_t one = place_in(places, plan), two = place_in(places, other);
  Comparison result{plan, other, outcomes.worlds};
  const std::vector<double> gains =
      minus(outcomes.values(one, options.objective), outcomes.values(two, options.objective));
  const stats::PairedT gain = stats::paired_t(gains, options.level);
  result.gain = gain.mean;
  result.sampling_interval =
      gain_interval(gains, gain, outcomes.values(two, options.objective), options.level);
  result.gain_interval = result.sampling_interval;
  // The same rewards added in another order are no loss.
  const double rounding = 1e-12 * (std::abs(stats::mean(outcomes.values(one, options.objective))) + 1);
  const std::vector<double> ahead =
      minus(outcomes.sums(one, options.objective.sum), outcomes.sums(two, options.objective.sum));
  const auto losses =
      static_cast<double>(std::count_if(ahead.begin(), ahead.end(), [&](double g) { return g < -rounding; }));
  result.probability_of_loss = losses / static_cast<double>(gains.size());
  result.loss_interval =
      stats::share_interval(result.probability_of_loss, static_cast<double>(gains.size()), options.level);
  const auto horizon = static_cast<std::size_t>(outcomes.steps.back());
  const std::span<const double> means(outcomes.mean_gathered);
  result.difference = minus(means.subspan(one * horizon, horizon), means.subspan(two * horizon, horizon));
  result.break_even_step = break_even(result.difference);
  const std::int64_t pilot = std::max(plans[plan].pilot_steps, plans[other].pilot_steps);
  if (pilot > 0) {
    // Every pilot's end is a point of the curves.
    const auto at = std::lower_bound(outcomes.steps.begin(), outcomes.steps.end(), pilot);
    const auto point = static_cast<std::size_t>(at - outcomes.steps.begin());
    const stats::PairedT cost =
        stats::paired_t(minus(outcomes.values_at(two, point), outcomes.values_at(one, point)), options.level);
    result.cost = cost.mean;
    result.cost_interval = *cost.interval;
  }
  return result;
}

}  // namespace mindgap::decide

#include "paper/cases/vending/sep.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "mindgap/base/distributions.h"
#include "mindgap/base/tails.h"
#include "mindgap/belief/normal_inverse_gamma.h"
#include "mindgap/stats/multiple_testing.h"

namespace mindgap::cases::vending {
namespace {

belief::SampleSummary summary(const double* values, std::size_t size) {
  belief::SampleSummary result;
  if (size == 0) return result;
  result.count = static_cast<double>(size);
  result.mean = std::accumulate(values, values + size, 0.0) / result.count;
  for (std::size_t i = 0; i < size; ++i) {
    result.squared_deviations += (values[i] - result.mean) * (values[i] - result.mean);
  }
  return result;
}

// Two-sided one-sample t test against `rate`. Fewer than three values: no test. Without any spread the
// difference counts as significant.
double p_of_difference(const belief::SampleSummary& sample, double rate) {
  if (sample.count < 3) return 1;
  if (sample.squared_deviations == 0) return 0;
  const double error = std::sqrt(sample.squared_deviations / (sample.count - 1) / sample.count);
  return base::student_two_sided((sample.mean - rate) / error, sample.count - 1);
}

}  // namespace

BreakDetector::BreakDetector(const Briefing& briefing)
    : days_(static_cast<std::size_t>(briefing.planning.break_days)),
      change_(briefing.planning.break_change),
      lowest_(briefing.planning.break_lowest_rate),
      history_(static_cast<std::size_t>(briefing.slots()) * 2 * days_),
      size_(static_cast<std::size_t>(briefing.slots()), 0) {}

bool BreakDetector::add(std::size_t slot, double sales) {
  double* history = &history_[slot * 2 * days_];
  std::size_t& size = size_[slot];
  if (size == 2 * days_) {
    std::copy(history + 1, history + size, history);
    --size;
  }
  history[size++] = sales;
  if (size < 2 * days_) return false;
  const auto days = static_cast<double>(days_);
  const double before = std::accumulate(history, history + days_, 0.0) / days;
  mean_ = std::accumulate(history + days_, history + size, 0.0) / days;
  if (!(std::abs(mean_ - before) > change_ * before && before > lowest_)) return false;
  size = 0;
  return true;
}

SepPlanner::SepPlanner(const Briefing& briefing, PlannerSeed seed, Kind kind, Gate gate)
    : SlotPlanner(briefing, seed),
      kind_(kind),
      gate_(gate),
      learner_(briefing),
      detector_(briefing),
      pilot_sales_(slots() * static_cast<std::size_t>(briefing.planning.pilot_days)),
      pilot_size_(slots(), 0),
      flagged_(machines(), 0),
      uncertain_(machines(), 0),
      again_(slots(), 0),
      phase_(machines(), Phase::pilot) {}

void SepPlanner::test_simulator() {
  const double level = briefing_.planning.significance / static_cast<double>(slots());
  const auto days = static_cast<std::size_t>(briefing_.planning.pilot_days);
  std::vector<double> p;
  for (std::size_t slot = 0; slot < slots(); ++slot)
    p.push_back(p_of_difference(summary(&pilot_sales_[slot * days], pilot_size_[slot]),
                                briefing_.simulator_rate[slot]));
  const std::vector<double> adjusted = stats::benjamini_hochberg(p);
  for (std::size_t slot = 0; slot < slots(); ++slot) {
    const bool differs =
        gate_ == Gate::any ? p[slot] < level : adjusted[slot] < briefing_.planning.significance;
    if (differs) flagged_[slot / products()] = 1;
  }
  uncertain_ = flagged_;
  if (kind_ == Kind::fisher) add_informative();
  tested_ = true;
}

// sum over the machine's slots of g^2 Var(rate): Var of the Normal-Inverse-Gamma belief
// after the pilot, whose prior strength is larger where the value is more sensitive.
double SepPlanner::information(std::size_t machine) const {
  const Planning& planning = briefing_.planning;
  const auto days = static_cast<std::size_t>(planning.pilot_days);
  double largest = 0;
  for (std::size_t slot = 0; slot < slots(); ++slot) {
    const double g = value_sensitivity(briefing_, slot, briefing_.simulator_rate[slot]);
    largest = std::max(largest, g * g);
  }
  double sum = 0;
  for (std::size_t slot = machine * products(); slot < (machine + 1) * products(); ++slot) {
    const double rate = briefing_.simulator_rate[slot];
    const double at_prior = value_sensitivity(briefing_, slot, rate);
    const double stated = std::max(planning.observation_variance_lowest, rate);
    const double share = largest > 0 ? at_prior * at_prior / largest : 0;
    belief::NormalInverseGamma belief{.mean = rate,
                                      .strength = 1 + planning.fisher_strength_range * share,
                                      .shape = planning.fisher_shape,
                                      .scale = planning.fisher_shape * stated};
    belief = belief::update(belief, summary(&pilot_sales_[slot * days], pilot_size_[slot]));
    const double g = value_sensitivity(briefing_, slot, learner_.rate(slot));
    sum += g * g * belief::variance(belief);
  }
  return sum;
}

void SepPlanner::add_informative() {
  std::vector<std::size_t> order(machines());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::vector<double> score;
  score.reserve(order.size());
  for (const std::size_t i : order) score.push_back(information(i));
  std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return score[a] > score[b]; });
  const auto most = std::min(order.size(), static_cast<std::size_t>(briefing_.planning.fisher_machines));
  for (std::size_t i = 0; i < most; ++i) uncertain_[order[i]] = 1;
}

bool SepPlanner::explores(std::size_t machine, std::int64_t day) const {
  const Planning& planning = briefing_.planning;
  if (day >= planning.pilot_days + planning.explore_days || !uncertain_[machine]) return false;
  if (kind_ == Kind::sep) return true;
  base::Stream words = stream(Draw::fisher, machine, day);
  return base::uniform(words) < planning.fisher_probability;
}

void SepPlanner::decide(const Morning& morning, Decision& decision) {
  const Planning& planning = briefing_.planning;
  if (morning.day < planning.pilot_days) return pilot(morning.day, decision);
  if (!tested_) test_simulator();
  const bool any = std::find(flagged_.begin(), flagged_.end(), 1) != flagged_.end();
  const bool exploring = morning.day < planning.pilot_days + planning.explore_days;
  // While SEP explores flagged machines the others follow the simulator; with none flagged it exploits at
  // once.
  const bool simulator = kind_ == Kind::sep && exploring && any;
  for (std::size_t i = 0; i < machines(); ++i) {
    const bool explored = explores(i, morning.day);
    phase_[i] = explored ? Phase::explore : Phase::exploit;
    for (std::size_t slot = i * products(); slot < (i + 1) * products(); ++slot) {
      if (explored || again_[slot]) {
        explore(slot, decision);
        phase_[i] = Phase::explore;
      } else {
        exploit(slot, simulator ? briefing_.simulator_rate[slot] : learner_.rate(slot), decision);
      }
    }
  }
  std::fill(again_.begin(), again_.end(), std::uint8_t{0});
}

void SepPlanner::learn(const DaySeen& seen) {
  learner_.observe(seen);
  const auto days = static_cast<std::size_t>(briefing_.planning.pilot_days);
  for (std::size_t slot = 0; slot < slots(); ++slot) {
    if (seen.down[slot / products()]) continue;
    if (seen.day < briefing_.planning.pilot_days && !seen.sold_out[slot]) {
      pilot_sales_[slot * days + pilot_size_[slot]++] = seen.sales[slot];
    }
    if (!detector_.add(slot, seen.sales[slot])) continue;
    learner_.reset(slot, detector_.mean());
    again_[slot] = 1;
    breaks_.push_back({seen.day, slot});
  }
}

}  // namespace mindgap::cases::vending

#include "mindgap/gap/history_test.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "mindgap/base/check.h"
#include "mindgap/base/error.h"
#include "mindgap/belief/belief.h"
#include "mindgap/mdp/without_rows.h"
#include "mindgap/stats/multiple_testing.h"

namespace mindgap::gap {
namespace {

using mdp::Mdp;
using mdp::ObservationLog;

constexpr double kHistoryPrior = 1;  // pseudo-observations behind the simulator's row

bool has_move(const ObservationLog& log, std::size_t i) {
  return log.next_state[i] != ObservationLog::kNoState;
}

double upper_tail(double z) {
  return .5 * std::erfc(z / std::sqrt(2.0));
}

// What one part of history says, as a model and how sure of it one may be.
struct PartModel {
  Mdp model;
  belief::Prior prior;
  std::vector<std::uint8_t> seen;  // per pair
};

PartModel model_of_part(const Mdp& simulator, const ObservationLog& log,
                        const std::vector<std::uint8_t>& in_part, std::span<const double> variance) {
  const auto pairs = static_cast<std::size_t>(simulator.pairs());
  std::vector<belief::SampleSummary> rewards(pairs);
  std::vector<std::map<std::int32_t, double>> moves(pairs);
  std::vector<double> total(pairs, 0.0);
  PartModel part{simulator, {}, std::vector<std::uint8_t>(pairs, 0)};
  for (std::size_t i = 0; i < log.size(); ++i) {
    if (!in_part[i]) continue;
    const auto k = static_cast<std::size_t>(log.pair[i]);
    if (log.has_plain_reward(i)) add(rewards[k], log.reward[i]), part.seen[k] = 1;
    if (has_move(log, i)) ++moves[k][log.next_state[i]], ++total[k], part.seen[k] = 1;
  }
  mdp::MdpArrays arrays = mdp::without_rows(simulator);
  for (std::size_t k = 0; k < pairs; ++k) {
    const auto pair = static_cast<std::int32_t>(k);
    std::map<std::int32_t, double> row = moves[k];
    for (const std::int64_t i : simulator.entries_of(pair))
      row[simulator.next_state()[i]] += kHistoryPrior * simulator.probability()[i];
    double sum = 0, last = 0;
    for (const auto& [state, count] : row) {
      arrays.next_state.push_back(state);
      arrays.probability.push_back(last = count / (kHistoryPrior + total[k]));
      sum += last;
    }
    arrays.probability.back() += 1 - sum;  // rounding
    arrays.row_begin.push_back(static_cast<std::int64_t>(arrays.next_state.size()));
    part.prior.transition_strength.push_back(kHistoryPrior + total[k]);
    if (rewards[k].count > 0) arrays.reward[k] = rewards[k].mean;
    // A pair whose reward this part has not seen says nothing about rewards there.
    const double wide = 1e3 * std::max(1.0, simulator.reward_magnitude());
    part.prior.reward_sd.push_back(rewards[k].count > 0 ? std::sqrt(variance[k] / rewards[k].count) : wide);
  }
  part.model = Mdp(std::move(arrays));
  return part;
}

SplitTest judge_split(const Mdp& simulator, const ObservationLog& log, std::span<const double> variance,
                      SplitTest test, const std::vector<std::uint8_t>& in_first,
                      const std::vector<std::uint8_t>& in_second, const HistoryTestOptions& options) {
  for (std::size_t i = 0; i < log.size(); ++i) test.first += in_first[i], test.second += in_second[i];
  if (test.first == 0 || test.second == 0) {
    test.why_not = NotSplit::empty_part;
    return test;
  }
  const PartModel part = model_of_part(simulator, log, in_first, variance);
  belief::Ensemble judge(mdp::Members({part.model}), part.prior, {variance.begin(), variance.end()});
  for (std::size_t i = 0; i < log.size(); ++i) {
    if (!in_second[i] || !part.seen[static_cast<std::size_t>(log.pair[i])]) continue;
    mdp::Observation one = log.row(i);
    if (!log.has_plain_reward(i)) one.reward.reset();
    one.censored = mdp::Censoring::none;
    judge.observe(one);
    ++test.compared;
  }
  if (test.compared == 0) {
    test.why_not = NotSplit::no_common_pair;
    return test;
  }
  test.possible = true;
  test.surprise =
      belief::surprise(judge, {.draws = options.draws, .worst = options.worst, .run = options.run});
  return test;
}

SplitTest in_time(const Mdp& simulator, const ObservationLog& log, std::span<const double> variance,
                  const HistoryTestOptions& options) {
  SplitTest test{.split = Split::time};
  std::vector<std::int64_t> steps = log.step;
  std::nth_element(steps.begin(), steps.begin() + static_cast<std::ptrdiff_t>(steps.size() / 2), steps.end());
  const std::int64_t cut = steps[steps.size() / 2];
  const std::int64_t lowest = *std::min_element(log.step.begin(), log.step.end());
  if (cut == lowest) {
    test.why_not = NotSplit::no_time;
    return test;
  }
  test.cut = static_cast<double>(cut);
  std::vector<std::uint8_t> first(log.size()), second(log.size());
  for (std::size_t i = 0; i < log.size(); ++i) first[i] = log.step[i] < cut, second[i] = !first[i];
  return judge_split(simulator, log, variance, std::move(test), first, second, options);
}

// Per unit: where it lies along the main way in which units act differently, the first principal component of
// (actions taken - those that all who were in its states would have taken) / sqrt(those), by power iteration.
std::map<std::int32_t, double> unit_scores(const Mdp& simulator, const ObservationLog& log) {
  constexpr int kIterations = 50;
  const auto pairs = static_cast<std::size_t>(simulator.pairs());
  std::vector<double> count(pairs, 0.0), visits(static_cast<std::size_t>(simulator.states()), 0.0);
  std::map<std::int32_t, std::map<std::int32_t, double>> taken, been;  // by unit: pairs, states
  for (std::size_t i = 0; i < log.size(); ++i) {
    const std::int32_t s = simulator.state_of_pair(log.pair[i]);
    ++count[static_cast<std::size_t>(log.pair[i])];
    ++visits[static_cast<std::size_t>(s)];
    ++taken[log.unit[i]][log.pair[i]];
    ++been[log.unit[i]][s];
  }
  std::map<std::int32_t, std::vector<std::pair<std::size_t, double>>> deviation;
  const std::vector<std::pair<std::size_t, double>>* furthest = nullptr;
  double most = 0;
  for (const auto& [unit, states] : been) {
    auto& row = deviation[unit];
    double norm = 0;
    for (const auto& [s, times] : states) {
      for (const std::int32_t k : simulator.pairs_of(s)) {
        const double wanted =
            times * count[static_cast<std::size_t>(k)] / visits[static_cast<std::size_t>(s)];
        if (wanted <= 0) continue;
        const auto found = taken[unit].find(k);
        const double off = ((found == taken[unit].end() ? 0 : found->second) - wanted) / std::sqrt(wanted);
        row.emplace_back(static_cast<std::size_t>(k), off);
        norm += off * off;
      }
    }
    if (norm > most) most = norm, furthest = &row;
  }
  std::map<std::int32_t, double> score;
  for (const auto& [unit, row] : deviation) score[unit] = 0;
  if (furthest == nullptr) return score;
  std::vector<double> direction(pairs, 0.0);
  for (const auto& [k, off] : *furthest) direction[k] = off;
  for (int i = 0; i < kIterations; ++i) {
    std::vector<double> next(pairs, 0.0);
    double norm = 0;
    for (const auto& [unit, row] : deviation) {
      double& value = score[unit] = 0;
      for (const auto& [k, off] : row) value += off * direction[k];
      for (const auto& [k, off] : row) next[k] += value * off;
    }
    for (const double x : next) norm += x * x;
    if (norm <= 0) break;
    for (std::size_t k = 0; k < pairs; ++k) direction[k] = next[k] / std::sqrt(norm);
  }
  return score;
}

SplitTest by_behaviour(const Mdp& simulator, const ObservationLog& log, std::span<const double> variance,
                       const HistoryTestOptions& options) {
  SplitTest test{.split = Split::behaviour};
  const std::map<std::int32_t, double> score = unit_scores(simulator, log);
  if (score.size() < 2) {
    test.why_not = NotSplit::one_unit;
    return test;
  }
  std::vector<double> sorted;
  sorted.reserve(score.size());
  for (const auto& [unit, value] : score) sorted.push_back(value);
  std::sort(sorted.begin(), sorted.end());
  const double middle = sorted[sorted.size() / 2];
  if (sorted.back() - sorted.front() < 1e-12) {
    test.why_not = NotSplit::units_alike;
    return test;
  }
  std::vector<std::uint8_t> first(log.size()), second(log.size());
  for (std::size_t i = 0; i < log.size(); ++i) {
    const double value = score.at(log.unit[i]);
    first[i] = value < middle || (middle == sorted.front() && value == middle);
    second[i] = !first[i];
  }
  return judge_split(simulator, log, variance, std::move(test), first, second, options);
}

SplitTest by_propensity(const Mdp& simulator, const ObservationLog& log, std::span<const double> variance,
                        const HistoryTestOptions& options) {
  SplitTest test{.split = Split::propensity};
  std::vector<std::vector<double>> of_pair(static_cast<std::size_t>(simulator.pairs()));
  for (std::size_t i = 0; i < log.size(); ++i)
    of_pair[static_cast<std::size_t>(log.pair[i])].push_back(log.probability[i]);
  std::vector<double> middle(of_pair.size(), -1);  // below it, second; -1: the pair takes no part
  bool any = false;
  for (std::size_t k = 0; k < of_pair.size(); ++k) {
    std::vector<double>& all = of_pair[k];
    if (all.size() < 2) continue;
    std::sort(all.begin(), all.end());
    if (all.back() - all.front() < 1e-12) continue;
    const double median = all[all.size() / 2];
    middle[k] = median > all.front() ? median : *std::upper_bound(all.begin(), all.end(), median);
    any = true;
  }
  if (!any) {
    test.why_not = NotSplit::even_chances;
    return test;
  }
  std::vector<std::uint8_t> first(log.size()), second(log.size());
  for (std::size_t i = 0; i < log.size(); ++i) {
    const double cut = middle[static_cast<std::size_t>(log.pair[i])];
    first[i] = cut >= 0 && log.probability[i] >= cut;
    second[i] = cut >= 0 && log.probability[i] < cut;
  }
  return judge_split(simulator, log, variance, std::move(test), first, second, options);
}

struct PairRows {
  std::vector<double> reward, weight;
};

PropensityPair weigh(std::int32_t pair, const PairRows& rows) {
  PropensityPair result{.pair = pair, .rows = static_cast<std::int64_t>(rows.reward.size())};
  double sum = 0, weights = 0, weighted = 0, squares = 0, largest = 0;
  for (std::size_t i = 0; i < rows.reward.size(); ++i) {
    sum += rows.reward[i];
    weights += rows.weight[i];
    weighted += rows.weight[i] * rows.reward[i];
    squares += rows.weight[i] * rows.weight[i];
    largest = std::max(largest, rows.weight[i]);
  }
  const auto n = static_cast<double>(rows.reward.size());
  result.mean = sum / n;
  result.weighted = weighted / weights;
  result.confounding = result.mean - result.weighted;
  result.effective_rows = weights * weights / squares;
  result.least_probability = 1 / largest;
  result.poor_overlap = result.effective_rows < std::max(kLeastEffectiveRows, kLeastEffectiveShare * n);
  double error = 0, weighted_error = 0;
  for (std::size_t i = 0; i < rows.reward.size(); ++i) {
    const double of_weighted = rows.weight[i] * (rows.reward[i] - result.weighted) / weights;
    const double of_both = (rows.reward[i] - result.mean) / n - of_weighted;
    error += of_both * of_both;
    weighted_error += of_weighted * of_weighted;
  }
  result.standard_error = std::sqrt(error);
  result.weighted_error = std::sqrt(weighted_error);
  if (result.standard_error > 0)
    result.p_value = std::min(1.0, 2 * upper_tail(std::abs(result.confounding) / result.standard_error));
  return result;
}

void add_propensities(const Mdp& simulator, const ObservationLog& history, const ObservationLog* pilot,
                      std::span<const double> variance, HistoryTest& result) {
  std::vector<PairRows> rows(static_cast<std::size_t>(simulator.pairs()));
  for (std::size_t i = 0; i < history.size(); ++i) {
    if (!history.has_plain_reward(i)) continue;
    PairRows& of = rows[static_cast<std::size_t>(history.pair[i])];
    of.reward.push_back(history.reward[i]);
    of.weight.push_back(1 / history.probability[i]);
  }
  std::vector<belief::SampleSummary> seen(rows.size());
  for (std::size_t i = 0; pilot != nullptr && i < pilot->size(); ++i) {
    if (pilot->has_plain_reward(i)) add(seen[static_cast<std::size_t>(pilot->pair[i])], pilot->reward[i]);
  }
  std::vector<double> p;
  for (std::size_t k = 0; k < rows.size(); ++k) {
    if (rows[k].reward.size() < 2) continue;
    PropensityPair one = weigh(static_cast<std::int32_t>(k), rows[k]);
    if (seen[k].count > 0) {
      one.drift = one.weighted - seen[k].mean;
      one.drift_error = std::hypot(one.weighted_error, std::sqrt(variance[k] / seen[k].count));
    }
    result.poor_overlap += one.poor_overlap ? 1 : 0;
    p.push_back(one.p_value);
    result.pairs.push_back(one);
  }
  const std::vector<double> adjusted = stats::bonferroni(p);
  for (std::size_t i = 0; i < adjusted.size(); ++i) result.pairs[i].bonferroni = adjusted[i];
}

}  // namespace

void HistoryTestOptions::validate() const {
  base::check_range("history_test", "draws", static_cast<double>(draws), 1, 1e9);
  base::check_range("history_test", "worst", static_cast<double>(worst), 0, 1e9);
}

HistoryTest history_test(const Mdp& simulator, const ObservationLog& history,
                         std::span<const double> variance, const ObservationLog* pilot,
                         const HistoryTestOptions& options) {
  options.validate();
  if (history.size() == 0) throw InvalidArgument("history_test: history has no rows");
  HistoryTest result{.rows = static_cast<std::int64_t>(history.size())};
  std::vector<double> noise(variance.begin(), variance.end());
  if (noise.empty()) {
    const std::optional<double> pooled = belief::pooled_variance(simulator, history);
    if (!pooled)
      throw InvalidArgument(
          "history_test: the model states no variance of one observed reward, and no pair of history shows "
          "two "
          "different rewards to estimate it from");
    noise.assign(static_cast<std::size_t>(simulator.pairs()), *pooled);
    result.variance_estimated = true;
  }
  base::check_size("history_test", "variance", noise.size(), static_cast<std::size_t>(simulator.pairs()));
  const double least = 1e-12 * std::max(1.0, simulator.reward_magnitude() * simulator.reward_magnitude());
  for (double& v : noise) v = std::max(v, least);
  result.splits.push_back(in_time(simulator, history, noise, options));
  result.splits.push_back(by_behaviour(simulator, history, noise, options));
  if (!history.instrument.empty()) result.instrument = instrument_test(simulator, history, noise, pilot);
  result.has_propensities = !history.probability.empty();
  if (!result.has_propensities) return result;
  for (std::size_t i = 0; i < history.size(); ++i) {
    if (!(history.probability[i] > 0 && history.probability[i] <= 1))
      throw InvalidArgument(
          fmt::format("{}: row {} of history has probability {}, but what was done must have had one above 0 "
                      "and at most 1",
                      history.file.empty() ? "history" : history.file, i + 1, history.probability[i]));
  }
  result.splits.push_back(by_propensity(simulator, history, noise, options));
  add_propensities(simulator, history, pilot, noise, result);
  return result;
}

}  // namespace mindgap::gap

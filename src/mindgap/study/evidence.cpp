#include "mindgap/study/evidence.h"

#include <algorithm>
#include <cmath>

#include "mindgap/base/number.h"
#include "mindgap/stats/multiple_testing.h"

namespace mindgap::study {
namespace {

// log((e^a + e^b) / 2)
double log_mean(double a, double b) {
  const double top = std::max(a, b);
  if (std::isinf(top)) return top;
  return top + std::log((std::exp(a - top) + std::exp(b - top)) / 2);
}

// The place of a move in the model's rows, or -1: called impossible.
std::int64_t entry_of(const mdp::Mdp& mdp, std::int32_t pair, std::int32_t next_state) {
  const std::optional<std::size_t> place = mdp.row(pair).find(next_state);
  return place ? mdp.entries_of(pair).first() + static_cast<std::int64_t>(*place) : -1;
}

// Calls seen(observation, pair) for what was drawn and holds, in the order of the log.
template <typename Seen>
void for_each_result(const State& state, Seen seen) {
  for (std::size_t i = 0; i < state.observations.size(); ++i) {
    const ObservationRow& row = state.observations[i];
    if (row.is_void || row.deviation || !state.holds(i)) continue;
    seen(i, row, pair_of(state.mdp(), row));
  }
}

double spread(const belief::Belief& belief, std::int32_t pair) {
  const double sd = belief.prior_reward_sd(pair), v = belief.observation_variance()[pair];
  return sd > 0 ? sd * sd : v;
}

// log [ integral N(theta; r, t) prod N(x_i; theta, v) / prod N(x_i; r, v) ], S = sum (x_i - r):
//   log(v / (v + n t)) / 2 + t S^2 / (2 v (v + n t)). v = 0: infinite unless S is 0 up to rounding.
double reward_bayes_factor(double n, double sum, double t, double v, double scale) {
  if (n == 0) return 0;
  if (v == 0) return std::abs(sum) > 1e-9 * n * (1 + scale) ? base::kInfinity : 0;
  return std::log(v / (v + n * t)) / 2 + t * sum * sum / (2 * v * (v + n * t));
}

// log [ Dirichlet-multinomial(n; alpha p) / prod p_i^n_i ]
double row_bayes_factor(std::span<const double> p, std::span<const double> n, double alpha) {
  double total = 0, sum = 0;
  for (std::size_t i = 0; i < p.size(); ++i) {
    if (n[i] == 0) continue;
    total += n[i];
    sum += std::lgamma(alpha * p[i] + n[i]) - std::lgamma(alpha * p[i]) - n[i] * std::log(p[i]);
  }
  return p.size() < 2 || total == 0 ? 0 : sum + std::lgamma(alpha) - std::lgamma(alpha + total);
}

// One pair of drift_between_batches(): a filter and the sums that the best constant needs.
struct RewardFilter {
  std::int32_t batch = -1;
  double n = 0, mean = 0, squares = 0;  // of all
  double at = 0, variance = 0;          // the filter
  double log_predictive = 0;            // without the constants that both sides share
  double before_n = 0, before_sum = 0, last_n = 0, last_sum = 0;
  double sizes = 0;  // of the terms of log_predictive

  void see(double x, std::int32_t in, double v, double step) {
    if (in != batch && batch >= 0) variance += step;
    if (in > batch) {
      before_n += last_n;
      before_sum += last_sum;
      last_n = last_sum = 0;
    }
    (in >= batch ? last_n : before_n) += 1;
    (in >= batch ? last_sum : before_sum) += x;
    batch = std::max(batch, in);
    const double s = variance + v, error = x - at;
    log_predictive += -std::log(s / v) / 2 - error * error / (2 * s);
    sizes += error * error / (2 * s);
    at += variance / s * error;
    variance *= v / s;
    n += 1;
    const double d = x - mean;
    mean += d / n;
    squares += d * (x - mean);
  }
  // The difference of two sums, each of which may be huge where rewards are far beyond what the model states:
  // what rounding may have left of it is no evidence.
  double log_e(double v) const {
    if (n == 0) return 0;
    constexpr double kCounts = .01, kUnit = 0x1p-53;
    const double rounding = 16 * kUnit * n * (sizes + squares / (2 * v));
    return log_predictive + squares / (2 * v) - (rounding > kCounts ? rounding : 0);
  }
};

struct RowFilter {
  std::int32_t batch = -1;
  double log_predictive = 0, total = 0, weight = 0;  // weight: of what the filter remembers

  double log_e(std::span<const double> count, double elsewhere) const {
    double best = 0;
    for (const double n : count) best += n > 0 ? n * std::log(n / total) : 0;
    if (elsewhere > 0) best += elsewhere * std::log(elsewhere / total);
    return total == 0 ? 0 : log_predictive - best;
  }
};

constexpr double kElsewhere = .5;  // of an observation, on moves that the model calls impossible
constexpr double kForget = .1;     // of the earlier moves count on in a new batch

// All pairs' filters of moves; memory and counts per possible move of the model.
class RowFilters {
 public:
  RowFilters(const State& state, const belief::Belief& belief)
      : mdp_(state.mdp()),
        belief_(belief),
        filters_(size(mdp_.pairs())),
        memory_(size(mdp_.nonzeros())),
        count_(size(mdp_.nonzeros())),
        elsewhere_(size(mdp_.pairs())),
        elsewhere_memory_(size(mdp_.pairs())) {}

  void see(std::int32_t pair, std::int32_t next_state, std::int32_t batch) {
    RowFilter& filter = filters_[pair];
    if (batch != filter.batch && filter.batch >= 0) forget(pair);
    filter.batch = batch;
    const double alpha = belief_.prior().transition_strength[pair];
    const std::int64_t at = entry_of(mdp_, pair, next_state);
    const double mine =
        at < 0 ? kElsewhere + elsewhere_memory_[pair] : alpha * mdp_.probability()[at] + memory_[at];
    filter.log_predictive += std::log(mine / (alpha + kElsewhere + filter.weight));
    filter.weight += 1;
    filter.total += 1;
    (at < 0 ? elsewhere_memory_[pair] : memory_[at]) += 1;
    (at < 0 ? elsewhere_[pair] : count_[at]) += 1;
  }

  double log_e(std::int32_t pair) const {
    const std::span<const double> counts(count_);
    return filters_[pair].log_e(counts.subspan(mdp_.row_begin()[pair], mdp_.entries_of(pair).size()),
                                elsewhere_[pair]);
  }

 private:
  static std::size_t size(std::int64_t n) { return static_cast<std::size_t>(n); }
  void forget(std::int32_t pair) {
    for (const std::int64_t i : mdp_.entries_of(pair)) memory_[i] *= kForget;
    elsewhere_memory_[pair] *= kForget;
    filters_[pair].weight *= kForget;
  }

  const mdp::Mdp& mdp_;
  const belief::Belief& belief_;
  std::vector<RowFilter> filters_;
  std::vector<double> memory_, count_, elsewhere_, elsewhere_memory_;
};

}  // namespace

std::vector<PairEvidence> evidence_against_simulator(const State& state, const belief::Knowledge& before,
                                                     double level) {
  const mdp::Mdp& mdp = state.mdp();
  const auto pairs = static_cast<std::size_t>(mdp.pairs());
  std::vector<PairEvidence> found(pairs);
  std::vector<double> sum(pairs), moves(static_cast<std::size_t>(mdp.nonzeros()));
  std::vector<std::uint8_t> impossible(pairs);
  for_each_result(state, [&](std::size_t, const ObservationRow& row, std::int32_t pair) {
    if (row.has_reward && !row.censored) {
      ++found[pair].rewards;
      sum[pair] += row.reward - mdp.reward()[pair];
    }
    if (row.next_state < 0) return;
    ++found[pair].moves;
    const std::int64_t at = entry_of(mdp, pair, row.next_state);
    if (at < 0) {
      impossible[pair] = 1;
    } else {
      ++moves[at];
    }
  });
  std::vector<double> p(pairs, 1.0);
  for (std::int32_t k = 0; k < mdp.pairs(); ++k) {
    PairEvidence& one = found[k];
    one.pair = k;
    const auto n = static_cast<double>(one.rewards);
    one.mean_reward = one.rewards > 0 ? mdp.reward()[k] + sum[k] / n : 0;
    one.log_reward =
        reward_bayes_factor(n, sum[k], spread(before.before, k), before.variance[k], mdp.reward_magnitude());
    one.log_transition =
        impossible[k] != 0
            ? base::kInfinity
            : row_bayes_factor(mdp.row(k).probability,
                               base::part_of(std::span<const double>(moves), mdp.entries_of(k)),
                               before.before.prior().transition_strength[k]);
    one.p_value = p[k] = std::min(1.0, std::exp(-log_mean(one.log_reward, one.log_transition)));
  }
  const std::vector<double> adjusted = stats::benjamini_hochberg(p);
  for (std::size_t k = 0; k < pairs; ++k) {
    found[k].adjusted = adjusted[k];
    found[k].flagged = adjusted[k] <= level;
  }
  return found;
}

Drift drift_between_batches(const State& state, const belief::Knowledge& before, double level) {
  const mdp::Mdp& mdp = state.mdp();
  std::vector<RewardFilter> rewards(static_cast<std::size_t>(mdp.pairs()));
  for (std::int32_t k = 0; k < mdp.pairs(); ++k) {
    rewards[k].at = mdp.reward()[k];
    rewards[k].variance = spread(before.before, k);
  }
  RowFilters rows(state, before.before);
  std::vector<std::uint8_t> batches(state.batches.size());
  const double drift = before.drift_sd * before.drift_sd;
  for_each_result(state, [&](std::size_t i, const ObservationRow& row, std::int32_t pair) {
    const std::int32_t batch = state.assignments[state.about[i]].batch;
    batches[batch] = 1;
    const double v = before.variance[pair];
    if (row.has_reward && !row.censored && v > 0)
      rewards[pair].see(row.reward, batch, v, drift > 0 ? drift : spread(before.before, pair));
    if (row.next_state >= 0) rows.see(pair, row.next_state, batch);
  });
  Drift result;
  result.batches = std::count(batches.begin(), batches.end(), 1);
  double top = -base::kInfinity;
  std::vector<double> log_e(rewards.size());
  for (std::int32_t k = 0; k < mdp.pairs(); ++k) {
    log_e[k] = log_mean(rewards[k].log_e(before.variance[k]), rows.log_e(k));
    top = std::max(top, log_e[k]);
    const RewardFilter& seen = rewards[k];
    if (seen.before_n > 0 && seen.last_n > 0)
      result.pairs.push_back({k, log_e[k], seen.before_sum / seen.before_n, seen.last_sum / seen.last_n});
  }
  double sum = 0;
  for (const double e : log_e) sum += std::exp(e - top);
  result.log_e = top + std::log(sum / static_cast<double>(log_e.size()));
  result.p_value = std::min(1.0, std::exp(-result.log_e));
  result.alarm = result.batches > 1 && result.log_e >= -std::log(level);
  std::stable_sort(result.pairs.begin(), result.pairs.end(),
                   [](const DriftPair& a, const DriftPair& b) { return a.log_e > b.log_e; });
  return result;
}

}  // namespace mindgap::study

#include "mindgap/mdp/evaluate.h"

#include <algorithm>

#include "mindgap/base/check.h"
#include "mindgap/mdp/one_product.h"
#include "mindgap/mdp/start_value.h"

namespace mindgap::mdp {
namespace {

Resolvent for_one_product(const Mdp& mdp, const Policy& policy, ResolventOptions options) {
  options.method = method_for_one_product(mdp, options.method);
  return {mdp, policy, options};
}

}  // namespace

Evaluation evaluate(const Mdp& mdp, const Policy& policy, const ResolventOptions& options) {
  Resolvent resolvent = for_one_product(mdp, policy, options);
  Evaluation result;
  result.value.assign(mdp.states(), 0.0);
  result.error_bound = resolvent.apply(resolvent.reward(), result.value) + resolvent.reward_error();
  result.value_at_start = start_value(mdp, result.value, result.error_bound).value;
  return result;
}

std::vector<double> action_values(const Mdp& mdp, std::span<const double> value) {
  base::check_size("action_values", "value", value.size(), static_cast<std::size_t>(mdp.states()));
  std::vector<double> q(mdp.reward().begin(), mdp.reward().end());
  for (std::int32_t k = 0; k < mdp.pairs(); ++k) {
    double expected = 0;
    for (std::int64_t i = mdp.row_begin()[k]; i < mdp.row_begin()[k + 1]; ++i) {
      expected += mdp.probability()[i] * value[mdp.next_state()[i]];
    }
    q[k] += mdp.discount() * expected;
  }
  return q;
}

Visitation discounted_visitation(const Mdp& mdp, const Policy& policy, const ResolventOptions& options) {
  Resolvent resolvent = for_one_product(mdp, policy, options);
  std::vector<double> start(mdp.start().begin(), mdp.start().end());
  for (double& p : start) p *= 1 - mdp.discount();
  Visitation result;
  result.share = start;
  result.error_bound = resolvent.apply_transpose(start, result.share);
  return result;
}

void step_distribution(const Mdp& mdp, std::span<const double> probability_of_pair,
                       std::span<const double> now, std::span<double> next) {
  std::fill(next.begin(), next.end(), 0.0);
  for (std::int32_t s = 0; s < mdp.states(); ++s) {
    if (now[s] == 0) continue;
    for (std::int32_t k = mdp.pair_begin()[s]; k < mdp.pair_begin()[s + 1]; ++k) {
      const double flow = now[s] * probability_of_pair[k];
      if (flow == 0) continue;
      for (std::int64_t i = mdp.row_begin()[k]; i < mdp.row_begin()[k + 1]; ++i) {
        next[mdp.next_state()[i]] += flow * mdp.probability()[i];
      }
    }
  }
}

namespace {

// Sums the distributions of `steps` steps; advance(t, now, next) makes one from the one before.
template <typename Advance>
std::vector<double> sum_of_steps(const Mdp& mdp, std::int64_t steps, Advance advance) {
  base::check_nonnegative("finite_occupancy", "steps", static_cast<double>(steps));
  std::vector<double> now(mdp.start().begin(), mdp.start().end()), next(now.size()), total(now.size(), 0.0);
  for (std::int64_t t = 0; t < steps; ++t) {
    for (std::size_t s = 0; s < now.size(); ++s) total[s] += now[s];
    if (t + 1 == steps) break;
    advance(t, now, next);
    std::swap(now, next);
  }
  return total;
}

}  // namespace

std::vector<double> finite_occupancy(const Mdp& mdp, const Policy& policy, std::int64_t steps) {
  const std::vector<double> probability = policy.probability_of_pair(mdp);
  return sum_of_steps(mdp, steps, [&](std::int64_t, const auto& now, auto& next) {
    step_distribution(mdp, probability, now, next);
  });
}

void check_time_policy(const Mdp& mdp, std::span<const std::int32_t> pair, std::int64_t steps) {
  base::check_positive("time-dependent policy", "steps", static_cast<double>(steps));
  base::check_size("time-dependent policy", "pair", pair.size(),
                   static_cast<std::size_t>(mdp.states()) * static_cast<std::size_t>(steps));
  for (std::size_t i = 0; i < pair.size(); ++i) {
    const std::size_t s = i % static_cast<std::size_t>(mdp.states());
    base::check_range("time-dependent policy", "a pair", pair[i], mdp.pair_begin()[s],
                      mdp.pair_begin()[s + 1] - 1);
  }
}

std::vector<double> finite_occupancy(const Mdp& mdp, std::span<const std::int32_t> pair, std::int64_t steps) {
  check_time_policy(mdp, pair, steps);
  const auto states = static_cast<std::size_t>(mdp.states());
  return sum_of_steps(mdp, steps, [&](std::int64_t t, const auto& now, auto& next) {
    std::fill(next.begin(), next.end(), 0.0);
    for (std::size_t s = 0; s < states; ++s) {
      if (now[s] == 0) continue;
      const std::int32_t k = pair[static_cast<std::size_t>(t) * states + s];
      for (std::int64_t i = mdp.row_begin()[k]; i < mdp.row_begin()[k + 1]; ++i) {
        next[mdp.next_state()[i]] += now[s] * mdp.probability()[i];
      }
    }
  });
}

}  // namespace mindgap::mdp

#include "mindgap/planner/kg.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "mindgap/gap/pvv.h"
#include "mindgap/gap/stateless.h"
#include "mindgap/mdp/evaluate.h"
#include "mindgap/planner/learning_planner.h"

namespace mindgap::planner {

double knowledge_gradient(double difference, double nu) {
  if (!(nu > 0)) return 0;
  const double ratio = std::abs(difference) / nu;
  return std::isfinite(ratio) ? nu * gap::unit_normal_loss(ratio) : 0;
}

namespace {

class KnowledgeGradient final : public LearningPlanner {
 public:
  explicit KnowledgeGradient(const Setting& setting)
      : LearningPlanner(setting), pending_(static_cast<std::size_t>(belief_.simulator().pairs())) {
    replanner_.plan(belief_.simulator());
    value_.assign(replanner_.value().begin(), replanner_.value().end());
  }

 protected:
  void replan(std::int64_t, std::span<const std::int32_t>) override {}

  void act(std::int64_t, std::span<const std::int32_t> state, std::span<std::int32_t> pair) override {
    const mdp::Mdp mean = belief_.mean();
    worth_ = mdp::action_values(mean, value_);
    spread_ = gap::next_value_variance(mean, value_);
    for (std::size_t u = 0; u < state.size(); ++u) {
      pair[u] = best_pair(state[u]);
      ++pending_[pair[u]];
    }
    for (const std::int32_t k : pair) pending_[k] = 0;
  }

 private:
  std::int32_t best_pair(std::int32_t state) const {
    const auto pairs = belief_.simulator().pairs_of(state);
    const std::int32_t begin = pairs.first(), end = pairs.last();
    std::int32_t best = begin;
    double most = -std::numeric_limits<double>::infinity();
    for (std::int32_t k = begin; k < end && end > begin + 1; ++k) {
      const double q = worth_[k] + belief_.simulator().discount() * information(k, best_other(begin, end, k));
      if (q > most) most = q, best = k;
    }
    return best;
  }

  double best_other(std::int32_t begin, std::int32_t end, std::int32_t pair) const {
    double most = -std::numeric_limits<double>::infinity();
    for (std::int32_t k = begin; k < end; ++k) {
      if (k != pair) most = std::max(most, worth_[k]);
    }
    return most;
  }

  // I_r + I_p of one more observation after those that other units will make at this step.
  double information(std::int32_t pair, double other) const {
    const double difference = worth_[pair] - other;
    const double strength = belief_.transition_strength(pair) + pending_[pair];
    const double nu_p = belief_.simulator().discount() * std::sqrt(spread_[pair]) / (strength + 1);
    return knowledge_gradient(difference, reward_deviation(pair)) + knowledge_gradient(difference, nu_p);
  }

  double reward_deviation(std::int32_t pair) const {
    const double variance = belief_.reward_variance(pair), tau = belief_.observation_precision(pair);
    if (variance == 0) return 0;
    if (std::isinf(tau)) return pending_[pair] > 0 ? 0 : std::sqrt(variance);
    const double now = 1 / (1 / variance + tau * pending_[pair]);
    return now * std::sqrt(tau / (1 + tau * now));  // now - 1/(1/now + tau) = now^2 tau / (1 + tau now)
  }

  std::vector<double> value_;           // V_sim
  std::vector<double> worth_, spread_;  // q, and Var_p(V_sim), per pair
  std::vector<std::int32_t> pending_;   // units that have chosen a pair at this step
};

}  // namespace

std::unique_ptr<Planner> make_kg(const Setting& setting) {
  return std::make_unique<KnowledgeGradient>(setting);
}

}  // namespace mindgap::planner

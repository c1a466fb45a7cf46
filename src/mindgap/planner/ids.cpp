#include "mindgap/planner/ids.h"

#include <algorithm>
#include <array>
#include <limits>
#include <map>

#include "mindgap/base/distributions.h"
#include "mindgap/design/objective.h"
#include "mindgap/mdp/solve.h"
#include "mindgap/planner/learning_planner.h"

namespace mindgap::planner {
namespace {

double ratio_of(double regret, double information) {
  if (regret == 0) return 0;
  return information > 0 ? regret * regret / information : std::numeric_limits<double>::infinity();
}

// The best share of the first of two candidates.
double best_share(double regret_1, double regret_2, double information_1, double information_2) {
  const double a = regret_2, b = regret_1 - regret_2, c = information_2, d = information_1 - information_2;
  double best = 1;
  for (const double q : {0.0, b * d != 0 ? std::clamp((a * d - 2 * b * c) / (b * d), 0.0, 1.0) : 1.0}) {
    if (ratio_of(a + b * q, c + d * q) < ratio_of(a + b * best, c + d * best)) best = q;
  }
  return best;
}

}  // namespace

Mixture least_information_ratio(std::span<const double> regret, std::span<const double> information) {
  const auto least = std::min_element(regret.begin(), regret.end()) - regret.begin();
  Mixture best{static_cast<std::size_t>(least), static_cast<std::size_t>(least), 1,
               ratio_of(regret[least], information[least])};
  for (std::size_t i = 0; i < regret.size(); ++i) {
    for (std::size_t j = i; j < regret.size(); ++j) {
      const double q = best_share(regret[i], regret[j], information[i], information[j]);
      const double ratio =
          ratio_of(q * regret[i] + (1 - q) * regret[j], q * information[i] + (1 - q) * information[j]);
      if (ratio < best.ratio) best = {i, j, q, ratio};
    }
  }
  return best;
}

namespace {

// rho'(V - T_pi^w V), the sweeps in `scratch`.
double window_loss(const mdp::Mdp& mdp, std::span<const std::int32_t> pair_of_state,
                   std::span<const double> value, std::span<const double> rho, std::int64_t window,
                   std::array<std::vector<double>, 2>& scratch) {
  auto& [now, next] = scratch;
  now.assign(value.begin(), value.end());
  next.resize(now.size());
  for (std::int64_t step = 0; step < window; ++step) {
    for (std::size_t s = 0; s < now.size(); ++s) {
      const std::int32_t k = pair_of_state[s];
      double sum = 0;
      for (const std::int64_t i : mdp.entries_of(k)) sum += mdp.probability()[i] * now[mdp.next_state()[i]];
      next[s] = mdp.reward()[k] + mdp.discount() * sum;
    }
    now.swap(next);
  }
  double loss = 0;
  for (std::size_t s = 0; s < now.size(); ++s) loss += rho[s] * (value[s] - now[s]);
  return std::max(loss, 0.0);
}

class InformationDirected final : public LearningPlanner {
 public:
  using LearningPlanner::LearningPlanner;

 protected:
  void replan(std::int64_t step, std::span<const std::int32_t> state) override {
    const mdp::Mdp mean = belief_.mean();
    const auto states = static_cast<std::size_t>(mean.states());
    std::vector<double> positions(states);
    for (const std::int32_t s : state) positions[s] += 1;
    std::vector<double> rho(positions);
    for (double& p : rho) p /= static_cast<double>(std::max<std::size_t>(state.size(), 1));

    const std::vector<design::Member> candidates = draw_candidates(step, mean);
    const std::vector<double> regret = regrets(candidates, rho);
    const std::vector<double> information =
        state.empty() ? std::vector<double>(candidates.size())
                      : informations(candidates, mean.with_start(std::move(rho)), positions);
    const Mixture mixture = least_information_ratio(regret, information);
    first_ = candidates[mixture.first].policy;
    second_ = candidates[mixture.second].policy;
    follows_first_.resize(state.size());
    for (std::size_t u = 0; u < state.size(); ++u) {
      base::Stream words = stream(u, step);
      follows_first_[u] = base::uniform(words) < mixture.share;
    }
  }

  void act(std::int64_t, std::span<const std::int32_t> state, std::span<std::int32_t> pair) override {
    for (std::size_t u = 0; u < state.size(); ++u) {
      pair[u] = (follows_first_[u] ? first_ : second_).pair_of_state()[state[u]];
    }
  }

 private:
  // Fills models_ and values_, and returns the distinct optimal policies; that of the mean comes first, with
  // the share of models that it is optimal in (it may be 0).
  std::vector<design::Member> draw_candidates(std::int64_t step, const mdp::Mdp& mean) {
    replanner_.plan(mean);
    const std::vector<double> guess(replanner_.value().begin(), replanner_.value().end());
    std::vector<design::Member> candidates{{replanner_.policy(mean), 0}};
    std::map<std::vector<std::int32_t>, std::size_t> place;
    const auto key = [](const mdp::Policy& policy) {
      return std::vector<std::int32_t>(policy.pair_of_state().begin(), policy.pair_of_state().end());
    };
    place[key(candidates[0].policy)] = 0;
    models_.clear();
    values_.clear();
    for (std::int32_t m = 0; m < options_.draws; ++m) {
      models_.push_back(draw_model(step, m, options_.draws));
      mdp::Solution solution =
          mdp::solve(models_.back(), {.tolerance = 1e-8, .threads = 1, .initial_value = guess});
      const auto found = place.try_emplace(key(solution.policy), candidates.size()).first->second;
      if (found == candidates.size()) candidates.push_back({std::move(solution.policy), 0});
      candidates[found].share += 1.0 / options_.draws;
      values_.push_back(std::move(solution.value));
    }
    return candidates;
  }

  std::vector<double> regrets(std::span<const design::Member> candidates, std::span<const double> rho) const {
    std::vector<double> regret;
    std::array<std::vector<double>, 2> scratch;
    for (const design::Member& candidate : candidates) {
      double sum = 0;
      for (std::size_t m = 0; m < models_.size(); ++m) {
        sum += window_loss(models_[m], candidate.policy.pair_of_state(), values_[m], rho,
                           options_.replan_every, scratch);
      }
      regret.push_back(sum / static_cast<double>(models_.size()));
    }
    return regret;
  }

  std::vector<double> informations(std::span<const design::Member> candidates, const mdp::Mdp& mean,
                                   std::span<const double> positions) const {
    // A candidate without a share is optimal in no model drawn.
    const auto members = candidates[0].share > 0 ? candidates : candidates.subspan(1);
    const gap::Precision precision = gap::precision_of(belief_);
    const gap::PvvWeights weights =
        design::difference_weights(mean, members, candidates[0].policy,
                                   {.weights = {.loads = precision.dependence->needs_loads(),
                                                .member_models = precision.dependence->member_models()},
                                    .run = {.threads = 1}});
    const design::Objective objective(weights, precision);
    const std::vector<double> none(static_cast<std::size_t>(mean.pairs()));
    const double before = objective.value(none);
    std::vector<double> information;
    for (const design::Member& candidate : candidates) {
      const std::vector<double> counts =
          design::expected_observations(mean, candidate.policy, positions, options_.replan_every);
      information.push_back(std::max(before - objective.value(counts), 0.0));
    }
    return information;
  }

  std::vector<mdp::Mdp> models_;             // drawn at the last replan
  std::vector<std::vector<double>> values_;  // their optimal values
  mdp::Policy first_, second_;
  std::vector<std::uint8_t> follows_first_;  // per unit
};

}  // namespace

std::unique_ptr<Planner> make_ids(const Setting& setting) {
  return std::make_unique<InformationDirected>(setting);
}

}  // namespace mindgap::planner

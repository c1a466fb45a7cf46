#include "mindgap/planner/explorers.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "mindgap/base/distributions.h"
#include "mindgap/base/listener.h"
#include "mindgap/base/random.h"
#include "mindgap/design/column_generation.h"
#include "mindgap/design/objective.h"
#include "mindgap/design/occupancy.h"
#include "mindgap/design/route_search.h"
#include "mindgap/gap/pvv.h"
#include "mindgap/mdp/evaluate.h"
#include "mindgap/mdp/solve.h"

namespace mindgap::planner {
namespace {

std::vector<double> shares_here(const Deployment& now) {
  std::vector<double> start = positions_of(now.unit_state, now.mean.states());
  for (double& share : start) share /= static_cast<double>(now.unit_state.size());
  return start;
}

mdp::Mdp from_here(const Deployment& now) {
  return now.mean.with_start(shares_here(now));
}

// The optimal policies of models, equal ones put together.
std::vector<design::Member> optimal_policies(const Deployment& now, std::span<const mdp::Mdp> models) {
  const std::vector<double> guess(now.value.begin(), now.value.end());
  std::vector<design::Member> members;
  std::map<std::vector<std::int32_t>, std::size_t> place;
  for (const mdp::Mdp& model : models) {
    mdp::Solution best = mdp::solve(model, {.tolerance = 1e-8, .threads = 1, .initial_value = guess});
    const auto pairs = best.policy.pair_of_state();
    const std::size_t found = place.try_emplace({pairs.begin(), pairs.end()}, members.size()).first->second;
    if (found == members.size()) members.push_back({std::move(best.policy), 0});
    members[found].share += 1.0 / static_cast<double>(models.size());
  }
  return members;
}

constexpr std::uint64_t kNoiseStep = 1;  // of the streams of simulated observations; walks have step 0

// sqrt(kappa) per pair, of rewards and of transitions: how far n observations move the mean towards a draw.
struct Pull {
  std::vector<double> reward, transition;
};

Pull pull(const belief::Belief& belief, std::span<const double> n) {
  Pull result{std::vector<double>(n.size()), std::vector<double>(n.size())};
  for (std::size_t i = 0; i < n.size(); ++i) {
    const auto k = static_cast<std::int32_t>(i);
    if (n[i] <= 0) continue;
    const double v = 1 / belief.observation_precision(k), before = belief.reward_variance(k);
    result.reward[i] = before > 0 ? std::sqrt(n[i] * before / (v + n[i] * before)) : 0;
    result.transition[i] = std::sqrt(n[i] / (belief.transition_strength(k) + n[i]));
  }
  return result;
}

mdp::Mdp drawn_towards(const mdp::Mdp& mean, const mdp::Mdp& drawn, const Pull& by) {
  std::vector<double> reward(mean.reward().begin(), mean.reward().end());
  std::vector<double> probability(mean.probability().begin(), mean.probability().end());
  for (std::int32_t k = 0; k < mean.pairs(); ++k) {
    reward[k] += by.reward[k] * (drawn.reward()[k] - reward[k]);
    for (const std::int64_t i : mean.entries_of(k))
      probability[i] += by.transition[k] * (drawn.probability()[i] - probability[i]);
  }
  return mean.with_probability(std::move(probability)).with_reward(std::move(reward));
}

// The mean model as it would be after n observations in the model `drawn`.
mdp::Mdp mean_after(const belief::Belief& belief, const mdp::Mdp& mean, const mdp::Mdp& drawn,
                    std::span<const double> n, const base::StreamKey& key) {
  base::Stream noise(key);
  if (const belief::Ensemble* ensemble = belief.ensemble())
    return ensemble->after(drawn, n, noise).mean().with_start({mean.start().begin(), mean.start().end()});
  const mdp::Mdp after = drawn_towards(mean, drawn, pull(belief, n));
  // What is seen of one pair moves others.
  return belief.learns_jointly() ? after.with_reward(belief.reward_means_after(drawn.reward(), n, noise))
                                 : after;
}

std::int32_t next_state(const mdp::Mdp& mdp, std::int32_t pair, base::Stream& stream) {
  const mdp::Row row = mdp.row(pair);
  return row.next_state[static_cast<std::size_t>(base::categorical(stream, row.probability))];
}

// Adds what the explorers observe in a model, on their routes or (`by_policy`) on the current policy.
void walk(const Deployment& now, const Aim& aim, const PlannedPilot& pilot, std::size_t model, bool by_policy,
          std::vector<double>& counts) {
  const mdp::Mdp& truth = aim.models[model];
  const auto policy = now.policy.pair_of_state();
  for (std::size_t u = 0; u < pilot.route_of_unit.size(); ++u) {
    base::Stream stream({aim.seed, base::Purpose::design, aim.first_draw + model, u});
    std::int32_t state = now.unit_state[u];
    for (std::int64_t step = 0; step < pilot.steps; ++step) {
      const std::int32_t sent = by_policy ? -1 : pilot.pair(u, step, state);
      const std::int32_t pair = sent >= 0 ? sent : policy[state];
      ++counts[pair];
      state = next_state(truth, pair, stream);
    }
  }
}

// V^best(M') - V^current(M') for one model.
double gain(const Deployment& now, const mdp::Mdp& here, const Aim& aim, std::size_t draw,
            std::span<const double> n, const std::vector<double>& guess, double discount) {
  const mdp::Mdp& model = aim.models[draw];
  const mdp::Mdp after = mean_after(now.belief, here, model, n,
                                    {aim.seed, base::Purpose::design, aim.first_draw + draw, 0, kNoiseStep});
  const mdp::Policy best =
      mdp::solve(after, {.tolerance = 1e-8, .threads = 1, .initial_value = guess}).policy;
  if (best == now.policy) return 0;
  const mdp::Mdp patient = after.with_discount(discount);
  return mdp::evaluate(patient, best).value_at_start - mdp::evaluate(patient, now.policy).value_at_start;
}

}  // namespace

std::vector<double> positions_of(std::span<const std::int32_t> unit_state, std::int32_t states) {
  std::vector<double> positions(static_cast<std::size_t>(states), 0.0);
  for (const std::int32_t s : unit_state) ++positions[s];
  return positions;
}

Aim draw_models(const belief::Belief& belief, std::int32_t models, std::uint64_t seed,
                std::uint64_t first_draw) {
  Aim result;
  result.seed = seed;
  result.first_draw = first_draw;
  for (std::int32_t m = 0; m < models; ++m) {
    base::interruption_point();
    result.models.push_back(belief.sample(seed, first_draw + static_cast<std::uint64_t>(m)));
  }
  return result;
}

Aim aim(const Deployment& now, const design::Target& target, std::uint64_t seed, std::uint64_t first_draw) {
  Aim result = draw_models(now.belief, target.members, seed, first_draw);
  design::TargetOptions options;
  options.run.seed = options.weights.run.seed = seed + first_draw;
  options.weights = gap::for_belief(std::move(options.weights), now.belief);
  options.run.threads = 1;
  options.start = shares_here(now);
  if (target.kind != design::TargetKind::ensemble && target.kind != design::TargetKind::difference) {
    result.weights = design::target_weights(now.belief, target, options).weights;
    return result;
  }
  const mdp::Mdp here = from_here(now);
  const std::vector<design::Member> members = optimal_policies(now, result.models);
  result.weights = target.kind == design::TargetKind::ensemble
                       ? design::ensemble_weights(here, members, options)
                       : design::difference_weights(here, members, now.policy, options);
  return result;
}

std::vector<double> credit_of(const Deployment& now, std::int64_t steps) {
  const auto others = now.unit_state.subspan(static_cast<std::size_t>(now.explorers));
  return design::expected_observations(now.mean, now.policy, positions_of(others, now.mean.states()), steps);
}

PlannedPilot plan_pilot(const Deployment& now, const gap::PvvWeights& weights, std::int64_t steps) {
  const auto explorers = static_cast<std::size_t>(now.explorers);
  const std::span<const std::int32_t> places = now.unit_state.first(explorers);
  std::vector<double> credit = credit_of(now, steps);
  const design::Objective objective(weights, gap::precision_of(now.belief), design::Block::both, credit);
  const auto occupancies =
      design::finite_occupancies(now.mean, positions_of(places, now.mean.states()), steps, 1);
  const design::ColumnGenerationResult optimum =
      design::minimise_by_columns(objective, *occupancies, {}, {.relative_gap = 1e-2, .max_iterations = 200});
  design::RouteAssignment assigned = design::best_routes(objective, *occupancies, optimum, places);
  std::vector<double> counts = std::move(assigned.counts);
  return {std::move(assigned), std::move(counts), std::move(credit)};
}

double patience(std::int64_t steps) {
  return 1 - 1 / static_cast<double>(std::max<std::int64_t>(steps, 1));
}

std::vector<double> pilot_worths(const Deployment& now, const Aim& aim, const PlannedPilot& pilot,
                                 std::int64_t left) {
  const mdp::Mdp here = from_here(now);
  const std::vector<double> guess(now.value.begin(), now.value.end());
  const double discount = patience(left);
  std::vector<double> worths;
  for (std::size_t m = 0; m < aim.models.size(); ++m) {
    std::vector<double> with = pilot.credit, without = pilot.credit;
    walk(now, aim, pilot, m, false, with);
    walk(now, aim, pilot, m, true, without);
    worths.push_back(
        static_cast<double>(now.unit_state.size()) *
        (gain(now, here, aim, m, with, guess, discount) - gain(now, here, aim, m, without, guess, discount)));
  }
  return worths;
}

double pilot_worth(const Deployment& now, const Aim& aim, const PlannedPilot& pilot, std::int64_t left) {
  const std::vector<double> worths = pilot_worths(now, aim, pilot, left);
  return std::accumulate(worths.begin(), worths.end(), 0.0) / static_cast<double>(worths.size());
}

double pilot_cost(const Deployment& now, const PlannedPilot& pilot, std::int64_t left) {
  const mdp::Mdp patient = now.mean.with_discount(patience(left));
  const std::vector<double> value = mdp::evaluate(patient, now.policy).value;
  const std::vector<double> q = mdp::action_values(patient, value);
  double cost = 0, size = 0;  // size: of the values whose differences are added up
  for (std::size_t k = 0; k < q.size(); ++k) {
    if (!(pilot.counts[k] > 0)) continue;
    const double here = value[patient.state_of_pair(static_cast<std::int32_t>(k))];
    cost += pilot.counts[k] * (here - q[k]);
    size += pilot.counts[k] * (std::abs(here) + std::abs(q[k]));
  }
  // The sum as a whole, not term by term: studies keep it, and verify computes it again bit for bit.
  constexpr double kRounding = 1e-9;
  return std::abs(cost) > kRounding * size ? cost : 0;
}

}  // namespace mindgap::planner

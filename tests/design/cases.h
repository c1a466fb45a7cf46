#pragma once

#include <cmath>
#include <memory>
#include <vector>

#include "gap/golden_models.h"
#include "mdp/random_models.h"
#include "mindgap/design/objective.h"
#include "mindgap/design/occupancy.h"
#include "mindgap/mdp/evaluate.h"
#include "mindgap/mdp/solve.h"

// Designs that the tests of the minimisers share.
namespace mindgap::design {

/// Pair k's weights, variances and strengths as given, the same for every pair where one number is.
inline gap::Precision same_prior(const mdp::Mdp& mdp, double variance, double precision, double strength) {
  const auto pairs = static_cast<std::size_t>(mdp.pairs());
  return {std::vector<double>(pairs, variance), std::vector<double>(pairs, precision),
          std::vector<double>(pairs, strength)};
}

/// spec/tabular.md 4, "M3": start e0, budget 10, prior variance .25, tau 4, alpha 5.
struct M3Design {
  mdp::Mdp mdp = gap::m3();
  gap::PvvWeights weights = gap::pvv_weights(mdp, gap::m3_target(mdp));
  gap::Precision prior = same_prior(mdp, .25, 4, 5);
  std::unique_ptr<Occupancy> pilot = discounted_occupancies(mdp, {1, 0, 0}, 10);
};

/// golden_tabular.json "treasure": rewards only, prior variance .09, tau 100, N 225, discounted from (0,0).
struct TreasureDesign {
  mdp::Mdp mdp = gap::treasure_simulator();
  gap::Precision prior = same_prior(mdp, .09, 100, INFINITY);
  std::unique_ptr<Occupancy> pilot =
      discounted_occupancies(mdp, std::vector<double>(mdp.start().begin(), mdp.start().end()), 225);

  Objective of(const mdp::Policy& target) const {
    return Objective(gap::pvv_weights(mdp, target), prior, Block::rewards);
  }
  mdp::Policy sop() const { return mdp::solve(mdp).policy; }
  /// pi ~ exp(Q / 1) of the optimal Q.
  mdp::Policy softmax() const {
    std::vector<double> pi = mdp::action_values(mdp, mdp::solve(mdp).value);
    for (std::int32_t s = 0; s < mdp.states(); ++s) {
      double sum = 0;
      for (std::int32_t k = mdp.pair_begin()[s]; k < mdp.pair_begin()[s + 1]; ++k) {
        sum += pi[k] = std::exp(pi[k]);
      }
      for (std::int32_t k = mdp.pair_begin()[s]; k < mdp.pair_begin()[s + 1]; ++k) pi[k] /= sum;
    }
    return mdp::Policy::stochastic(mdp, pi);
  }
  /// W = 1 for every pair.
  Objective uniform_weights() const {
    gap::PvvWeights weights;
    weights.reward.assign(static_cast<std::size_t>(mdp.pairs()), 1.0);
    weights.transition.assign(weights.reward.size(), 0.0);
    return Objective(weights, prior, Block::rewards);
  }
  /// The share of observations in region B, columns 3 to 5.
  double share_of_b(const std::vector<double>& counts) const {
    double in = 0, all = 0;
    for (std::int32_t k = 0; k < mdp.pairs(); ++k) {
      all += counts[k];
      if (mdp.state_of_pair(k) % 6 >= 3) in += counts[k];
    }
    return in / all;
  }
};

inline std::vector<double> uniform_pi(const Occupancy& pilot) {
  const std::vector<double> once = mdp::Policy::uniform(pilot.mdp()).probability_of_pair(pilot.mdp());
  std::vector<double> pi;
  for (std::int64_t t = 0; t < pilot.steps(); ++t) pi.insert(pi.end(), once.begin(), once.end());
  return pi;
}

/// A random small design: 2 to 12 states, targets, priors and budgets of many sizes; some states may be out
/// of reach.
struct RandomDesign {
  explicit RandomDesign(std::uint64_t seed)
      : mdp(mdp::random_mdp(seed, {.states = 2 + static_cast<std::int32_t>(seed % 11),
                                   .actions = 2 + static_cast<std::int32_t>(seed % 3),
                                   .successors = 1 + static_cast<std::int32_t>(seed % 4),
                                   .discount = seed % 2 == 0 ? .9 : .97})),
        positions(static_cast<std::size_t>(mdp.states())),
        prior(same_prior(mdp, .25, 4, 5)) {
    positions[0] = 2;
    positions[seed % positions.size()] += 1;
    for (std::size_t k = 0; k < prior.reward_variance.size(); ++k) {
      const double x = std::sin(static_cast<double>(31 * k + 7 * seed));
      prior.reward_variance[k] = std::exp(2 * x - 1);
      prior.transition_strength[k] = std::exp(1 - x);
    }
    const mdp::Policy target = seed % 3 == 0 ? mdp::solve(mdp).policy : mdp::Policy::uniform(mdp);
    objective = std::make_unique<Objective>(gap::pvv_weights(mdp, target), prior);
    discounted = discounted_occupancies(mdp, positions, 5 + static_cast<double>(seed % 100));
    finite = finite_occupancies(mdp, positions, 1 + static_cast<std::int64_t>(seed % 6));
  }

  mdp::Mdp mdp;
  std::vector<double> positions;
  gap::Precision prior;
  std::unique_ptr<Objective> objective;
  std::unique_ptr<Occupancy> discounted, finite;
};

}  // namespace mindgap::design

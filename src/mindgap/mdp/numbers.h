#pragma once

#include <span>

#include "mindgap/mdp/mdp.h"

namespace mindgap::mdp {

/// A model's transitions with numbers that may lie elsewhere than in an Mdp, which never changes: one reward
/// per pair, one probability per nonzero.
struct Numbers {
  Numbers(const Mdp& mdp)  // NOLINT: a model has numbers
      : shape(mdp), reward(mdp.reward()), probability(mdp.probability()) {}
  Numbers(const Mdp& structure, std::span<const double> rewards, std::span<const double> probabilities)
      : shape(structure), reward(rewards), probability(probabilities) {}

  const Mdp& shape;
  std::span<const double> reward, probability;
};

}  // namespace mindgap::mdp

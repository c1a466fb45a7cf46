#pragma once

#include <vector>

#include "mindgap/gap/simulation_lemma.h"
#include "mindgap/mdp/mdp.h"
#include "mindgap/world/hidden_model.h"
#include "mindgap/world/history_error.h"

namespace mindgap::gap {

/// The distance between two models with the same pairs.
struct PairErrors {
  std::vector<double> reward;  // per pair: absolute difference of the mean rewards
  std::vector<double>
      transition;      // per pair: 1-norm of the difference of the transition distributions, at most 2
  ModelError largest;  // over pairs
};

/// Throws InvalidArgument unless both have the same states, actions and available pairs, by number. Linear in
/// the number of nonzeros.
PairErrors pair_errors(const mdp::Mdp& a, const mdp::Mdp& b);

/// Where a simulator's error comes from, with the truth known (paper, eq. setup-error-chain, Lemma sim-lemma
/// and Definition conf-drift):
///   truth -history-> deployment projection -drift-> calibration marginal -confounding-> calibration kernel
///     -residual-> simulator,
/// each arrow measured per pair. Distances obey the triangle inequality, errors may cancel: shift <= drift +
/// confounding and total <= shift + residual, and a shift of 0 does not mean that there was no confounding.
struct ErrorChain {
  PairErrors total;                   // simulator against the deployment projection: eps
  PairErrors shift_error;             // deployment projection against the calibration kernel: eps^h
  PairErrors confounding;             // calibration kernel against the calibration marginal
  PairErrors drift;                   // calibration marginal against the deployment projection
  PairErrors residual_error;          // simulator against the calibration kernel: eps^m
  world::HistoryError history_error;  // truth against the deployment projection: eps^hist, see there
};

/// Pairs are those of the simulator; the world's states and actions are matched to them by name. Throws
/// InvalidModel with the first state, action or pair that only one of the two has.
ErrorChain error_chain(const mdp::Mdp& simulator, const world::HiddenModel& world);

}  // namespace mindgap::gap

#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "mindgap/design/occupancy.h"

// Pairs that a pilot must not take.
namespace mindgap::design {

/// A model without some of its pairs. States keep their numbers. A state that loses all its pairs becomes
/// unenterable: every pair that can lead there is removed too, and so on. Since a model needs a pair in each
/// state, an unenterable one keeps its first pair as a loop on itself, which nothing can reach.
struct RestrictedMdp {
  mdp::Mdp mdp;
  std::vector<std::int32_t> new_of_old;   // per pair of the full model, or -1 where it was removed
  std::vector<std::int32_t> old_of_new;   // per pair of this model
  std::vector<std::uint8_t> unenterable;  // per state
};

/// Removes the pairs numbered in `forbidden`; `occupied` are the states where units begin. Throws
/// InvalidArgument where a pair is not in the model, and "all pairs forbidden" naming the state where one of
/// `occupied` has nothing left. Where the model starts in an unenterable state, the restricted one starts
/// evenly in `occupied` instead.
RestrictedMdp without_pairs(const mdp::Mdp& mdp, std::span<const std::int32_t> forbidden,
                            std::span<const std::int32_t> occupied);

/// Counts over the pairs of the full model `mdp` of pilots that never take a forbidden pair nor enter a state
/// from where they must; otherwise as finite_occupancies() and discounted_occupancies(). In states that
/// cannot be entered a corner's policy names the first pair.
std::unique_ptr<Occupancy> finite_occupancies_without(const mdp::Mdp& mdp, std::vector<double> positions,
                                                      std::int64_t steps,
                                                      std::span<const std::int32_t> forbidden,
                                                      int threads = 0);
std::unique_ptr<Occupancy> discounted_occupancies_without(const mdp::Mdp& mdp, std::vector<double> positions,
                                                          double budget,
                                                          std::span<const std::int32_t> forbidden,
                                                          int threads = 0, double tolerance = 1e-10);

}  // namespace mindgap::design

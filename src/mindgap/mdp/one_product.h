#pragma once

#include "mindgap/mdp/resolvent.h"

namespace mindgap::mdp {

/// How to find one product with a Resolvent, where nobody asked for a method. Factors that are made for one
/// product alone are not worth it in large models, unless discounts near 1 keep iterations from converging:
/// on a grid of 10,000 cells with discount .95 they take twice as long. Where factors are small, as on chains
/// and trees, the preconditioner of the iterations is exact.
inline LinearMethod method_for_one_product(const Mdp& mdp, LinearMethod asked) {
  constexpr std::int32_t kStates = 5'000;
  constexpr double kDiscount = .99;
  const bool iterates =
      asked == LinearMethod::automatic && mdp.states() > kStates && mdp.discount() <= kDiscount;
  return iterates ? LinearMethod::krylov : asked;
}

}  // namespace mindgap::mdp

#pragma once

#include <cstdint>
#include <span>

namespace mindgap::gap {

/// How fast hidden dynamics h_{t+1} - h* = L (h_t - h*) forget where they started, for a user's Jacobian L:
/// what the history error of a stationary projection hangs on (paper, appendix "Bounding eps^hist").
///   ||h_T - h*|| <= ||L^T|| ||h_0 - h*||  in the largest-entry norm.
/// The paper bounds ||L^T|| by rho(L)^T, which is only its rate as T grows: for a non-normal L the norm can
/// exceed it by any factor at any finite T. So both are given, and the bound is `norm`. For dynamics that are
/// not affine either of them speaks of the linear part only.
struct Contraction {
  double spectral_radius = 0;  // rho(L), the largest |eigenvalue|
  bool contracting = false;    // rho(L) < 1; else no history-error bound applies
  std::int64_t steps = 0;      // T
  double rate = 0;             // rho(L)^T: right in the limit, not a bound
  double norm = 0;             // ||L^T||_inf, the largest absolute row sum: the bound, at every T
};

/// `jacobian` is dense, row after row, size x size. The power is built by squaring, O(size^3 log T), and
/// scaled on the way, so that neither result is NaN: they may be 0 or infinite. Eigenvalues that coincide in
/// a defective L are only good to the root of the rounding; where rho is that near 1 look at `norm`. Throws
/// InvalidArgument unless size >= 1, steps >= 0 and every entry is finite; NumericalError where the
/// eigenvalues do not converge.
Contraction contraction(std::span<const double> jacobian, std::int32_t size, std::int64_t steps);

}  // namespace mindgap::gap

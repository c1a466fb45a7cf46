#pragma once

#include <cstdint>
#include <functional>
#include <vector>

namespace mindgap::belief {

/// The leading eigenvectors of a covariance matrix times the roots of their eigenvalues, until they keep
/// `share` of its trace or there are `most` of them.
struct KernelFactors {
  std::int32_t factors = 0;
  std::vector<double> loadings;  // states x factors, row by row
  std::vector<double> rest;      // per state: the variance that the factors leave out, >= 0
  double kept = 0;               // share of the trace
};

/// The matrix is given by its elements and never stored: a pivoted Cholesky factorisation (at most twice
/// `most` columns, or until what it leaves out is 1e-6 of the trace) is turned into its eigenvectors. The
/// rest is what both leave out, so no variance is lost. O(states most^2).
KernelFactors kernel_factors(std::int64_t states,
                             const std::function<double(std::int64_t, std::int64_t)>& covariance,
                             double share = .99, std::int32_t most = 200);

}  // namespace mindgap::belief

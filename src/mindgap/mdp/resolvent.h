#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "mindgap/mdp/mdp.h"
#include "mindgap/mdp/policy.h"

namespace mindgap::mdp {

enum class LinearMethod {
  automatic,  // dense to 300 states; sparse LU where its factors stay small; Krylov otherwise
  dense,      // LU of the full matrix
  sparse_lu,  // KLU
  krylov,     // BiCGSTAB with an ILU(0) preconditioner
};

std::string_view to_string(LinearMethod method);

struct ResolventOptions {
  LinearMethod method = LinearMethod::automatic;
  /// Wanted error of a product, relative to |b| / (1 - discount): in the maximum norm for apply(), in the
  /// 1-norm for apply_transpose(). Rounding sets a floor near 1e-15 / (1 - discount).
  double tolerance = 1e-12;
  /// Seconds after which an iterative method stops (looked at between rounds of iterations).
  double time_limit = std::numeric_limits<double>::infinity();
  /// Give what was reached, with its error bound, instead of throwing where the tolerance is far from met.
  bool best_effort = false;

  void validate() const;
};

/// Products with the resolvent R = (I - g P)^-1 of one policy and with its transpose, without forming R. What
/// a factorisation or preconditioner costs is paid once, so use one object for many products. Not
/// thread-safe.
class Resolvent {
 public:
  /// Throws InvalidArgument where the discount is 1 or the policy belongs to another model.
  Resolvent(const Mdp& mdp, const Policy& policy, const ResolventOptions& options = {});
  ~Resolvent();
  Resolvent(Resolvent&&) noexcept;
  Resolvent& operator=(Resolvent&&) noexcept;

  /// x = R b. What x holds before is the first guess of an iterative method (it must be finite). Returns a
  /// bound on the error in the maximum norm: |b - (I - g P) x| / (1 - g). Throws NumericalError where the
  /// tolerance is far from met (unless `best_effort`).
  double apply(std::span<const double> b, std::span<double> x);
  /// x = R' b, likewise with the bound in the 1-norm.
  double apply_transpose(std::span<const double> b, std::span<double> x);
  /// R itself, row by row. Only on request for small models: throws InvalidArgument above `limit` states.
  std::vector<double> dense(std::int32_t limit = 2000);

  /// The policy's expected reward in each state.
  std::span<const double> reward() const;
  /// What the rounding of reward() can add to the error of a value R reward().
  double reward_error() const;
  std::int32_t states() const;
  /// The method in use.
  LinearMethod method() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace mindgap::mdp

#include "mindgap/gap/gap_decomposition.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "mindgap/base/check.h"
#include "mindgap/base/error.h"
#include "mindgap/mdp/evaluate.h"
#include "mindgap/mdp/solve.h"

namespace mindgap::gap {
namespace {

using mdp::Mdp;
using mdp::Policy;

constexpr double kShareTolerance = 1e-11;  // of a visitation, which sums to 1

// A policy as a line in lambda: its value less what its visits of `out` beyond the allowed ones cost,
// value - lambda * excess, in unnormalised discounted visits.
struct Line {
  double value = 0;
  double excess = 0;
  double at(double lambda) const { return value - lambda * excess; }
};

class Problem {
 public:
  Problem(const Mdp& truth, const Policy& deployed, const GapOptions& options)
      : truth_(truth), options_(options), scale_(truth.reward_magnitude() / (1 - truth.discount())) {
    const std::vector<double> share = visitation(deployed);
    out_.resize(share.size());
    for (std::size_t s = 0; s < out_.size(); ++s) {
      out_[s] = share[s] < options.support_threshold;
      if (out_[s]) outside_ += std::max(0.0, share[s]);
    }
    deployed_line_ = {line_of(deployed, share).value, 0};
  }

  double outside() const { return outside_; }
  double scale() const { return scale_; }
  const Line& deployed_line() const { return deployed_line_; }

  // The optimal policy's line for the rewards r - lambda 1_out; `value` is the first guess and becomes the
  // solution.
  Line best(double lambda, std::vector<double>& value, double& half_width, std::vector<double>& share) const {
    std::vector<double> reward(truth_.reward().begin(), truth_.reward().end());
    if (lambda > 0) {
      for (std::int32_t s = 0; s < truth_.states(); ++s) {
        if (out_[s] == 0) continue;
        for (const std::int32_t k : truth_.pairs_of(s)) reward[k] -= lambda;
      }
    }
    const Mdp priced = truth_.with_reward(std::move(reward));
    mdp::SolveOptions solve;
    // Relative to the rewards of the truth, not to those with the price.
    const double priced_scale = std::max(priced.reward_max() / (1 - truth_.discount()), 1e-300);
    solve.tolerance = std::min(1e-2, options_.tolerance * scale_ / priced_scale);
    solve.threads = options_.threads;
    solve.initial_value = value;
    mdp::Solution solution = mdp::solve(priced, solve);
    half_width = solution.half_width;
    value = std::move(solution.value);
    share = visitation(solution.policy);
    return line_of(solution.policy, share);
  }

 private:
  std::vector<double> visitation(const Policy& policy) const {
    return mdp::discounted_visitation(truth_, policy, {.method = options_.linear}).share;
  }

  Line line_of(const Policy& policy, std::span<const double> share) const {
    const std::vector<double> pi = policy.probability_of_pair(truth_);
    double value = 0, visits = 0;
    for (std::int32_t s = 0; s < truth_.states(); ++s) {
      double reward = 0;
      for (const std::int32_t k : truth_.pairs_of(s)) {
        reward += pi[k] * truth_.reward()[k];
      }
      value += share[s] * reward;
      if (out_[s] != 0) visits += share[s];
    }
    const double horizon = 1 / (1 - truth_.discount());
    return {value * horizon, (visits - outside_) * horizon};
  }

  const Mdp& truth_;
  const GapOptions& options_;
  double scale_;
  std::vector<std::uint8_t> out_;
  double outside_ = 0;
  Line deployed_line_;
};

}  // namespace

void GapOptions::validate() const {
  base::check_range("gap_decomposition", "support_threshold", support_threshold, 0, 1);
  base::check_range("gap_decomposition", "tolerance", tolerance, 1e-15, 1e-2);
}

// The dual function, phi(lambda) = max over policies of their lines, is convex and piecewise linear. Between
// a line that falls (excess > 0) and one that does not, its minimum lies where they cross or above: evaluate
// phi there, and either no line is above the crossing (done) or the new one replaces one of the two. Policies
// are finitely many, so this ends. The deployed policy's own line is level: no upper limit on lambda is
// needed. Visits are known to kShareTolerance only: what exceeds by less does not exceed, here and when a
// line is put on one side or the other, else a policy that is as good as allowed would count as not allowed.
GapDecomposition gap_decomposition(const Mdp& truth, const Policy& deployed, const GapOptions& options) {
  options.validate();
  if (truth.discount() == 1) throw InvalidArgument("gap_decomposition: discount is 1, but must be below 1");
  const Problem problem(truth, deployed, options);
  GapDecomposition result;
  result.support_threshold = options.support_threshold;
  result.outside = problem.outside();
  result.value.assign(options.initial_value.begin(), options.initial_value.end());
  double half_width = 0;
  Line falling = problem.best(0, result.value, half_width, result.optimal_visitation);
  Line level = problem.deployed_line();
  result.error_bound = half_width;
  result.deployed_value = level.value;
  result.optimal_value = std::max(falling.value, level.value);
  result.local_value = result.optimal_value;

  const double tolerance = options.tolerance * std::max(problem.scale(), 1e-300);
  const double no_excess = kShareTolerance / (1 - truth.discount());
  const bool binding = falling.excess > no_excess && falling.value > level.value + tolerance;
  std::vector<double> value = result.value, share;
  constexpr std::int32_t kIterationLimit = 200;
  while (binding) {
    const double lambda = (falling.value - level.value) / (falling.excess - level.excess);
    const double crossing = falling.at(lambda);
    const Line line = problem.best(lambda, value, half_width, share);
    result.error_bound = std::max(result.error_bound, half_width);
    result.multiplier = lambda;
    result.local_value = crossing;
    if (line.at(lambda) <= crossing + tolerance) break;
    if (++result.iterations > kIterationLimit) {
      throw NumericalError("gap_decomposition: no end after 200 prices of the unreached states");
    }
    (line.excess > no_excess ? falling : level) = line;
  }
  result.local_value = std::clamp(result.local_value, result.deployed_value, result.optimal_value);
  result.local_gap = result.local_value - result.deployed_value;
  result.reach_gap = result.optimal_value - result.local_value;
  return result;
}

}  // namespace mindgap::gap

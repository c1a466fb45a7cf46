#pragma once

#include <cstdint>
#include <memory>
#include <numeric>
#include <span>
#include <vector>

#include "mindgap/mdp/mdp.h"

// The numbers of observations n(s,a) a pilot can have in expectation: a polytope whose corners are
// deterministic policies. Everything a minimiser needs of it is its best corner for a given price per
// observation.
namespace mindgap::design {

/// A price per observation times numbers of observations, summed.
inline double dot(std::span<const double> a, std::span<const double> b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

/// A corner: a deterministic policy and what it would observe.
struct Corner {
  /// The pair taken: [step * states + state] for a finite pilot, [state] for the discounted form.
  std::vector<std::int32_t> pair;
  std::vector<double> counts;  // n per pair
  double worth = 0;            // <price, counts>
  double bound = 0;            // no corner is worth more: certified upper bound, >= worth
};

class Occupancy {
 public:
  virtual ~Occupancy() = default;

  const mdp::Mdp& mdp() const { return mdp_; }
  /// Steps of a finite pilot; 1 for the discounted form (a stationary policy).
  std::int64_t steps() const { return steps_; }
  bool is_finite() const { return finite_; }
  /// Sum of n(s,a): units x steps.
  double budget() const { return budget_; }
  /// Expected number of units that begin in each state; sums to the number of units.
  std::span<const double> positions() const { return positions_; }

  /// The corner that maximises <price, n> (price per pair, any finite numbers).
  virtual Corner best(std::span<const double> price) const = 0;
  /// n of a policy that takes pair k with probability pi[step * pairs + k] (finite) or pi[k] (discounted) in
  /// its state.
  virtual std::vector<double> counts(std::span<const double> pi) const = 0;

  /// Finite pilots only, InvalidArgument otherwise: the corner that maximises <price, n> + sum over steps and
  /// states of step_price[step * states + state] times the units expected there at that step; `worth` and
  /// `bound` include both.
  virtual Corner best_at_steps(std::span<const double> price, std::span<const double> step_price) const;
  /// Finite pilots only: the units expected in each state at each step, [step * states + state], where all
  /// follow `pair` (as Corner has it).
  virtual std::vector<double> step_visits(std::span<const std::int32_t> pair) const;

 protected:
  Occupancy(mdp::Mdp mdp, std::vector<double> positions, std::int64_t steps, double budget, bool finite);

 private:
  mdp::Mdp mdp_;
  std::vector<double> positions_;
  std::int64_t steps_;
  double budget_;
  bool finite_;
};

/// n(s,a) = expected visits of all units over `steps` steps from their positions, in the model `mdp` (the
/// belief's mean). Policies may depend on the step. The best corner is one backward induction.
std::unique_ptr<Occupancy> finite_occupancies(const mdp::Mdp& mdp, std::vector<double> positions,
                                              std::int64_t steps, int threads = 0);

/// The paper's form: n = budget * (discounted occupancy from the positions), policies do not change over
/// time. The best corner is one discounted solve, to a relative accuracy of `tolerance`.
std::unique_ptr<Occupancy> discounted_occupancies(const mdp::Mdp& mdp, std::vector<double> positions,
                                                  double budget, int threads = 0, double tolerance = 1e-10);

}  // namespace mindgap::design

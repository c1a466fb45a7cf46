#pragma once

#include <cstdint>
#include <span>
#include <vector>

// How to split units over K actions where there is no state: the K-action case of stateless.h. In the first
// period n_a units take action a, in the second all n take the action whose posterior mean is highest.
namespace mindgap::gap {

/// The mean outcome of action a is Normal(mean[a], sd[a]^2), independently of the others.
struct AllocationProblem {
  std::int64_t units = 0;  // n >= 1
  double discount = 1;     // gamma in [0, 1], of the second period
  std::vector<double> mean = {};
  std::vector<double> sd = {};      // >= 0; 0: known
  double observation_variance = 0;  // > 0, of one unit's outcome

  /// Throws InvalidArgument: 2 to 50 actions, at most 1e7 units.
  void validate() const;
};

/// E max_a X_a of independent X_a ~ Normal(mean[a], sd[a]^2), sd >= 0: with c the largest of those with sd 0,
///   c + integral from c of 1 - prod_a F_a(x) dx,
/// and where all are random from a c that the largest is below with probability less than 1e-18. By
/// Gauss-Legendre between the bends of the integrand.
double expected_largest(std::span<const double> mean, std::span<const double> sd);

/// sum_a n_a mean_a + gamma n E max_a N(mean_a, nu_a^2), nu_a^2 = sd^4 n_a / (s2 + sd^2 n_a), less its value
/// where all units take the action of the highest mean and nothing is learnt from them: the worth of the
/// allocation against deploying. `counts` sum to at most n.
double allocation_value(const AllocationProblem& problem, std::span<const double> counts);

struct ActionIndex {
  std::int64_t units = 0;  // n_a
  double earn = 0;         // mean_a
  /// gamma n times what the last unit on it (one_less) taught and what one more would (one_more): the
  /// knowledge gradient, as differences of whole units; one_less is 0 where no unit takes it.
  double learn = 0, learn_more = 0;
  double index() const { return earn + learn; }
  double index_more() const { return earn + learn_more; }
};

struct Allocation {
  std::vector<ActionIndex> actions;
  double value = 0;     // allocation_value()
  double learning = 0;  // of that, where all units take the favoured action: what watching them is worth
  /// The paper's condition (eq. foc-K): mean_a + gamma n KG_a is the same, lambda, for every action in use,
  /// and not larger for others. With whole units: no action in use has an index below what one more unit
  /// elsewhere has. True at an optimum but for the rounding of one unit.
  bool condition_holds = false;
  double lambda = 0;  // the lowest index of those in use
  /// The paper's test of "deploy is optimal" at the allocation that deploys: no action's first unit is worth
  /// its cost. It is a condition on the first unit: where it holds, a larger experiment can still pay.
  bool deploy_passes_condition = false;
  /// What it is worth in truth to allocate as above over deploying: value - learning; 0: deploying is best.
  double gain = 0;
};

/// The best allocation of whole units that a search finds: the amounts of each action in turn over a grid
/// that doubles, from several starts, then exchanges of 2^k units down to one until none gains. The worth is
/// not concave: the first units on an action teach nothing that changes a decision.
Allocation best_allocation(const AllocationProblem& problem);

}  // namespace mindgap::gap

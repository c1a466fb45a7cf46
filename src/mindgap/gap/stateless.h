#pragma once

#include <cstdint>

// Whether and how much to experiment where there is no state: two actions, two periods. In the first, n_e of
// the n units are split half and half over both actions and the others take the favoured one; in the second
// all take the action whose posterior mean is higher. The whole answer is in closed form
// (docs/math/stateless.md; paper, appendix on the stateless warm-up).
namespace mindgap::gap {

/// Delta, by which the favoured action beats the other per unit, is Normal(prior_mean, prior_sd^2).
struct StatelessProblem {
  std::int64_t units = 0;           // n >= 1
  double discount = 1;              // gamma in [0, 1], of the second period
  double prior_mean = 0;            // d0 >= 0
  double prior_sd = 0;              // s0 > 0
  double observation_variance = 0;  // s2 > 0, of one unit's outcome

  /// Throws InvalidArgument where a number is out of its domain.
  void validate() const;
  double kappa() const { return prior_mean / prior_sd; }
};

/// psi(r) = phi(r) - r Phi(-r) = E max(Z - r, 0), the unit normal loss. For any r that is not NaN, with small
/// relative error: from r = 2 on as phi(r) times two continued fractions of positive terms, where the formula
/// itself would lose all digits; below 0 as psi(-r) - r. psi(-inf) = inf, psi(inf) = 0.
double unit_normal_loss(double r);

/// nu(n_e), the standard deviation of the posterior mean before the data are seen:
///   nu^2 = s0^4 n_e / (4 s2 + s0^2 n_e), 0 <= n_e. nu(0) = 0, and nu -> s0.
double preposterior_sd(const StatelessProblem& problem, double experiment_units);

/// Delta V(n_e) = -n_e d0 / 2 + gamma n nu psi(d0 / nu): what experimenting on n_e units is worth against not
/// experimenting; 0 <= n_e <= n, Delta V(0) = 0. It starts at 0, falls, and may rise above 0 later.
double experiment_value(const StatelessProblem& problem, double experiment_units);

struct ExperimentSize {
  double units = 0;  // n_e
  double value = 0;  // Delta V(n_e) >= 0
};

/// The global argmax of Delta V over real n_e in [0, n], and over whole n_e; the smallest of equals.
ExperimentSize optimal_experiment(const StatelessProblem& problem);
ExperimentSize optimal_whole_experiment(const StatelessProblem& problem);

/// gamma n s0 psi(kappa): what perfect information would add to the second period, and so the Bayes regret of
/// not experimenting at all.
double regret_without_experiment(const StatelessProblem& problem);

/// The root of 2 gamma psi(k) = k, gamma in [0, 1]; 0 at gamma = 0. At this kappa an experiment on all n
/// units that told everything would be worth 0. The paper's figure takes it for the zero of max Delta V,
/// which is experiment_threshold() and lies higher: a smaller experiment costs less.
double full_experiment_threshold(double discount);

enum class ExperimentUnits { real, whole };

/// The kappa from which on no experiment pays: the zero of max Delta V over n_e > 0, for the problem's n,
/// gamma and s2/s0^2 (its prior_mean is not used). 0 at gamma = 0.
double experiment_threshold(const StatelessProblem& problem, ExperimentUnits units = ExperimentUnits::real);

/// The law of large n: n_e* = A - (3 + kappa^2) s2/s0^2 + O(n^-1/2), A = 2 sqrt(gamma n s2 phi(kappa)/(d0
/// s0)).
struct SquareRootLaw {
  double leading = 0;     // A; infinite at d0 = 0
  double correction = 0;  // - (3 + kappa^2) s2/s0^2
};
SquareRootLaw square_root_law(const StatelessProblem& problem);

}  // namespace mindgap::gap

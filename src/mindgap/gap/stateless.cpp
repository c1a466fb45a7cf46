#include "mindgap/gap/stateless.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "mindgap/base/check.h"
#include "mindgap/base/error.h"

namespace mindgap::gap {
namespace {

double normal_density(double x) {
  return std::exp(-x * x / 2) * std::numbers::inv_sqrtpi / std::numbers::sqrt2;
}

// The zero of a function that is >= 0 at `low` and <= 0 at `high`, to the last bit or so.
template <typename Function>
double bisect(double low, double high, Function function) {
  for (int i = 0; i < 200; ++i) {
    const double middle = low + (high - low) / 2;
    if (middle <= low || middle >= high) break;
    (function(middle) > 0 ? low : high) = middle;
  }
  return low + (high - low) / 2;
}

// psi(r) for r >= 2. With I_{-1} = phi and I_k the integral of I_{k-1} from r to infinity (I_0 = Phi(-r),
// I_1 = psi),  I_k / I_{k-1} = 1 / (r + (k+1)/(r + (k+2)/(r + ...)))  (Abramowitz and Stegun 7.2.5
// and 26.2.14). 100 terms leave less than rounding at r = 2, and fewer are needed beyond.
double far_loss(double r) {
  double tail = r;
  for (int k = 100; k > 2; --k) tail = r + k / tail;
  const double first = r + 2 / tail;    // I_0 / I_1
  const double second = r + 1 / first;  // I_{-1} / I_0
  return normal_density(r) / second / first;
}

// Delta V'(x) = -d0/2 + gamma n nu'(x) phi(d0/nu(x)), with u = 4 s2/s0^2, nu = s0 sqrt(x/(u+x)) and
// nu' = s0 u / (2 sqrt(x) (u+x)^(3/2)), for x > 0.
double slope(const StatelessProblem& problem, double x) {
  const double s0 = problem.prior_sd;
  const double u = 4 * problem.observation_variance / (s0 * s0);
  const double gain = s0 * u / (2 * std::sqrt(x) * std::pow(u + x, 1.5)) *
                      normal_density(problem.prior_mean / preposterior_sd(problem, x));
  return -problem.prior_mean / 2 + problem.discount * static_cast<double>(problem.units) * gain;
}

// Where the slope is steepest: d/dx log(nu' phi(d0/nu)) = kappa^2 u/(2 x^2) - 1/(2x) - 3/(2(u+x)) is positive
// below the one positive root of 4 x^2 - (kappa^2 - 1) u x - kappa^2 u^2 = 0 and negative above. So Delta V
// is convex up to here and concave beyond: it has at most one local maximum above 0.
double inflection(const StatelessProblem& problem) {
  const double s0 = problem.prior_sd;
  const double u = 4 * problem.observation_variance / (s0 * s0);
  const double square = problem.kappa() * problem.kappa();
  // The root with a sum of positive terms, whichever sign square - 1 has.
  const double root = std::sqrt((square - 1) * (square - 1) + 16 * square);
  return square >= 1 ? u * (square - 1 + root) / 8 : u * 2 * square / (root + 1 - square);
}

// The n_e > 0 that is best among those, or 0 where Delta V only falls.
double local_maximiser(const StatelessProblem& problem) {
  const auto n = static_cast<double>(problem.units);
  if (problem.discount == 0) return 0;
  if (problem.prior_mean == 0) return n;
  const double from = inflection(problem);
  if (from >= n) return n;
  if (slope(problem, from) <= 0) return 0;
  if (slope(problem, n) >= 0) return n;
  return bisect(from, n, [&](double x) { return slope(problem, x); });
}

ExperimentSize better(const StatelessProblem& problem, const ExperimentSize& best, double candidate) {
  const double value = experiment_value(problem, candidate);
  return value > best.value ? ExperimentSize{candidate, value} : best;
}

}  // namespace

void StatelessProblem::validate() const {
  const char* function = "StatelessProblem";
  if (units < 1) throw InvalidArgument(fmt::format("{}: units is {}, but must be positive", function, units));
  base::check_range(function, "discount", discount, 0, 1);
  base::check_nonnegative(function, "prior_mean", prior_mean);
  base::check_positive(function, "prior_sd", prior_sd);
  base::check_positive(function, "observation_variance", observation_variance);
}

double unit_normal_loss(double r) {
  if (std::isnan(r)) throw InvalidArgument("unit_normal_loss: r is nan, but must be a number");
  if (std::isinf(r)) return r > 0 ? 0 : -r;
  if (r < 0) return unit_normal_loss(-r) - r;
  if (r < 2) return normal_density(r) - r * std::erfc(r / std::numbers::sqrt2) / 2;
  return far_loss(r);
}

double preposterior_sd(const StatelessProblem& problem, double experiment_units) {
  problem.validate();
  base::check_nonnegative("preposterior_sd", "experiment_units", experiment_units);
  const double s0 = problem.prior_sd;
  const double u = 4 * problem.observation_variance / (s0 * s0);
  return s0 * std::sqrt(experiment_units / (u + experiment_units));
}

double experiment_value(const StatelessProblem& problem, double experiment_units) {
  problem.validate();
  const auto n = static_cast<double>(problem.units);
  base::check_range("experiment_value", "experiment_units", experiment_units, 0, n);
  const double nu = preposterior_sd(problem, experiment_units);
  if (nu == 0) return 0;
  return -experiment_units * problem.prior_mean / 2 +
         problem.discount * n * nu * unit_normal_loss(problem.prior_mean / nu);
}

ExperimentSize optimal_experiment(const StatelessProblem& problem) {
  problem.validate();
  return better(problem, {}, local_maximiser(problem));
}

ExperimentSize optimal_whole_experiment(const StatelessProblem& problem) {
  problem.validate();
  const double middle = local_maximiser(problem);
  return better(problem, better(problem, {}, std::floor(middle)), std::ceil(middle));
}

double regret_without_experiment(const StatelessProblem& problem) {
  problem.validate();
  return problem.discount * static_cast<double>(problem.units) * problem.prior_sd *
         unit_normal_loss(problem.kappa());
}

double full_experiment_threshold(double discount) {
  base::check_range("full_experiment_threshold", "discount", discount, 0, 1);
  if (discount == 0) return 0;
  return bisect(0, 1, [&](double k) { return 2 * discount * unit_normal_loss(k) - k; });
}

// max Delta V falls in d0: its derivative at any n_e > 0 is -n_e/2 - gamma n Phi(-d0/nu) < 0.
double experiment_threshold(const StatelessProblem& problem, ExperimentUnits units) {
  problem.validate();
  if (problem.discount == 0) return 0;
  const auto pays = [&](double kappa) {
    StatelessProblem at = problem;
    at.prior_mean = kappa * problem.prior_sd;
    const ExperimentSize best =
        units == ExperimentUnits::whole ? optimal_whole_experiment(at) : optimal_experiment(at);
    return best.value > 0 ? 1.0 : -1.0;
  };
  double high = 1;
  while (pays(high) > 0) high *= 2;
  return bisect(0, high, pays);
}

SquareRootLaw square_root_law(const StatelessProblem& problem) {
  problem.validate();
  const double s0 = problem.prior_sd, s2 = problem.observation_variance, kappa = problem.kappa();
  SquareRootLaw law;
  law.leading = problem.prior_mean == 0
                    ? std::numeric_limits<double>::infinity()
                    : 2 * std::sqrt(problem.discount * static_cast<double>(problem.units) * s2 *
                                    normal_density(kappa) / (problem.prior_mean * s0));
  law.correction = -(3 + kappa * kappa) * s2 / (s0 * s0);
  return law;
}

}  // namespace mindgap::gap

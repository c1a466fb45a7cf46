// Solving, evaluation, visitation and the variance of a value against the same in fractions, which no
// rounding touches.
#include <gtest/gtest.h>

#include "mdp/exact_oracle.h"
#include "mdp/random_models.h"
#include "mindgap/gap/pvv.h"
#include "mindgap/mdp/evaluate.h"
#include "mindgap/mdp/solve.h"

namespace mindgap::gap {
namespace rational_oracle_test {

using mdp::Mdp;
using mdp::oracle::Rational;
using Matrix = std::vector<std::vector<Rational>>;

// (I - g P)^-1 of a policy with probabilities pi per pair, by Gauss-Jordan elimination.
Matrix resolvent_of(const Mdp& mdp, std::span<const double> pi) {
  const auto n = static_cast<std::size_t>(mdp.states());
  Matrix a(n, std::vector<Rational>(2 * n, Rational(0)));
  for (std::size_t s = 0; s < n; ++s) {
    a[s][s] = 1;
    a[s][n + s] = 1;
    for (std::int32_t k = mdp.pair_begin()[s]; k < mdp.pair_begin()[s + 1]; ++k) {
      for (auto i = mdp.row_begin()[k]; i < mdp.row_begin()[k + 1]; ++i)
        a[s][mdp.next_state()[i]] -=
            Rational(mdp.discount()) * Rational(pi[k]) * Rational(mdp.probability()[i]);
    }
  }
  for (std::size_t column = 0; column < n; ++column) {
    const Rational pivot = a[column][column];
    for (Rational& entry : a[column]) entry /= pivot;
    for (std::size_t row = 0; row < n; ++row) {
      if (row == column || a[row][column] == 0) continue;
      const Rational factor = a[row][column];
      for (std::size_t j = 0; j < 2 * n; ++j) a[row][j] -= factor * a[column][j];
    }
  }
  Matrix inverse;
  inverse.reserve(a.size());
  for (const auto& row : a) inverse.emplace_back(row.begin() + static_cast<std::ptrdiff_t>(n), row.end());
  return inverse;
}

// The value of a policy and where it goes.
struct Exact {
  Matrix resolvent;
  std::vector<Rational> value, visitation;
};

Exact exact_of(const Mdp& mdp, std::span<const double> pi) {
  Exact exact{resolvent_of(mdp, pi), {}, {}};
  const auto n = static_cast<std::size_t>(mdp.states());
  std::vector<Rational> reward(n, Rational(0));
  for (std::int32_t k = 0; k < mdp.pairs(); ++k)
    reward[static_cast<std::size_t>(mdp.state_of_pair(k))] += Rational(pi[k]) * Rational(mdp.reward()[k]);
  exact.value.assign(n, Rational(0));
  exact.visitation.assign(n, Rational(0));
  for (std::size_t u = 0; u < n; ++u) {
    for (std::size_t s = 0; s < n; ++s) {
      exact.value[u] += exact.resolvent[u][s] * reward[s];
      exact.visitation[s] +=
          (1 - Rational(mdp.discount())) * Rational(mdp.start()[u]) * exact.resolvent[u][s];
    }
  }
  return exact;
}

// PVV term by term (pvv.h).
Rational exact_pvv(const Mdp& mdp, std::span<const double> pi, const Exact& exact, const Precision& precision,
                   std::span<const double> counts) {
  const auto n = static_cast<std::size_t>(mdp.states());
  const Rational g(mdp.discount());
  Rational total = 0;
  for (std::int32_t k = 0; k < mdp.pairs(); ++k) {
    const auto s = static_cast<std::size_t>(mdp.state_of_pair(k));
    Rational weight = 0, mean = 0, square = 0, mass = 0;
    for (std::size_t u = 0; u < n; ++u)
      weight += exact.visitation[u] * exact.resolvent[u][s] * exact.resolvent[u][s];
    weight *= Rational(pi[k]) * Rational(pi[k]);
    for (auto i = mdp.row_begin()[k]; i < mdp.row_begin()[k + 1]; ++i) {
      const Rational p(mdp.probability()[i]), v = exact.value[static_cast<std::size_t>(mdp.next_state()[i])];
      mass += p;
      mean += p * v;
      square += p * v * v;
    }
    const Rational count(counts[k]);
    total += weight / (1 / Rational(precision.reward_variance[k]) +
                       Rational(precision.observation_precision[k]) * count);
    total += g * g * weight * (square / mass - mean * mean / (mass * mass)) /
             (Rational(precision.transition_strength[k]) + count);
  }
  return total;
}

void compare(std::uint64_t seed) {
  mdp::RandomModel shape;
  shape.states = 2 + static_cast<std::int32_t>(seed % 4);
  shape.actions = 1 + static_cast<std::int32_t>(seed / 4 % 3);
  shape.successors = 1 + static_cast<std::int32_t>(seed / 12 % 3);
  shape.discount = std::array{0.0, 0.5, 0.875, 0.96875}[seed % 4];
  shape.dyadic = true;
  const Mdp mdp = mdp::random_mdp(seed, shape);
  std::mt19937_64 bits(seed + 1);
  const auto eighth = [&] { return static_cast<double>(1 + bits() % 8) / 8; };

  const mdp::Solution solution = mdp::solve(mdp);
  const std::vector<Rational> best = mdp::oracle::optimal_value<Rational>(mdp);
  Rational at_start = 0;
  for (std::int32_t s = 0; s < mdp.states(); ++s) {
    ASSERT_LE(Rational(solution.value[s]) - Rational(solution.half_width), best[s]);
    ASSERT_GE(Rational(solution.value[s]) + Rational(solution.half_width), best[s]);
    at_start += Rational(mdp.start()[s]) * best[s];
  }
  ASSERT_LE(Rational(solution.bounds[0]), at_start);
  ASSERT_GE(Rational(solution.bounds[1]), at_start);
  ASSERT_LE(solution.half_width, 1e-8);

  // A policy with shares that are exact: half of the time the first action, the rest the last.
  std::vector<double> pi(static_cast<std::size_t>(mdp.pairs()), 0.0), counts(pi.size());
  for (std::int32_t s = 0; s < mdp.states(); ++s) {
    pi[static_cast<std::size_t>(mdp.pair_begin()[s])] += .5;
    pi[static_cast<std::size_t>(mdp.pair_begin()[s + 1]) - 1] += .5;
  }
  const mdp::Policy policy = mdp::Policy::stochastic(mdp, pi);
  const Exact exact = exact_of(mdp, pi);
  const mdp::Evaluation value = mdp::evaluate(mdp, policy);
  const mdp::Visitation share = mdp::discounted_visitation(mdp, policy);
  Rational off = 0;
  for (std::int32_t s = 0; s < mdp.states(); ++s) {
    const auto at = static_cast<std::size_t>(s);
    ASSERT_LE(abs(Rational(value.value[at]) - exact.value[at]), Rational(value.error_bound));
    off += abs(Rational(share.share[at]) - exact.visitation[at]);
  }
  ASSERT_LE(off, Rational(share.error_bound));
  ASSERT_LE(value.error_bound, 1e-10);

  Precision precision;
  for (std::size_t k = 0; k < pi.size(); ++k) {
    precision.reward_variance.push_back(eighth());
    precision.observation_precision.push_back(eighth());
    precision.transition_strength.push_back(8 * eighth());
    counts[k] = static_cast<double>(bits() % 5);
  }
  const double found = pvv(mdp, pvv_weights(mdp, policy), precision, counts).total;
  const Rational wanted = exact_pvv(mdp, pi, exact, precision, counts);
  ASSERT_LE(abs(Rational(found) - wanted), wanted * Rational(1e-11) + Rational(1e-15));
}

TEST(RationalOracle, AgreesOnAThousandModels) {
  for (std::uint64_t seed = 0; seed < 1000; ++seed) {
    compare(seed);
    if (HasFatalFailure()) FAIL() << "model " << seed;
  }
}

}  // namespace rational_oracle_test
}  // namespace mindgap::gap

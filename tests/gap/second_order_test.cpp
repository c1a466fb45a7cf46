#include "mindgap/gap/second_order.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <boost/math/distributions/beta.hpp>
#include <cmath>

#include "gap/golden_models.h"
#include "mdp/random_models.h"
#include "mindgap/base/error.h"
#include "mindgap/gap/delta_check.h"
#include "mindgap/mdp/evaluate.h"
#include "mindgap/mdp/solve.h"

namespace mindgap::gap {
namespace second_order_test {

using belief::Belief;
using mdp::Mdp;
using mdp::Policy;

Belief even(const Mdp& mdp, double sd, double strength) {
  const auto pairs = static_cast<std::size_t>(mdp.pairs());
  return {mdp,
          {std::vector<double>(pairs, sd), std::vector<double>(pairs, strength)},
          std::vector<double>(pairs, 1.0)};
}

// From state 0 one stays with probability P ~ Beta(.6 alpha, .4 alpha) and is otherwise gone: V(0) =
// 1 / (1 - g P), a function of one number, whose mean and variance are integrals.
struct Staying {
  double strength, discount = .8, p = .6;
  Mdp mdp = dense_mdp(.8, {1, 0}, 1, {1, 0}, {{.6, .4}, {0, 1}});

  double moment(int power, double around) const {
    const boost::math::beta_distribution<double> law(p * strength, (1 - p) * strength);
    constexpr int kPoints = 20'000;  // of Simpson's rule, over what is not negligible
    const double sd = boost::math::standard_deviation(law);
    const double low = std::max(1e-9, p - 15 * sd), high = std::min(1 - 1e-9, p + 15 * sd);
    double sum = 0, all = 0;
    for (int i = 0; i <= kPoints; ++i) {
      const double x = low + (high - low) * i / kPoints;
      const double weight = (i == 0 || i == kPoints ? 1 : i % 2 == 1 ? 4 : 2) * boost::math::pdf(law, x);
      sum += weight * std::pow(1 / (1 - discount * x) - around, power);
      all += weight;
    }
    return sum / all;
  }
  double visits() const { return (1 - discount) / (1 - discount * p); }  // d(0); V(1) is 0 for certain
  SecondOrder found() const {
    return *second_order_variance(Belief(mdp, {{0, 0}, {strength, strength}}, {1, 1}), Policy::uniform(mdp));
  }
};

// The error is of the third order: doubling the strength divides it by about 8, that of the first order by 4.
TEST(SecondOrder, AgainstIntegralsForOneUncertainRow) {
  std::vector<double> off, off_first;
  for (const double strength : {200., 400., 800.}) {
    const Staying one{strength};
    const double mean = one.moment(1, 0), exact = one.visits() * one.moment(2, mean);
    const SecondOrder found = one.found();
    off.push_back(std::abs(found.total - exact));
    off_first.push_back(std::abs(found.first - exact));
    EXPECT_LT(off.back(), .15 * off_first.back());
    const double shift = one.visits() * (mean - 1 / (1 - .8 * .6));
    EXPECT_NEAR(found.mean_shift, shift, .2 * shift);
  }
  for (std::size_t i = 1; i < off.size(); ++i) {
    EXPECT_NEAR(off[i - 1] / off[i], 8, 1.5);
    EXPECT_NEAR(off_first[i - 1] / off_first[i], 4, .7);
  }
}

// By hand: R = 1/(1 - g p), V = R, mu_2 = p(1-p)/(alpha+1) and mu_3 = 2(1-2p) mu_2/(alpha+2). The Taylor
// series of 1/(1 - g P) has the variance g^2 R^2 V^2 mu_2 + 2 g^3 R^3 V^2 mu_3 + 8 g^4 R^4 V^2 mu_2^2.
TEST(SecondOrder, TermsByHand) {
  const Staying one{20};
  const double r = 1 / (1 - .8 * .6), mu2 = .24 / 21, mu3 = 2 * (1 - 2 * .6) * mu2 / 22;
  const SecondOrder found = one.found();
  EXPECT_NEAR(found.first, one.visits() * .64 * std::pow(r, 4) * mu2, 1e-12);
  EXPECT_NEAR(found.skewness, one.visits() * 2 * .512 * std::pow(r, 5) * mu3, 1e-12);
  EXPECT_NEAR(found.curvature, one.visits() * 8 * .4096 * std::pow(r, 6) * mu2 * mu2, 1e-12);
  EXPECT_NEAR(found.total, found.first + found.skewness + found.curvature, 1e-15);
}

// Against drawn models: rewards and rows uncertain, a target that mixes actions.
TEST(SecondOrder, NearerToDrawnModelsThanTheFirstOrder) {
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    SCOPED_TRACE(seed);
    const Mdp mdp = mdp::random_mdp(seed, {.states = 6, .actions = 2, .successors = 3, .all_actions = true});
    const DeltaCheck check = delta_method_check(even(mdp, .2, 6), Policy::uniform(mdp), {.draws = 20'000});
    ASSERT_TRUE(check.second_order);
    EXPECT_NEAR(check.second_order->total, check.variance.mean,
                3 * check.variance.standard_error + .02 * check.variance.mean);
    EXPECT_LT(std::abs(check.second_order->total - check.variance.mean),
              std::abs(check.second_order->first - check.variance.mean) + 2 * check.variance.standard_error);
  }
}

// Known rows leave nothing but the first order, which is PVV; PVV itself has alpha in the place of alpha + 1.
TEST(SecondOrder, FirstOrderIsThatOfPvv) {
  const Mdp mdp = m3();
  const Policy target = m3_target(mdp);
  const PvvWeights weights = pvv_weights(mdp, target);
  const SecondOrder known = *second_order_variance(even(mdp, .5, 1e13), target);
  EXPECT_NEAR(known.total, pvv(mdp, weights, precision_of(even(mdp, .5, 1e13))).total, 1e-9);
  EXPECT_NEAR(known.skewness + known.curvature, 0, 1e-9);
  const Pvv parts = pvv(mdp, weights, precision_of(even(mdp, .5, 4)));
  EXPECT_NEAR(second_order_variance(even(mdp, .5, 4), target)->first, parts.reward + parts.transition * 4 / 5,
              1e-9);
}

TEST(SecondOrder, NotForEverythingAndRefusals) {
  const Mdp large = mdp::random_mdp(3, {.states = kSecondOrderStates + 1, .actions = 1});
  EXPECT_FALSE(second_order_variance(even(large, .1, 5), Policy::uniform(large)));
  const Mdp endless = m3().with_discount(1);
  EXPECT_THROW(second_order_variance(even(endless, .1, 5), Policy::uniform(endless)), InvalidArgument);
}

}  // namespace second_order_test
}  // namespace mindgap::gap

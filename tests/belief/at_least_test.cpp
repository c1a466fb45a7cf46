#include "mindgap/belief/at_least.h"

#include <gtest/gtest.h>

#include <boost/math/quadrature/gauss_kronrod.hpp>
#include <cmath>
#include <limits>
#include <numbers>

#include "mindgap/base/error.h"
#include "mindgap/belief/belief.h"

namespace mindgap::belief {
namespace at_least_test {

struct Moments {
  double mean = 0, variance = 0;
};

// The exact posterior by quadrature: theta ~ N(m, t), weight P(x >= bound | theta), over m -+ 40 sd in
// pieces.
Moments by_quadrature(double m, double t, double bound, double v) {
  const double sd = std::sqrt(t);
  const auto integral = [&](auto f) {
    double sum = 0;
    for (int i = -40; i < 40; ++i) {
      sum += boost::math::quadrature::gauss_kronrod<double, 31>::integrate(
          [&](double theta) {
            const double z = (theta - m) / sd;
            return f(theta) * std::exp(-z * z / 2) * std::erfc((bound - theta) / std::sqrt(2 * v));
          },
          m + i * sd, m + (i + 1) * sd);
    }
    return sum;
  };
  const double mass = integral([](double) { return 1.0; });
  const double mean = integral([](double theta) { return theta; }) / mass;
  return {mean, integral([&](double theta) { return (theta - mean) * (theta - mean); }) / mass};
}

TEST(AtLeast, HasTheMomentsOfTheExactPosterior) {
  for (const double t : {.01, 1.0, 25.0}) {
    for (const double v : {.3, 4.0}) {
      for (const double bound : {-9.0, -1.0, 0.0, 2.0, 8.0, 15.0}) {
        const Moments exact = by_quadrature(.5, t, bound, v);
        const Gaussian after = update_at_least({.5, 1 / t}, bound, v);
        EXPECT_NEAR(after.mean, exact.mean, 1e-7 * (1 + std::abs(exact.mean)))
            << t << " " << v << " " << bound;
        EXPECT_NEAR(1 / after.precision, exact.variance, 1e-7 * exact.variance)
            << t << " " << v << " " << bound;
      }
    }
  }
}

// By hand: prior N(0, 1), v = 1, bound 0: s = sqrt 2, a = 0, rate = sqrt(2/pi), so the mean is
// (1/sqrt 2) sqrt(2/pi) = 1/sqrt(pi) and the variance 1 - (1/2)(2/pi) = 1 - 1/pi.
TEST(AtLeast, AtTheMeanByHand) {
  const Gaussian after = update_at_least({0, 1}, 0, 1);
  EXPECT_NEAR(after.mean, 1 / std::sqrt(std::numbers::pi), 1e-15);
  EXPECT_NEAR(1 / after.precision, 1 - 1 / std::numbers::pi, 1e-15);
}

TEST(AtLeast, TheHazardIsSmoothWhereItsFormsMeet) {
  const double below = std::nextafter(5.0, 0.0);
  EXPECT_NEAR(normal_hazard(below).rate, normal_hazard(5).rate, 1e-12);
  EXPECT_NEAR(normal_hazard(below).excess, normal_hazard(5).excess, 1e-12);
  // To the last bit from 5 on, where the difference of rate and a would have lost two digits.
  EXPECT_NEAR(normal_hazard(5).excess, 0.18650396712584211562, 1e-15);
  EXPECT_NEAR(normal_hazard(1e8).excess, 1e-8, 1e-22);  // excess ~ 1/a - 2/a^3
  EXPECT_EQ(normal_hazard(-50).rate, 0);
}

TEST(AtLeast, LimitsAndBadArguments) {
  const Gaussian known{2, std::numeric_limits<double>::infinity()};
  EXPECT_EQ(update_at_least(known, 9, 1), known);
  EXPECT_EQ(update_at_least({0, 1}, -1e6, 1), (Gaussian{0, 1}));  // says nothing
  EXPECT_THROW(update_at_least({0, 0}, 1, 1), InvalidArgument);
  EXPECT_THROW(update_at_least({0, 1}, std::numeric_limits<double>::infinity(), 1), InvalidArgument);
  EXPECT_THROW(update_at_least({0, 1}, 1, 0), InvalidArgument);
  EXPECT_THROW(normal_hazard(std::nan("")), InvalidArgument);
}

mdp::Mdp one_state() {
  mdp::MdpArrays arrays;
  arrays.discount = .9;
  arrays.pair_begin = {0, 1};
  arrays.pair_action = {0};
  arrays.row_begin = {0, 1};
  arrays.next_state = {0};
  arrays.probability = {1};
  arrays.reward = {3};
  return mdp::Mdp(std::move(arrays));
}

// "At most" is "at least" seen in a mirror, and its moments are the exact posterior's: theta ~ N(.5, t) with
// weight P(x <= bound | theta) is the mirror image of -theta ~ N(-.5, t) with weight P(-x >= -bound |
// -theta).
TEST(AtMost, HasTheMomentsOfTheExactPosterior) {
  for (const double bound : {-8.0, -1.0, .5, 3.0, 9.0}) {
    const Moments exact = by_quadrature(-.5, 1.5, -bound, .7);
    const Gaussian after = update_at_most({.5, 1 / 1.5}, bound, .7);
    EXPECT_NEAR(after.mean, -exact.mean, 1e-7 * (1 + std::abs(exact.mean)));
    EXPECT_NEAR(1 / after.precision, exact.variance, 1e-7 * exact.variance);
    EXPECT_LE(after.mean, .5);
  }
  EXPECT_THROW(update_at_most({0, 0}, 1, 1), InvalidArgument);
  EXPECT_THROW(update_at_most({0, 1}, std::nan(""), 1), InvalidArgument);
}

TEST(AtMost, EntersABelief) {
  Belief belief(one_state(), {{2}, {1}}, {.5});
  belief.observe({.pair = 0, .reward = 1, .censored = mdp::Censoring::at_most, .next_state = 0});
  const Gaussian wanted = update_at_most({3, .25}, 1, .5);
  EXPECT_NEAR(belief.reward_mean(0), wanted.mean, 1e-12);
  EXPECT_NEAR(belief.reward_variance(0), 1 / wanted.precision, 1e-12);
  EXPECT_EQ(belief.censored_rewards(), 1);
  EXPECT_EQ(belief.transitions_seen()[0], 1);
  EXPECT_THROW(belief.observe({.reward = std::nan(""), .censored = mdp::Censoring::at_most}),
               InvalidArgument);
}

// A belief that saw x and then "at least b" is the Gaussian updated by one and then the other.
TEST(AtLeast, EntersABelief) {
  Belief belief(one_state(), {{2}, {1}}, {.5});
  const mdp::Censoring bound = mdp::Censoring::at_least;
  belief.observe({.reward = 4, .next_state = 0});
  belief.observe({.reward = 4.5, .censored = bound, .next_state = 0});
  belief.observe({.reward = 3.5});
  const Gaussian wanted = update(update_at_least(update({3, .25}, 4, .5), 4.5, .5), 3.5, .5);
  EXPECT_NEAR(belief.reward_mean(0), wanted.mean, 1e-12);
  EXPECT_NEAR(belief.reward_variance(0), 1 / wanted.precision, 1e-12);
  EXPECT_EQ(belief.censored_rewards(), 1);
  EXPECT_EQ(belief.transitions_seen()[0], 2);  // a missing next state says nothing about where it led
  EXPECT_THROW(belief.observe({.pair = 1, .reward = 0, .censored = bound}), InvalidArgument);
  EXPECT_THROW(belief.observe({.reward = std::nan(""), .censored = bound}), InvalidArgument);
  EXPECT_THROW(belief.observe({.reward = 1, .next_state = 1}), InvalidArgument);
  EXPECT_EQ(belief.transitions_seen()[0], 2);  // what is refused changes nothing
  EXPECT_NEAR(belief.reward_mean(0), wanted.mean, 1e-12);
}

}  // namespace at_least_test
}  // namespace mindgap::belief

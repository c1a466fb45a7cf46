#include "mindgap/stats/confidence_sequence.h"

#include <gtest/gtest.h>

#include <cmath>

#include "mindgap/base/distributions.h"
#include "mindgap/base/error.h"
#include "mindgap/base/random.h"
#include "mindgap/base/tails.h"

namespace mindgap::stats {
namespace {

// By hand, V = rho = 1, alpha = e^-1: sqrt(2 (log 2 + 2)).
TEST(ConfidenceSequence, BoundaryByHand) {
  EXPECT_NEAR(mixture_boundary(1, 1, 1 - std::exp(-1.0)), std::sqrt(2 * (std::log(2.0) + 2)), 1e-12);
  EXPECT_NEAR(mixture_boundary(0, 4, .95), std::sqrt(4 * 2 * std::log(20.0)), 1e-12);
}

// No other rho does much better at the V it was chosen for.
TEST(ConfidenceSequence, RhoIsNearlyTheBest) {
  const double rho = mixture_rho(50, .95), chosen = mixture_boundary(50, rho, .95);
  for (double factor = .05; factor < 20; factor *= 1.1)
    EXPECT_GE(mixture_boundary(50, rho * factor, .95), .97 * chosen) << factor;
}

TEST(ConfidenceSequence, IntervalIsTheSumAndItsBoundary) {
  const Interval interval = confidence_sequence(6, 3, 2, .7, .9);
  EXPECT_NEAR((interval.lower + interval.upper) / 2, 3, 1e-12);
  EXPECT_NEAR(interval.upper - interval.lower, mixture_boundary(3, .7, .9), 1e-12);
}

// Looked at after each of 2,000 observations, in 2,000 runs. At level .8 a run that ever leaves the sequence
// may come with probability .2 at most; a miss count that a fair .2 would exceed in one of 1,000 such tests
// fails. An interval meant for one look leaves in most runs, so the test can tell.
template <typename Draw>
int misses(Draw draw, bool fixed_time) {
  int missed = 0;
  for (std::uint64_t run = 0; run < 2000; ++run) {
    base::Stream stream({42, base::Purpose::test, run});
    double sum = 0, squares = 0;
    bool out = false;
    const double rho = mixture_rho(500, .8);
    for (int n = 1; n <= 2000 && !out; ++n) {
      const double x = draw(stream);
      sum += x;
      squares += x * x;
      if (n < 20) continue;  // with the sample variance the statement is asymptotic
      const double variance = squares - sum * sum / n;
      out = fixed_time ? std::abs(sum) > 1.2816 * std::sqrt(variance)
                       : std::abs(sum) > mixture_boundary(variance, rho, .8);
    }
    missed += out;
  }
  return missed;
}

TEST(ConfidenceSequence, HoldsAtAllLooks) {
  const auto gaussian = [](base::Stream& stream) { return base::normal(stream); };
  const auto skewed = [](base::Stream& stream) { return base::exponential(stream) - 1; };
  EXPECT_GT(base::binomial_upper_tail(misses(gaussian, false), 2000, .2), .001);
  EXPECT_GT(base::binomial_upper_tail(misses(skewed, false), 2000, .2), .001);
  EXPECT_GT(misses(gaussian, true), 1000);
}

TEST(ConfidenceSequence, BadArguments) {
  EXPECT_THROW(mixture_boundary(-1, 1), InvalidArgument);
  EXPECT_THROW(mixture_boundary(1, 0), InvalidArgument);
  EXPECT_THROW(mixture_boundary(1, 1, 1), InvalidArgument);
  EXPECT_THROW(mixture_rho(0), InvalidArgument);
  EXPECT_THROW(confidence_sequence(0, 1, 0, 1), InvalidArgument);
  EXPECT_THROW(confidence_sequence(std::nan(""), 1, 1, 1), InvalidArgument);
}

}  // namespace
}  // namespace mindgap::stats

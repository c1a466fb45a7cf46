#include "mindgap/belief/demand_filter.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <limits>
#include <numeric>

#include "belief/calibration.h"
#include "mindgap/base/error.h"
#include "mindgap/base/log_pmf.h"

namespace mindgap::belief {
namespace demand_filter_test {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
constexpr DemandFilterOptions kStill{.drift_sd = 0, .jump_probability = 0};

double total(const DemandFilter& filter) {
  return std::accumulate(filter.probabilities().begin(), filter.probabilities().end(), 0.0);
}

double spacing(const DemandFilter& filter) {
  return std::log(filter.rates()[1] / filter.rates()[0]);
}

// One day of the walk as a matrix: exp(t/2 (second differences, reflected)), t = sd^2/spacing^2, from the
// spectrum of the reflected second difference; then the jump.
Eigen::MatrixXd day_matrix(const DemandFilter& filter) {
  const auto n = static_cast<Eigen::Index>(filter.rates().size());
  Eigen::MatrixXd generator = Eigen::MatrixXd::Zero(n, n);
  for (Eigen::Index i = 0; i + 1 < n; ++i) {
    generator(i, i) -= 1;
    generator(i + 1, i + 1) -= 1;
    generator(i, i + 1) += 1;
    generator(i + 1, i) += 1;
  }
  const double t = std::pow(filter.options().drift_sd / spacing(filter), 2);
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> spectrum(generator);
  const Eigen::VectorXd decay = (spectrum.eigenvalues() * t / 2).array().exp();
  const Eigen::MatrixXd walk =
      spectrum.eigenvectors() * decay.asDiagonal() * spectrum.eigenvectors().transpose();
  const double jump = filter.options().jump_probability;
  return (1 - jump) * walk + Eigen::MatrixXd::Constant(n, n, jump / static_cast<double>(n));
}

Eigen::VectorXd vector_of(const DemandFilter& filter) {
  return Eigen::Map<const Eigen::VectorXd>(filter.probabilities().data(),
                                           static_cast<Eigen::Index>(filter.probabilities().size()));
}

TEST(DemandFilter, PriorIsLogNormalOnTheGrid) {
  const DemandFilter filter(5);
  EXPECT_EQ(filter.rates().size(), 72U);
  EXPECT_DOUBLE_EQ(filter.rates().front(), .03);
  EXPECT_EQ(filter.rates().back(), 250);
  EXPECT_NEAR(total(filter), 1, 1e-14);
  // The grid is a fine rule for this integral: mean 5 e^(.7^2/2), of which the cut at 250 takes the share
  // P(Z > log(50)/.7 - .7) = 5.1e-7; median 5, and .841 at one sd.
  EXPECT_NEAR(filter.mean(), 5 * std::exp(.245), 5.1e-7 * 6.4);
  EXPECT_NEAR(std::log(filter.quantile(.5) / 5), 0, spacing(filter));
  EXPECT_NEAR(std::log(filter.quantile(.8413) / 5), .7, spacing(filter));
}

// Two rates 1 and 4 that are equally likely (the prior is centred between them), Poisson, 2 sold:
// odds 4 : 1 = (16 e^-4)/(1 e^-1) = 16 e^-3. Then a stock-out at 1: P(D >= 1) = 1 - e^-4 against 1 - e^-1.
TEST(DemandFilter, HandValue) {
  DemandFilterOptions options = kStill;
  options.lowest_rate = 1;
  options.highest_rate = 4;
  options.points = 2;
  options.dispersion = kInfinity;
  DemandFilter filter(2, options);
  EXPECT_DOUBLE_EQ(filter.probabilities()[0], .5);
  filter.observe(2, false);
  double odds = 16 * std::exp(-3.0);
  EXPECT_NEAR(filter.probabilities()[1] / filter.probabilities()[0], odds, 1e-14);
  filter.observe(1, true);
  odds *= (1 - std::exp(-4.0)) / (1 - std::exp(-1.0));
  EXPECT_NEAR(filter.probabilities()[1] / filter.probabilities()[0], odds, 1e-13);
  filter.observe(3, false, .5);  // means .5 and 2
  odds *= 64 * std::exp(-1.5);
  EXPECT_NEAR(filter.probabilities()[1] / filter.probabilities()[0], odds, 1e-12);
  EXPECT_NEAR(filter.mean(), (1 + 4 * odds) / (1 + odds), 1e-13);
}

TEST(DemandFilter, DayIsTheMatrixExponential) {
  for (const double sd : {.001, .05, .3, 2.0}) {
    for (const double rate : {.03, 5.0, 200.0}) {
      DemandFilter filter(rate, {.drift_sd = sd});
      const Eigen::VectorXd expected = day_matrix(filter) * vector_of(filter);
      filter.predict();
      EXPECT_LT((vector_of(filter) - expected).cwiseAbs().maxCoeff(), 1e-13) << sd << " " << rate;
      EXPECT_NEAR(total(filter), 1, 1e-14);
    }
  }
}

// Away from the ends the variance of the log rate grows by drift_sd^2 a day, and its mean stays.
TEST(DemandFilter, DriftHasTheStatedVariance) {
  const auto moments = [](const DemandFilter& filter) {
    double mean = 0, square = 0;
    for (std::size_t i = 0; i < filter.rates().size(); ++i) {
      mean += filter.probabilities()[i] * std::log(filter.rates()[i]);
      square += filter.probabilities()[i] * std::pow(std::log(filter.rates()[i]), 2);
    }
    return std::pair{mean, square - mean * mean};
  };
  for (const double sd : {.01, .05, .2}) {
    DemandFilter filter(3, {.prior_sd = .2, .drift_sd = sd, .jump_probability = 0});
    const auto [mean, variance] = moments(filter);
    for (int day = 0; day < 10; ++day) filter.predict();
    EXPECT_NEAR(moments(filter).first, mean, 1e-9);
    EXPECT_NEAR(moments(filter).second, variance + 10 * sd * sd, 1e-9) << sd;
  }
}

// A rate that is drawn anew every day is known as little tomorrow as ever, also where it does not drift.
TEST(DemandFilter, AJumpEveryDayForgetsEverything) {
  DemandFilter filter(3, {.drift_sd = 0, .jump_probability = 1});
  filter.predict();
  for (const double p : filter.probabilities())
    EXPECT_NEAR(p, 1 / static_cast<double>(filter.rates().size()), 1e-15);
}

TEST(DemandFilter, MassStaysAndUniformStaysUniform) {
  DemandFilter filter(.03, {.prior_sd = 1e6, .drift_sd = .5, .jump_probability = .1});
  for (int day = 0; day < 1000; ++day) filter.predict();
  for (const double p : filter.probabilities()) EXPECT_NEAR(p, 1.0 / 72, 1e-12);
  EXPECT_NEAR(total(filter), 1, 1e-13);
}

RC_GTEST_PROP(DemandFilterProperty, WithoutDriftOrderDoesNotMatter, ()) {
  const auto size = *rc::gen::inRange<std::size_t>(1, 40);
  const auto sales = *rc::gen::container<std::vector<int>>(size, rc::gen::inRange(0, 60));
  const auto flags = *rc::gen::container<std::vector<bool>>(size, rc::gen::arbitrary<bool>());
  DemandFilterOptions options = kStill;
  options.dispersion = *rc::gen::element(.5, 15.0, kInfinity);
  DemandFilter forward(4, options), backward(4, options);
  for (std::size_t i = 0; i < size; ++i) {
    const std::size_t j = size - 1 - i;
    forward.predict();
    forward.observe(sales[i], flags[i], 1 + .1 * sales[i]);
    backward.observe(sales[j], flags[j], 1 + .1 * sales[j]);
    backward.predict();
  }
  for (std::size_t i = 0; i < forward.rates().size(); ++i) {
    RC_ASSERT(std::abs(forward.probabilities()[i] - backward.probabilities()[i]) < 1e-11);
  }
}

// Poisson days without drift: the total over the days, at their total exposure, says the same.
RC_GTEST_PROP(DemandFilterProperty, WithoutDriftPoissonBatchIsOneByOne, ()) {
  const auto size = *rc::gen::inRange<std::size_t>(1, 30);
  const auto sales = *rc::gen::container<std::vector<int>>(size, rc::gen::inRange(0, 40));
  DemandFilterOptions options = kStill;
  options.dispersion = kInfinity;
  DemandFilter one_by_one(4, options), batch(4, options);
  for (const int count : sales) one_by_one.observe(count, false, .5);
  batch.observe(std::accumulate(sales.begin(), sales.end(), 0), false, .5 * static_cast<double>(size));
  for (std::size_t i = 0; i < batch.rates().size(); ++i) {
    RC_ASSERT(std::abs(one_by_one.probabilities()[i] - batch.probabilities()[i]) < 1e-10);
  }
}

TEST(DemandFilter, WithDriftTheLatestCountsMost) {
  DemandFilter up(5), down(5);
  for (const int sales : {1, 1, 1, 12, 12, 12}) {
    up.predict();
    up.observe(sales, false);
    down.predict();
    down.observe(13 - sales, false);
  }
  EXPECT_GT(up.mean(), down.mean());
}

TEST(DemandFilter, StockOutsRaiseTheRateAndAnEmptyShelfSaysNothing) {
  DemandFilter censored(5, kStill), exact(5, kStill), empty(5, kStill);
  censored.observe(8, true);
  exact.observe(8, false);
  empty.observe(0, true);
  EXPECT_GT(censored.mean(), exact.mean());
  EXPECT_EQ(vector_of(empty), vector_of(DemandFilter(5, kStill)));
}

// Rates whose probability underflowed come back: 5,000 days of 2, then as many of 50.
TEST(DemandFilter, ForgetsNothingToUnderflow) {
  DemandFilterOptions options = kStill;
  options.dispersion = kInfinity;
  DemandFilter filter(2, options), batch(2, options);
  for (int day = 0; day < 5000; ++day) filter.observe(2, false);
  EXPECT_EQ(filter.probabilities().back(), 0);
  for (int day = 0; day < 5000; ++day) filter.observe(50, false);
  batch.observe(260'000, false, 10'000);
  EXPECT_NEAR(filter.mean(), batch.mean(), 1e-6);
}

TEST(DemandFilter, StockOutsAtAnyStockAreTaken) {
  for (const double dispersion : {1e-3, 15.0, kInfinity}) {
    DemandFilterOptions options;
    options.dispersion = dispersion;
    DemandFilter filter(5, options);
    filter.observe(1'000'000, true);
    EXPECT_NEAR(total(filter), 1, 1e-13) << dispersion;
    EXPECT_GT(filter.mean(), 5);
    filter.observe(1'000'000, false, 1e-6);
    EXPECT_NEAR(total(filter), 1, 1e-13) << dispersion;
  }
}

// Against the sum of the probabilities, in the upper tail directly, in the lower one by the complement.
TEST(LogProbabilityAtLeast, IsTheSumOfProbabilities) {
  for (const double dispersion : {.7, 15.0, kInfinity}) {
    for (const double mean : {.03, 1.0, 40.0, 250.0}) {
      for (const std::int64_t stock : {1, 2, 18, 100, 700, 3000}) {
        double sum = 0;
        const double first = base::negative_binomial_log_pmf(stock, mean, dispersion);
        for (std::int64_t k = stock; k < stock + 40'000; ++k) {
          const double term = std::exp(base::negative_binomial_log_pmf(k, mean, dispersion) - first);
          sum += term;
          if (term < 1e-18 * sum) break;
        }
        const double expected = first + std::log(sum);
        EXPECT_NEAR(log_probability_at_least(stock, mean, dispersion), expected,
                    1e-11 * std::max(1.0, std::abs(expected)))
            << stock << " " << mean << " " << dispersion;
      }
    }
  }
  EXPECT_EQ(log_probability_at_least(0, 3, 15), 0);
  EXPECT_EQ(log_probability_at_least(1, 0, 15), -kInfinity);
}

TEST(DemandFilter, BadArgumentsThrow) {
  const auto refuses = [](DemandFilterOptions options) {
    EXPECT_THROW(DemandFilter(5, options), InvalidArgument);
  };
  for (const double bad : {kNone, kInfinity, 0.0, -1.0}) {
    refuses({.lowest_rate = bad});
    refuses({.highest_rate = bad});
    refuses({.prior_sd = bad});
  }
  refuses({.lowest_rate = 6, .highest_rate = 6});
  refuses({.points = 1});
  refuses({.points = 10'001});
  for (const double bad : {kNone, kInfinity, -1.0}) refuses({.drift_sd = bad});
  for (const double bad : {kNone, -.1, 1.1}) refuses({.jump_probability = bad});
  for (const double bad : {kNone, 0.0, -1.0, 1e-4}) refuses({.dispersion = bad});
  for (const double bad : {kNone, 0.0, .02, 251.0}) EXPECT_THROW(DemandFilter{bad}, InvalidArgument);
  DemandFilter filter(5);
  EXPECT_THROW(filter.observe(-1, false), InvalidArgument);
  EXPECT_THROW(filter.observe(1'000'001, true), InvalidArgument);
  for (const double bad : {kNone, kInfinity, 0.0, -1.0, 1e308}) {
    EXPECT_THROW(filter.observe(1, false, bad), InvalidArgument);
  }
  for (const double bad : {kNone, -.1, 1.1}) EXPECT_THROW(filter.quantile(bad), InvalidArgument);
  EXPECT_EQ(vector_of(filter), vector_of(DemandFilter(5)));  // nothing was taken in
  EXPECT_THROW(log_probability_at_least(-1, 1, 15), InvalidArgument);
  EXPECT_THROW(log_probability_at_least(1, -1, 15), InvalidArgument);
  EXPECT_THROW(log_probability_at_least(1, 1, 0), InvalidArgument);
}

// A truth that follows the model on the grid, with its steps drawn from day_matrix and its demand as Poisson
// with a gamma mean; stock 6 censors about half of the days. Ranks are of the last day's rate.
class SlotWorld {
 public:
  explicit SlotWorld(const DemandFilterOptions& options)
      : prior_(5, options), start_(prior_.probabilities()) {
    const Eigen::MatrixXd day = day_matrix(prior_).cwiseMax(0);  // rounding may be below 0
    for (Eigen::Index i = 0; i < day.rows(); ++i) {
      const Eigen::VectorXd row = day.col(i);
      steps_.emplace_back(std::span(row.data(), static_cast<std::size_t>(row.size())));
    }
  }

  Replication replicate(base::Stream& stream, int draws, bool keep_censoring) const {
    const double r = prior_.options().dispersion;
    DemandFilter filter = prior_;
    std::int64_t point = start_.draw(stream);
    for (int day = 0; day < 12; ++day) {
      point = steps_[static_cast<std::size_t>(point)].draw(stream);
      filter.predict();
      const double exposure = day % 3 == 0 ? .6 : 1.1;
      const double mean = prior_.rates()[static_cast<std::size_t>(point)] * exposure;
      const std::int64_t demand =
          base::poisson(stream, r == kInfinity ? mean : mean * base::gamma(stream, r) / r);
      filter.observe(std::min<std::int64_t>(demand, 6), keep_censoring && demand >= 6, exposure);
    }
    Replication result{{prior_.rates()[static_cast<std::size_t>(point)]}, {}};
    for (int i = 0; i < draws; ++i) result.draws.push_back({filter.sample(stream)});
    return result;
  }

 private:
  DemandFilter prior_;
  base::Categorical start_;
  std::vector<base::Categorical> steps_;
};

void demand_is_calibrated(const CalibrationOptions& calibration, double dispersion) {
  DemandFilterOptions options;
  options.drift_sd = .15;
  options.jump_probability = .02;
  options.dispersion = dispersion;
  const SlotWorld world(options);
  expect_calibrated(calibration,
                    [&](base::Stream& stream, int draws) { return world.replicate(stream, draws, true); });
}

TEST(DemandFilterCalibration, RanksAreUniform) {
  demand_is_calibrated({.replications = 1000}, 15);
}

TEST(DemandFilterCalibrationLong, RanksAreUniform) {
  demand_is_calibrated({.seed = kLongCalibration.seed, .replications = 20'000, .draws = 63}, 15);
  demand_is_calibrated({.seed = kLongCalibration.seed, .replications = 20'000, .draws = 63}, kInfinity);
}

// Stock-out days taken for plain sales.
TEST(DemandFilterCalibration, IgnoredCensoringIsNoticed) {
  const SlotWorld world({});
  const auto wrong = [&](base::Stream& stream, int draws) { return world.replicate(stream, draws, false); };
  EXPECT_LT(calibration_p_values({.replications = 1000}, wrong)[0], kMiscalibrated);
}

}  // namespace demand_filter_test
}  // namespace mindgap::belief

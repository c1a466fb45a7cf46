#include "mindgap/belief/gaussian_process.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <limits>
#include <string>

#include "belief/calibration.h"
#include "mindgap/base/error.h"
#include "mindgap/belief/gaussian.h"

namespace mindgap::belief {
namespace gaussian_process_test {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

GaussianProcess line(std::size_t states, double lengthscale, double mean = 0) {
  std::vector<double> x, y(states, 0);
  for (std::size_t i = 0; i < states; ++i) x.push_back(static_cast<double>(i));
  return {std::vector<double>(states, mean), squared_exponential_kernel(x, y, {.lengthscale = lengthscale})};
}

Eigen::MatrixXd matrix_of(const Kernel& kernel) {
  return Eigen::Map<const Eigen::MatrixXd>(kernel.values.data(), kernel.states, kernel.states);
}

template <typename Exception, typename Action>
std::string message_of(Action action) {
  try {
    action();
  } catch (const Exception& error) {
    return error.what();
  }
  ADD_FAILURE() << "nothing of that kind was thrown";
  return {};
}

// spec/tabular.md 5
TEST(GaussianProcess, GoldenTraces) {
  const GaussianProcess prior = line(5, 1.5);
  const std::vector<double> variance(5, .25), observed{.1, .2, -.3, kNone, kNone};
  const std::vector<std::int64_t> unvisited{3, 4};
  const std::vector<std::pair<double, double>> golden{
      {1, 1.3112957404}, {10, .9635013231}, {1000, .8220022560}};
  for (const auto& [n, trace] : golden) {
    const std::vector<double> count{n, n, n, 0, 0};
    EXPECT_NEAR(prior.posterior({count, observed, variance}).trace(unvisited), trace, 1e-10) << n;
    const std::vector<double> variances = prior.posterior_variances(count, variance);
    EXPECT_NEAR(variances[3] + variances[4], trace, 1e-10) << n;
  }
}

// Two states of variance 1 and correlation 1/2; state 0 is seen once at 3 with variance 1. (K_VV + S) = 2:
// means 3/2 and 3/4, variances 1 - 1/2 and 1 - 1/8, covariance 1/2 - 1/4.
TEST(GaussianProcess, HandValue) {
  const GaussianProcess prior({0, 0}, {2, {1, .5, .5, 1}});
  const std::vector<double> count{1, 0}, observed{3, kNone}, variance{1, kNone};
  const GaussianProcess posterior = prior.posterior({count, observed, variance});
  EXPECT_NEAR(posterior.mean()[0], 1.5, 1e-15);
  EXPECT_NEAR(posterior.mean()[1], .75, 1e-15);
  EXPECT_NEAR(posterior.covariance()(0, 0), .5, 1e-15);
  EXPECT_NEAR(posterior.covariance()(1, 1), .875, 1e-15);
  EXPECT_NEAR(posterior.covariance()(0, 1), .25, 1e-15);
  EXPECT_EQ(posterior.covariance()(0, 1), posterior.covariance()(1, 0));
}

// Without correlation every state is a Gaussian of its own.
TEST(GaussianProcess, IndependentStatesAreGaussians) {
  const GaussianProcess prior({1, 2, 3}, {3, {4, 0, 0, 0, .5, 0, 0, 0, 0}});
  const std::vector<double> count{3, 0, 5}, observed{2, 0, 9}, variance{.7, 1, 1};
  const GaussianProcess posterior = prior.posterior({count, observed, variance});
  const Gaussian alone = update(gaussian_from_sd(1, 2), 3, 2, .7);
  EXPECT_NEAR(posterior.mean()[0], alone.mean, 1e-14);
  EXPECT_NEAR(posterior.variances()[0], belief::variance(alone), 1e-14);
  EXPECT_EQ(posterior.mean()[1], 2);
  EXPECT_EQ(posterior.variances()[1], .5);
  EXPECT_EQ(posterior.mean()[2], 3);  // known before: nothing moves it
  EXPECT_EQ(posterior.variances()[2], 0);
}

// The information form, (K^-1 + N/v)^-1, with every state visited or not.
TEST(GaussianProcess, AgreesWithTheInformationForm) {
  const GaussianProcess prior = line(6, .8, .3);
  const std::vector<double> count{2, 0, 1, 7, 0, .5}, observed{1, 0, -1, .2, 0, .4},
      variance{.3, 1, .5, 2, 1, .1};
  Eigen::VectorXd precision(6), weighted(6);
  for (Eigen::Index i = 0; i < 6; ++i) {
    const auto k = static_cast<std::size_t>(i);
    precision(i) = count[k] / variance[k];
    weighted(i) = precision(i) * (observed[k] - .3);
  }
  const Eigen::MatrixXd information =
      matrix_of(prior.covariance()).inverse() + Eigen::MatrixXd(precision.asDiagonal());
  const Eigen::MatrixXd expected = information.inverse();
  const GaussianProcess posterior = prior.posterior({count, observed, variance});
  EXPECT_LT((matrix_of(posterior.covariance()) - expected).cwiseAbs().maxCoeff(), 1e-12);
  const Eigen::VectorXd mean = (expected * weighted).array() + .3;
  for (Eigen::Index i = 0; i < 6; ++i)
    EXPECT_NEAR(posterior.mean()[static_cast<std::size_t>(i)], mean(i), 1e-12);
}

RC_GTEST_PROP(GaussianProcessProperty, PartsInAnyOrderAreTheWhole, ()) {
  const GaussianProcess prior = line(5, 1.2, 1);
  const std::vector<double> variance{.5, .3, 1, .8, .2};
  std::vector<double> first(5), second(5), first_mean(5), second_mean(5), count(5), mean(5);
  for (std::size_t i = 0; i < 5; ++i) {
    first[i] = *rc::gen::inRange(0, 4);
    second[i] = *rc::gen::inRange(0, 4);
    first_mean[i] = *rc::gen::inRange(-20, 20) / 10.0;
    second_mean[i] = *rc::gen::inRange(-20, 20) / 10.0;
    count[i] = first[i] + second[i];
    mean[i] = count[i] > 0 ? (first[i] * first_mean[i] + second[i] * second_mean[i]) / count[i] : 0;
  }
  const FieldObservations one{first, first_mean, variance}, other{second, second_mean, variance};
  const GaussianProcess whole = prior.posterior({count, mean, variance});
  for (const GaussianProcess& parts :
       {prior.posterior(one).posterior(other), prior.posterior(other).posterior(one)}) {
    for (std::size_t i = 0; i < 5; ++i) RC_ASSERT(std::abs(parts.mean()[i] - whole.mean()[i]) < 1e-11);
    RC_ASSERT((matrix_of(parts.covariance()) - matrix_of(whole.covariance())).cwiseAbs().maxCoeff() < 1e-11);
  }
  for (std::size_t i = 0; i < 5; ++i) RC_ASSERT(whole.variances()[i] <= 1 + 1e-15);
}

// Observations without noise: known where visited, the Schur complement elsewhere, and it can be drawn from.
TEST(GaussianProcess, NoiselessObservations) {
  const GaussianProcess prior = line(4, 1);
  const std::vector<double> count{1, 0, 3, 0}, observed{.5, 0, -.2, 0}, variance(4, 0);
  const GaussianProcess posterior = prior.posterior({count, observed, variance});
  EXPECT_NEAR(posterior.variances()[0], 0, 1e-15);
  EXPECT_NEAR(posterior.mean()[2], -.2, 1e-15);
  const FieldSampler sampler(posterior);
  EXPECT_EQ(sampler.rank(), 2);
  base::Stream stream({.seed = 1, .purpose = base::Purpose::test});
  std::vector<double> field(4);
  sampler.sample(stream, field);
  EXPECT_NEAR(field[0], .5, 1e-7);
  EXPECT_NE(field[1], posterior.mean()[1]);
}

TEST(GaussianProcess, NearlyKnownFieldsCanBeDrawn) {
  const GaussianProcess prior = line(60, 20);  // numerically of rank about 15
  const std::vector<double> count(60, 1e12), observed(60, .3), variance(60, 1);
  const GaussianProcess posterior = prior.posterior({count, observed, variance});
  base::Stream stream({.seed = 1, .purpose = base::Purpose::test});
  std::vector<double> field(60);
  FieldSampler(posterior).sample(stream, field);
  for (const double value : field) EXPECT_NEAR(value, .3, .1);
  EXPECT_LT(FieldSampler(prior).rank(), 40);
}

TEST(GaussianProcess, NothingObservedChangesNothing) {
  const GaussianProcess prior = line(3, 1, .7);
  const std::vector<double> none(3, 0), missing(3, kNone);
  const GaussianProcess posterior = prior.posterior({none, missing, missing});
  EXPECT_EQ(posterior.covariance(), prior.covariance());
  EXPECT_EQ(posterior.mean()[1], .7);
  EXPECT_EQ(prior.posterior_variances(none, missing), std::vector<double>(3, 1));
}

TEST(GaussianProcess, SingularOrWrongMatricesNameTheState) {
  using Values = std::vector<double>;
  const Values zero(3, 0);
  // State 2 lies where state 0 does; without noise its observation is determined.
  const Values x{0, 1, 0}, count{1, 1, 1};
  const GaussianProcess twins(zero, squared_exponential_kernel(x, zero));
  EXPECT_NE(message_of<NumericalError>([&] {
              twins.posterior({count, zero, zero});
            }).find("state 2"),
            std::string::npos);
  EXPECT_THROW(twins.posterior_variances(count, zero), NumericalError);
  EXPECT_EQ(FieldSampler(twins).rank(), 2);
  const auto build = [&](Values values) { return GaussianProcess(zero, {3, std::move(values)}); };
  EXPECT_NE(message_of<NumericalError>([&] {
              build({1, 0, 0, 0, 2, 3, 0, 3, 2});
            }).find("state"),
            std::string::npos);
  EXPECT_THROW(build({0, 1, 0, 1, 0, 0, 0, 0, 0}), NumericalError);
  EXPECT_THROW(build({1, -.9, -.9, -.9, 1, -.9, -.9, -.9, 1}), NumericalError);
  EXPECT_NE(message_of<InvalidArgument>([&] {
              build({1, 0, 0, 0, -1, 0, 0, 0, 1});
            }).find("states 1 and 1 is -1"),
            std::string::npos);
  EXPECT_NE(message_of<InvalidArgument>([&] {
              build({1, 0, 0, 0, 1, kNone, 0, kNone, 1});
            }).find("states 1 and 2"),
            std::string::npos);
  EXPECT_NE(message_of<InvalidArgument>([&] {
              build({1, 0, .1, 0, 1, 0, .2, 0, 1});
            }).find("states 2 and 0"),
            std::string::npos);
}

TEST(GaussianProcess, BadArgumentsThrow) {
  EXPECT_THROW(GaussianProcess({}, {0, {}}), InvalidArgument);
  EXPECT_THROW(GaussianProcess({0}, {2, {1, 0, 0, 1}}), InvalidArgument);
  EXPECT_THROW(GaussianProcess({0, 0}, {2, {1, 0, 0}}), InvalidArgument);
  EXPECT_THROW(GaussianProcess({0, kNone}, {2, {1, 0, 0, 1}}), InvalidArgument);
  const GaussianProcess prior = line(2, 1);
  const std::vector<double> good{1, 1}, shorter{1};
  EXPECT_THROW(prior.posterior({shorter, good, good}), InvalidArgument);
  EXPECT_THROW(prior.posterior({good, shorter, good}), InvalidArgument);
  EXPECT_THROW(prior.posterior({good, good, shorter}), InvalidArgument);
  EXPECT_THROW(prior.posterior_variances(shorter, good), InvalidArgument);
  for (const double value : {kNone, kInfinity, -1.0}) {
    const std::vector<double> bad{1, value};
    EXPECT_THROW(prior.posterior({bad, good, good}), InvalidArgument);
    EXPECT_THROW(prior.posterior({good, good, bad}), InvalidArgument);
    EXPECT_THROW(prior.posterior_variances(good, bad), InvalidArgument);
  }
  for (const double value : {kNone, kInfinity}) {
    const std::vector<double> bad{1, value};
    EXPECT_THROW(prior.posterior({good, bad, good}), InvalidArgument);
  }
  const std::vector<double> hardly{1, 1e-310};
  EXPECT_THROW(prior.posterior_variances(hardly, good), InvalidArgument);
  for (const std::int64_t state : {-1, 2}) EXPECT_THROW(prior.trace(std::vector{state}), InvalidArgument);
  base::Stream stream({.seed = 1, .purpose = base::Purpose::test});
  std::vector<double> out(3);
  EXPECT_THROW(FieldSampler(prior).sample(stream, out), InvalidArgument);
}

// Draws have the mean and covariance of the process: the empirical ones of n draws are off by sqrt(2/n) at
// most times a variance, five times that allowed.
TEST(FieldSampler, MomentsOfTheDraws) {
  const GaussianProcess process = line(4, 1.5, 2);
  const FieldSampler sampler(process);
  base::Stream stream({.seed = 20240614, .purpose = base::Purpose::test});
  const int n = 20'000;
  Eigen::VectorXd field(4), sum = Eigen::VectorXd::Zero(4);
  Eigen::MatrixXd square = Eigen::MatrixXd::Zero(4, 4);
  for (int i = 0; i < n; ++i) {
    sampler.sample(stream, {field.data(), 4});
    sum += field;
    square += (field.array() - 2).matrix() * (field.array() - 2).matrix().transpose();
  }
  EXPECT_LT((sum / n - Eigen::VectorXd::Constant(4, 2)).cwiseAbs().maxCoeff(), 5 / std::sqrt(n));
  EXPECT_LT((square / n - matrix_of(process.covariance())).cwiseAbs().maxCoeff(), 5 * std::sqrt(2.0 / n));
}

// Truths by the plain Cholesky factor, not by FieldSampler. Quantities: a visited state, the farthest
// unvisited one, and the sum over all. `shrink` scales the posterior covariance.
Replication replicate(base::Stream& stream, int draws, double shrink) {
  static const GaussianProcess kPrior = line(5, 1.5, .5);
  static const Eigen::MatrixXd kLower = Eigen::LLT<Eigen::MatrixXd>(matrix_of(kPrior.covariance())).matrixL();
  Eigen::VectorXd noise(5);
  for (double& z : noise) z = base::normal(stream);
  const Eigen::VectorXd truth = (kLower * noise).array() + .5;
  const std::vector<double> count{1, 4, 2, 0, 0}, variance{.25, .5, .1, kNone, kNone};
  std::vector<double> observed(5, kNone);
  for (std::size_t i = 0; i < 3; ++i) {
    observed[i] =
        truth(static_cast<Eigen::Index>(i)) + std::sqrt(variance[i] / count[i]) * base::normal(stream);
  }
  const GaussianProcess posterior = kPrior.posterior({count, observed, variance});
  Kernel covariance = posterior.covariance();
  for (double& value : covariance.values) value *= shrink;
  const FieldSampler sampler(
      shrink == 1 ? posterior
                  : GaussianProcess({posterior.mean().begin(), posterior.mean().end()}, covariance));
  Replication result{{truth(1), truth(4), truth.sum()}, {}};
  Eigen::VectorXd field(5);
  for (int i = 0; i < draws; ++i) {
    sampler.sample(stream, {field.data(), 5});
    result.draws.push_back({field(1), field(4), field.sum()});
  }
  return result;
}

const auto kRight = [](base::Stream& stream, int draws) { return replicate(stream, draws, 1); };

TEST(GaussianProcessCalibration, RanksAreUniform) {
  expect_calibrated({}, kRight);
}

TEST(GaussianProcessCalibrationLong, RanksAreUniform) {
  expect_calibrated(kLongCalibration, kRight);
}

TEST(GaussianProcessCalibration, HalfTheCovarianceIsNoticed) {
  const auto wrong = [](base::Stream& stream, int draws) { return replicate(stream, draws, .5); };
  for (const double p : calibration_p_values({}, wrong)) EXPECT_LT(p, kMiscalibrated);
}

}  // namespace gaussian_process_test
}  // namespace mindgap::belief

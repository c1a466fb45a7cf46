#include "mindgap/voi/conditional_mean.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "mindgap/base/distributions.h"
#include "mindgap/base/error.h"
#include "mindgap/voi/gaussian_process.h"
#include "mindgap/voi/spline_basis.h"

namespace mindgap::voi::conditional_mean_test {
namespace {

TEST(NormalScoresTest, ranks_and_ties) {
  const std::vector<double> scores = normal_scores(std::vector<double>{10, -3, 10, 1e9});
  EXPECT_DOUBLE_EQ(scores[1], base::normal_quantile(.125));
  EXPECT_DOUBLE_EQ(scores[0], base::normal_quantile(.5));  // ranks 2 and 3
  EXPECT_DOUBLE_EQ(scores[0], scores[2]);
  EXPECT_DOUBLE_EQ(scores[3], base::normal_quantile(.875));
}

TEST(SplineBasisTest, every_block_sums_to_one_and_penalties_ignore_lines) {
  std::vector<std::vector<double>> inputs(3);
  for (std::uint64_t i = 0; i < 2'000; ++i) {
    base::Stream stream({3, base::Purpose::test, i});
    for (auto& input : inputs) input.push_back(base::normal(stream));
  }
  const SplineBasis basis(inputs, true);
  SparseRow row;
  for (const std::int64_t i : {0, 7, 1'999}) {
    basis.add_row(i, row);
    double sum = 0;
    for (const auto& [place, value] : row) {
      EXPECT_GE(value, 0);
      EXPECT_LT(place, basis.size());
      sum += value;
    }
    EXPECT_NEAR(sum, 7, 1e-12);  // three single inputs, three pairs, one of three
  }
  // Coefficients along a line have no second differences: what is left is the ridge.
  const Eigen::MatrixXd gram = Eigen::MatrixXd::Identity(basis.size(), basis.size());
  Eigen::VectorXd line = Eigen::VectorXd::Zero(basis.size());
  for (Eigen::Index i = 0; i < basis.main_effects() / 3; ++i) line[i] = static_cast<double>(i);
  EXPECT_LT(line.dot(basis.penalty(gram, 1) * line), 1e-3);
}

// Where a draw's own outcome has no part in its prediction, changing it changes nothing there.
TEST(ConditionalMeanTest, left_out_means_left_out) {
  std::vector<double> x, y;
  for (std::uint64_t i = 0; i < 500; ++i) {
    base::Stream stream({5, base::Purpose::test, i});
    x.push_back(base::normal(stream));
    y.push_back(std::sin(x.back()) + base::normal(stream));
  }
  const std::vector<std::span<const double>> inputs = {x};
  const auto fit = [&](const std::vector<double>& outcome) {
    return conditional_means(inputs, std::vector<std::vector<double>>{outcome})[0];
  };
  const ConditionalMean before = fit(y);
  y[17] += 1'000;
  const ConditionalMean after = fit(y);
  EXPECT_NEAR(before.left_out[17], after.left_out[17], 1e-6);  // sums of folds are subtracted
  EXPECT_GT(std::abs(before.fitted[17] - after.fitted[17]), .01);
}

TEST(ConditionalMeanTest, finds_a_curve_and_nothing_in_noise) {
  std::vector<double> x, curve, noise;
  for (std::uint64_t i = 0; i < 5'000; ++i) {
    base::Stream stream({6, base::Purpose::test, i});
    x.push_back(base::normal(stream));
    curve.push_back(std::sin(2 * x.back()) + .3 * base::normal(stream));
    noise.push_back(base::normal(stream));
  }
  const std::vector<ConditionalMean> found = conditional_means(
      std::vector<std::span<const double>>{x}, std::vector<std::vector<double>>{curve, noise});
  double of_curve = 0, of_noise = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    of_curve += std::pow(found[0].left_out[i] - std::sin(2 * x[i]), 2) / 5'000;
    of_noise += std::pow(found[1].left_out[i], 2) / 5'000;
  }
  EXPECT_LT(std::sqrt(of_curve), .03);  // 20 coefficients from 5,000 draws: .3 sqrt(20/5000) = .02
  EXPECT_LT(std::sqrt(of_noise), .05);
  EXPECT_EQ(found[0].model, "splines");
}

TEST(MarginalLikelihoodTest, gradient_is_the_difference_quotient) {
  Eigen::MatrixXd inputs(40, 2);
  Eigen::VectorXd y(40);
  for (Eigen::Index i = 0; i < 40; ++i) {
    base::Stream stream({8, base::Purpose::test, static_cast<std::uint64_t>(i)});
    inputs(i, 0) = base::normal(stream);
    inputs(i, 1) = base::normal(stream);
    y[i] = std::sin(inputs(i, 0)) + .2 * base::normal(stream);
  }
  Eigen::VectorXd at(3);
  at << .2, .7, -1.5;
  const MarginalLikelihood here = marginal_likelihood(inputs, y, at);
  for (Eigen::Index j = 0; j < 3; ++j) {
    Eigen::VectorXd up = at, down = at;
    up[j] += 1e-5;
    down[j] -= 1e-5;
    const double slope =
        (marginal_likelihood(inputs, y, up).value - marginal_likelihood(inputs, y, down).value) / 2e-5;
    EXPECT_NEAR(here.gradient[j], slope, 1e-5 * (1 + std::abs(slope)));
  }
}

TEST(GaussianProcessTest, inputs_that_do_not_matter_have_long_scales) {
  Eigen::MatrixXd inputs(1'000, 4);
  Eigen::VectorXd y(1'000);
  std::vector<std::int64_t> all;
  for (Eigen::Index i = 0; i < 1'000; ++i) {
    base::Stream stream({9, base::Purpose::test, static_cast<std::uint64_t>(i)});
    for (Eigen::Index j = 0; j < 4; ++j) inputs(i, j) = base::normal(stream);
    y[i] = std::sin(2 * inputs(i, 0)) * inputs(i, 1) + .1 * base::normal(stream);
    all.push_back(i);
  }
  const GaussianProcess process(inputs, y, all);
  EXPECT_GT(process.length_scales()[2], 3 * process.length_scales()[0]);
  EXPECT_GT(process.length_scales()[3], 3 * process.length_scales()[0]);
  double error = 0;
  for (Eigen::Index i = 0; i < 1'000; ++i)
    error += std::pow(process.at(inputs.row(i)) - std::sin(2 * inputs(i, 0)) * inputs(i, 1), 2) / 1'000;
  EXPECT_LT(std::sqrt(error), .15);
}

TEST(ConditionalMeanTest, bad_arguments) {
  const std::vector<double> x(60, 1.0), y(59, 1.0);
  const std::vector<std::span<const double>> inputs = {x};
  EXPECT_THROW(conditional_means(inputs, std::vector<std::vector<double>>{y}), InvalidArgument);
  EXPECT_THROW(conditional_means({}, std::vector<std::vector<double>>{x}), InvalidArgument);
  EXPECT_THROW(conditional_means(inputs, std::vector<std::vector<double>>{x}, {.folds = 1}), InvalidArgument);
}

}  // namespace
}  // namespace mindgap::voi::conditional_mean_test

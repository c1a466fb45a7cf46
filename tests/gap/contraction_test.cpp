#include "mindgap/gap/contraction.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <limits>
#include <vector>

#include "mindgap/base/distributions.h"
#include "mindgap/base/error.h"

namespace mindgap::gap {
namespace contraction_test {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// L = (.5 10; 0 .5): L^T = (.5^T, 10 T .5^(T-1); 0, .5^T). At T = 4: 1/16 + 40/8 = 5.0625, and rho^T = 1/16:
// the start difference (0, 1) is 5 after four steps, so rho^T is no bound.
TEST(Contraction, NonNormalExceedsTheRate) {
  const std::vector<double> jacobian{.5, 10, 0, .5};
  const Contraction result = contraction(jacobian, 2, 4);
  EXPECT_NEAR(result.spectral_radius, .5, 1e-12);
  EXPECT_TRUE(result.contracting);
  EXPECT_NEAR(result.rate, 1.0 / 16, 1e-12);
  EXPECT_NEAR(result.norm, 5.0625, 1e-12);
  const Eigen::Matrix2d matrix{{.5, 10}, {0, .5}};
  const Eigen::Vector2d start(0, 1);
  const double after = (matrix * matrix * matrix * matrix * start).cwiseAbs().maxCoeff();
  EXPECT_NEAR(after, 5, 1e-14);
  EXPECT_GT(after, 10 * result.rate);
  EXPECT_LE(after, result.norm);
}

// The norm bounds every trajectory of random matrices at every T, and its T-th root tends to the radius.
TEST(Contraction, NormBoundsRandomTrajectories) {
  base::Stream stream({3, base::Purpose::test});
  for (int trial = 0; trial < 20; ++trial) {
    const std::int32_t size = 2 + trial % 5;
    std::vector<double> jacobian(static_cast<std::size_t>(size) * size);
    for (double& entry : jacobian) entry = .5 * base::normal(stream);
    const Eigen::MatrixXd matrix =
        Eigen::Map<Eigen::Matrix<double, -1, -1, Eigen::RowMajor>>(jacobian.data(), size, size);
    Eigen::VectorXd difference = Eigen::VectorXd::Ones(size);
    for (std::int64_t steps = 0; steps <= 30; ++steps) {
      const double norm = contraction(jacobian, size, steps).norm;
      EXPECT_LE(difference.cwiseAbs().maxCoeff(), norm * (1 + 1e-10)) << trial << " " << steps;
      difference = matrix * difference;
    }
    const Contraction late = contraction(jacobian, size, 200);
    EXPECT_GE(late.norm, late.rate * (1 - 1e-9)) << trial;
    EXPECT_NEAR(std::pow(late.norm / late.rate, 1.0 / 200), 1, .05) << trial;
  }
}

// A rotation by 90 degrees has eigenvalues +-i; scaled by 2 it grows.
TEST(Contraction, WarnsWhereNothingIsForgotten) {
  for (const double scale : {1.0, 2.0}) {
    const Contraction result = contraction(std::vector<double>{0, -scale, scale, 0}, 2, 3);
    EXPECT_NEAR(result.spectral_radius, scale, 1e-14);
    EXPECT_NEAR(result.norm, scale * scale * scale, 1e-12);
    EXPECT_FALSE(result.contracting);
  }
}

TEST(Contraction, PowersOfExtremeSizeAreNumbers) {
  const Contraction growing = contraction(std::vector<double>{3, 1, 0, 2}, 2, 1'000'000);
  EXPECT_EQ(growing.norm, kInfinity);
  EXPECT_EQ(growing.rate, kInfinity);
  const Contraction shrinking = contraction(std::vector<double>{.3, 1, 0, .2}, 2, 1'000'000'000'000);
  EXPECT_EQ(shrinking.norm, 0);
  EXPECT_EQ(shrinking.rate, 0);
  const Contraction huge = contraction(std::vector<double>{1e308, 1e308, 0, 1e-308}, 2, 2);
  EXPECT_EQ(huge.norm, kInfinity);
  EXPECT_EQ(contraction(std::vector<double>(4, 0.0), 2, 3).norm, 0);
  EXPECT_EQ(contraction(std::vector<double>(4, 0.0), 2, 0).norm, 1);  // L^0 is the identity
  EXPECT_EQ(contraction(std::vector<double>(4, 0.0), 2, 0).rate, 1);
}

// Paper, remark on the numerical bound: rho = .85, T = 50 and a distance of .15 give at most 2e-4.
TEST(Contraction, PaperRemark) {
  const Contraction result = contraction(std::vector<double>{.85}, 1, 50);
  EXPECT_NEAR(result.norm, result.rate, 1e-15);
  EXPECT_LT(.15 * result.norm, 2e-4);
  EXPECT_NEAR(result.norm, std::pow(.85, 50), 1e-16);
}

TEST(Contraction, BadArguments) {
  const std::vector<double> good{.5, 0, 0, .5};
  EXPECT_THROW(contraction(good, 0, 1), InvalidArgument);
  EXPECT_THROW(contraction(good, 3, 1), InvalidArgument);
  EXPECT_THROW(contraction(good, 2, -1), InvalidArgument);
  EXPECT_THROW(contraction(std::vector<double>{std::nan("")}, 1, 1), InvalidArgument);
  EXPECT_THROW(contraction(std::vector<double>{kInfinity}, 1, 1), InvalidArgument);
}

}  // namespace contraction_test
}  // namespace mindgap::gap

#include "mindgap/belief/kernel.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <limits>

#include "mindgap/base/error.h"
#include "mindgap/mdp/builder.h"

namespace mindgap::belief {
namespace kernel_test {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

// States 0 .. n-1 in a row (or a ring), each with one action that moves on to the next; the last of a row
// stays where it is. A link is walked in one direction only.
mdp::Mdp walk(std::int32_t states, bool ring) {
  mdp::MdpBuilder builder(.9, states, 1);
  for (std::int32_t s = 0; s < states; ++s) {
    builder.set_reward(s, 0, 0);
    builder.add_transition(s, 0, s + 1 < states ? s + 1 : (ring ? 0 : s), 1);
  }
  return builder.build();
}

TEST(SquaredExponential, HandValues) {
  EXPECT_DOUBLE_EQ(squared_exponential(5, 5), std::exp(-.5));
  EXPECT_DOUBLE_EQ(squared_exponential(0, 2), 1);
}

// Two linked states: I + a L = [[1+a, -a], [-a, 1+a]] has the inverse [[1+a, a], [a, 1+a]]/(1+2a), a
// correlation of a/(1+a); a = lengthscale^2.
TEST(GraphKernel, TwoStates) {
  const Kernel kernel = graph_kernel(walk(2, false), {.variance = 3, .lengthscale = 2});
  EXPECT_DOUBLE_EQ(kernel(0, 0), 3);
  EXPECT_NEAR(kernel(0, 1), 3 * .8, 1e-14);
}

// A ring has the eigenvectors e^(2 pi i k j/n) with eigenvalues 2 - 2 cos(2 pi k/n) of L.
TEST(GraphKernel, RingBySpectrum) {
  const int n = 12;
  const double a = 1.5 * 1.5;
  const auto green = [&](int d) {
    double sum = 0;
    for (int k = 0; k < n; ++k)
      sum += std::cos(2 * M_PI * k * d / n) / (1 + a * (2 - 2 * std::cos(2 * M_PI * k / n)));
    return sum / n;
  };
  const Kernel kernel = graph_kernel(walk(n, true), {.lengthscale = 1.5});
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) EXPECT_NEAR(kernel(i, j), green(i - j) / green(0), 1e-13) << i << " " << j;
  }
}

// Far from the ends of a path the correlation falls by the same factor each step: the root below 1 of
// r + 1/r = 2 + 1/a, which is e^-1/lengthscale up to O(lengthscale^-3).
TEST(GraphKernel, LengthscaleIsInSteps) {
  const double lengthscale = 6, half = 1 + .5 / (lengthscale * lengthscale);
  const double factor = half - std::sqrt(half * half - 1);
  const Kernel kernel = graph_kernel(walk(301, false), {.lengthscale = lengthscale});
  EXPECT_NEAR(kernel(150, 155) / std::pow(factor, 5), 1, 1e-12);
  EXPECT_NEAR(kernel(150, 155), std::exp(-5 / lengthscale), .002);
}

// Two rings side by side: no path, no correlation; within, positive and falling with the distance.
TEST(GraphKernel, WallsAreRespected) {
  mdp::MdpBuilder builder(.9, 6, 2);
  for (std::int32_t s = 0; s < 6; ++s) {
    builder.set_reward(s, 0, 0);
    builder.add_transition(s, 0, s / 3 * 3 + (s + 1) % 3, 1);
  }
  const Kernel kernel = graph_kernel(builder.build());
  EXPECT_EQ(kernel(0, 4), 0);
  EXPECT_GT(kernel(0, 1), 0);
  const Kernel path = graph_kernel(walk(6, false));
  for (int j = 1; j < 5; ++j) EXPECT_GT(path(0, j), path(0, j + 1));
}

TEST(GraphKernel, PositiveDefiniteAtEveryLengthscale) {
  for (const double lengthscale : {.01, 1.0, 30.0}) {
    const Kernel kernel = graph_kernel(walk(40, true), {.lengthscale = lengthscale});
    const Eigen::Map<const Eigen::MatrixXd> matrix(kernel.values.data(), 40, 40);
    EXPECT_GT(Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(matrix).eigenvalues().minCoeff(), 1e-5);
    EXPECT_EQ(matrix, matrix.transpose());
  }
}

TEST(Kernels, BadArgumentsThrow) {
  for (const double bad : {kNone, kInfinity, 0.0, -1.0}) {
    EXPECT_THROW(graph_kernel(walk(3, false), {.variance = bad}), InvalidArgument);
    EXPECT_THROW(graph_kernel(walk(3, false), {.lengthscale = bad}), InvalidArgument);
  }
  EXPECT_THROW(graph_kernel(walk(3, false), {.max_states = 2}), InvalidArgument);
  EXPECT_THROW(graph_kernel(walk(3, false), {.max_states = 0}), InvalidArgument);
  EXPECT_THROW(graph_kernel(walk(2001, false)), InvalidArgument);
}

}  // namespace kernel_test
}  // namespace mindgap::belief

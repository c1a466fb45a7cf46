#include <gtest/gtest.h>

#include <array>
#include <string>

#include "mindgap/mdp/solve.h"
#include "mindgap/program/lookahead.h"
#include "mindgap/program/tabulate.h"

// Linear-quadratic control, whose value is known: x' = A x + B u pays -(x'Qx + r u^2), the value is -x'Px
// with
//   P = Q + g A'PA - g^2 A'PB B'PA / (r + g B'PB)    (Riccati's equation, discounted).
namespace mindgap::program {
namespace {

constexpr double kDiscount = .95;

double riccati_1d(double a, double b, double q, double r) {
  double p = q;
  for (int i = 0; i < 10000; ++i) {
    const double cross = kDiscount * a * b * p;
    p = q + kDiscount * a * a * p - cross * cross / (r + kDiscount * b * b * p);
  }
  return p;
}

// The relative error of the mean value of 1,001 states between -2 and 2, on so many points.
double error_1d(std::int32_t points) {
  const double a = 1.1, b = .5, q = 1, r = .5;
  constexpr std::int32_t kActions = 2001;
  const Grid grid({even_axis("x", -2, 2, points)});
  TabulateOptions options{.discount = kDiscount};
  for (std::int32_t i = 0; i < kActions; ++i) options.actions.push_back(std::to_string(i));
  const auto step = [&](auto state, std::int32_t action, auto, auto&, auto next) {
    const double u = -5 + 10.0 * action / (kActions - 1);
    next[0] = a * state[0] + b * u;
    return Outcome{.reward = -(q * state[0] * state[0] + r * u * u)};
  };
  const mdp::Solution solution = mdp::solve(tabulate(grid, step, {}, options).mdp);
  double found = 0, exact = 0;
  for (int i = 0; i <= 1000; ++i) {
    const double x = -2 + 4 * i / 1000.0;
    found += value_at(grid, solution.value, {&x, 1});
    exact -= riccati_1d(a, b, q, r) * x * x;
  }
  return found / exact - 1;
}

// On 101 points the value is within 1 % and the error falls with the square of the distance of points; what
// is left of the error of 2,001 actions is below a tenth of it.
TEST(LinearQuadratic, OneDimensionAgainstRiccati) {
  const double coarse = error_1d(51), middle = error_1d(101), fine = error_1d(201);
  EXPECT_GT(middle, 0);  // interpolation makes a convex cost larger
  EXPECT_LT(middle, .01);
  EXPECT_GT(coarse / middle, 3.5);
  EXPECT_GT(middle / fine, 3.5);
}

using Matrix = std::array<double, 4>;  // by rows

// A double integrator: x = position, speed; u pushes.
struct Plane {
  double dt = .5, q0 = 1, q1 = .5, r = .3;

  Matrix a() const { return {1, dt, 0, 1}; }
  std::array<double, 2> b() const { return {dt * dt / 2, dt}; }

  Matrix riccati() const {
    const Matrix m = a();
    const std::array<double, 2> c = b();
    Matrix p = {q0, 0, 0, q1};
    for (int i = 0; i < 20000; ++i) {
      Matrix pa{}, apa{};
      for (int j = 0; j < 2; ++j)
        for (int k = 0; k < 2; ++k) pa[2 * j + k] = p[2 * j] * m[k] + p[2 * j + 1] * m[2 + k];
      for (int j = 0; j < 2; ++j)
        for (int k = 0; k < 2; ++k) apa[2 * j + k] = m[j] * pa[k] + m[2 + j] * pa[2 + k];
      const std::array<double, 2> bpa = {c[0] * pa[0] + c[1] * pa[2], c[0] * pa[1] + c[1] * pa[3]};
      const double bpb = c[0] * (p[0] * c[0] + p[1] * c[1]) + c[1] * (p[2] * c[0] + p[3] * c[1]);
      const double gain = kDiscount * kDiscount / (r + kDiscount * bpb);
      for (int j = 0; j < 2; ++j)
        for (int k = 0; k < 2; ++k)
          p[2 * j + k] =
              (j == k ? (j == 0 ? q0 : q1) : 0) + kDiscount * apa[2 * j + k] - gain * bpa[j] * bpa[k];
    }
    return p;
  }
};

// The same in two dimensions, over the half of the box from which no good policy leaves it.
double error_2d(std::int32_t points, std::int32_t actions) {
  const Plane plane;
  const Grid grid({even_axis("position", -2, 2, points), even_axis("speed", -2, 2, points)});
  TabulateOptions options{.discount = kDiscount};
  for (std::int32_t i = 0; i < actions; ++i) options.actions.push_back(std::to_string(i));
  const auto step = [&](auto x, std::int32_t action, auto, auto&, auto next) {
    const double u = -3 + 6.0 * action / (actions - 1);
    next[0] = x[0] + plane.dt * x[1] + plane.b()[0] * u;
    next[1] = x[1] + plane.dt * u;
    return Outcome{.reward = -(plane.q0 * x[0] * x[0] + plane.q1 * x[1] * x[1] + plane.r * u * u)};
  };
  const mdp::Solution solution = mdp::solve(tabulate(grid, step, {}, options).mdp);
  const Matrix p = plane.riccati();
  double found = 0, exact = 0;
  for (int i = 0; i <= 100; ++i) {
    for (int j = 0; j <= 100; ++j) {
      const double x[] = {-1 + i / 50.0, -1 + j / 50.0};
      found += value_at(grid, solution.value, x);
      exact -= p[0] * x[0] * x[0] + (p[1] + p[2]) * x[0] * x[1] + p[3] * x[1] * x[1];
    }
  }
  return found / exact - 1;
}

constexpr std::int32_t kPushes = 241;  // so that choosing from them adds little to the error of the grid

TEST(LinearQuadratic, TwoDimensionsAgainstRiccati) {
  const double coarse = error_2d(51, kPushes), fine = error_2d(101, kPushes);
  EXPECT_GT(fine, 0);
  EXPECT_LT(fine, .01);
  EXPECT_GT(coarse / fine, 3.5);
}

}  // namespace
}  // namespace mindgap::program

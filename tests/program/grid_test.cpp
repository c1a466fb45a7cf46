#include "mindgap/program/grid.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>

#include "mindgap/base/distributions.h"
#include "mindgap/base/error.h"
#include "mindgap/base/random.h"

namespace mindgap::program {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

Grid uneven_grid() {
  return Grid({{.name = "stock", .points = {0, 1, 3, 10}},
               even_axis("price", -1, 1, 5),
               {.name = "age", .points = {2, 2.5}}});
}

double interpolate(const Grid& grid, std::span<const double> state, auto function) {
  Corners corners;
  grid.spread(state, corners);
  double sum = 0, total = 0;
  std::vector<double> place(state.size());
  for (std::size_t i = 0; i < corners.size; ++i) {
    EXPECT_GT(corners.weight[i], 0);
    grid.state_of(corners.corner[i], place);
    sum += corners.weight[i] * function(place);
    total += corners.weight[i];
  }
  EXPECT_NEAR(total, 1, 1e-15);
  return sum;
}

TEST(Grid, CornersAreNumberedWithTheLastAxisFastestAndNamed) {
  const Grid grid = uneven_grid();
  EXPECT_EQ(grid.corners(), 4 * 5 * 2);
  std::vector<double> state(3);
  grid.state_of(0, state);
  EXPECT_EQ(state, (std::vector<double>{0, -1, 2}));
  grid.state_of(1, state);
  EXPECT_EQ(state, (std::vector<double>{0, -1, 2.5}));
  grid.state_of(39, state);
  EXPECT_EQ(state, (std::vector<double>{10, 1, 2.5}));
  EXPECT_EQ(grid.name_of(39), "stock=10 price=1 age=2.5");
  EXPECT_EQ(grid.name_of(4), "stock=0 price=0 age=2");
  EXPECT_EQ(grid.names().size(), 40);
}

TEST(Grid, NamesHaveEnoughDigitsToDiffer) {
  const Grid grid({{.name = "x", .points = {1, 1 + 1e-12, 2}}});
  EXPECT_EQ(grid.name_of(2), "x=2");
  EXPECT_NE(grid.name_of(0), grid.name_of(1));
}

TEST(Grid, ReproducesMultilinearFunctionsOnUnevenAxes) {
  const Grid grid = uneven_grid();
  const auto function = [](std::span<const double> x) {
    return 3 - x[0] + 2 * x[1] * x[2] + .5 * x[0] * x[1] * x[2];  // linear in each axis
  };
  base::Stream random({.seed = 1, .purpose = base::Purpose::test});
  for (int time = 0; time < 1000; ++time) {
    const double state[] = {10 * base::uniform(random), 2 * base::uniform(random) - 1,
                            2 + .5 * base::uniform(random)};
    EXPECT_NEAR(interpolate(grid, state, function), function(state), 1e-12);
  }
}

TEST(Grid, ACornerIsItself) {
  const Grid grid({even_axis("x", -.3, .7, 101), even_axis("y", 0, 1, 7, true)});
  std::vector<double> state(2);
  Corners found;
  for (std::int32_t c = 0; c < grid.corners(); ++c) {
    grid.state_of(c, state);
    grid.spread(state, found);
    ASSERT_EQ(found.size, 1) << grid.name_of(c);
    EXPECT_EQ(found.corner[0], c);
  }
}

TEST(Grid, APeriodicAxisWraps) {
  const double pi = std::numbers::pi;
  const Grid grid({even_axis("angle", -pi, pi, 8, true)});  // corners at -pi + k pi/4; pi is -pi
  EXPECT_EQ(grid.corners(), 8);
  Corners found;
  const auto at = [&](double angle) {
    const Location location = grid.spread({&angle, 1}, found);
    EXPECT_FALSE(location.outside());
  };
  at(pi - pi / 16);  // a quarter of a cell before the seam: 1/4 of the last corner, 3/4 of the first
  ASSERT_EQ(found.size, 2);
  EXPECT_EQ(found.corner[0], 7);
  EXPECT_NEAR(found.weight[0], .25, 1e-12);
  EXPECT_EQ(found.corner[1], 0);
  EXPECT_NEAR(found.weight[1], .75, 1e-12);
  for (const int turns : {-3, -1, 0, 1, 5}) {  // whole turns change nothing
    at(.1 + 2 * pi * turns);
    ASSERT_EQ(found.size, 2);
    EXPECT_EQ(found.corner[0], 4);
    EXPECT_NEAR(found.weight[1], .1 / (pi / 4), 1e-12);
  }
  at(pi);
  EXPECT_EQ(found.corner[0], 0);
}

TEST(Grid, AnUnevenPeriodicAxisHasACellAcrossTheSeam) {
  const Grid grid({{.name = "hour", .points = {0, 6, 8, 18}, .period = 24}});
  const double hour = 21;  // half way from 18 to 24, which is 0
  Corners found;
  grid.spread({&hour, 1}, found);
  ASSERT_EQ(found.size, 2);
  EXPECT_EQ(found.corner[0], 3);
  EXPECT_EQ(found.corner[1], 0);
  EXPECT_DOUBLE_EQ(found.weight[0], .5);
}

TEST(Grid, AStateOutsideGoesToTheNearestFaceAndSaysWhere) {
  const Grid grid({even_axis("x", 0, 1, 3), even_axis("y", 0, 1, 3)});
  const double state[] = {-5, 1.5};
  Corners found;
  const Location location = grid.spread(state, found);
  EXPECT_EQ(location.below, 1U);
  EXPECT_EQ(location.above, 2U);
  EXPECT_TRUE(location.outside());
  ASSERT_EQ(found.size, 1);
  EXPECT_EQ(grid.name_of(found.corner[0]), "x=0 y=1");
}

TEST(Grid, EverySecondPoint) {
  const Grid grid({even_axis("x", 0, 4, 5), even_axis("y", 0, 3, 4), even_axis("z", 0, 1, 2),
                   even_axis("w", 0, 8, 8, true)});
  EXPECT_EQ(grid.coarser(0).axes()[0].points, (std::vector<double>{0, 2, 4}));
  EXPECT_EQ(grid.coarser(1).axes()[1].points, (std::vector<double>{0, 2, 3}));
  EXPECT_EQ(grid.coarser(2), grid);
  EXPECT_EQ(grid.coarser(3).axes()[3].points, (std::vector<double>{0, 2, 4, 6}));
  EXPECT_THROW(grid.coarser(4), InvalidArgument);
}

TEST(Grid, RefusesBadAxes) {
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_THROW(Grid({}), InvalidArgument);
  EXPECT_THROW(Grid(std::vector<Axis>{{.name = "x", .points = {1}}}), InvalidArgument);
  EXPECT_THROW(Grid(std::vector<Axis>{{.name = "x", .points = {1, 1}}}), InvalidArgument);
  EXPECT_THROW(Grid(std::vector<Axis>{{.name = "x", .points = {2, 1}}}), InvalidArgument);
  EXPECT_THROW(Grid(std::vector<Axis>{{.name = "x", .points = {0, kNaN}}}), InvalidArgument);
  EXPECT_THROW(Grid(std::vector<Axis>{{.name = "", .points = {0, 1}}}), InvalidArgument);
  EXPECT_THROW(Grid(std::vector<Axis>{{.name = "x", .points = {0, 1}, .period = 1}}), InvalidArgument);
  EXPECT_THROW(Grid({even_axis("x", 0, 1, 2), even_axis("x", 0, 1, 2)}), InvalidArgument);
  EXPECT_THROW(Grid(std::vector<Axis>(13, even_axis("x", 0, 1, 2))), InvalidArgument);
  EXPECT_THROW(Grid({even_axis("x", 0, 1, 100000), even_axis("y", 0, 1, 100000)}), InvalidArgument);
  EXPECT_THROW(even_axis("x", 1, 1, 3), InvalidArgument);
  EXPECT_THROW(even_axis("x", 1, 0, 3), InvalidArgument);
  EXPECT_THROW(even_axis("x", kNaN, 0, 3), InvalidArgument);
  EXPECT_THROW(even_axis("x", 0, infinity, 3), InvalidArgument);
  EXPECT_THROW(even_axis("x", 0, 1, 1), InvalidArgument);
  try {
    even_axis("speed", 2, 1, 5);
    FAIL();
  } catch (const InvalidArgument& error) {
    EXPECT_STREQ(error.what(), "Grid: axis 'speed' goes from 2 to 1, but low must be below high");
  }
}

TEST(Grid, RefusesBadStates) {
  const Grid grid({even_axis("x", 0, 1, 3), even_axis("y", 0, 1, 3)});
  const double bad[] = {0, kNaN}, short_one[] = {0};
  EXPECT_THROW(grid.locate(bad), InvalidArgument);
  EXPECT_THROW(grid.locate(short_one), InvalidArgument);
}

}  // namespace
}  // namespace mindgap::program

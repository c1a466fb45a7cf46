#include "mindgap/design/interior_point.h"

#include <gtest/gtest.h>

#include <numeric>

#include "design/cases.h"
#include "mindgap/base/error.h"
#include "mindgap/design/flow_program.h"

namespace mindgap::design {
namespace interior_point_test {

// Two rooms, one unit, two steps. From the first, "stay" keeps and "go" leads on for good; rewards of known
// transitions, W_r = 1 for the pairs (0, stay) and (1, first), variance 1, tau 1. With q = the probability of
// going at the first step, the counts are n(0,stay) = (1-q) + (1-q)(1-q'), n(1,first) = q with the best
// choice there; q' = 0 is best. f = 1/(1 + 2(1-q)) + 1/(1+q) + 0: f' = 2/(3-2q)^2 - 1/(1+q)^2 = 0 where
// sqrt(2) (1+q) = 3 - 2q: q = (3 - sqrt 2)/(2 + sqrt 2).
TEST(InteriorPoint, FiniteByHand) {
  const mdp::Mdp mdp = gap::dense_mdp(.9, {1, 0}, 2, {0, 0, 0, 0}, {{1, 0}, {0, 1}, {0, 1}, {0, 1}});
  gap::PvvWeights weights;
  weights.reward = {1, 0, 1, 0};
  weights.transition.assign(4, 0.0);
  const Objective objective(weights, same_prior(mdp, 1, 1, INFINITY));
  const auto pilot = finite_occupancies(mdp, {1, 0}, 2);
  const Minimum found = interior_point(objective, *pilot);
  const double q = (3 - std::sqrt(2.0)) / (2 + std::sqrt(2.0));
  EXPECT_EQ(found.status, MinimumStatus::converged);
  EXPECT_NEAR(found.value, 1 / (3 - 2 * q) + 1 / (1 + q), 1e-9);
  EXPECT_NEAR(found.pi[1], q, 1e-4);  // step 0, go
  EXPECT_NEAR(found.counts[2], q, 1e-4);
}

// spec/tabular.md 4, "M3".
TEST(InteriorPoint, GoldenM3) {
  const M3Design m3;
  const auto minimum = [&](Block block) {
    const Minimum found = interior_point(Objective(m3.weights, m3.prior, block), *m3.pilot);
    EXPECT_EQ(found.status, MinimumStatus::converged);
    EXPECT_LE(found.relative_gap, 1e-9);
    return found.value;
  };
  EXPECT_NEAR(minimum(Block::both), 1.713984439909, 2e-9);
  EXPECT_NEAR(minimum(Block::rewards), 1.673240311202, 2e-9);
  EXPECT_NEAR(minimum(Block::transitions), .040148186327, 1e-10);
}

struct Golden {
  double uniform, optimum, share_of_b;
};

void expect_golden(const TreasureDesign& treasure, const Objective& objective, const Golden& golden) {
  const double uniform = objective.value(treasure.pilot->counts(uniform_pi(*treasure.pilot)));
  EXPECT_NEAR(uniform, golden.uniform, 1e-9 * golden.uniform);
  const Minimum found = interior_point(objective, *treasure.pilot);
  EXPECT_EQ(found.status, MinimumStatus::converged);
  EXPECT_NEAR(found.value, golden.optimum, 2e-9 * golden.optimum);
  EXPECT_NEAR(treasure.share_of_b(found.counts), golden.share_of_b, 1e-5);
}

// golden_tabular.json "treasure", pvv_SOP_start, pvv_softmax1 and pvv_uniformweights.
TEST(InteriorPoint, GoldenTreasureSop) {
  const TreasureDesign treasure;
  expect_golden(treasure, treasure.of(treasure.sop()),
                {.31374639272666666, .018006654177079424, 5.61301160614445e-07});
}

TEST(InteriorPoint, GoldenTreasureSoftmax) {
  const TreasureDesign treasure;
  expect_golden(treasure, treasure.of(treasure.softmax()),
                {.026810163191691952, .024290169618797226, .1757665323638811});
}

TEST(InteriorPoint, GoldenTreasureUniformWeights) {
  const TreasureDesign treasure;
  expect_golden(treasure, treasure.uniform_weights(),
                {.9594368769599937, .44211531710444857, .41719325583367506});
}

void converges(std::uint64_t seed) {
  const RandomDesign design(seed);
  for (const Occupancy* pilot : {design.discounted.get(), design.finite.get()}) {
    const Minimum found = interior_point(*design.objective, *pilot);
    EXPECT_EQ(found.status, MinimumStatus::converged) << seed << ' ' << found.relative_gap;
    EXPECT_LT(found.iterations, 60) << seed;
    EXPECT_NEAR(std::accumulate(found.counts.begin(), found.counts.end(), 0.0), pilot->budget(),
                1e-9 * pilot->budget());
    EXPECT_EQ(found.value, design.objective->value(found.counts));
    EXPECT_LE(found.value, design.objective->value(pilot->counts(uniform_pi(*pilot))) * (1 + 1e-12));
  }
}

TEST(InteriorPoint, ConvergesOnRandomDesigns) {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) converges(seed);
}

TEST(InteriorPointLong, ConvergesOnManyRandomDesigns) {
  for (std::uint64_t seed = 1; seed <= 2000; ++seed) converges(seed);
}

TEST(FlowProgram, TheUniformPolicyIsInside) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const RandomDesign design(seed);
    for (const Occupancy* pilot : {design.discounted.get(), design.finite.get()}) {
      const FlowProgram program = flow_program(*pilot);
      std::vector<double> left = program.right;
      double sum = 0;
      for (std::size_t j = 0; j < program.size(); ++j) {
        EXPECT_GT(program.inner[j], 0);
        if (program.variables[j].flow) sum += program.inner[j];
        for (auto i = program.column_begin[j]; i < program.column_begin[j + 1]; ++i) {
          left[program.row[i]] -= program.entry[i] * program.inner[j];
        }
      }
      for (const double residual : left) EXPECT_NEAR(residual, 0, 1e-12);
      EXPECT_NEAR(sum, 1, 1e-12);
      const std::vector<double> pi = policy_of(program, *pilot, program.inner);
      const std::vector<double> uniform = uniform_pi(*pilot);
      for (std::size_t i = 0; i < pi.size(); ++i) EXPECT_NEAR(pi[i], uniform[i], 1e-12);
    }
  }
}

// Nothing to learn: any counts will do, and the certificate says so.
TEST(InteriorPoint, NothingToLearn) {
  const M3Design m3;
  gap::PvvWeights weights;
  weights.reward.assign(6, 0.0);
  weights.transition.assign(6, 0.0);
  const Minimum found = interior_point(Objective(weights, m3.prior), *m3.pilot);
  EXPECT_EQ(found.value, 0);
  EXPECT_EQ(found.relative_gap, 0);
  EXPECT_EQ(found.status, MinimumStatus::converged);
}

TEST(InteriorPoint, Limits) {
  const M3Design m3;
  const Objective objective(m3.weights, m3.prior);
  const Minimum best = interior_point(objective, *m3.pilot);
  const Minimum early = interior_point(objective, *m3.pilot, {.max_iterations = 2});
  EXPECT_EQ(early.status, MinimumStatus::iteration_limit);
  EXPECT_EQ(early.iterations, 2);
  EXPECT_LE(early.value - early.gap, best.value);
  EXPECT_GE(early.value, best.value - best.gap);
  EXPECT_EQ(interior_point(objective, *m3.pilot, {.time_limit = 0}).status, MinimumStatus::time_limit);
}

TEST(InteriorPoint, BadArguments) {
  const M3Design m3;
  const Objective objective(m3.weights, m3.prior);
  EXPECT_THROW(interior_point(objective, *m3.pilot, {.relative_gap = 0}), InvalidArgument);
  EXPECT_THROW(interior_point(objective, *m3.pilot, {.relative_gap = 2}), InvalidArgument);
  EXPECT_THROW(interior_point(objective, *m3.pilot, {.max_iterations = -1}), InvalidArgument);
  EXPECT_THROW(interior_point(objective, *m3.pilot, {.time_limit = -1}), InvalidArgument);
  EXPECT_THROW(interior_point(objective, *m3.pilot, {.threads = -1}), InvalidArgument);
  EXPECT_THROW(interior_point(objective, *m3.pilot, {.max_equations = 0}), InvalidArgument);
  EXPECT_THROW(interior_point(objective, *m3.pilot, {.max_equations = 2}), InvalidArgument);
  EXPECT_THROW(interior_point(objective, *TreasureDesign().pilot), InvalidArgument);
}

}  // namespace interior_point_test
}  // namespace mindgap::design

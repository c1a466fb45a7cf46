#include "mindgap/mdp/side_by_side.h"

#include <gtest/gtest.h>

#include <numeric>
#include <random>

#include "mdp/random_models.h"
#include "mindgap/base/error.h"
#include "mindgap/mdp/finite_horizon.h"

namespace mindgap::mdp {
namespace side_by_side_test {

// Models of one shape whose numbers differ.
std::vector<Mdp> several(std::uint64_t seed, std::size_t count, const RandomModel& shape) {
  const Mdp first = random_mdp(seed, shape);
  std::mt19937_64 bits(seed);
  const auto uniform = [&] { return (static_cast<double>(bits() >> 11) + .5) * 0x1p-53; };
  std::vector<Mdp> models = {first};
  while (models.size() < count) {
    std::vector<double> reward(first.reward().begin(), first.reward().end());
    std::vector<double> probability(first.probability().begin(), first.probability().end());
    for (double& r : reward) r += .5 * (uniform() - .5);
    for (std::int32_t k = 0; k < first.pairs(); ++k) {
      double sum = 0;
      for (const std::int64_t i : first.entries_of(k)) sum += probability[i] *= .5 + uniform();
      for (const std::int64_t i : first.entries_of(k)) probability[i] /= sum;
    }
    models.push_back(first.with_probability(std::move(probability)).with_reward(std::move(reward)));
  }
  return models;
}

std::vector<double> counting_positions(std::int32_t states) {
  std::vector<double> positions(static_cast<std::size_t>(states));
  for (std::size_t s = 0; s < positions.size(); ++s) positions[s] = static_cast<double>(s % 3);
  return positions;
}

// Two states, two steps, no discount. In 0 one may stay for 1 or go to 1 for 0; 1 pays 3 and stays. From 0:
// stay, stay 2; stay, go 1; go, stay 3. Without a penalty the best goes, earns 3 and is in 1 once. With state
// 1 marked and a penalty of 2 going is worth 3 - 2 = 1, staying 2.
TEST(SideBySide, HandValue) {
  MdpArrays arrays;
  arrays.discount = 1;
  arrays.pair_begin = {0, 2, 3};
  arrays.pair_action = {0, 1, 0};
  arrays.row_begin = {0, 1, 2, 3};
  arrays.next_state = {0, 1, 1};
  arrays.probability = {1, 1, 1};
  arrays.reward = {1, 0, 3};
  const SideBySide both(std::vector{Mdp(arrays), Mdp(arrays)});
  std::vector<double> marked(2 * SideBySide::kLanes, 0.0);
  std::fill(marked.begin() + SideBySide::kLanes, marked.end(), 1.0);
  const auto best = both.best_over(2, std::vector<double>{1, 0}, marked, {0, 2});
  EXPECT_EQ(best[0].value, 3);
  EXPECT_EQ(best[0].marked, 1);
  EXPECT_EQ(best[1].value, 2);
  EXPECT_EQ(best[1].marked, 0);
  const SideBySide::Followed goes =
      both.follow(std::vector<std::int32_t>{1, 2}, std::vector<double>{2, 0}, 2);
  EXPECT_EQ(goes.value[1], 6);
  EXPECT_EQ(goes.visits[1], 2);
  EXPECT_EQ(goes.visits[SideBySide::kLanes + 1], 2);
}

TEST(SideBySide, BestOverStepsAgreesWithBackwardInduction) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const std::vector<Mdp> models =
        several(seed, 1 + seed % 8, {.states = 13, .actions = 4, .discount = seed % 2 == 0 ? .9 : 1});
    const SideBySide all(models);
    const std::vector<double> positions = counting_positions(13);
    const auto best = all.best_over(17, positions, {}, {});
    for (std::size_t w = 0; w < models.size(); ++w) {
      const FiniteHorizonSolution alone = solve_finite_horizon(models[w], 17);
      const double wanted = std::inner_product(positions.begin(), positions.end(), alone.value.begin(), 0.0);
      EXPECT_NEAR(best[w].value, wanted, 1e-11);
    }
  }
}

// Value - penalty * marked is what backward induction finds for rewards less the penalty.
TEST(SideBySide, PenaltiesAreRewardsThatAreLower) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const std::vector<Mdp> models = several(seed, 8, {.states = 11, .discount = .95});
    std::vector<double> marked(11 * SideBySide::kLanes);
    for (std::size_t i = 0; i < marked.size(); ++i) marked[i] = (i * 7 + seed) % 3 == 0 ? 1 : 0;
    const SideBySide::Lanes<double> penalty = {0, .1, .2, .5, 1, 2, 10, 1000};
    const std::vector<double> positions = counting_positions(11);
    const auto best = SideBySide(models).best_over(9, positions, marked, penalty);
    for (std::size_t w = 0; w < models.size(); ++w) {
      std::vector<double> reward(models[w].reward().begin(), models[w].reward().end());
      for (std::int32_t k = 0; k < models[w].pairs(); ++k) {
        const auto s = static_cast<std::size_t>(models[w].state_of_pair(k));
        reward[k] -= penalty[w] * marked[s * SideBySide::kLanes + w];
      }
      const FiniteHorizonSolution alone = solve_finite_horizon(models[w].with_reward(std::move(reward)), 9);
      const double wanted = std::inner_product(positions.begin(), positions.end(), alone.value.begin(), 0.0);
      EXPECT_NEAR(best[w].value - penalty[w] * best[w].marked, wanted, 1e-12 * (10 + std::abs(wanted)));
    }
  }
}

// Whoever is beside a model, its results are the same bits.
TEST(SideBySide, CompanyChangesNothing) {
  const std::vector<Mdp> models = several(5, 8, {.states = 30, .actions = 3, .discount = .97});
  const SideBySide together(models);
  const std::vector<double> positions = counting_positions(30);
  const std::vector<double> marked(30 * SideBySide::kLanes, 1.0);
  const SideBySide::Lanes<double> penalty = {.3, .3, .3, .3, .3, .3, .3, .3};
  const auto points = together.best_over(12, positions, marked, penalty);
  const auto unmarked = together.best_over(12, positions, {}, {});
  const std::vector<std::int32_t> first(models[0].pair_begin().begin(), models[0].pair_begin().end() - 1);
  const SideBySide::Followed followed = together.follow(first, positions, 12);
  for (std::size_t w = 0; w < models.size(); ++w) {
    const SideBySide alone(std::span<const Mdp>(models).subspan(w, 1));
    const auto point = alone.best_over(12, positions, marked, penalty);
    EXPECT_EQ(points[w].value, point[0].value);
    EXPECT_EQ(points[w].marked, point[0].marked);
    EXPECT_EQ(unmarked[w].value, alone.best_over(12, positions, {}, {})[0].value);
    const SideBySide::Followed one = alone.follow(first, positions, 12);
    EXPECT_EQ(followed.value[w], one.value[0]);
    for (std::size_t s = 0; s < 30; ++s)
      EXPECT_EQ(followed.visits[s * SideBySide::kLanes + w], one.visits[s * SideBySide::kLanes]);
  }
}

TEST(SideBySide, BadArguments) {
  EXPECT_THROW(SideBySide(std::vector<Mdp>{}), InvalidArgument);
  EXPECT_THROW(SideBySide(several(1, 9, {})), InvalidArgument);
  EXPECT_THROW(SideBySide(std::vector{random_mdp(1, {}), random_mdp(2, {})}), InvalidArgument);
  const SideBySide one(std::vector{random_mdp(1, {})});
  EXPECT_THROW(one.best_over(0, counting_positions(5), {}, {}), InvalidArgument);
  EXPECT_THROW(one.best_over(1, counting_positions(4), {}, {}), InvalidArgument);
  EXPECT_THROW(one.follow(std::vector<std::int32_t>{0}, counting_positions(5), 1), InvalidArgument);
}

}  // namespace side_by_side_test
}  // namespace mindgap::mdp

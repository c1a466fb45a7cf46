#include "mindgap/mdp/model_batch.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <numeric>

#include "mdp/engines.h"
#include "mdp/random_models.h"
#include "mindgap/mdp/evaluate.h"
#include "mindgap/mdp/finite_horizon.h"
#include "mindgap/mdp/solve.h"

namespace mindgap::mdp {
namespace model_batch_test {

using ModelBatchOn = OnEngine;
INSTANTIATE_TEST_SUITE_P(Engines, ModelBatchOn, every_engine(), name_of_engine);

// Models with the transitions of one and numbers of their own.
std::vector<Mdp> siblings(std::int32_t count, const RandomModel& kind, std::uint64_t seed = 3) {
  const Mdp shape = random_mdp(seed, kind);
  std::mt19937_64 bits(seed + 1);
  const auto uniform = [&] { return (static_cast<double>(bits() >> 11) + 0.5) * 0x1p-53; };
  std::vector<Mdp> models;
  for (std::int32_t m = 0; m < count; ++m) {
    std::vector<double> reward(shape.reward().begin(), shape.reward().end());
    std::vector<double> probability(static_cast<std::size_t>(shape.nonzeros()));
    for (double& r : reward) r += 2 * uniform() - 1;
    for (std::int32_t k = 0; k < shape.pairs(); ++k) {
      double sum = 0;
      for (const std::int64_t i : shape.entries_of(k)) sum += probability[i] = uniform();
      for (const std::int64_t i : shape.entries_of(k)) probability[i] /= sum;
    }
    models.push_back(shape.with_probability(std::move(probability)).with_reward(std::move(reward)));
  }
  return models;
}

void load(ModelBatch& batch, const std::vector<Mdp>& models) {
  for (std::size_t m = 0; m < models.size(); ++m) batch.load(static_cast<std::int32_t>(m), models[m]);
}

constexpr std::int32_t kModels = 37;  // more than a warp, and no multiple of one
const std::vector<std::uint8_t> kAll(kModels, 1);
const std::vector<double> kNoPrice(kModels, 0.0);

std::vector<std::int32_t> first_pairs(const Mdp& mdp) {
  return {mdp.pair_begin().begin(), mdp.pair_begin().end() - 1};
}

TEST_P(ModelBatchOn, GivesModelsBack) {
  const std::vector<Mdp> models = siblings(kModels, {});
  ModelBatch batch(engine(), models[0], kModels);
  load(batch, models);
  for (std::int32_t m = 0; m < kModels; ++m) EXPECT_EQ(batch.read(m), models[m]) << m;
}

// The oracle is the solver of single models, with its own certificate.
TEST_P(ModelBatchOn, ValuesAreCertified) {
  const std::vector<Mdp> models = siblings(kModels, {.states = 60, .successors = 4, .discount = .95});
  ModelBatch batch(engine(), models[0], kModels);
  load(batch, models);
  batch.set_value(std::vector<double>(60, 0.0));
  ModelBatch::Certified found;
  batch.solve(models[0].start(), kNoPrice, kAll, std::vector<double>(kModels, 1e-9), found);
  for (std::int32_t m = 0; m < kModels; ++m) {
    const Solution alone = solve(models[m], {.tolerance = 1e-13});
    EXPECT_LE(found.half_width[m], 1e-9);
    EXPECT_NEAR(found.value[m], alone.value_at_start, found.half_width[m] + alone.half_width + 1e-12) << m;
    const ModelBatch::Value value = batch.read_value(m);
    const Policy policy = Policy::deterministic(models[m], value.pair);
    EXPECT_NEAR(evaluate(models[m], policy).value_at_start, alone.value_at_start, 2e-9) << m;
  }
}

// Models that are done, or not wanted, stay as they are; the others end where they would have alone.
TEST_P(ModelBatchOn, ModelsAreSolvedApart) {
  const std::vector<Mdp> models = siblings(kModels, {.states = 30, .discount = .9});
  ModelBatch batch(engine(), models[0], kModels);
  load(batch, models);
  const std::vector<double> guess(30, 5.0);
  batch.set_value(guess);
  std::vector<std::uint8_t> some(kModels, 0);
  std::vector<double> wanted(kModels, 1e-10);
  for (std::int32_t m = 0; m < kModels; m += 3) some[m] = 1;
  wanted[3] = 1;  // done at once
  ModelBatch::Certified found;
  batch.solve(models[0].start(), kNoPrice, some, wanted, found);
  EXPECT_EQ(batch.read_value(1).value, guess);
  EXPECT_LE(found.half_width[3], 1);
  EXPECT_GT(found.half_width[3], 1e-3);
  for (std::int32_t m = 0; m < kModels; m += 3)
    EXPECT_NEAR(found.value[m], solve(models[m]).value_at_start, found.half_width[m] + 1e-9) << m;
}

// Visits sum to the number of steps (to 1/(1-g) for ever), and value is what they meet.
TEST_P(ModelBatchOn, FollowsAPolicy) {
  const std::vector<Mdp> models = siblings(kModels, {.states = 20, .discount = .8});
  ModelBatch batch(engine(), models[0], kModels);
  load(batch, models);
  const std::vector<std::int32_t> pair = first_pairs(models[0]);
  const ModelBatch::Followed ten = batch.follow(pair, models[0].start(), 1, 10);
  std::vector<double> factor(kModels, 0.0);
  factor[33] = 1;
  const std::vector<double> visits = batch.sum_visits(factor);
  const std::vector<double> wanted =
      finite_occupancy(models[33], Policy::deterministic(models[33], pair), 10);
  for (std::size_t s = 0; s < visits.size(); ++s) EXPECT_NEAR(visits[s], wanted[s], 1e-13);
  const ModelBatch::Followed long_time = batch.follow(pair, models[0].start(), .8, 200);
  for (std::int32_t m = 0; m < kModels; ++m) {
    EXPECT_NEAR(ten.total[m], 10, 1e-12);
    EXPECT_NEAR(long_time.total[m], 5, 1e-12);
    EXPECT_NEAR(long_time.reward[m],
                evaluate(models[m], Policy::deterministic(models[m], pair)).value_at_start, 1e-11);
  }
}

// Without a price: backward induction. With one: the policy that is best with it, whose reward and visits
// make up its value; V(price) = reward - price * outside.
TEST_P(ModelBatchOn, FiniteHorizon) {
  const std::vector<Mdp> models = siblings(kModels, {.states = 20, .discount = .9});
  ModelBatch batch(engine(), models[0], kModels);
  load(batch, models);
  batch.follow(first_pairs(models[0]), models[0].start(), .9, 12);
  const std::vector<double> allowed = batch.mark_outside(.04);
  ModelBatch::Point free, priced;
  batch.finite_horizon(.9, 12, models[0].start(), kNoPrice, kAll, free);
  const std::vector<double> price(kModels, .7);
  batch.finite_horizon(.9, 12, models[0].start(), price, kAll, priced);
  for (std::int32_t m = 0; m < kModels; ++m) {
    const Policy first = Policy::deterministic(models[m], first_pairs(models[m]));
    std::vector<double> now(models[m].start().begin(), models[m].start().end()), next(20), visits(20);
    const std::vector<double> pi = first.probability_of_pair(models[m]);
    double weight = 1, sum = 0, outside = 0;
    for (int t = 0; t < 12; ++t, weight *= .9) {
      for (std::size_t s = 0; s < 20; ++s) visits[s] += weight * now[s];
      step_distribution(models[m], pi, now, next);
      std::swap(now, next);
    }
    sum = std::accumulate(visits.begin(), visits.end(), 0.0);
    std::vector<double> reward(models[m].reward().begin(), models[m].reward().end());
    for (std::int32_t s = 0; s < 20; ++s) {
      if (visits[s] >= .04 * sum) continue;
      outside += visits[s];
      for (const std::int32_t k : models[m].pairs_of(s)) reward[k] -= .7;
    }
    EXPECT_NEAR(allowed[m], outside, 1e-12);
    EXPECT_NEAR(free.reward[m], solve_finite_horizon(models[m], 12).value_at_start, 1e-12);
    EXPECT_NEAR(priced.reward[m] - .7 * priced.outside[m],
                solve_finite_horizon(models[m].with_reward(reward), 12).value_at_start, 1e-12);
  }
}

// Visits outside of the policies that solve() found, against their visitation.
TEST_P(ModelBatchOn, VisitsOutside) {
  const std::vector<Mdp> models = siblings(kModels, {.states = 30, .discount = .9});
  ModelBatch batch(engine(), models[0], kModels);
  load(batch, models);
  batch.follow(first_pairs(models[0]), models[0].start(), .9, 300);
  batch.mark_outside(.03);
  batch.set_value(std::vector<double>(30, 0.0));
  const std::vector<double> price(kModels, .2);
  ModelBatch::Certified found;
  batch.solve(models[0].start(), price, kAll, std::vector<double>(kModels, 1e-9), found);
  std::vector<double> outside;
  batch.visit_outside(models[0].start(), kAll, 1e-10, outside);
  for (std::int32_t m = 0; m < kModels; ++m) {
    const Policy first = Policy::deterministic(models[m], first_pairs(models[m]));
    const Policy best = Policy::deterministic(models[m], batch.read_value(m).pair);
    const std::vector<double> deployed = discounted_visitation(models[m], first).share;
    const std::vector<double> share = discounted_visitation(models[m], best).share;
    double sum = 0;
    for (std::size_t s = 0; s < share.size(); ++s) sum += deployed[s] < .03 ? share[s] * 10 : 0;
    EXPECT_NEAR(outside[m], sum, 1e-9) << m;
    EXPECT_NEAR(found.value[m], evaluate(models[m], best).value_at_start - .2 * sum, 1e-8) << m;
  }
  batch.follow_best(models[0].start(), .9, 300);
  std::vector<double> factor(kModels, 0.0);
  factor[5] = .1;
  const std::vector<double> visits = batch.sum_visits(factor);
  const std::vector<double> share =
      discounted_visitation(models[5], Policy::deterministic(models[5], batch.read_value(5).pair)).share;
  for (std::size_t s = 0; s < share.size(); ++s) EXPECT_NEAR(visits[s], share[s], 1e-11);
}

TEST_P(ModelBatchOn, RefusesWhatDoesNotFit) {
  const std::vector<Mdp> models = siblings(2, {});
  ModelBatch batch(engine(), models[0], 2);
  EXPECT_THROW(batch.load(0, random_mdp(77, {.states = 6})), InvalidArgument);
  EXPECT_THROW(batch.load(2, models[0]), NumericalError);
  EXPECT_THROW(batch.set_value(std::vector<double>(3)), InvalidArgument);
  EXPECT_THROW(batch.follow(std::vector<std::int32_t>(2), models[0].start(), .9, 3), InvalidArgument);
  EXPECT_THROW(batch.draw({}, 1, 1), InvalidArgument);
  EXPECT_THROW(ModelBatch(engine(), models[0], 0), InvalidArgument);
}

// An engine whose differences do not fall below 1e-15 any more, which is more than was asked for: the second
// round tells that they never will.
TEST(ModelBatch, VisitsEndWhereRoundingIsTheLimit) {
  static MindgapEngine stuck = *engine::host_engine();
  static int rounds = 0;
  stuck.visit_outside = [](MindgapBatch*, double, const double*, const std::uint8_t*, std::int32_t,
                           std::int32_t, double* low, double* high, double* outside) {
    ++rounds;
    *low = 1e-15;
    *high = 2e-15;
    *outside = 3;
    return 0;
  };
  const Mdp mdp = random_mdp(1, {.discount = .9});
  ModelBatch batch(stuck, mdp, 1);
  std::vector<double> outside;
  batch.visit_outside(mdp.start(), std::vector<std::uint8_t>{1}, 1e-16, outside);
  EXPECT_EQ(rounds, 2);
  EXPECT_NEAR(outside[0], 3 + 9 * 1.5e-15, 1e-15);
}

TEST(ModelBatch, PartsAreAboutEqual) {
  static MindgapEngine small = *engine::host_engine();
  small.capacity = [](const MindgapShape*) -> std::int64_t { return 32; };
  const Mdp mdp = random_mdp(1, {});
  EXPECT_EQ(ModelBatch::part_that_fits(small, mdp, 20), 20);
  EXPECT_EQ(ModelBatch::part_that_fits(small, mdp, 70), 24);
  small.capacity = [](const MindgapShape*) -> std::int64_t { return 0; };
  EXPECT_THROW(ModelBatch::part_that_fits(small, mdp, 1), InvalidArgument);
}

TEST(GpuEngine, SaysWhatIsMissing) {
  EXPECT_EQ(engine_of("cpu"), nullptr);
  EXPECT_THROW(engine_of("tpu"), InvalidArgument);
  try {
    gpu_engine();
    GTEST_SKIP() << "there is a GPU";
  } catch (const InvalidArgument& error) {
    EXPECT_NE(std::string(error.what()).find("MINDGAP_CUDA=ON"), std::string::npos) << error.what();
  }
}

}  // namespace model_batch_test
}  // namespace mindgap::mdp

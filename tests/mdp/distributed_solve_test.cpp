#include "mindgap/mdp/distributed_solve.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "mdp/random_models.h"
#include "mindgap/base/error.h"
#include "mindgap/mdp/builder.h"
#include "mindgap/mdp/ranks_engine.h"

// The loop and its bounds on an engine of one rank that is written here: evaluation by sweeps. The real one
// is tested by tests/petsc, where PETSc is there.
struct MindgapDistributed {
  MindgapPart part;
  double discount;
  std::vector<double> value, improved;
  std::vector<std::int32_t> pick;

  double q(std::int32_t k, const std::vector<double>& v) const {
    double sum = 0;
    for (std::int64_t i = part.row_begin[k]; i < part.row_begin[k + 1]; ++i)
      sum += part.probability[i] * v[part.next_state[i]];
    return part.reward[k] + discount * sum;
  }
};

namespace mindgap::mdp {
namespace distributed_solve_test {

// Sweeps of an evaluation: with too few of them it is a bad one.
int evaluation_sweeps = 2000;

MindgapRanks one_rank() {
  MindgapRanks ranks{};
  ranks.abi = MINDGAP_RANKS_ABI;
  ranks.ranks = 1;
  ranks.message = [] { return "it failed"; };
  ranks.create = [](const MindgapPart* part, double discount, MindgapDistributed** model) {
    const auto own = static_cast<std::size_t>(part->own_states);
    *model = new MindgapDistributed{
        *part, discount, {}, std::vector<double>(own), std::vector<std::int32_t>(own, -1)};
    return 0;
  };
  ranks.destroy = [](MindgapDistributed* model) { delete model; };
  ranks.set_value = [](MindgapDistributed* model, const double* own) {
    model->value.assign(own, own + model->part.own_states);
    return 0;
  };
  ranks.improve = [](MindgapDistributed* m, double* low, double* high, double* magnitude, int64_t* changed) {
    *low = 1e300;
    *high = -1e300;
    *magnitude = 0;
    *changed = 0;
    for (std::int32_t s = 0; s < m->part.own_states; ++s) {
      std::int32_t best = m->part.pair_begin[s];
      for (std::int32_t k = best; k < m->part.pair_begin[s + 1]; ++k) {
        if (m->q(k, m->value) > m->q(best, m->value)) best = k;
      }
      *changed += std::exchange(m->pick[s], best) != best;
      m->improved[s] = m->q(best, m->value);
      *low = std::min(*low, m->improved[s] - m->value[s]);
      *high = std::max(*high, m->improved[s] - m->value[s]);
      *magnitude = std::max({*magnitude, std::abs(m->value[s]), std::abs(m->improved[s])});
    }
    return 0;
  };
  ranks.evaluate = [](MindgapDistributed* m, double, std::int32_t, std::int64_t* products) {
    for (int i = 0; i < evaluation_sweeps; ++i) {
      std::vector<double> next;
      for (const std::int32_t k : m->pick) next.push_back(m->q(k, m->value));
      m->value = std::move(next);
    }
    *products = evaluation_sweeps;
    return evaluation_sweeps > 0 ? 0 : 1;
  };
  ranks.read = [](MindgapDistributed* m, double* value, std::int32_t* pair) {
    std::copy(m->improved.begin(), m->improved.end(), value);
    std::copy(m->pick.begin(), m->pick.end(), pair);
    return 0;
  };
  ranks.sum = ranks.maximum = [](double*, std::int32_t) { return 0; };
  return ranks;
}

ModelPart whole(const Mdp& mdp) {
  ModelPart part;
  part.discount = mdp.discount();
  part.states = mdp.states();
  part.actions = mdp.actions();
  part.pair_begin.assign(mdp.pair_begin().begin(), mdp.pair_begin().end());
  part.pair_action.assign(mdp.pair_action().begin(), mdp.pair_action().end());
  part.row_begin.assign(mdp.row_begin().begin(), mdp.row_begin().end());
  part.next_state.assign(mdp.next_state().begin(), mdp.next_state().end());
  part.probability.assign(mdp.probability().begin(), mdp.probability().end());
  part.reward.assign(mdp.reward().begin(), mdp.reward().end());
  part.start.assign(mdp.start().begin(), mdp.start().end());
  return part;
}

TEST(DistributedSolve, HasTheBoundsOfSolve) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const Mdp mdp =
        random_mdp(seed, {.states = 30, .discount = .97, .row_sum_error = seed % 2 == 0 ? 0 : 9e-10});
    const ModelPart part = whole(mdp);
    check_part(part);
    const DistributedSolution found = solve_distributed(part, one_rank());
    const Solution wanted = solve(mdp);
    EXPECT_EQ(found.status, wanted.status);
    EXPECT_NEAR(found.bounds[0], wanted.bounds[0], 1e-8);
    EXPECT_NEAR(found.bounds[1], wanted.bounds[1], 1e-8);
    EXPECT_LE(found.bounds[0], wanted.bounds[1]);
    EXPECT_GE(found.bounds[1], wanted.bounds[0]);
    for (std::int32_t s = 0; s < mdp.states(); ++s) {
      EXPECT_LE(std::abs(found.value[s] - wanted.value[s]), found.half_width + wanted.half_width);
      EXPECT_GE(mdp.find_pair(s, found.action[s]), 0);
    }
    EXPECT_GT(found.iterations, 0);
  }
}

// However badly policies are evaluated: the bounds hold, and say that they are wide.
TEST(DistributedSolve, BoundsHoldWhateverTheLinearSolverDid) {
  const Mdp mdp = random_mdp(4, {.states = 30, .discount = .99});
  const Solution wanted = solve(mdp);
  evaluation_sweeps = 1;
  const DistributedSolution found = solve_distributed(whole(mdp), one_rank(), {.max_iterations = 5});
  evaluation_sweeps = 2000;
  EXPECT_EQ(found.status, SolveStatus::iteration_limit);
  EXPECT_EQ(found.iterations, 5);
  EXPECT_GT(found.half_width, wanted.half_width);
  for (std::int32_t s = 0; s < mdp.states(); ++s)
    EXPECT_LE(std::abs(found.value[s] - wanted.value[s]), found.half_width + wanted.half_width);
}

TEST(DistributedSolve, RefusesWhatItCannotDo) {
  ModelPart part = whole(random_mdp(1));
  part.discount = 1;
  EXPECT_THROW(solve_distributed(part, one_rank()), InvalidArgument);
  part.discount = .9;
  EXPECT_THROW(solve_distributed(part, one_rank(), {.tolerance = 0}), InvalidArgument);
  EXPECT_THROW(solve_distributed(part, one_rank(), {.max_iterations = 0}), InvalidArgument);
  evaluation_sweeps = 0;
  EXPECT_THROW(solve_distributed(part, one_rank()), NumericalError);
  evaluation_sweeps = 2000;
  part.start[0] += .5;
  EXPECT_THROW(solve_distributed(part, one_rank()), InvalidModel);
  for (const double bad : {-1.0, 1.5}) {
    part.start[0] = bad;
    EXPECT_THROW(check_part(part), InvalidModel);
  }
  part = whole(random_mdp(1));
  part.reward[0] = std::nan("");
  EXPECT_THROW(check_part(part), InvalidModel);
  part = whole(random_mdp(1));
  part.probability[0] = -.1;
  EXPECT_THROW(check_part(part), InvalidModel);
}

// One state that pays 1 with g = 1/2 is worth 2. Of one state bounds have no width: one sweep finds it.
TEST(DistributedSolve, LiesInTheMiddleOfItsBounds) {
  MdpBuilder builder(.5, 1, 1);
  builder.set_reward(0, 0, 1);
  builder.add_transition(0, 0, 0, 1);
  const DistributedSolution found =
      solve_distributed(whole(builder.build()), one_rank(), {.max_iterations = 1});
  EXPECT_EQ(found.iterations, 1);
  EXPECT_NEAR(found.value[0], 2, 1e-14);
  EXPECT_NEAR(found.value_at_start, 2, 1e-14);
}

// Each of many ranks may round once more where their parts of the value at the start are added.
TEST(DistributedSolve, ManyRanksMayRoundMore) {
  const ModelPart part = whole(random_mdp(5, {.states = 30, .discount = .9}));
  MindgapRanks many = one_rank();
  many.ranks = 1'000'000;
  const auto width = [&](const MindgapRanks& ranks) {
    const DistributedSolution found = solve_distributed(part, ranks);
    return found.bounds[1] - found.bounds[0];
  };
  EXPECT_GT(width(many), width(one_rank()));
}

// The value at the start is a mean of values, each of which may be off by the half width: so may the mean.
TEST(DistributedSolve, TheStartIsNotKnownBetterThanItsStates) {
  const ModelPart part = whole(random_mdp(6, {.states = 30, .discount = .99}));
  const DistributedSolution found = solve_distributed(part, one_rank(), {.max_iterations = 1});
  EXPECT_EQ(found.status, SolveStatus::iteration_limit);
  EXPECT_GE(found.bounds[1] - found.value_at_start, found.half_width);
  EXPECT_GE(found.value_at_start - found.bounds[0], found.half_width);
  EXPECT_NEAR(found.half_width, found.policy_loss_bound / 2, 1e-9 * found.half_width);
}

// What the others said, as the second of three ranks hears it: the lowest rank that failed, 3 for none.
std::int32_t first_failed = 3, said = -1;

TEST(OnAllRanks, OneSpeaksWhereSomeFail) {
  MindgapRanks ranks = one_rank();
  ranks.ranks = 3;
  ranks.rank = 1;
  ranks.agree = [](std::int32_t failed) {
    said = failed;
    return failed ? std::min(first_failed, 1) : first_failed;
  };
  const auto fails = [] { throw NumericalError("here"); };
  first_failed = 3;
  EXPECT_TRUE(on_all_ranks(ranks, [] {}));
  EXPECT_EQ(said, 0);
  EXPECT_THROW(on_all_ranks(ranks, fails), NumericalError);  // the only one
  EXPECT_EQ(said, 1);
  first_failed = 2;
  EXPECT_FALSE(on_all_ranks(ranks, [] {}));
  EXPECT_THROW(on_all_ranks(ranks, fails), NumericalError);  // before the other
  first_failed = 0;
  EXPECT_FALSE(on_all_ranks(ranks, fails));  // rank 0 speaks for both
}

}  // namespace distributed_solve_test
}  // namespace mindgap::mdp

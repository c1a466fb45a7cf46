#include "mindgap/trial/user_world_case.h"

#include <gtest/gtest.h>

#include <cmath>

#include "mindgap/base/error.h"
#include "mindgap/mdp/builder.h"
#include "mindgap/trial/open_case.h"

namespace mindgap::trial {
namespace user_world_case_test {

// Two places; "stay" pays what the place says, "go" changes it and pays nothing.
mdp::Mdp two_places(double first, double second) {
  mdp::MdpBuilder builder(.9, 2, 2);
  for (const int place : {0, 1}) {
    builder.add_transition(place, 0, place, 1);
    builder.set_reward(place, 0, place == 0 ? first : second);
    builder.add_transition(place, 1, 1 - place, 1);
    builder.set_reward(place, 1, 0);
  }
  return builder.build().with_start({1, 0});
}

mdp::Model simulator() {
  return {.name = "two places",
          .mdp = two_places(2, 1),
          .reward_variance = .01,
          .prior = mdp::PriorSpec{.reward_sd = 1, .transition_strength = 5}};
}

// The same with other rewards; in trial `broken` the third step fails, and in trial `leap` whoever stays
// moves, which the simulator calls impossible.
class Written final : public world::World {
 public:
  Written(std::uint64_t trial, std::uint64_t broken, std::uint64_t leap)
      : mdp_(two_places(1, 3)), trial_(trial), broken_(broken), leap_(leap), state_(2), steps_(2) {}

  std::int64_t units() const override { return 2; }
  std::int32_t states() const override { return 2; }
  std::span<const std::int32_t> pair_begin() const override { return mdp_.pair_begin(); }
  std::span<const std::int32_t> pair_action() const override { return mdp_.pair_action(); }
  std::int32_t reset(std::int64_t unit) override {
    steps_[unit] = 0;
    return state_[unit] = 0;
  }
  std::int32_t state(std::int64_t unit) const override { return state_[unit]; }
  world::Observation step(std::int64_t unit, std::int32_t pair) override {
    if (trial_ == broken_ && steps_[unit] == 2)
      throw WorldFailed({.trial = trial_, .unit = unit, .step = steps_[unit], .message = "flat tyre"});
    ++steps_[unit];
    state_[unit] = mdp_.row(pair).next_state[0];
    if (trial_ == leap_) state_[unit] = 1 - state_[unit];
    return {mdp_.reward()[pair], state_[unit]};
  }

 private:
  mdp::Mdp mdp_;
  std::uint64_t trial_, broken_, leap_;
  std::vector<std::int32_t> state_;
  std::vector<std::int64_t> steps_;
};

constexpr std::uint64_t kNever = 99;

UserWorldOptions options(std::uint64_t broken = kNever, std::uint64_t leap = kNever) {
  UserWorldOptions options{.name = "written", .simulator = simulator(), .make_world = {}};
  options.make_world = [=](std::uint64_t trial) { return std::make_unique<Written>(trial, broken, leap); };
  options.units = 2;
  return options;
}

const std::vector<std::int64_t> kHorizons = {4, 10};

// The simulator's best is to stay in the first place, which really pays 1 a step; the truth's is to go to the
// second, one step for nothing and then 3.
TEST(UserWorldCase, PlannersActInIt) {
  UserWorldOptions asked = options();
  asked.oracle = best_in(asked.simulator.mdp, two_places(1, 3));
  const UserWorldCase on(asked);
  EXPECT_EQ(on.run("sop", 0, kHorizons), (std::vector<double>{2 * 4, 2 * 10}));
  EXPECT_EQ(on.run("oracle", 0, kHorizons), (std::vector<double>{2 * 3 * 3, 2 * 3 * 9}));
  EXPECT_EQ(on.planners()[0].name, "oracle");
  EXPECT_TRUE(on.findings().empty());
  EXPECT_TRUE(on.failed_trials().empty());
}

TEST(UserWorldCase, TakesPlannersThatAreBrought) {
  const UserWorldCase on(options());
  const OpenCase open(on, {{"mine", planner::find_planner("sop").make}});
  EXPECT_EQ(open.run("mine", 0, kHorizons), on.run("sop", 0, kHorizons));
  EXPECT_EQ(open.planners()[0].name, planner::planners()[0].name) << "there is no oracle";
}

TEST(UserWorldCase, KeepsWhatBrokeATrialOff) {
  const UserWorldCase on(options(1));
  EXPECT_TRUE(std::isnan(on.run("sop", 1, kHorizons)[0]));
  EXPECT_TRUE(std::isnan(on.run("asop", 1, kHorizons)[1]));
  EXPECT_FALSE(std::isnan(on.run("sop", 0, kHorizons)[1]));
  EXPECT_EQ(on.failed_trials(), std::vector<std::uint64_t>{1});
  ASSERT_EQ(on.broken().size(), 1);
  EXPECT_EQ(on.broken()[0].planner, "sop");
  EXPECT_EQ(on.broken()[0].step, 2);
  EXPECT_EQ(on.broken()[0].message, "flat tyre");
}

TEST(UserWorldCase, CountsMovesThatTheSimulatorCallsImpossible) {
  const UserWorldCase on(options(kNever, 2));
  on.run("sop", 0, kHorizons);
  EXPECT_TRUE(on.findings().empty());
  on.run("sop", 2, kHorizons);
  const std::vector<CaseWarning> findings = on.findings();
  ASSERT_EQ(findings.size(), 1);
  const auto& found = std::get<ImpossibleMoves>(findings[0]);
  EXPECT_EQ(found.moves, 2 * 10);
  EXPECT_EQ(found.of, 2 * 2 * 10);
}

TEST(UserWorldCase, RefusesWhatDoesNotFit) {
  UserWorldOptions nobody = options();
  nobody.units = 0;
  EXPECT_THROW(UserWorldCase{nobody}, InvalidArgument);
  UserWorldOptions unsure = options();
  unsure.simulator.reward_variance.reset();
  EXPECT_THROW(UserWorldCase{unsure}, InvalidArgument);
  mdp::MdpBuilder other(.9, 1, 1);
  other.add_transition(0, 0, 0, 1);
  other.set_reward(0, 0, 1);
  EXPECT_THROW(best_in(simulator().mdp, other.build()), InvalidArgument);
}

}  // namespace user_world_case_test
}  // namespace mindgap::trial

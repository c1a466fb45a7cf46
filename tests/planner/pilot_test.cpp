#include "mindgap/planner/pilot.h"

#include <gtest/gtest.h>

#include "decide/situations.h"
#include "mindgap/base/error.h"

namespace mindgap::planner {
namespace pilot_test {

// Three arms of one state, known to be 1 and .5, and one that may be far better than its .2.
Setting setting(std::int64_t units, std::int64_t replan_every) {
  Setting setting{belief::Belief(decide::arms({1, .5, .2}), {{0, 0, 10}, {1, 1, 1}}, {1, 1, .01}), units, 20,
                  42, 0};
  setting.options.replan_every = replan_every;
  return setting;
}

// One route over the arms given by step.
std::shared_ptr<const design::Pilot> routed(std::vector<std::int32_t> arm,
                                            std::vector<std::int32_t> route_of_unit) {
  design::Pilot pilot;
  pilot.steps = static_cast<std::int64_t>(arm.size());
  pilot.states = 1;
  pilot.routes.push_back({1, 1, std::move(arm)});
  pilot.route_of_unit = std::move(route_of_unit);
  return std::make_shared<const design::Pilot>(std::move(pilot));
}

// Everybody's choices at one step; all are in state 0.
std::vector<std::int32_t> chosen(Planner& planner, std::int64_t step, std::size_t units) {
  const std::vector<std::int32_t> state(units, 0);
  std::vector<std::int32_t> pair(units, -1);
  planner.choose(step, state, pair);
  return pair;
}

void show(Planner& planner, std::int64_t step, const std::vector<std::int32_t>& pair,
          const std::vector<double>& reward) {
  const std::vector<std::int32_t> state(pair.size(), 0);
  planner.observe(step, {state, pair, reward, state});
}

TEST(Pilot, ItsUnitsFollowTheirRoutesAndTheOthersTheMean) {
  const auto planner = make_pilot(setting(3, 5), routed({2, 1, 2}, {-1, 0, -1}));
  for (const std::int32_t sent : {2, 1, 2}) {
    const std::int64_t step = sent == 1 ? 1 : 0;
    EXPECT_EQ(chosen(*planner, step, 3), (std::vector<std::int32_t>{0, sent, 0}));
  }
}

// Replanning every 7 steps would be at 0, 7, ...; the pilot ends after 3 and what it saw counts from step 3.
TEST(Pilot, WhatItSawCountsRightAfterIt) {
  const auto planner = make_pilot(setting(2, 7), routed({2, 2, 2}, {0, -1}));
  for (std::int64_t step = 0; step < 3; ++step) {
    const std::vector<std::int32_t> pair = chosen(*planner, step, 2);
    EXPECT_EQ(pair, (std::vector<std::int32_t>{2, 0}));
    show(*planner, step, pair, {4, 1});
  }
  EXPECT_EQ(chosen(*planner, 3, 2), (std::vector<std::int32_t>{2, 2}));
}

// A better arm found at step 0 is used by the others at the next look, within the pilot.
TEST(Pilot, TheOthersLearnMeanwhile) {
  const auto planner = make_pilot(setting(2, 2), routed({2, 1, 1, 1}, {0, -1}));
  show(*planner, 0, chosen(*planner, 0, 2), {4, 1});
  EXPECT_EQ(chosen(*planner, 1, 2), (std::vector<std::int32_t>{1, 0}));
  show(*planner, 1, {1, 0}, {.5, 1});
  EXPECT_EQ(chosen(*planner, 2, 2), (std::vector<std::int32_t>{1, 2}));
}

TEST(Pilot, WhereARouteSaysNothingTheMeanDoes) {
  const auto planner = make_pilot(setting(1, 5), routed({-1, 2}, {0}));
  EXPECT_EQ(chosen(*planner, 0, 1), (std::vector<std::int32_t>{0}));
  EXPECT_EQ(chosen(*planner, 1, 1), (std::vector<std::int32_t>{2}));
}

// While everybody is on a route nobody needs a policy; the look that was due is made when somebody does, with
// all that was seen by then.
TEST(Pilot, LooksWaitWhileEverybodyIsSent) {
  const auto planner = make_pilot(setting(1, 5), routed({2, 1, -1, 2}, {0}));
  show(*planner, 0, chosen(*planner, 0, 1), {4});
  show(*planner, 1, chosen(*planner, 1, 1), {.5});
  EXPECT_EQ(chosen(*planner, 2, 1), (std::vector<std::int32_t>{2}));
  show(*planner, 2, {2}, {4});
  EXPECT_EQ(chosen(*planner, 3, 1), (std::vector<std::int32_t>{2}));
  show(*planner, 3, {2}, {-40});
  EXPECT_EQ(chosen(*planner, 4, 1), (std::vector<std::int32_t>{0}));  // the pilot is over: a look
}

TEST(Pilot, RefusesAPilotOfOtherUnits) {
  EXPECT_THROW(make_pilot(setting(3, 5), routed({2}, {0, -1})), InvalidArgument);
  EXPECT_THROW(make_pilot(setting(1, 5), routed({2}, {0, -1})), InvalidArgument);
}

// A route that does not exist, or one that is too short for the pilot's steps.
TEST(Pilot, RefusesRoutesThatAreNotThere) {
  EXPECT_THROW(make_pilot(setting(1, 5), routed({2}, {1})), InvalidArgument);
  design::Pilot pilot = *routed({2}, {0});
  pilot.steps = 2;
  EXPECT_THROW(make_pilot(setting(1, 5), std::make_shared<const design::Pilot>(pilot)), InvalidArgument);
}

}  // namespace pilot_test
}  // namespace mindgap::planner

#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "mindgap/base/random.h"
#include "mindgap/belief/drawn_rows.h"
#include "mindgap/world/world.h"

namespace mindgap::decide {

/// Whose rewards are added up, in up to three ways: by the state they were earned in, by where the unit was
/// at first, and by whether the unit is in a pilot. Numbers below 0, and what is empty, count nowhere.
struct EarnedBy {
  std::int32_t count = 0;                  // groups of all ways together; 0: nothing is counted
  std::vector<std::int32_t> state;         // group of each state
  std::vector<std::int32_t> unit, member;  // groups of each unit
};

/// A model drawn from the belief, taken for the truth: units act in it from where they are. It keeps account
/// of what they earn in expectation, the mean reward of each pair they take: the noise of single rewards
/// would only blur a comparison. Streams have the key (seed, Purpose::world, number, unit, step) and two
/// words each, the next state and the reward, so that plans compared on one number meet the same luck.
class DrawnWorld final : public world::World {
 public:
  /// `variance` of one observed reward, per pair, and what `rewards` says a unit sees of a mean reward (as
  /// Belief::rewards() has it). Both spans must outlive the world.
  DrawnWorld(belief::DrawnRows truth, std::span<const double> variance,
             std::span<const std::int32_t> unit_state, std::int64_t horizon, std::uint64_t seed,
             std::uint64_t number, std::shared_ptr<const belief::RewardBelief> rewards);

  std::int64_t units() const override { return static_cast<std::int64_t>(first_.size()); }
  std::int32_t states() const override { return truth_.shape().states(); }
  std::span<const std::int32_t> pair_begin() const override { return truth_.shape().pair_begin(); }
  std::span<const std::int32_t> pair_action() const override { return truth_.shape().pair_action(); }

  std::int32_t reset(std::int64_t unit) override;
  std::int32_t state(std::int64_t unit) const override { return state_[static_cast<std::size_t>(unit)]; }
  world::Observation step(std::int64_t unit, std::int32_t pair) override;

  /// Mean reward of all units at each step since forget(), horizon numbers.
  std::span<const double> earned() const { return earned_; }
  /// Rewards are also counted by group from now on; null: they are not. It must outlive the world.
  void count_by(const EarnedBy* groups) {
    groups_ = groups != nullptr && groups->count > 0 ? groups : nullptr;
  }
  /// From now on mean rewards move, around the means of `belief`, which must outlive the world, and with its
  /// standard deviations; the same path for every plan. Streams have the key (seed, Purpose::world, number,
  /// pair, 2^64 - 3), one normal a step.
  void move(const belief::Belief& belief, double rate);
  /// Of all steps since forget().
  std::span<const double> earned_by_group() const { return by_group_; }
  /// Back to the beginning, for the next plan.
  void forget();

 private:
  // What a pair pays at a step, in expectation.
  double mean_at(std::int32_t pair, std::size_t step, double first);

  // The deviation of a pair's mean by step, as far as it was asked for.
  struct Path {
    base::Stream stream;
    std::vector<double> deviation;
  };
  const belief::Belief* around_ = nullptr;  // null: means stand still
  double keep_ = 1;
  std::vector<std::unique_ptr<Path>> path_;  // per pair, where it was asked for

  belief::DrawnRows truth_;
  std::span<const double> variance_;
  std::span<const std::int32_t> first_;
  std::uint64_t seed_, number_;
  std::shared_ptr<const belief::RewardBelief> rewards_;
  std::vector<std::int32_t> state_;
  std::vector<std::int64_t> steps_;  // taken by each unit
  std::vector<double> earned_, by_group_;
  const EarnedBy* groups_ = nullptr;
};

}  // namespace mindgap::decide

#pragma once

#include <vector>

#include "mindgap/base/random.h"
#include "mindgap/world/draw.h"
#include "mindgap/world/hidden_model.h"
#include "mindgap/world/world.h"

namespace mindgap::world {

/// A HiddenModel in motion. Streams have the key (seed, Purpose::world, trial, unit, step), and every step
/// uses two words of its own:
///  - reset, key step 0: the state from start, then h from P_t(.|state);
///  - the t-th step (t = 1, 2, ...), key step t: (s',h') from K(.|s,a,h) by inverse distribution function
///  over
///    the row in its order, then the reward, Gaussian with the cell's mean and variance (0: the mean itself).
/// All units stand reset at the beginning.
class TabularWorld final : public World {
 public:
  TabularWorld(HiddenModel model, std::uint64_t seed, std::uint64_t trial, std::int64_t units);

  std::int64_t units() const override { return static_cast<std::int64_t>(unit_.size()); }
  std::int32_t states() const override { return model_.states(); }
  std::span<const std::int32_t> pair_begin() const override { return model_.pair_begin(); }
  std::span<const std::int32_t> pair_action() const override { return model_.pair_action(); }

  std::int32_t reset(std::int64_t unit) override;
  std::int32_t state(std::int64_t unit) const override;
  Observation step(std::int64_t unit, std::int32_t pair) override;

 private:
  struct Unit {
    std::int32_t state = 0;
    std::int32_t hidden = 0;
    std::uint64_t steps = 0;  // taken since the reset
  };
  base::Stream stream(std::int64_t unit, std::uint64_t step) const;
  void check_unit(const char* function, std::int64_t unit) const;

  HiddenModel model_;
  Cumulative start_;
  std::uint64_t seed_, trial_;
  std::vector<Unit> unit_;
};

}  // namespace mindgap::world

#pragma once

#include <cstdint>
#include <span>

namespace mindgap::world {

/// What a unit's step shows: nothing of the hidden state.
struct Observation {
  double reward = 0;
  std::int32_t next_state = 0;
};

/// A truth that units act in, as one trial meets it: `units` units that do not interact. Which pairs there
/// are is said as an Mdp says it, so that pair k of a simulator with the same states and actions is pair k
/// here. What a unit meets is a function of the seed, the trial, the unit, the step and where the unit is;
/// not of what anybody else did or drew: planners that are compared on the same seed and trial meet the same
/// luck.
///
/// Calls about different units may come from different threads at a time.
class World {
 public:
  virtual ~World() = default;

  virtual std::int64_t units() const = 0;
  virtual std::int32_t states() const = 0;
  virtual std::span<const std::int32_t> pair_begin() const = 0;   // states + 1
  virtual std::span<const std::int32_t> pair_action() const = 0;  // pairs

  /// Puts a unit at its beginning (step 0) and returns its state. A unit that is reset again begins at the
  /// same place and meets the same luck again.
  virtual std::int32_t reset(std::int64_t unit) = 0;
  /// Where a unit is.
  virtual std::int32_t state(std::int64_t unit) const = 0;
  /// Takes `pair`, which must be one of the unit's state; else InvalidArgument.
  virtual Observation step(std::int64_t unit, std::int32_t pair) = 0;
};

}  // namespace mindgap::world

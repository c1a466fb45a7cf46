#pragma once

#include <vector>

#include "bindings/python_planner.h"
#include "mindgap/trial/user_world_case.h"

namespace mindgap::python {

/// One trial of a truth written in Python, a mindgap.worlds.Truth: one instance per unit with reset(seed) ->
/// state and step(action) -> (reward, next state). The seed of a unit is a function of the run's seed, the
/// trial and the unit. Calls come without the interpreter held, from one thread at a time. What it raises
/// breaks the trial off (trial::WorldFailed), unless it is meant to end the program: that ends the call.
class PythonWorld final : public world::World {
 public:
  PythonWorld(const mdp::Mdp& simulator, const nb::object& truth, std::uint64_t seed, std::uint64_t trial,
              std::int64_t units, LongCall& call);
  ~PythonWorld() override;
  PythonWorld(const PythonWorld&) = delete;
  PythonWorld& operator=(const PythonWorld&) = delete;

  std::int64_t units() const override { return static_cast<std::int64_t>(units_.size()); }
  std::int32_t states() const override { return mdp_.states(); }
  std::span<const std::int32_t> pair_begin() const override { return mdp_.pair_begin(); }
  std::span<const std::int32_t> pair_action() const override { return mdp_.pair_action(); }
  std::int32_t reset(std::int64_t unit) override;
  std::int32_t state(std::int64_t unit) const override {
    return units_.at(static_cast<std::size_t>(unit)).state;
  }
  world::Observation step(std::int64_t unit, std::int32_t pair) override;

 private:
  struct Unit {
    nb::object reset, step;
    std::int32_t state = 0;
    std::int64_t steps = 0;
  };

  std::uint64_t seed_of(std::int64_t unit) const;
  std::int32_t state_from(nb::handle answer, const char* method) const;
  template <typename Call>
  auto tried(std::int64_t unit, std::int64_t step, Call call);

  mdp::Mdp mdp_;
  const nb::object& truth_;
  nb::object instances_;
  std::uint64_t seed_, trial_;
  LongCall& call_;
  std::vector<Unit> units_;
};

}  // namespace mindgap::python

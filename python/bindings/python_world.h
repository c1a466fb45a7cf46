#pragma once

#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "bindings/python_planner.h"
#include "mindgap/trial/case.h"
#include "mindgap/world/world.h"

namespace mindgap::python {

/// A trial that a user's world broke off.
struct Failure {
  std::uint64_t trial = 0;
  std::string planner = {};
  std::int64_t unit = 0, step = 0;  // step -1: reset
  std::uint64_t seed = 0;           // that the unit was reset with
  std::string message = {}, traceback = {};
};

class WorldFailed : public std::exception {
 public:
  explicit WorldFailed(Failure failure) : failure_(std::move(failure)) {}
  const char* what() const noexcept override { return failure_.message.c_str(); }
  const Failure& failure() const { return failure_; }

 private:
  Failure failure_;
};

/// One trial of a truth written in Python, a mindgap.worlds.Truth: one instance per unit with reset(seed) ->
/// state and step(action) -> (reward, next state). The seed of a unit is a function of the run's seed, the
/// trial and the unit. Calls come without the interpreter held, from one thread at a time.
class PythonWorld final : public world::World {
 public:
  PythonWorld(const mdp::Mdp& simulator, const nb::object& truth, std::uint64_t seed, std::uint64_t trial,
              std::int64_t units);
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

  std::int64_t moves() const { return moves_; }
  std::int64_t impossible_moves() const { return impossible_moves_; }  // according to the simulator

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
  std::vector<Unit> units_;
  std::int64_t moves_ = 0, impossible_moves_ = 0;
};

struct PythonCaseOptions {
  std::string name;
  mdp::Model simulator;
  nb::object truth;
  std::vector<OwnPlanner> own;  // one of them may be "oracle"
  std::int64_t units = 20;
  std::uint64_t seed = 42;
  std::vector<std::int64_t> horizons = {100};
  std::int64_t trials = 20;
  planner::PlannerOptions planner = {};
  LongCall* call = nullptr;
};

/// Planners in a truth written in Python. Where that raises, the trial's values are NaN and the failure is
/// kept; what a planner raises ends the call.
class PythonCase final : public trial::Case {
 public:
  explicit PythonCase(PythonCaseOptions options);

  std::string name() const override { return options_.name; }
  std::string unit() const override { return "reward"; }
  std::vector<trial::PlannerName> planners() const override;
  std::vector<std::int64_t> default_horizons() const override { return options_.horizons; }
  std::int64_t default_trials() const override { return options_.trials; }
  std::vector<std::pair<std::string, std::string>> settings() const override;
  std::vector<double> run(std::string_view planner, std::uint64_t trial,
                          std::span<const std::int64_t> horizons) const override;

  /// By trial.
  std::vector<Failure> failures() const;
  std::vector<std::string> findings() const override;
  std::vector<std::uint64_t> failed_trials() const override;

 private:
  PythonCaseOptions options_;
  belief::Belief belief_;
  mutable std::mutex mutex_;
  mutable std::map<std::uint64_t, Failure> failures_;
  mutable std::int64_t moves_ = 0, impossible_moves_ = 0;
};

/// A case of the library with planners of a user beside its own. Throws InvalidArgument where the case does
/// not take any.
class OpenCase final : public trial::Case {
 public:
  OpenCase(const trial::Case& on, std::vector<OwnPlanner> own, LongCall& call);

  std::string name() const override { return on_.name(); }
  std::string unit() const override { return on_.unit(); }
  std::string horizon_unit() const override { return on_.horizon_unit(); }
  std::vector<trial::PlannerName> planners() const override;
  std::vector<std::string> default_planners() const override;
  std::vector<std::int64_t> default_horizons() const override { return on_.default_horizons(); }
  std::int64_t default_trials() const override { return on_.default_trials(); }
  std::vector<std::pair<std::string, std::string>> settings() const override { return on_.settings(); }
  std::vector<std::string> warnings() const override { return on_.warnings(); }
  std::vector<double> run(std::string_view planner, std::uint64_t trial,
                          std::span<const std::int64_t> horizons) const override;

 private:
  const trial::Case& on_;
  std::vector<OwnPlanner> own_;
  LongCall& call_;
};

}  // namespace mindgap::python

#include <fmt/format.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/pair.h>

#include <cmath>

#include "bindings/program.h"
#include "bindings/python_planner.h"
#include "mindgap/base/check.h"
#include "mindgap/base/error.h"
#include "mindgap/base/suggest.h"
#include "mindgap/belief/stated_belief.h"

namespace mindgap::python {
namespace {

using belief::Belief;
using planner::PlannerOptions;
using planner::Setting;

// Ctrl-C ends a call that takes long, or waits for another thread.
template <typename Compute>
auto stoppable(Compute compute) {
  return LongCall(nb::none()).run(compute);
}

// One of our planners that somebody else gives the turns to. Called without the interpreter held.
class Acting {
 public:
  Acting(const std::string& name, const mdp::Model& simulator, std::int64_t units, std::int64_t horizon,
         std::uint64_t seed, std::uint64_t trial, const PlannerOptions& options)
      : setting_{belief::stated_belief(simulator, "a planner"), units, horizon, seed, trial, options},
        planner_(planner::find_planner(name).make(setting_)) {
    base::check_range("make", "units", static_cast<double>(units), 1, 1e7);
    base::check_range("make", "horizon", static_cast<double>(horizon), 1, 1e9);
  }

  std::vector<std::int32_t> choose(std::int64_t step, std::span<const std::int32_t> states) {
    const mdp::Mdp& mdp = setting_.belief.simulator();
    check(states, "choose");
    std::vector<std::int32_t> chosen(states.size());
    turns_.take([&] {
      if (!asked_ && step > 0) planner_->choose(0, states, chosen);  // others chose so far: it plans now
      asked_ = true;
      planner_->choose(step, states, chosen);
    });
    for (std::int32_t& k : chosen) k = mdp.pair_action()[k];
    return chosen;
  }

  void observe(std::int64_t step, std::span<const std::int32_t> states, std::span<const std::int32_t> actions,
               std::span<const double> rewards, std::span<const std::int32_t> next_states) {
    check(states, "observe");
    check(next_states, "observe");
    base::check_size("observe", "actions", actions.size(), states.size());
    base::check_size("observe", "rewards", rewards.size(), states.size());
    base::check_finite("observe", "rewards", rewards);
    const std::vector<std::int32_t> pairs = pairs_of(setting_.belief.simulator(), states, actions, "observe");
    turns_.take([&] { planner_->observe(step, {states, pairs, rewards, next_states}); });
  }

  void observe(std::int64_t step, std::span<const mdp::Observation> seen) {
    const mdp::Mdp& mdp = setting_.belief.simulator();
    std::vector<std::int32_t> states, pairs, next_states;
    std::vector<double> rewards, weights;
    for (const mdp::Observation& one : seen) {
      if (!one.reward || !one.next_state)
        throw InvalidArgument("observe: the reward or the next state is missing");
      states.push_back(mdp.state_of_pair(one.pair));
      pairs.push_back(one.pair);
      rewards.push_back(*one.reward);
      next_states.push_back(*one.next_state);
      weights.push_back(one.weight);
    }
    turns_.take([&] { planner_->observe(step, {states, pairs, rewards, next_states, weights}); });
  }

 private:
  void check(std::span<const std::int32_t> states, const char* function) const {
    base::check_size(function, "states", states.size(), static_cast<std::size_t>(setting_.units));
    for (const std::int32_t s : states)
      base::check_range(function, "state", s, 0, setting_.belief.simulator().states() - 1);
  }

  Setting setting_;
  std::unique_ptr<planner::Planner> planner_;
  Turns turns_;
  bool asked_ = false;
};

// A belief that threads may share. Called with the interpreter held, and frees it.
struct SharedBelief {
  Belief belief;
  mutable Turns turns = {};

  template <typename Read>
  auto read(Read get) const {
    return stoppable([&] { return turns.take([&] { return get(belief); }); });
  }
};

PlannerOptions options_from(const std::map<std::string, double>& given) {
  PlannerOptions options;
  const std::map<std::string, std::int64_t*> whole = {{"replan_every", &options.replan_every},
                                                      {"pilot_steps", &options.pilot_steps},
                                                      {"explore_steps", &options.explore_steps},
                                                      {"window", &options.window},
                                                      {"seed_steps", &options.seed_steps}};
  const std::map<std::string, double*> real = {{"epsilon", &options.epsilon},
                                               {"epsilon_decay", &options.epsilon_decay},
                                               {"explorer_share", &options.explorer_share},
                                               {"explore_probability", &options.explore_probability},
                                               {"reexplore_threshold", &options.reexplore_threshold},
                                               {"confidence", &options.confidence},
                                               {"optimism", &options.optimism},
                                               {"bonus", &options.bonus}};
  std::vector<std::string> names = {"draws", "seeds"};
  for (const auto& [name, place] : whole) names.push_back(name);
  for (const auto& [name, place] : real) names.push_back(name);
  for (const auto& [name, value] : given) {
    const auto as_whole = [&, &key = name, number = value] {
      if (number != std::floor(number) || std::abs(number) > 1e15)
        throw InvalidArgument(fmt::format("{} is {}, but must be a whole number", key, number));
      return static_cast<std::int64_t>(number);
    };
    if (whole.contains(name)) {
      *whole.at(name) = as_whole();
    } else if (real.contains(name)) {
      *real.at(name) = value;
    } else if (name == "draws") {
      base::check_range("PlannerOptions", "draws", value, 2, 1e6);
      options.draws = static_cast<std::int32_t>(as_whole());
    } else if (name == "seeds") {
      base::check_range("PlannerOptions", "seeds", value, 1, 1e6);
      options.seeds = static_cast<std::int32_t>(as_whole());
    } else {
      throw InvalidArgument(base::unknown_name("option of planners", name, names));
    }
  }
  options.validate();
  return options;
}

std::span<const std::int32_t> span_of(const InArray<std::int32_t>& values) {
  return {values.data(), values.size()};
}

mdp::Model model_of(const Belief& belief, mdp::Mdp mdp) {
  mdp::Model model{"", std::move(mdp)};
  model.variance.assign(belief.observation_variance().begin(), belief.observation_variance().end());
  return model;
}

void learn(SharedBelief& shared, nb::object given_states, nb::object given_actions, nb::object given_rewards,
           nb::object given_next_states) {
  const nb::module_ from = nb::module_::import_("mindgap.planners");
  const auto whole = [&](const nb::object& values, const char* what) {
    return nb::cast<InArray<std::int32_t>>(from.attr("_whole")(values, what));
  };
  const auto states = whole(given_states, "states"), actions = whole(given_actions, "actions"),
             next_states = whole(given_next_states, "next_states");
  const auto rewards = nb::cast<InArray<double>>(from.attr("_real")(given_rewards, "rewards"));
  base::check_size("observe", "actions", actions.size(), states.size());
  base::check_size("observe", "rewards", rewards.size(), states.size());
  base::check_size("observe", "next_states", next_states.size(), states.size());
  Belief& belief = shared.belief;
  const std::vector<std::int32_t> pairs =
      pairs_of(belief.simulator(), span_of(states), span_of(actions), "observe");
  const std::vector<double> reward = vector_of(rewards);
  const std::vector<std::int32_t> next_state = vector_of(next_states);
  stoppable([&] {
    shared.turns.take([&] {
      for (std::size_t i = 0; i < pairs.size(); ++i) belief.observe(pairs[i], reward[i], next_state[i]);
    });
  });
}

void bind_belief(nb::module_& module) {
  nb::class_<SharedBelief> type(
      module, "Belief",
      "What is believed about the true model: independent over pairs, Gaussian mean rewards and "
      "Dirichlet rows around the simulator's. Each has its own copy.");
  type.def(
      "__init__",
      [](SharedBelief* self, const mdp::Model& simulator) {
        new (self) SharedBelief{belief::stated_belief(simulator, "a planner")};
      },
      nb::arg("simulator"), "From the prior a model states, or its coverage; nothing has been observed.");
  type.def("observe", &learn, nb::arg("states"), nb::arg("actions"), nb::arg("rewards"),
           nb::arg("next_states"),
           nb::sig("def observe(self, states: numpy.typing.ArrayLike, actions: numpy.typing.ArrayLike, "
                   "rewards: numpy.typing.ArrayLike, next_states: numpy.typing.ArrayLike) -> None"),
           "One observation per element.");
  type.def(
      "mean",
      [](const SharedBelief& shared) {
        return shared.read([](const Belief& b) { return model_of(b, b.mean()); });
      },
      "The model of posterior means; without observations the simulator itself.");
  type.def(
      "sample",
      [](const SharedBelief& shared, std::uint64_t seed, std::uint64_t draw) {
        return shared.read(
            [&](const Belief& b) { return model_of(b, b.sample(seed, draw, base::Threads(1))); });
      },
      nb::arg("seed"), nb::arg("draw"), "The draw-th model from the belief, a function of both numbers.");
  const auto array = [&](const char* name, auto get, const char* doc) {
    def_array(
        type, name, [get](const SharedBelief& shared) { return array_of(shared.read(get)); }, doc);
  };
  array(
      "reward_sd",
      [](const Belief& b) {
        std::vector<double> sd = b.reward_variances();
        for (double& value : sd) value = std::sqrt(value);
        return sd;
      },
      "Posterior sd of each pair's mean reward.");
  array(
      "transition_strength", [](const Belief& b) { return b.transition_strengths(); },
      "Pseudo-observations and observations behind each pair's row.");
}

void bind_setting(nb::module_& module) {
  nb::class_<Setting> type(module, "Setting", "What a planner is given before the first step.");
  type.def_prop_ro(
      "model", [](const Setting& s) { return model_of(s.belief, s.belief.mean()); },
      "The simulator: the mean of the belief.");
  type.def_prop_ro(
      "belief", [](const Setting& s) { return new SharedBelief{s.belief}; }, nb::rv_policy::take_ownership,
      "A copy, to learn with.");
  type.def_prop_ro("units", [](const Setting& s) { return s.units; });
  type.def_prop_ro(
      "horizon", [](const Setting& s) { return s.horizon; }, "Steps to go in all.");
  type.def_prop_ro("seed", [](const Setting& s) { return s.seed; });
  type.def_prop_ro("trial", [](const Setting& s) { return s.trial; });
}

}  // namespace

void bind_planner(nb::module_& module) {
  bind_belief(module);
  bind_setting(module);
  module.def("planner_names", [] {
    std::vector<std::pair<std::string, std::string>> names;
    for (const planner::PlannerInfo& info : planner::planners())
      names.emplace_back(info.name, info.description);
    return names;
  });
  nb::class_<Acting> type(module, "Planner", "A planner of the library that acts in somebody else's loop.");
  type.def(
      "__init__",
      [](Acting* self, const std::string& name, const mdp::Model& simulator, std::int64_t units,
         std::int64_t horizon, std::uint64_t seed, std::uint64_t trial,
         const std::map<std::string, double>& options) {
        const PlannerOptions chosen = options_from(options);
        stoppable([&] { new (self) Acting(name, simulator, units, horizon, seed, trial, chosen); });
      },
      nb::arg("name"), nb::arg("simulator"), nb::arg("units"), nb::arg("horizon"), nb::arg("seed"),
      nb::arg("trial"), nb::arg("options"));
  type.def(
      "choose",
      [](Acting& self, std::int64_t step, const InArray<std::int32_t>& states) {
        const std::vector<std::int32_t> places = vector_of(states);  // others may write to theirs meanwhile
        return array_of(stoppable([&] { return self.choose(step, places); }));
      },
      nb::arg("step"), nb::arg("states"));
  type.def(
      "observe",
      [](Acting& self, std::int64_t step, const InArray<std::int32_t>& states,
         const InArray<std::int32_t>& actions, const InArray<double>& rewards,
         const InArray<std::int32_t>& next_states) {
        const std::vector<std::int32_t> from = vector_of(states), done = vector_of(actions),
                                        to = vector_of(next_states);
        const std::vector<double> gained = vector_of(rewards);
        stoppable([&] { self.observe(step, from, done, gained, to); });
      },
      nb::arg("step"), nb::arg("states"), nb::arg("actions"), nb::arg("rewards"), nb::arg("next_states"));
  type.def(
      "observe_one",
      [](Acting& self, std::int64_t step, std::int32_t state, std::int32_t action, double reward,
         std::int32_t next_state) {
        stoppable([&] { self.observe(step, {&state, 1}, {&action, 1}, {&reward, 1}, {&next_state, 1}); });
      },
      nb::arg("step"), nb::arg("state"), nb::arg("action"), nb::arg("reward"), nb::arg("next_state"));
  type.def(
      "observe_steps",
      [](Acting& self, std::int64_t step, const mdp::Model& model, const program::Grid& grid,
         const InArray<double>& state, const InArray<std::int32_t>& action, const InArray<double>& reward,
         const InArray<double>& next_state, const InArray<std::uint8_t>& terminated) {
        std::int64_t outside = 0;
        const std::vector<mdp::Observation> seen =
            spread_steps(model, grid, {state, action, reward, next_state, terminated}, outside);
        stoppable([&] { self.observe(step, seen); });
      },
      nb::arg("step"), nb::arg("model"), nb::arg("grid"), nb::arg("state"), nb::arg("action"),
      nb::arg("reward"), nb::arg("next_state"), nb::arg("terminated"));
}

}  // namespace mindgap::python

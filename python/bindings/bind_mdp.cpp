#include <nanobind/stl/pair.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <functional>
#include <optional>

#include "bindings/bindings.h"
#include "mindgap/base/error.h"
#include "mindgap/command/evidence.h"
#include "mindgap/command/files.h"
#include "mindgap/command/page.h"
#include "mindgap/mdp/changed_model.h"
#include "mindgap/mdp/extend_states.h"
#include "mindgap/mdp/model.h"
#include "mindgap/mdp/restart.h"

namespace mindgap::python {
namespace {

using mdp::Mdp;
using mdp::Model;

using Names = std::optional<std::vector<std::string>>;

mdp::NameTable table_of(const Names& names) {
  return names ? mdp::NameTable(*names) : mdp::NameTable();
}

// Groups of states by name; "": none.
void add_groups(mdp::Labels& labels, const Names& groups) {
  if (!groups) return;
  for (const std::string& name : *groups) {
    if (!name.empty()) labels.groups.add(name);
    labels.group_of_state.push_back(name.empty() ? -1 : labels.groups.find(name));
  }
}

// What every adapter of Python ends in: the arrays of MdpArrays, checked. A model never changes, so they are
// copied, but for next_state and probability where they are `kept`: then nobody may change them. These two
// are not converted on the way here: what is kept must be the memory that is read.
Model from_rows(double discount, const InArray<std::int32_t>& pair_begin,
                const InArray<std::int32_t>& pair_action, const InArray<std::int64_t>& row_begin,
                const InArray<std::int32_t>& next_state, const InArray<double>& probability,
                const InArray<double>& reward, const std::optional<std::pair<nb::object, nb::object>>& kept,
                const std::optional<InArray<double>>& start, std::int32_t actions, const Names& state_names,
                const Names& action_names, const Names& groups, const std::optional<InArray<double>>& x,
                const std::optional<InArray<double>>& y, std::optional<double> reward_max,
                const std::optional<InArray<double>>& coverage,
                const std::optional<InArray<double>>& variance, std::string name) {
  mdp::MdpArrays arrays;
  arrays.discount = discount;
  arrays.reward_max = reward_max;
  arrays.pair_begin = vector_of(pair_begin);
  arrays.pair_action = vector_of(pair_action);
  arrays.row_begin = vector_of(row_begin);
  arrays.start = vector_of(start);
  arrays.actions = actions;
  arrays.labels.states = table_of(state_names);
  arrays.labels.actions = table_of(action_names);
  add_groups(arrays.labels, groups);
  arrays.labels.x = vector_of(x);
  arrays.labels.y = vector_of(y);
  mdp::SharedRows rows;
  rows.reward = vector_of(reward);
  if (kept) {
    rows.next_state = {{next_state.data(), next_state.size()}, keeper_of(kept->first)};
    rows.probability = {{probability.data(), probability.size()}, keeper_of(kept->second)};
  } else {
    rows.next_state = vector_of(next_state);
    rows.probability = vector_of(probability);
  }
  std::vector<double> count = vector_of(coverage), noise = vector_of(variance);
  const Freed free;
  Model model{std::move(name), Mdp(std::move(arrays), std::move(rows)), std::move(noise)};
  model.coverage = std::move(count);
  mdp::check_model(model);
  return model;
}

std::vector<std::string> names_of(std::int32_t count, const auto& name) {
  std::vector<std::string> names;
  for (std::int32_t i = 0; i < count; ++i) names.push_back(name(i));
  return names;
}

Model with(const Model& model, auto change) {
  Model other = model;
  change(other);
  mdp::check_model(other);
  return other;
}

// A name as a caller gave it.
std::string text_of(const char* function, nb::handle name) {
  std::string text;
  if (nb::try_cast(name, text)) return text;
  throw InvalidArgument(std::string(function) + ": expected a name, but got " +
                        nb::cast<std::string>(nb::repr(name)));
}

// A number as a caller gave it.
double number_of(const char* what, nb::handle given) {
  double number = 0;
  if (nb::try_cast(given, number)) return number;
  throw InvalidArgument(std::string(what) + " must be a number, but is " +
                        nb::cast<std::string>(nb::repr(given)));
}

void bind_numbers(nb::class_<Model>& type) {
  type.def_prop_ro("name", [](const Model& m) { return m.name; });
  type.def_prop_ro(
      "states", [](const Model& m) { return m.mdp.states(); }, "Number of states.");
  type.def_prop_ro(
      "actions", [](const Model& m) { return m.mdp.actions(); }, "Number of actions.");
  type.def_prop_ro(
      "pairs", [](const Model& m) { return m.mdp.pairs(); }, "Number of available (state, action) pairs.");
  type.def_prop_ro(
      "nonzeros", [](const Model& m) { return m.mdp.nonzeros(); }, "Number of transitions.");
  type.def_prop_ro("discount", [](const Model& m) { return m.mdp.discount(); });
  type.def_prop_ro("reward_max", [](const Model& m) { return m.mdp.reward_max(); });
  type.def_prop_ro(
      "reward_variance", [](const Model& m) { return m.reward_variance; },
      "Variance of one observed reward, where it is one number for all pairs.");
  type.def_prop_ro("state_names", [](const Model& m) {
    return names_of(m.mdp.states(), [&](auto s) { return m.mdp.state_name(s); });
  });
  type.def_prop_ro(
      "restart_ends",
      [](const Model& m) {
        std::vector<std::string> names;
        for (const std::int32_t s : m.ends) names.push_back(m.mdp.state_name(s));
        return names;
      },
      "The states that end an episode, which then begins again; see with_restart().");
  type.def_prop_ro(
      "new_states",
      [](const Model& m) {
        std::vector<std::string> names;
        for (const std::int32_t s : m.added) names.push_back(m.mdp.state_name(s));
        return names;
      },
      "The states that data brought in and the simulator did not have; see with_states().");
  type.def_prop_ro("action_names", [](const Model& m) {
    return names_of(m.mdp.actions(), [&](auto a) { return m.mdp.action_name(a); });
  });
}

void bind_arrays(nb::class_<Model>& type) {
  const auto array = [&](const char* name, auto member, const char* doc) {
    def_array(
        type, name,
        [member](nb::handle self) {
          const auto span = (nb::cast<const Model&>(self).mdp.*member)();
          return view_of(span, self);
        },
        doc);
  };
  array("pair_begin", &Mdp::pair_begin, "State s owns pairs pair_begin[s] to pair_begin[s+1]-1.");
  array("pair_action", &Mdp::pair_action, "The action of each pair.");
  array("row_begin", &Mdp::row_begin, "Pair k owns entries row_begin[k] to row_begin[k+1]-1.");
  array("next_state", &Mdp::next_state, "Where each transition leads.");
  array("probability", &Mdp::probability, "The probability of each transition.");
  array("reward", &Mdp::reward, "The mean reward of each pair.");
  array("start", &Mdp::start, "Probability to start in each state.");
  def_array(
      type, "coverage",
      [](nb::handle self) -> std::optional<OutArray<double>> {
        const Model& model = nb::cast<const Model&>(self);
        if (model.coverage.empty()) return std::nullopt;
        return view_of(std::span<const double>(model.coverage), self);
      },
      "How often history saw each pair, or None.");
  def_array(
      type, "variance",
      [](nb::handle self) -> std::optional<OutArray<double>> {
        const Model& model = nb::cast<const Model&>(self);
        if (model.variance.empty()) return std::nullopt;
        return view_of(std::span<const double>(model.variance), self);
      },
      "Variance of one observed reward of each pair, or None.");
}

// The same model with something else stated; mindgap.models gives them their arrays.
void bind_changes(nb::module_& module, nb::class_<Model>& type) {
  type.def(
      "with_discount",
      [](const Model& m, nb::handle discount) {
        const double number = number_of("discount", discount);
        return with(m, [&](Model& other) { other = mdp::with_discount(m, number); });
      },
      nb::arg("discount").none(), nb::sig("def with_discount(self, discount: float) -> Mdp"));
  module.def(
      "with_start",
      [](const Model& m, const InArray<double>& start) {
        return with(m, [&](Model& other) { other = mdp::with_start(m, vector_of(start)); });
      },
      nb::arg("model"), nb::arg("start"));
  module.def(
      "with_restart",
      [](const Model& m, const std::optional<std::vector<std::int32_t>>& ends) {
        return with(m, [&](Model& other) {
          other.ends = ends ? *ends : mdp::end_states(m.mdp);
          other.mdp = mdp::with_restart(m.mdp, other.ends);
        });
      },
      nb::arg("model"), nb::arg("ends").none());
  module.def(
      "with_states",
      [](const Model& m, const std::vector<std::string>& names) { return mdp::extend_states(m, names); },
      nb::arg("model"), nb::arg("names"));
  module.def("new_states_in_words", &command::new_states_in_words, nb::arg("model"));
  module.def(
      "with_reward",
      [](const Model& m, const InArray<double>& reward) {
        return with(m, [&](Model& other) { other.mdp = m.mdp.with_reward(vector_of(reward)); });
      },
      nb::arg("model"), nb::arg("reward"));
  module.def(
      "with_coverage",
      [](const Model& m, const std::optional<InArray<double>>& coverage) {
        return with(m, [&](Model& other) { other.coverage = vector_of(coverage); });
      },
      nb::arg("model"), nb::arg("coverage").none());
  module.def(
      "with_variance",
      [](const Model& m, std::optional<double> number, const std::optional<InArray<double>>& per_pair) {
        return with(m, [&](Model& other) {
          other.reward_variance = number;
          other.variance = vector_of(per_pair);
        });
      },
      nb::arg("model"), nb::arg("number").none(), nb::arg("per_pair").none());
  type.def(
      "with_name",
      [](const Model& m, nb::handle name) {
        return with(m, [&](Model& other) { other.name = text_of("with_name", name); });
      },
      nb::arg("name").none(), nb::sig("def with_name(self, name: str) -> Mdp"));
  module.def(
      "with_prior",
      [](const Model& m, std::optional<double> reward_sd, std::optional<double> transition_strength,
         const std::optional<InArray<double>>& pair_reward_sd,
         const std::optional<InArray<double>>& pair_transition_strength, double odds, double drift_sd,
         std::optional<double> unseen, double unseen_strength, std::optional<double> reward_min,
         std::optional<double> reward_max, const std::string& rewards) {
        return with(m, [&](Model& other) {
          mdp::SharedSpec shared = other.prior ? other.prior->shared : mdp::SharedSpec{};
          other.prior = mdp::PriorSpec{reward_sd,
                                       transition_strength,
                                       vector_of(pair_reward_sd),
                                       vector_of(pair_transition_strength),
                                       odds,
                                       drift_sd,
                                       unseen,
                                       unseen_strength,
                                       reward_min,
                                       reward_max,
                                       reward_kind(rewards),
                                       std::move(shared)};
        });
      },
      nb::arg("model"), nb::arg("reward_sd").none(), nb::arg("transition_strength").none(),
      nb::arg("pair_reward_sd").none(), nb::arg("pair_transition_strength").none(), nb::arg("odds"),
      nb::arg("drift_sd"), nb::arg("unseen").none(), nb::arg("unseen_strength"), nb::arg("reward_min").none(),
      nb::arg("reward_max").none(), nb::arg("rewards"));
  module.def(
      "with_shared",
      [](const Model& m, std::optional<double> group_sd,
         const std::vector<std::pair<std::string, double>>& group_sds, std::optional<double> sd,
         double length, const std::string& over, const command::Source* loadings) {
        command::SharedToml shared{.group_sd = group_sd, .group_sds = group_sds};
        if (sd) {
          const std::optional<mdp::KernelOver> found = mdp::kernel_over_from(over);
          if (!found) throw InvalidArgument(std::string(mdp::kKernelOverWanted) + ", but is '" + over + "'");
          shared.kernel = mdp::KernelSpec{.sd = *sd, .length = length, .over = *found};
        }
        return with(m, [&](Model& other) {
          if (!other.prior) other.prior = mdp::PriorSpec{};
          other.prior->shared = command::shared_spec(shared, m.mdp, "with_shared",
                                                     loadings != nullptr ? &loadings->file : nullptr);
        });
      },
      nb::arg("model"), nb::arg("group_sd").none(), nb::arg("group_sds"), nb::arg("sd").none(),
      nb::arg("length"), nb::arg("over"), nb::arg("loadings").none());
}

void bind_labels(nb::class_<Model>& type) {
  type.def_prop_ro(
      "has_state_names", [](const Model& m) { return !m.mdp.labels().states.empty(); },
      "Whether states have names; else their numbers stand for them.");
  type.def_prop_ro(
      "has_action_names", [](const Model& m) { return !m.mdp.labels().actions.empty(); },
      "Whether actions have names; else their numbers stand for them.");
  type.def_prop_ro(
      "groups",
      [](const Model& m) -> std::optional<std::vector<std::optional<std::string>>> {
        const mdp::Labels& labels = m.mdp.labels();
        if (labels.group_of_state.empty()) return std::nullopt;
        std::vector<std::optional<std::string>> names;
        for (const std::int32_t group : labels.group_of_state) {
          names.push_back(group < 0 ? std::nullopt : std::optional<std::string>(labels.groups[group]));
        }
        return names;
      },
      "The group of each state (None: in none), or None.");
  def_array(
      type, "coordinates",
      [](const Model& m) -> std::optional<OutArray<double>> {
        const mdp::Labels& labels = m.mdp.labels();
        if (labels.x.empty()) return std::nullopt;
        std::vector<double> places;
        for (std::size_t s = 0; s < labels.x.size(); ++s)
          places.insert(places.end(), {labels.x[s], labels.y[s]});
        return array_of(std::move(places), 2);
      },
      "Where each state is, x and y, or None.");
}

// Equal models have equal hashes: what is hashed is part of what is compared, and 0 and -0 hash alike.
std::size_t hash_of(const Model& model) {
  constexpr std::size_t kNumbers = 16;  // of each array; hashing is to stay cheap
  std::size_t hash = std::hash<std::string>()(model.name);
  const auto add = [&](auto value) { hash = hash * 1000003 ^ std::hash<decltype(value)>()(value); };
  const Mdp& mdp = model.mdp;
  add(mdp.states()), add(mdp.actions()), add(mdp.pairs()), add(mdp.nonzeros());
  add(mdp.discount()), add(mdp.reward_max());
  for (const auto& numbers : {mdp.reward(), mdp.probability(), mdp.start()}) {
    for (const double value : numbers.first(std::min(kNumbers, numbers.size()))) add(value);
  }
  return hash;
}

// Equality, and going through pickle: to other processes, to files. Copies are the model itself, since it
// never changes.
void bind_identity(nb::class_<Model>& type) {
  // What its owner says about it does not make it another model.
  type.def(
      "__eq__",
      [](const Model& a, Model b) {
        b.about = a.about;
        return a == b;
      },
      nb::is_operator(), nb::sig("def __eq__(self, other: object, /) -> bool"));
  type.def("__hash__", &hash_of, nb::sig("def __hash__(self) -> int"));
  type.def("__getstate__", [](const Model& m) {
    const std::string bytes = command::encode_model(m);
    std::vector<std::string> about;
    for (const mdp::AboutKey& key : mdp::kAboutKeys) about.push_back(m.about.*key.text);
    return std::make_pair(nb::bytes(bytes.data(), bytes.size()), about);
  });
  type.def("__setstate__", [](Model& m, const std::pair<nb::bytes, std::vector<std::string>>& state) {
    new (&m) Model(command::decode_model(std::string_view(state.first.c_str(), state.first.size())));
    for (std::size_t i = 0; i < state.second.size() && i < mdp::kAboutKeys.size(); ++i)
      m.about.*mdp::kAboutKeys[i].text = state.second[i];
  });
  type.def(
      "__copy__", [](nb::object self) { return self; }, nb::sig("def __copy__(self) -> Mdp"));
  type.def(
      "__deepcopy__", [](nb::object self, nb::handle) { return self; }, nb::arg("memo"),
      nb::sig("def __deepcopy__(self, memo: object) -> Mdp"));
}

}  // namespace

void bind_mdp(nb::module_& module) {
  nb::class_<Model> type(
      module, "Mdp",
      "A finite Markov decision process with sparse rows, and what is stated about it: names, "
      "prior, variance of one reward, history's coverage. It never changes.");
  type.def(nb::init<const Model&>(), nb::arg("model"), "The same model.");
  bind_numbers(type);
  bind_arrays(type);
  bind_changes(module, type);
  bind_labels(type);
  bind_models(type);
  bind_lump(module, type);
  type.def(
      "find_state",
      [](const Model& m, nb::handle name) { return m.mdp.find_state(text_of("find_state", name)); },
      nb::arg("name").none(), nb::sig("def find_state(self, name: str) -> int"),
      "The number of a state, or -1.");
  type.def(
      "find_action",
      [](const Model& m, nb::handle name) { return m.mdp.find_action(text_of("find_action", name)); },
      nb::arg("name").none(), nb::sig("def find_action(self, name: str) -> int"),
      "The number of an action, or -1.");
  type.def(
      "find_pair",
      [](const Model& m, std::int64_t s, std::int64_t a) {
        const bool there = s >= 0 && s < m.mdp.states() && a >= 0 && a < m.mdp.actions();
        return there ? m.mdp.find_pair(static_cast<std::int32_t>(s), static_cast<std::int32_t>(a)) : -1;
      },
      nb::arg("state"), nb::arg("action"), "The number of an available pair, or -1.");
  bind_identity(type);
  type.def("__repr__", [](const Model& m) {
    std::string text = "<mindgap.Mdp " + command::headline(m);
    text.back() = '>';
    return text;
  });
  module.def("from_rows", &from_rows, nb::arg("discount"), nb::arg("pair_begin"), nb::arg("pair_action"),
             nb::arg("row_begin"), nb::arg("next_state").noconvert(), nb::arg("probability").noconvert(),
             nb::arg("reward"), nb::arg("kept").none(), nb::arg("start").none(), nb::arg("actions"),
             nb::arg("state_names").none(), nb::arg("action_names").none(), nb::arg("groups").none(),
             nb::arg("x").none(), nb::arg("y").none(), nb::arg("reward_max").none(),
             nb::arg("coverage").none(), nb::arg("variance").none(), nb::arg("name"));
  module.def(
      "read_model",
      [](const std::string& path, bool allow_outside) {
        const Freed free;
        std::optional<command::AllowOutside> outside;
        if (allow_outside) outside.emplace();
        return command::read_model(path);
      },
      nb::arg("path"), nb::arg("allow_outside"));
  module.def(
      "write_model",
      [](const Model& model, const std::string& path) {
        const Freed free;
        command::write_model(model, path);
      },
      nb::arg("model"), nb::arg("path"));
}

}  // namespace mindgap::python

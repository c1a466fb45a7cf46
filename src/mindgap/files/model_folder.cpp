#include "mindgap/files/model_folder.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "mindgap/base/error.h"
#include "mindgap/files/folder_tables.h"
#include "mindgap/files/folder_write.h"
#include "mindgap/files/in_file.h"
#include "mindgap/files/model_toml.h"
#include "mindgap/files/named_file.h"
#include "mindgap/files/output.h"
#include "mindgap/files/place.h"
#include "mindgap/mdp/model_values.h"
#include "mindgap/mdp/restart.h"

namespace mindgap::files {

using namespace mdp;  // what these files hold
namespace fs = std::filesystem;
namespace {

constexpr const char* kLoadingsFile = "loadings.csv";

// What Mdp finds wrong it reports by state and action; the line follows from them.
Mdp build(MdpArrays arrays, const TextFile& model_toml, const TextFile& transitions) {
  try {
    return Mdp(std::move(arrays));
  } catch (const InvalidModel& error) {
    ModelLocation where = error.where();
    const bool is_row = !where.state.empty() && !where.action.empty();
    where.file = is_row ? transitions.name : model_toml.name;
    if (is_row) where.line = find_pair_line(transitions, where.state, where.action);
    throw InvalidModel(error.problem(), std::move(where));
  }
}

// One optional column of prior.csv, put in the order of pairs.
class PriorColumn {
 public:
  PriorColumn(const CsvReader& reader, const ValueRule& rule, const Mdp& mdp)
      : reader_(reader), rule_(rule), column_(reader.find_column(rule.name)) {
    if (column_) values_.assign(static_cast<std::size_t>(mdp.pairs()), 0);
  }

  bool present() const { return column_.has_value(); }
  std::vector<double> take() { return std::move(values_); }

  void read(std::size_t record, std::int32_t pair, const PairColumns& columns) {
    if (!column_) return;
    const double value = reader_.number(record, *column_, rule_.name);
    if (!rule_.good(value)) {
      reader_.fail(record, rule_.problem, columns.where(reader_.field(record, *column_)));
    }
    values_[pair] = value;
  }

 private:
  const CsvReader& reader_;
  const ValueRule& rule_;
  std::optional<std::size_t> column_;
  std::vector<double> values_;
};

void check_all_seen(const TextFile& file, const Mdp& mdp, const std::vector<bool>& seen) {
  const auto it = std::find(seen.begin(), seen.end(), false);
  if (it == seen.end()) return;
  const auto pair = static_cast<std::int32_t>(it - seen.begin());
  throw InvalidModel("the pair has no line here", {.file = file.name,
                                                   .state = mdp.state_name(mdp.state_of_pair(pair)),
                                                   .action = mdp.action_name(mdp.pair_action()[pair])});
}

void read_prior(const TextFile& file, const Mdp& mdp, PriorSpec& prior) {
  CsvReader reader(file.text, file.name, {"state", "action"}, {"reward_sd", "transition_strength"});
  PriorColumn reward_sd(reader, kRewardSd, mdp), strength(reader, kTransitionStrength, mdp);
  if (!reward_sd.present() && !strength.present()) {
    throw InvalidModel("the header has neither 'reward_sd' nor 'transition_strength'",
                       {.file = file.name, .line = 1});
  }
  if ((reward_sd.present() && prior.reward_sd) || (strength.present() && prior.transition_strength)) {
    throw InvalidModel(
        fmt::format("'{}' stands here and in [prior]",
                    reward_sd.present() && prior.reward_sd ? kRewardSd.name : kTransitionStrength.name),
        {.file = file.name, .line = 1});
  }
  PairColumns columns(reader, mdp.labels().states, mdp.labels().actions);
  std::vector<bool> seen(static_cast<std::size_t>(mdp.pairs()));
  while (const std::size_t count = reader.next()) {
    for (std::size_t i = 0; i < count; ++i) {
      columns.move_to(i);
      const std::int32_t pair = columns.pair(mdp, i);
      if (seen[pair]) reader.fail(i, "the pair has a second line", columns.where());
      seen[pair] = true;
      reward_sd.read(i, pair, columns);
      strength.read(i, pair, columns);
    }
  }
  check_all_seen(file, mdp, seen);
  prior.pair_reward_sd = reward_sd.take();
  prior.pair_transition_strength = strength.take();
}

// What the prior says of true rewards and of shared errors, against the model; check_model() does not know
// the file.
void check_stated_rewards(const Model& model, const TextFile& model_toml) {
  const PriorSpec none, prior = model.prior.value_or(none);
  if (!prior.reward_min && !prior.reward_max && prior.rewards == none.rewards && !prior.shared.any()) return;
  in_file(model_toml.name, [&] { check_model(model); });
}

// Episodes that end begin again; ends are named, or recognised where none is.
void begin_again(Model& model, const NameTable& named, const TextFile& model_toml) {
  in_file(model_toml.name, [&] {
    model.ends = named.empty() ? end_states(model.mdp) : std::vector<std::int32_t>();
    for (std::int32_t i = 0; i < named.size(); ++i) {
      model.ends.push_back(model.mdp.find_state(named[i]));
      if (model.ends.back() < 0)
        throw InvalidModel("restart names a state that is not there", {.value = excerpt(named[i])});
    }
    std::sort(model.ends.begin(), model.ends.end());
    model.mdp = with_restart(model.mdp, model.ends);
  });
}

class FolderWriter {
 public:
  FolderWriter(const Mdp& mdp, StagedFolder& staged, fs::path shown)
      : mdp_(mdp),
        staged_(staged),
        shown_(std::move(shown)),
        states_(mdp_.labels().states),
        actions_(mdp_.labels().actions) {}

  void write_states() {
    TextWriter out = open("states.csv");
    files::write_states(out, mdp_.labels(), mdp_.start());
    out.close();
  }

  void write_transitions() {
    TextWriter out = open("transitions.csv");
    out.text("state,action,next_state,probability\n");
    for_each_pair([&](std::int32_t s, std::int32_t k) {
      for (const std::int64_t i : mdp_.entries_of(k)) {
        write_pair(out, s, k);
        out.text(",");
        states_.write(out, mdp_.next_state()[i]);
        out.text(",").number(mdp_.probability()[i]).text("\n");
      }
    });
    out.close();
  }

  /// A table with a line per pair; columns without values are left out.
  struct Column {
    const char* name;
    std::span<const double> values;
  };
  void write_pairs(const std::string& file, const std::vector<Column>& columns) {
    TextWriter out = open(file);
    out.text("state,action");
    for (const Column& column : columns) {
      if (!column.values.empty()) out.text(",").text(column.name);
    }
    out.text("\n");
    for_each_pair([&](std::int32_t s, std::int32_t k) {
      write_pair(out, s, k);
      for (const Column& column : columns) {
        if (!column.values.empty()) out.text(",").number(column.values[k]);
      }
      out.text("\n");
    });
    out.close();
  }

  void write_loadings(const std::string& file, const SharedSpec& shared) {
    TextWriter out = open(file);
    out.text("state,action,factor,loading\n");
    NameTable names;
    for (const std::string& name : shared.factors) names.add(name);
    const FieldNames factors(names);
    for (const Loading& one : shared.loadings) {
      write_pair(out, mdp_.state_of_pair(one.pair), one.pair);
      out.text(",");
      factors.write(out, one.factor);
      out.text(",").number(one.loading).text("\n");
    }
    out.close();
  }

  void write_toml(const ModelToml& toml) {
    TextWriter out = open("model.toml");
    out.text(format_model_toml(toml));
    out.close();
  }

 private:
  TextWriter open(const std::string& name) { return {staged_.add(name), (shown_ / name).string()}; }

  template <typename Body>
  void for_each_pair(Body body) const {
    for (std::int32_t s = 0; s < mdp_.states(); ++s) {
      for (const std::int32_t k : mdp_.pairs_of(s)) body(s, k);
    }
  }

  void write_pair(TextWriter& out, std::int32_t state, std::int32_t pair) const {
    states_.write(out, state);
    out.text(",");
    actions_.write(out, mdp_.pair_action()[pair]);
  }

  const Mdp& mdp_;
  StagedFolder& staged_;
  fs::path shown_;
  FieldNames states_, actions_;
};

NameTable action_names(const Mdp& mdp) {
  NameTable names;
  for (std::int32_t a = 0; a < mdp.actions(); ++a) names.add(mdp.action_name(a));
  return names;
}

ModelToml toml_of(const Model& model) {
  ModelToml toml{.name = model.name,
                 .discount = model.mdp.discount(),
                 .states = "states.csv",
                 .rewards = "rewards.csv",
                 .transitions = "transitions.csv",
                 .actions = action_names(model.mdp),
                 .prior = model.prior,
                 .reward_variance = model.reward_variance};
  toml.about = model.about;
  toml.restart = !model.ends.empty();
  for (const std::int32_t s : model.ends) toml.ends.add(model.mdp.state_name(s));
  if (model.mdp.reward_max() != model.mdp.reward_magnitude()) toml.reward_max = model.mdp.reward_max();
  if (model.prior &&
      (!model.prior->pair_reward_sd.empty() || !model.prior->pair_transition_strength.empty())) {
    toml.prior_file = "prior.csv";
    toml.prior->pair_reward_sd.clear();
    toml.prior->pair_transition_strength.clear();
  }
  if (model.prior) {
    toml.shared = shared_toml(model.prior->shared, model.mdp, kLoadingsFile);
    toml.prior->shared = {};
  }
  return toml;
}

}  // namespace

Model parse_model_folder(const TextFile& model_toml,
                         const std::function<TextFile(const std::string&)>& open) {
  ModelToml toml = parse_model_toml(model_toml.text, model_toml.name);
  const TextFile states = open(toml.states), rewards = open(toml.rewards);
  const TextFile transitions = open(toml.transitions);
  MdpArrays arrays;
  std::vector<double> variance;
  arrays.discount = toml.discount;
  arrays.reward_max = toml.reward_max;
  arrays.labels.actions = std::move(toml.actions);
  read_states(states, arrays);
  read_rewards(rewards, states, toml.reward_variance, arrays, variance);
  read_transitions(transitions, rewards, arrays);
  Model model{.name = toml.name,
              .mdp = build(std::move(arrays), model_toml, transitions),
              .variance = std::move(variance),
              .reward_variance = toml.reward_variance,
              .prior = toml.prior,
              .about = toml.about};
  if (toml.prior_file) read_prior(open(*toml.prior_file), model.mdp, *model.prior);
  if (toml.shared.any()) {
    const std::optional<TextFile> loadings =
        toml.shared.loadings ? std::optional(open(*toml.shared.loadings)) : std::nullopt;
    model.prior->shared =
        shared_spec(toml.shared, model.mdp, model_toml.name, loadings ? &*loadings : nullptr);
  }
  check_stated_rewards(model, model_toml);
  if (toml.restart) begin_again(model, toml.ends, model_toml);
  return model;
}

Model read_model_folder(const fs::path& path) {
  const bool whole = is_folder(path);
  const fs::path file = whole ? path / "model.toml" : path;
  if (whole && !is_there(file)) {
    throw StoreError(path.string() + ": the folder holds no model.toml, so it is no model");
  }
  const fs::path folder = file.parent_path();
  return without_echo(folder, [&] {
    return parse_model_folder(open_text_file(file),
                              [&](const std::string& name) { return open_text_file(path_in(folder, name)); });
  });
}

void write_model_folder(const Model& model, const fs::path& folder) {
  check_model(model);
  const ModelToml toml = toml_of(model);
  StagedFolder staged(folder, "model.toml");
  FolderWriter writer(model.mdp, staged, folder);
  writer.write_states();
  writer.write_pairs("rewards.csv", {{"reward", model.mdp.reward()}, {"variance", model.variance}});
  writer.write_transitions();
  if (toml.prior_file) {
    writer.write_pairs("prior.csv", {{"reward_sd", model.prior->pair_reward_sd},
                                     {"transition_strength", model.prior->pair_transition_strength}});
  }
  if (toml.shared.loadings) writer.write_loadings(*toml.shared.loadings, model.prior->shared);
  if (!model.coverage.empty()) {
    writer.write_pairs(model.coverage_is_sampled ? "samples.csv" : "coverage.csv",
                       {{"count", model.coverage}});
  }
  writer.write_toml(toml);  // last: with it the folder becomes a model
  staged.commit();
}

}  // namespace mindgap::files

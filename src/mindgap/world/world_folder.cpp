#include "mindgap/world/world_folder.h"

#include <fmt/format.h>

#include <algorithm>

#include "mindgap/base/error.h"
#include "mindgap/files/folder_tables.h"
#include "mindgap/files/folder_write.h"
#include "mindgap/files/model_toml.h"
#include "mindgap/files/named_file.h"
#include "mindgap/files/output.h"
#include "mindgap/files/place.h"
#include "mindgap/files/toml_table.h"
#include "mindgap/world/world_tables.h"

namespace mindgap::world {
namespace fs = std::filesystem;
namespace {

constexpr std::string_view kFormat = "mindgap-world/1";
constexpr const char* kMarker = "world.toml";

/// What a world.toml says.
struct WorldToml {
  files::ModelToml model;
  mdp::NameTable hidden;
  std::string behaviour = "behaviour.csv", calibration = "calibration.csv", deployment = "deployment.csv";
};

WorldToml parse_toml(const files::TextFile& file) {
  const toml::table table = files::parse_toml(file.text, file.name);
  files::TomlTable top(table, "", file.name);
  WorldToml result;
  result.model = files::read_model_keys(top, kFormat);
  result.hidden = top.names("hidden", "hidden state");
  const auto optional_path = [&](std::string_view key, std::string& path) {
    if (const toml::node* node = top.find(key)) path = top.as_path(key, *node);
  };
  optional_path("behaviour", result.behaviour);
  optional_path("calibration", result.calibration);
  optional_path("deployment", result.deployment);
  top.finish();
  return result;
}

// What HiddenModel finds wrong with a row it reports by names; the line follows from them.
HiddenModel build(HiddenArrays arrays, const files::TextFile& world_toml,
                  const files::TextFile& transitions) {
  try {
    return HiddenModel(std::move(arrays));
  } catch (const InvalidModel& error) {
    ModelLocation where = error.where();
    const bool is_row = !where.state.empty() && !where.action.empty() && !where.hidden.empty();
    where.file = is_row ? transitions.name : world_toml.name;
    if (is_row) {
      where.line = find_line(transitions,
                             {{"state", where.state}, {"hidden", where.hidden}, {"action", where.action}});
    }
    throw InvalidModel(error.problem(), std::move(where));
  }
}

class WorldWriter {
 public:
  WorldWriter(const HiddenModel& world, files::StagedFolder& staged, fs::path shown)
      : world_(world),
        staged_(staged),
        shown_(std::move(shown)),
        states_(world.labels().states),
        actions_(world.labels().actions),
        hidden_(world.hidden_names()) {}

  void write_states() {
    files::TextWriter out = open("states.csv");
    files::write_states(out, world_.labels(), world_.start());
    out.close();
  }

  void write_rewards() {
    const bool variance =
        std::any_of(world_.variance().begin(), world_.variance().end(), [](double v) { return v != 0; });
    files::TextWriter out = open("rewards.csv");
    out.text("state,hidden,action,reward").text(variance ? ",variance\n" : "\n");
    for_each_cell([&](std::int32_t s, std::int32_t k, std::int32_t h, std::size_t cell) {
      write_cell(out, s, h, k);
      out.text(",").number(world_.reward()[cell]);
      if (variance) out.text(",").number(world_.variance()[cell]);
      out.text("\n");
    });
    out.close();
  }

  void write_transitions() {
    files::TextWriter out = open("transitions.csv");
    out.text("state,hidden,action,next_state,next_hidden,probability\n");
    for_each_cell([&](std::int32_t s, std::int32_t k, std::int32_t h, std::size_t cell) {
      for (const std::int64_t i : world_.entries_of(cell)) {
        write_cell(out, s, h, k);
        out.text(",");
        states_.write(out, world_.next_state()[i]);
        out.text(",");
        hidden_.write(out, world_.next_hidden()[i]);
        out.text(",").number(world_.probability()[i]).text("\n");
      }
    });
    out.close();
  }

  void write_behaviour() {
    files::TextWriter out = open("behaviour.csv");
    out.text("state,hidden,action,probability\n");
    for_each_cell([&](std::int32_t s, std::int32_t k, std::int32_t h, std::size_t cell) {
      write_cell(out, s, h, k);
      out.text(",").number(world_.behaviour()[cell]).text("\n");
    });
    out.close();
  }

  void write_hidden_law(const std::string& file, std::span<const double> law) {
    files::TextWriter out = open(file);
    out.text("state,hidden,probability\n");
    for (std::int32_t s = 0; s < world_.states(); ++s) {
      for (std::int32_t h = 0; h < world_.hidden(); ++h) {
        states_.write(out, s);
        out.text(",");
        hidden_.write(out, h);
        out.text(",").number(law[world_.cell(s, h)]).text("\n");
      }
    }
    out.close();
  }

  void write_toml(const std::string& text) {
    files::TextWriter out = open(kMarker);
    out.text(text);
    out.close();
  }

 private:
  files::TextWriter open(const std::string& name) { return {staged_.add(name), (shown_ / name).string()}; }

  template <typename Body>
  void for_each_cell(Body body) const {
    for (std::int32_t s = 0; s < world_.states(); ++s) {
      for (const std::int32_t k : world_.pairs_of(s)) {
        for (std::int32_t h = 0; h < world_.hidden(); ++h) body(s, k, h, world_.cell(k, h));
      }
    }
  }

  void write_cell(files::TextWriter& out, std::int32_t state, std::int32_t h, std::int32_t pair) const {
    states_.write(out, state);
    out.text(",");
    hidden_.write(out, h);
    out.text(",");
    actions_.write(out, world_.pair_action()[pair]);
  }

  const HiddenModel& world_;
  files::StagedFolder& staged_;
  fs::path shown_;
  files::FieldNames states_, actions_, hidden_;
};

// Throws unless every name can stand in a file.
void check_names(const HiddenModel& world) {
  const mdp::Labels& labels = world.labels();
  const auto check = [](const char* what, const mdp::NameTable& names) {
    for (std::int32_t i = 0; i < names.size(); ++i) mdp::check_name(what, names[i]);
  };
  check("state", labels.states);
  check("action", labels.actions);
  check("group", labels.groups);
  check("hidden state", world.hidden_names());
  if (!mdp::is_clean_utf8(world.name())) {
    throw InvalidModel("the name must be valid UTF-8 without NUL bytes", {.value = world.name()});
  }
}

std::string toml_text(const HiddenModel& world) {
  files::ModelToml toml{.name = world.name(),
                        .discount = world.discount(),
                        .reward_max = world.reward_max(),
                        .states = "states.csv",
                        .rewards = "rewards.csv",
                        .transitions = "transitions.csv"};
  for (std::int32_t a = 0; a < world.actions(); ++a) toml.actions.add(world.action_name(a));
  mdp::NameTable hidden;
  for (std::int32_t h = 0; h < world.hidden(); ++h) hidden.add(world.hidden_name(h));
  return files::format_model_keys(toml, kFormat) +
         fmt::format(
             "hidden = {}\nbehaviour = \"behaviour.csv\"\ncalibration = \"calibration.csv\"\n"
             "deployment = \"deployment.csv\"\n",
             files::toml_names(hidden));
}

}  // namespace

HiddenModel parse_world(const files::TextFile& world_toml,
                        const std::function<files::TextFile(const std::string&)>& open) {
  WorldToml toml = parse_toml(world_toml);
  const files::TextFile states = open(toml.model.states), rewards = open(toml.model.rewards);
  const files::TextFile transitions = open(toml.model.transitions), behaviour = open(toml.behaviour);
  const files::TextFile calibration = open(toml.calibration), deployment = open(toml.deployment);
  mdp::MdpArrays state_arrays;
  files::read_states(states, state_arrays);
  HiddenArrays arrays;
  arrays.name = toml.model.name;
  arrays.discount = toml.model.discount;
  arrays.reward_max = toml.model.reward_max;
  arrays.labels = std::move(state_arrays.labels);
  arrays.labels.actions = std::move(toml.model.actions);
  arrays.start = std::move(state_arrays.start);
  arrays.hidden_names = std::move(toml.hidden);
  read_rewards(rewards, states, toml.model.reward_variance.value_or(0), arrays);
  read_transitions(transitions, rewards, arrays);
  read_behaviour(behaviour, rewards, arrays);
  read_hidden_law(calibration, "calibration", arrays, arrays.calibration);
  read_hidden_law(deployment, "deployment", arrays, arrays.deployment);
  return build(std::move(arrays), world_toml, transitions);
}

HiddenModel read_world(const fs::path& path) {
  const bool whole = files::is_folder(path);
  const fs::path file = whole ? path / kMarker : path;
  if (whole && !files::is_there(file)) {
    throw StoreError(path.string() + ": the folder holds no world.toml, so it is no world");
  }
  const fs::path folder = file.parent_path();
  return files::without_echo(folder, [&] {
    return parse_world(files::open_text_file(file), [&](const std::string& name) {
      return files::open_text_file(files::path_in(folder, name));
    });
  });
}

void write_world(const HiddenModel& world, const fs::path& folder) {
  check_names(world);
  files::StagedFolder staged(folder, kMarker);
  WorldWriter writer(world, staged, folder);
  writer.write_states();
  writer.write_rewards();
  writer.write_transitions();
  writer.write_behaviour();
  writer.write_hidden_law("calibration.csv", world.calibration());
  writer.write_hidden_law("deployment.csv", world.deployment());
  writer.write_toml(toml_text(world));  // last: with it the folder becomes a world
  staged.commit();
}

}  // namespace mindgap::world

// The field of examples/study: a truth that answers assignments as people would, with a file of results.
//   study_field setup FOLDER UNITS TRUTH [SEED] [TRIAL]  FOLDER/simulator, FOLDER/truth and FOLDER/units.csv
//   study_field answer FOLDER ASSIGNED.json RESULTS.csv  what comes of the assignments
// TRUTH is treasure (a grid with a wall, and behind it a reward the simulator knows nothing of), confounded
// (a world of the generator with a hidden state) or vans=MODEL (the testing vans, with an outbreak in the far
// corner). Luck has the keys that `mindgap compare` gives its worlds, so trials can be paired with it.
#include <fmt/format.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "mindgap/base/distributions.h"
#include "mindgap/base/error.h"
#include "mindgap/base/number.h"
#include "mindgap/base/random.h"
#include "mindgap/files/model_file.h"
#include "mindgap/mdp/model.h"
#include "mindgap/trial/tabular_case.h"
#include "mindgap/world/draw.h"
#include "mindgap/world/tabular_world.h"
#include "mindgap/world/without_hidden_state.h"
#include "mindgap/world/world_folder.h"
#include "paper/cases/registry.h"

namespace {

using namespace mindgap;
namespace fs = std::filesystem;

struct Field {
  mdp::Model simulator;
  world::HiddenModel truth;
};

// A case's problem as a user's model: the simulator with its prior, pair by pair.
Field field_of_case(const std::string& name, std::uint64_t seed, std::uint64_t trial, std::int64_t units) {
  const std::unique_ptr<trial::Case> on = cases::find_case(name).make({.seed = seed, .units = units});
  const trial::Problem problem = dynamic_cast<const trial::TabularCase&>(*on).problem(trial);
  mdp::Model model{.name = name, .mdp = problem.belief.simulator()};
  const auto variance = problem.belief.observation_variance();
  model.variance.assign(variance.begin(), variance.end());
  mdp::PriorSpec prior;
  prior.pair_reward_sd = problem.belief.prior().reward_sd;
  prior.pair_transition_strength = problem.belief.prior().transition_strength;
  model.prior = prior;
  return {std::move(model), problem.truth};
}

// The city of examples/vans: 8 tests a day, of which a share is positive that the simulator has too low in
// the far corner (the numbers of the paper's outbreak: .30 there, .18 around it, .04 elsewhere in region B).
Field field_of_vans(const std::string& path) {
  mdp::Model model = files::read_model(path);
  std::vector<double> reward(model.mdp.reward().begin(), model.mdp.reward().end());
  const mdp::Labels& labels = model.mdp.labels();
  for (std::int32_t k = 0; k < model.mdp.pairs(); ++k) {
    const std::int32_t s = model.mdp.state_of_pair(k);
    if (labels.groups[labels.group_of_state[s]] != "B") continue;
    const double away = std::abs(labels.x[s] - 7) + std::abs(labels.y[s] - 4);
    reward[k] = 8 * (away == 0 ? .30 : away <= 2 ? .18 : .04);
  }
  return {model, world::without_hidden_state(model.mdp.with_reward(std::move(reward)), .5)};
}

void setup(const fs::path& folder, std::int64_t units, const std::string& name, std::uint64_t seed,
           std::uint64_t trial) {
  const Field field =
      name.rfind("vans=", 0) == 0 ? field_of_vans(name.substr(5)) : field_of_case(name, seed, trial, units);
  fs::create_directories(folder);
  files::write_model(field.simulator, folder / "simulator");
  world::write_world(field.truth, folder / "truth");
  std::ofstream(folder / "luck.json") << nlohmann::json{{"seed", seed}, {"trial", trial}};
  std::ofstream table(folder / "units.csv");
  table << "unit,state\n";
  world::TabularWorld world(field.truth, seed, trial, units);
  for (std::int64_t u = 0; u < units; ++u)
    table << fmt::format("{},\"{}\"\n", u, field.simulator.mdp.state_name(world.reset(u)));
}

// The hidden state of each unit is the field's own memory: nobody is told.
nlohmann::json hidden_states(const fs::path& file) {
  std::ifstream in(file);
  return in ? nlohmann::json::parse(in) : nlohmann::json::object();
}

void answer(const fs::path& folder, const std::string& assigned, const std::string& results) {
  const mdp::Mdp names = files::read_model(folder / "simulator").mdp;
  const world::HiddenModel truth = world::read_world(folder / "truth");
  std::ifstream luck_file(folder / "luck.json"), in(assigned);
  const auto luck = nlohmann::json::parse(luck_file), json = nlohmann::json::parse(in);
  const auto seed = luck["seed"].get<std::uint64_t>(), trial = luck["trial"].get<std::uint64_t>();
  nlohmann::json memory = hidden_states(folder / "hidden.json");
  std::ofstream out(results);
  out << "unit,step,state,action,reward,next_state\n";
  for (const auto& one : json.at("assignments")) {
    const std::string unit = one.at("unit"), state = one.at("state"), action = one.at("action");
    const auto number = std::stoull(unit);
    const auto step = one.at("step").get<std::uint64_t>();
    const std::int32_t at = names.find_state(state), pair = names.find_pair(at, names.find_action(action));
    if (!memory.contains(unit)) {  // as TabularWorld::reset: the state's word, then that of the hidden state
      base::Stream first({seed, base::Purpose::world, trial, number, 0});
      first.next();
      memory[unit] = base::categorical(first, world::hidden_law(truth, truth.deployment(), at));
    }
    base::Stream words({seed, base::Purpose::world, trial, number, step + 1});
    const world::Draw seen = world::draw_step(words, truth, pair, memory[unit].get<std::int32_t>());
    memory[unit] = seen.next_hidden;
    out << fmt::format("{},{},\"{}\",\"{}\",{},\"{}\"\n", unit, step, state, action,
                       base::shortest(seen.reward), names.state_name(seen.next_state));
  }
  std::ofstream(folder / "hidden.json") << memory;
}

int usage() {
  fmt::print(stderr,
             "study_field setup FOLDER UNITS treasure|confounded|vans=MODEL [SEED] [TRIAL]\n"
             "study_field answer FOLDER ASSIGNED.json RESULTS.csv\n");
  return 2;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const std::string verb = argc > 1 ? argv[1] : "";
    if (verb == "setup" && argc >= 5 && argc <= 7) {
      setup(argv[2], std::atoll(argv[3]), argv[4], argc > 5 ? std::strtoull(argv[5], nullptr, 10) : 42,
            argc > 6 ? std::strtoull(argv[6], nullptr, 10) : 0);
    } else if (verb == "answer" && argc == 5) {
      answer(argv[2], argv[3], argv[4]);
    } else {
      return usage();
    }
    return 0;
  } catch (const std::exception& error) {
    fmt::print(stderr, "study_field: {}\n", error.what());
    return 2;
  }
}

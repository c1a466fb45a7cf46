// The field of examples/study/run: a truth that answers assignments as people would, with a file of results.
//   study_field setup FOLDER UNITS                     the simulator and units.csv
//   study_field answer ASSIGNED.json RESULTS.csv SEED  what comes of the assignments
// The truth is the hidden treasure (mindgap compare treasure): a grid with a wall, and behind it a reward
// that the simulator knows nothing of.
#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "mindgap/base/distributions.h"
#include "mindgap/base/error.h"
#include "mindgap/base/random.h"
#include "mindgap/cases/treasure/model.h"
#include "mindgap/mdp/model.h"
#include "mindgap/mdp/number.h"

namespace {

using namespace mindgap;

constexpr double kNoise = .1;  // sd of one reward

void setup(const std::filesystem::path& folder, int units) {
  mdp::Model model{.name = "Hidden treasure",
                   .mdp = cases::treasure::grid(cases::treasure::simulated_rewards())};
  model.reward_variance = kNoise * kNoise;
  mdp::PriorSpec prior;
  prior.transition_strength = 1e9;  // moves are known
  for (std::int32_t k = 0; k < model.mdp.pairs(); ++k)
    prior.pair_reward_sd.push_back(cases::treasure::in_b(model.mdp.state_of_pair(k)) ? .5 : .05);
  prior.pair_transition_strength.assign(prior.pair_reward_sd.size(), *prior.transition_strength);
  prior.transition_strength.reset();
  model.prior = prior;
  std::filesystem::create_directories(folder);
  mdp::write_model(model, folder / "simulator");
  std::ofstream table(folder / "units.csv");
  table << "unit,state\n";
  for (int u = 0; u < units; ++u) table << fmt::format("walker-{},\"{}\"\n", u, model.mdp.state_name(0));
}

void answer(const std::string& assigned, const std::string& results, std::uint64_t seed) {
  const mdp::Mdp truth = cases::treasure::grid(cases::treasure::true_rewards());
  std::ifstream in(assigned);
  const auto json = nlohmann::json::parse(in);
  std::ofstream out(results);
  out << "unit,step,state,action,reward,next_state\n";
  for (const auto& one : json.at("assignments")) {
    const std::string unit = one.at("unit"), state = one.at("state"), action = one.at("action");
    const auto number = static_cast<std::uint64_t>(std::stoul(unit.substr(unit.find('-') + 1)));
    const auto step = one.at("step").get<std::uint64_t>();
    base::Stream luck({seed, base::Purpose::world, 0, number, step + 1});
    const std::int32_t pair = truth.find_pair(truth.find_state(state), truth.find_action(action));
    double left = base::uniform(luck);
    std::int64_t i = truth.row_begin()[pair];
    while (i + 1 < truth.row_begin()[pair + 1] && left >= truth.probability()[i])
      left -= truth.probability()[i++];
    const double reward = truth.reward()[pair] + kNoise * base::normal(luck);
    out << fmt::format("{},{},\"{}\",\"{}\",{},\"{}\"\n", unit, step, state, action, mdp::shortest(reward),
                       truth.state_name(truth.next_state()[i]));
  }
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const std::string verb = argc > 1 ? argv[1] : "";
    if (verb == "setup" && argc == 4) {
      setup(argv[2], std::atoi(argv[3]));
    } else if (verb == "answer" && argc == 5) {
      answer(argv[2], argv[3], std::strtoull(argv[4], nullptr, 10));
    } else {
      fmt::print(stderr,
                 "study_field setup FOLDER UNITS | study_field answer ASSIGNED.json RESULTS.csv SEED\n");
      return 2;
    }
    return 0;
  } catch (const std::exception& error) {
    fmt::print(stderr, "study_field: {}\n", error.what());
    return 2;
  }
}

// Eight testing vans: where could the simulator be wrong, is it worth finding out, and where should the vans
// go? The twin of python/04_testing_vans.py, with the same numbers but for those of the last comparison: it
// has its own luck, and noise that is the same in all of the city.
//   example_04_testing_vans [FOLDER]     the model, examples/vans if not said
#include <algorithm>
#include <cstdio>
#include <exception>
#include <filesystem>

#include "mindgap/belief/stated_belief.h"
#include "mindgap/command/compare.h"
#include "mindgap/command/decide.h"
#include "mindgap/command/design.h"
#include "mindgap/command/diagnose.h"
#include "mindgap/command/solve.h"
#include "mindgap/files/model_file.h"
#include "mindgap/mdp/solve.h"
#include "mindgap/trial/tabular_case.h"
#include "mindgap/world/without_hidden_state.h"

namespace {

using namespace mindgap;

void print(const std::string& text) {
  std::printf("%s\n", text.c_str());
}

// Deploy, learn, or experiment? Plans are tried in 128 models sampled from what is believed.
void decide_on(const mdp::Model& vans, const command::Evidence& known) {
  command::DecideRequest request{.model = vans, .evidence = known};
  request.units = 8;
  request.horizon = 100;
  request.worlds = 128;
  const command::DecideAnswer answer = command::decide(request);
  print(answer.headline());
  print(answer.reason());
  for (const decide::PlanResult& one : answer.decision.plans) {
    if (one.screened) continue;  // a plan that was tried at first, and left out
    std::printf("%10s %10s %8.1f %6.1f\n", one.plan.name.c_str(),
                std::string(decide::name_of(one.plan.kind)).c_str(), one.value, one.standard_error);
  }
}

// Where the vans go in ten steps, so that the value of whatever policy turns out best is known well.
void design_for(const mdp::Model& vans, const command::Evidence& known) {
  command::DesignRequest request{.model = vans, .evidence = known};
  request.units = 8;
  request.steps = 10;
  print(command::design(request).text());
}

// How would it have gone? We do not know the city. But we can draw one from what we believe, before history,
// and let the planners loose in it.
void compare_in_a_drawn_city(const mdp::Model& vans) {
  const belief::Belief belief = belief::stated_belief(vans, "a comparison");
  const mdp::Mdp city = belief.sample(/*seed=*/7, /*draw=*/0);
  std::printf("the best policy of the drawn city earns %.3f per van, discounted\n",
              mdp::solve(city).value_at_start);
  const double noise = *std::ranges::max_element(vans.variance);  // of a reward: region A's, here everywhere
  const world::HiddenModel truth = world::without_hidden_state(city, noise);
  trial::TabularCaseOptions options;
  options.name = "a drawn city";
  options.units = 8;
  options.settings = {{"simulator", vans.name}};
  const trial::TabularCase on(options, [&](std::uint64_t) { return trial::Problem{belief, truth}; });
  command::CompareRequest asked;
  asked.planners = {"oracle", "sop", "asop", "thompson", "fisher"};
  asked.horizons = {20, 100};
  asked.trials = 20;
  print(command::compare(on, asked).text());
}

}  // namespace

int main(int argc, char** argv) try {
  const std::filesystem::path folder = argc > 1 ? argv[1] : "examples/vans";
  const mdp::Model vans = files::read_model(folder);
  print(command::solve({.model = vans}).text());

  // Where could it be wrong? coverage.csv says how often history saw each pair. What the vans' optimal policy
  // never visits, waiting will never show.
  const command::Evidence known{.coverage = command::source_of(folder / "coverage.csv")};
  command::DiagnoseRequest doubts{.model = vans, .evidence = known};
  doubts.evidence.prior.odds = 2;  // what history's actions followed and does not show
  doubts.top = 5;
  print(command::diagnose(doubts).text());

  decide_on(vans, known);
  design_for(vans, known);
  compare_in_a_drawn_city(vans);
} catch (const std::exception& error) {  // a file that is not there, or is wrong: the message says where
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}

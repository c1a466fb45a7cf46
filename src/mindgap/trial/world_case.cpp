#include "mindgap/trial/world_case.h"

#include <optional>

#include "mindgap/base/fingerprint.h"
#include "mindgap/belief/stated_belief.h"
#include "mindgap/files/model_file.h"
#include "mindgap/trial/tabular_case.h"
#include "mindgap/world/match.h"
#include "mindgap/world/projection.h"
#include "mindgap/world/world_folder.h"

namespace mindgap::trial {
namespace {

std::optional<double> stated(const trial::OptionValues& values, std::string_view name, double lower) {
  if (values.text(name).empty()) return std::nullopt;
  return values.number(name, lower, 1e15);
}

trial::Problem with_simulator(const world::HiddenModel& truth, const mdp::Model& model,
                              const trial::OptionValues& values) {
  belief::PriorOverrides overrides;
  overrides.reward_sd = stated(values, "reward-sd", 0);
  overrides.transition_strength = stated(values, "transition-strength", 1e-9);
  overrides.unseen = stated(values, "unseen", 0);
  return {belief::stated_belief(model, "a comparison", overrides), world::matched_to(model.mdp, truth)};
}

trial::Problem from_history(const world::HiddenModel& truth, const trial::OptionValues& values) {
  const mdp::Mdp simulator = world::calibration_kernel(truth);
  const auto pairs = static_cast<std::size_t>(simulator.pairs());
  belief::Prior prior;
  prior.reward_sd.assign(pairs, stated(values, "reward-sd", 0).value_or(simulator.reward_max()));
  prior.transition_strength.assign(pairs, stated(values, "transition-strength", 1e-9).value_or(5));
  return {{simulator,
           std::move(prior),
           world::observational_variance(truth),
           {.unseen = {.share = stated(values, "unseen", 0)}}},
          truth};
}

// Everything of the truth and of what is believed that numbers depend on: files may change under a run.
std::string content_of(const trial::Problem& problem) {
  const world::HiddenModel& truth = problem.truth;
  const mdp::Mdp& simulator = problem.belief.simulator();
  base::Fingerprint all;
  all.add(truth.discount()).add(simulator.discount()).add(simulator.reward_max());
  all.add(problem.belief.unseen().share.value_or(-1)).add(problem.belief.unseen().strength);
  for (const auto numbers : {truth.pair_begin(), truth.pair_action(), truth.next_state(), truth.next_hidden(),
                             simulator.next_state()})
    all.add(numbers);
  for (const auto numbers :
       {truth.reward(), truth.variance(), truth.probability(), truth.deployment(), truth.start(),
        simulator.reward(), simulator.probability(), simulator.start(), problem.belief.observation_variance(),
        std::span<const double>(problem.belief.prior().reward_sd),
        std::span<const double>(problem.belief.prior().transition_strength)})
    all.add(numbers);
  for (const double number : problem.belief.rewards()->identity()) all.add(number);
  const belief::SharedErrors& shared = problem.belief.shared();
  for (std::int32_t k = 0; !shared.none() && k < simulator.pairs(); ++k)
    all.add(shared.loadings(k)).add(shared.own_variance(k));
  if (const belief::Ensemble* ensemble = problem.belief.ensemble()) {
    const mdp::Members& members = ensemble->members();
    all.add(members.weights());
    for (std::int32_t i = 0; i < members.size(); ++i) all.add(members.reward(i)).add(members.probability(i));
  }
  return all.text();
}

std::unique_ptr<trial::Case> make(const std::filesystem::path& path, const trial::CaseRequest& request,
                                  const trial::OptionValues& values, const trial::Problem& problem) {
  trial::TabularCaseOptions options;
  options.name = path.string();
  options.units = request.units.value_or(100);
  options.seed = request.seed;
  options.horizons = {100};
  options.settings = values.settings();
  options.drift_rate = drift_rate_of(values);
  options.belief_state = problem.truth.hidden() > 1;
  options.settings.emplace_back("content", content_of(problem));
  return std::make_unique<trial::TabularCase>(std::move(options),
                                              [problem](std::uint64_t) { return problem; });
}

}  // namespace

const std::vector<trial::CaseOption>& world_options() {
  static const std::vector<trial::CaseOption> kAll = {
      {"simulator",
       "the model planners are given, with its prior or coverage; none: what endless history would estimate",
       ""},
      {"reward-sd", "prior sd of mean rewards", ""},
      {"transition-strength", "pseudo-observations behind each simulated row", ""},
      {"unseen",
       "probability that a simulated row is wrong about what is possible; none: 0 until an impossible move "
       "is "
       "seen",
       ""},
      drift_rate_option(),
  };
  return kAll;
}

std::unique_ptr<trial::Case> make_world_case(const std::filesystem::path& path,
                                             const trial::CaseRequest& request) {
  const trial::OptionValues values(path.string(), world_options(), request);
  const world::HiddenModel truth = world::read_world(path);
  if (values.text("simulator").empty()) return make(path, request, values, from_history(truth, values));
  return make(path, request, values,
              with_simulator(truth, files::read_model(values.text("simulator")), values));
}

std::unique_ptr<trial::Case> make_world_case(const std::filesystem::path& path,
                                             const trial::CaseRequest& request, const mdp::Model& simulator) {
  const trial::OptionValues values(path.string(), world_options(), request);
  return make(path, request, values, with_simulator(world::read_world(path), simulator, values));
}

}  // namespace mindgap::trial

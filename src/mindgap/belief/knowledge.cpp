#include "mindgap/belief/knowledge.h"

#include <fmt/format.h>

#include "mindgap/base/error.h"
#include "mindgap/base/option_name.h"

namespace mindgap::belief {
namespace {

using mdp::Model;

bool states_prior(const Model& model) {
  return model.prior && (model.prior->reward_sd || !model.prior->pair_reward_sd.empty() ||
                         model.prior->transition_strength || !model.prior->pair_transition_strength.empty());
}

// The model with the overrides in place of its own numbers.
Model overridden(const Model& model, const PriorOverrides& overrides) {
  Model result = model;
  if (!result.prior) result.prior = mdp::PriorSpec{};
  if (overrides.reward_sd) {
    result.prior->reward_sd = overrides.reward_sd;
    result.prior->pair_reward_sd = {};
  }
  if (overrides.transition_strength) {
    result.prior->transition_strength = overrides.transition_strength;
    result.prior->pair_transition_strength = {};
  }
  if (overrides.odds) result.prior->odds = *overrides.odds;
  if (overrides.drift_sd) result.prior->drift_sd = *overrides.drift_sd;
  return result;
}

// What is missing, and how to state it in a model's files and in Python.
std::string asking_for_prior() {
  return fmt::format(
      "the model states no prior: say how far the truth may be from the simulator, with reward_sd and "
      "transition_strength ({}), or how often history saw each pair, with coverage ({})",
      base::told("[prior] in model.toml", "Mdp.with_prior()"),
      base::told("--coverage", "coverage= or Mdp.with_coverage()"));
}

std::string how_to_state_variance() {
  return std::string(
      base::told("reward_variance ([observation] in model.toml) or a column `variance` of the rewards",
                 "Mdp.with_variance()"));
}

// Everything that is missing, in one message.
[[noreturn]] void ask_for_prior(bool variance_is_missing) {
  std::string said = asking_for_prior();
  if (variance_is_missing)
    said +=
        fmt::format("; and it states no variance of one observed reward, {}, which trials and coverage need",
                    how_to_state_variance());
  throw InvalidArgument(said);
}

}  // namespace

void check_overrides(const PriorOverrides& overrides) {
  mdp::PriorSpec spec;
  spec.reward_sd = overrides.reward_sd;
  spec.transition_strength = overrides.transition_strength;
  spec.odds = overrides.odds.value_or(spec.odds);
  spec.drift_sd = overrides.drift_sd.value_or(spec.drift_sd);
  check_stated(spec);
}

void ask_for_variance(const std::string& what) {
  throw InvalidArgument(fmt::format("{} needs the variance of one observed reward: state it with {}", what,
                                    how_to_state_variance()));
}

Knowledge gather_knowledge(const Model& model, const std::optional<std::vector<double>>& given,
                           const std::optional<mdp::ObservationLog>& log, const PriorOverrides& overrides) {
  check_overrides(overrides);
  const std::vector<double>& coverage = given ? *given : model.coverage;
  const bool covered = given || !coverage.empty();
  if (!states_prior(model) && !overrides.reward_sd && !overrides.transition_strength && !covered)
    ask_for_prior(model.variance.empty() && !model.reward_variance);
  const Model stated = overridden(model, overrides);
  const auto pairs = static_cast<std::size_t>(model.mdp.pairs());
  std::vector<double> variance = observation_variance(stated);
  bool estimated = false;
  if (variance.empty() && log) {
    if (const std::optional<double> pooled = pooled_variance(model.mdp, *log)) {
      variance.assign(pairs, *pooled);
      estimated = true;
    }
  }
  if (variance.empty() && covered) ask_for_variance("a prior from coverage");
  if (variance.empty() && log) ask_for_variance("a log in which no pair shows two different rewards");

  Prior prior = stated_prior(stated);
  std::vector<double> bias(pairs, 0.0);
  if (covered) {
    prior = prior_from_coverage(model.mdp, variance, coverage, prior,
                                {.odds = stated.prior->odds, .drift_sd = stated.prior->drift_sd});
    for (std::size_t k = 0; k < pairs; ++k) bias[k] = reward_bias_bound(stated.prior->odds, variance[k]);
  }
  // Without a variance there are no rewards to learn from: 0 is never used.
  const bool learn = overrides.estimate_variance;
  if (learn && variance.empty()) ask_for_variance("a variance that is to be learnt");
  const Belief before(model.mdp, std::move(prior),
                      variance.empty() ? std::vector<double>(pairs, 0.0) : variance,
                      {.rewards = learn ? RewardModel::estimated_variance : RewardModel::known_variance});
  Knowledge result{.source = covered ? PriorSource::coverage : PriorSource::stated,
                   .odds = stated.prior->odds,
                   .drift_sd = stated.prior->drift_sd,
                   .coverage = coverage,
                   .bias = std::move(bias),
                   .variance = std::move(variance),
                   .variance_estimated = estimated,
                   .before = before,
                   .now = before};
  if (log) result.now.observe(*log);
  return result;
}

}  // namespace mindgap::belief

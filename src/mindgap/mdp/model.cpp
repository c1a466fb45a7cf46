#include "mindgap/mdp/model.h"

#include <fmt/format.h>

#include <cmath>

#include "mindgap/base/error.h"
#include "mindgap/mdp/model_values.h"

namespace mindgap::mdp {
namespace {

void check_scalar(const ValueRule& rule, double value) {
  if (!rule.good(value)) throw InvalidModel(rule.problem, {.value = fmt::format("{}", value)});
}

void check_pairs(const Mdp& mdp, const ValueRule& rule, const std::vector<double>& values) {
  if (values.empty()) return;
  if (values.size() != static_cast<std::size_t>(mdp.pairs())) {
    throw InvalidModel(
        fmt::format("{} has {} entries, but there are {} pairs", rule.name, values.size(), mdp.pairs()), {});
  }
  for (std::int32_t k = 0; k < mdp.pairs(); ++k) {
    if (rule.good(values[k])) continue;
    throw InvalidModel(rule.problem, {.state = mdp.state_name(mdp.state_of_pair(k)),
                                      .action = mdp.action_name(mdp.pair_action()[k]),
                                      .value = fmt::format("{}", values[k])});
  }
}

// The bounds leave room, Bernoulli rewards have their own, and the simulator's means are possible.
void check_rewards(const Mdp& mdp, const PriorSpec& prior) {
  if (prior.reward_min) check_scalar(kTrueRewardMin, *prior.reward_min);
  if (prior.reward_max) check_scalar(kTrueRewardMax, *prior.reward_max);
  const bool bernoulli = prior.rewards == RewardKind::bernoulli;
  if (bernoulli && (prior.reward_min.value_or(0) != 0 || prior.reward_max.value_or(1) != 1)) {
    throw InvalidModel(
        "Bernoulli rewards lie from 0 to 1: reward_min and reward_max of the prior cannot be others", {});
  }
  if (prior.reward_min && prior.reward_max && !(*prior.reward_min < *prior.reward_max)) {
    throw InvalidModel(
        fmt::format("reward_min of the prior must be below its reward_max, {}", *prior.reward_max),
        {.value = fmt::format("{}", *prior.reward_min)});
  }
  const std::optional<double> lower = bernoulli ? 0.0 : prior.reward_min;
  const std::optional<double> upper = bernoulli ? 1.0 : prior.reward_max;
  if (!lower && !upper) return;
  for (std::int32_t k = 0; k < mdp.pairs(); ++k) {
    const double r = mdp.reward()[k];
    const bool low = lower && r < *lower;
    if (!low && !(upper && r > *upper)) continue;
    throw InvalidModel(
        fmt::format("the mean reward is {} {}, the {} that the prior states for true mean rewards{}",
                    low ? "below" : "above", low ? *lower : *upper, low ? "reward_min" : "reward_max",
                    bernoulli ? " (rewards = \"bernoulli\")" : ""),
        {.state = mdp.state_name(mdp.state_of_pair(k)),
         .action = mdp.action_name(mdp.pair_action()[k]),
         .value = fmt::format("{}", r)});
  }
}

void check_prior(const Mdp& mdp, const PriorSpec& prior) {
  if (prior.reward_sd) check_scalar(kRewardSd, *prior.reward_sd);
  if (prior.transition_strength) check_scalar(kTransitionStrength, *prior.transition_strength);
  check_scalar(kOdds, prior.odds);
  check_scalar(kDriftSd, prior.drift_sd);
  if (prior.unseen) check_scalar(kUnseen, *prior.unseen);
  check_scalar(kUnseenStrength, prior.unseen_strength);
  check_pairs(mdp, kRewardSd, prior.pair_reward_sd);
  check_pairs(mdp, kTransitionStrength, prior.pair_transition_strength);
  const bool twice = (prior.reward_sd && !prior.pair_reward_sd.empty()) ||
                     (prior.transition_strength && !prior.pair_transition_strength.empty());
  if (twice) throw InvalidModel("the prior states one number for all pairs and another per pair", {});
  check_rewards(mdp, prior);
}

// Numbers of states, ascending.
void check_states(const Mdp& mdp, const char* what, const std::vector<std::int32_t>& states) {
  std::int32_t before = -1;
  for (const std::int32_t s : states) {
    if (s <= before || s >= mdp.states())
      throw InvalidModel(fmt::format("{} must be the number of a state, each once and ascending", what),
                         {.value = fmt::format("{}", s)});
    before = s;
  }
}

void check_names(const char* what, const NameTable& names) {
  for (std::int32_t i = 0; i < names.size(); ++i) check_name(what, names[i]);
}

}  // namespace

std::string_view to_string(RewardKind kind) {
  return kind == RewardKind::gaussian ? "gaussian" : "bernoulli";
}

std::optional<RewardKind> reward_kind_from(std::string_view name) {
  for (const RewardKind kind : {RewardKind::gaussian, RewardKind::bernoulli}) {
    if (name == to_string(kind)) return kind;
  }
  return std::nullopt;
}

void check_model(const Model& model) {
  if (!is_clean_utf8(model.name)) {
    throw InvalidModel("the model's name must be valid UTF-8 without NUL bytes", {.value = model.name});
  }
  const Labels& labels = model.mdp.labels();
  check_names("state", labels.states);
  check_names("action", labels.actions);
  check_names("group", labels.groups);
  if (model.reward_variance) check_scalar(kVariance, *model.reward_variance);
  check_pairs(model.mdp, kVariance, model.variance);
  check_pairs(model.mdp, kCoverage, model.coverage);
  if (model.prior) check_prior(model.mdp, *model.prior);
  check_states(model.mdp, "an end", model.ends);
  check_states(model.mdp, "a new state", model.added);
}

}  // namespace mindgap::mdp

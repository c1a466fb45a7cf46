#include "mindgap/mdp/model.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <utility>

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

void check_loadings(const Mdp& mdp, const SharedSpec& shared) {
  const auto factors = static_cast<std::int32_t>(shared.factors.size());
  if (factors > mdp.pairs())
    throw InvalidModel(
        fmt::format("there are {} shared factors, but only {} pairs to share them", factors, mdp.pairs()),
        {});
  for (const std::string& name : shared.factors) check_name("factor", name);
  std::pair<std::int32_t, std::int32_t> before{-1, -1};
  for (const Loading& one : shared.loadings) {
    const std::pair<std::int32_t, std::int32_t> here{one.pair, one.factor};
    if (one.pair < 0 || one.pair >= mdp.pairs() || one.factor < 0 || one.factor >= factors || here <= before)
      throw InvalidModel("loadings must be of pairs and factors that there are, each once and ascending", {});
    check_scalar(kLoading, one.loading);
    before = here;
  }
}

void check_shared(const Mdp& mdp, const PriorSpec& prior) {
  const SharedSpec& shared = prior.shared;
  if (!shared.any()) return;
  if (shared.group_sd && !shared.group_sds.empty())
    throw InvalidModel("the shared errors state one sd for all groups and another per group", {});
  if (shared.group_sd) check_scalar(kSharedSd, *shared.group_sd);
  if (!shared.group_sds.empty() &&
      shared.group_sds.size() != static_cast<std::size_t>(mdp.labels().groups.size()))
    throw InvalidModel(fmt::format("group_sd has {} entries, but there are {} groups",
                                   shared.group_sds.size(), mdp.labels().groups.size()),
                       {});
  for (const double sd : shared.group_sds) check_scalar(kSharedSd, sd);
  if ((shared.group_sd || !shared.group_sds.empty()) && mdp.labels().groups.size() == 0)
    throw InvalidModel("group_sd is stated, but the states have no groups", {});
  if (shared.kernel) {
    check_scalar(kSharedSd, shared.kernel->sd);
    check_scalar(kKernelLength, shared.kernel->length);
    if (shared.kernel->over == KernelOver::place && mdp.labels().x.empty())
      throw InvalidModel(
          "a kernel over places is stated, but the states have no x and y (over = \"graph\" needs none)", {});
  }
  check_loadings(mdp, shared);
  if (prior.rewards == RewardKind::bernoulli || prior.reward_min || prior.reward_max)
    throw InvalidModel(
        "shared errors are Gaussian: they cannot be stated beside bounds on true mean rewards or Bernoulli "
        "rewards",
        {});
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
  check_shared(mdp, prior);
}

void check_members(const Model& model) {
  if (!model.members) {
    if (!model.parameters.empty())
      throw InvalidModel("parameters are of the members of an ensemble, but the model is none", {});
    return;
  }
  if (!(model.mdp == model.members->mean()))
    throw InvalidModel(
        "the model is an ensemble: what it says of rewards, moves, start and discount is the mean of its "
        "members; "
        "change the members",
        {});
  if (model.prior && (model.prior->shared.any() || model.prior->rewards == RewardKind::bernoulli ||
                      model.prior->reward_min || model.prior->reward_max))
    throw InvalidModel(
        "an ensemble's rewards are Gaussian around its members: shared errors, Bernoulli rewards and bounds "
        "of true "
        "rewards cannot be stated of it",
        {});
  if (!model.ends.empty() || !model.added.empty())
    throw InvalidModel("an ensemble can neither begin again nor take in new states: change the members", {});
  for (const Parameter& parameter : model.parameters) {
    check_name("parameter", parameter.name);
    if (parameter.value.size() != static_cast<std::size_t>(model.members->size()))
      throw InvalidModel(fmt::format("parameter '{}' has {} values, but there are {} members", parameter.name,
                                     parameter.value.size(), model.members->size()),
                         {});
    for (const double value : parameter.value) {
      if (!std::isfinite(value))
        throw InvalidModel(fmt::format("parameter '{}' must be finite", parameter.name),
                           {.value = fmt::format("{}", value)});
    }
  }
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

std::span<const RewardKindName> reward_kinds() {
  static constexpr auto kKinds = std::to_array<RewardKindName>({
      {RewardKind::gaussian, "gaussian", "a number around its mean"},
      {RewardKind::bernoulli, "bernoulli", "0 or 1"},
  });
  return kKinds;
}

std::string_view to_string(RewardKind kind) {
  return reward_kinds()[static_cast<std::size_t>(kind)].name;
}

std::optional<RewardKind> reward_kind_from(std::string_view name) {
  for (const RewardKindName& kind : reward_kinds()) {
    if (name == kind.name) return kind.kind;
  }
  return std::nullopt;
}

std::string reward_kind_wanted() {
  std::string wanted = "rewards must be ";
  for (const RewardKindName& kind : reward_kinds()) {
    if (&kind != &reward_kinds().front()) wanted += " or ";
    wanted += "'" + std::string(kind.name) + "'";
  }
  return wanted;
}

std::string_view to_string(KernelOver over) {
  return over == KernelOver::place ? "place" : "graph";
}

std::optional<KernelOver> kernel_over_from(std::string_view name) {
  for (const KernelOver over : {KernelOver::place, KernelOver::graph}) {
    if (name == to_string(over)) return over;
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
  if (model.coverage_is_sampled && model.coverage.empty())
    throw InvalidModel("coverage_is_sampled says what the counts are of, but the model has no coverage", {});
  if (model.prior) check_prior(model.mdp, *model.prior);
  check_states(model.mdp, "an end", model.ends);
  check_states(model.mdp, "a new state", model.added);
  check_members(model);
}

}  // namespace mindgap::mdp

#include "mindgap/belief/knowledge.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "mindgap/base/check.h"
#include "mindgap/base/error.h"
#include "mindgap/base/number.h"
#include "mindgap/base/remedy.h"
#include "mindgap/mdp/restart.h"

namespace mindgap::belief {
namespace {

using mdp::Mdp;
using mdp::Model;

bool states_prior(const Model& model) {
  return model.prior && (model.prior->reward_sd || !model.prior->pair_reward_sd.empty() ||
                         model.prior->transition_strength || !model.prior->pair_transition_strength.empty());
}

// A length asks for a kernel; an sd alone is that of the model's kernel, or else of its groups.
void override_shared(Model& model, const PriorOverrides& overrides) {
  if (!overrides.shared_sd && !overrides.shared_length) return;
  mdp::SharedSpec& shared = model.prior->shared;
  if (overrides.shared_length && !shared.kernel) {
    if (!overrides.shared_sd)
      throw InvalidArgument(
          "shared_length needs shared_sd: the model states no kernel whose length it could be");
    const bool places = !model.mdp.labels().x.empty();
    shared.kernel = mdp::KernelSpec{.over = places ? mdp::KernelOver::place : mdp::KernelOver::graph};
  }
  if (shared.kernel) {
    shared.kernel->sd = overrides.shared_sd.value_or(shared.kernel->sd);
    shared.kernel->length = overrides.shared_length.value_or(shared.kernel->length);
  } else {
    shared.group_sd = overrides.shared_sd;
    shared.group_sds = {};
  }
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
  if (overrides.unseen) result.prior->unseen = overrides.unseen;
  if (overrides.reward_min) result.prior->reward_min = overrides.reward_min;
  if (overrides.reward_max) result.prior->reward_max = overrides.reward_max;
  if (overrides.rewards) result.prior->rewards = *overrides.rewards;
  override_shared(result, overrides);
  return result;
}

BeliefOptions belief_options(const Model& model, bool learn_variance) {
  const mdp::PriorSpec& prior = *model.prior;
  const UnseenOptions unseen{.share = prior.unseen, .strength = prior.unseen_strength};
  if (prior.shared.any() && prior.rewards == mdp::RewardKind::bernoulli)
    throw InvalidArgument("shared errors are Gaussian: they cannot be stated of Bernoulli rewards");
  if (prior.rewards == mdp::RewardKind::bernoulli) {
    if (learn_variance)
      throw InvalidArgument(
          "the variance of a reward that is 0 or 1 follows from its mean: it cannot be estimated as well");
    if (prior.reward_min.value_or(0) != 0 || prior.reward_max.value_or(1) != 1)
      throw InvalidArgument("Bernoulli rewards lie from 0 to 1: reward_min and reward_max cannot be others");
    return {.rewards = RewardModel::bernoulli, .unseen = unseen, .members = model.members};
  }
  const RewardBounds bounds{prior.reward_min.value_or(-base::kInfinity),
                            prior.reward_max.value_or(base::kInfinity)};
  if (learn_variance && bounded(bounds))
    throw InvalidArgument(
        "bounds on true mean rewards (reward_min, reward_max) need the variance of one reward to be known: "
        "leave out estimate_variance or the bounds");
  return {.rewards = learn_variance ? RewardModel::estimated_variance : RewardModel::known_variance,
          .bounds = bounds,
          .unseen = unseen,
          .shared = shared_errors(model.mdp, prior.shared),
          .members = model.members};
}

// Of one reward that is 0 or 1, m (1 - m) at the simulated mean m, or where that is moved to (beta_prior).
std::vector<double> bernoulli_variance(const Mdp& mdp, const Prior& prior) {
  std::vector<double> variance;
  for (std::size_t k = 0; k < prior.reward_sd.size(); ++k) {
    const double r = mdp.reward()[k], sd = prior.reward_sd[k];
    const double m = sd > 0 && r >= 0 && r <= 1 ? beta_prior(r, sd).mean : r;
    variance.push_back(std::max(0.0, m * (1 - m)));
  }
  return variance;
}

// The variance of one reward, per pair, as the model states it or its kind of rewards says.
std::vector<double> stated_variance(const Model& stated, const Prior& prior) {
  if (stated.prior->rewards == mdp::RewardKind::bernoulli) return bernoulli_variance(stated.mdp, prior);
  return observation_variance(stated);
}

// What is missing, and how to state it in a model's files and in Python.
std::string asking_for_prior() {
  return fmt::format(
      "the model states no prior: say how far the truth may be from the simulator, with reward_sd and "
      "transition_strength ({}), or how often history saw each pair, with coverage ({})",
      base::how_to(base::Remedy::state_prior), base::how_to(base::Remedy::give_coverage));
}

std::string how_to_state_variance() {
  return std::string(base::how_to(base::Remedy::state_variance));
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
  spec.unseen = overrides.unseen;
  spec.reward_min = overrides.reward_min;
  spec.reward_max = overrides.reward_max;
  spec.shared.group_sd = overrides.shared_sd;
  if (overrides.shared_length)
    spec.shared.kernel = mdp::KernelSpec{.sd = 1, .length = *overrides.shared_length};
  check_stated(spec);
}

void ask_for_variance(const std::string& what) {
  throw InvalidArgument(fmt::format("{} needs the variance of one observed reward: state it with {}", what,
                                    how_to_state_variance()));
}

namespace {

// Squares of values are taken and added up.
void check_rewards(const Mdp& mdp) {
  constexpr double kMost = 1e100;
  if (mdp.reward_magnitude() <= kMost) return;
  for (std::int32_t k = 0; k < mdp.pairs(); ++k) {
    const double reward = mdp.reward()[k];
    if (std::abs(reward) > kMost)
      throw InvalidModel("the reward is beyond 1e100, too large for squares of values: scale the rewards",
                         {.state = mdp.state_name(mdp.state_of_pair(k)),
                          .action = mdp.action_name(mdp.pair_action()[k]),
                          .value = base::shortest(reward)});
  }
}

SampleCounts sample_counts(const Model& model, bool given, bool states) {
  if (given || !model.coverage_is_sampled || model.coverage.empty()) return SampleCounts::none;
  return states ? SampleCounts::precision : SampleCounts::history;
}

// One number for all pairs is about what is played. The end of an episode, which whoever tabulates adds (one
// action, which stays there and pays 0), pays nothing in the real system either.
void keep_ends_known(const Model& stated, Prior& prior) {
  if (!stated.prior->pair_reward_sd.empty()) return;
  for (const std::int32_t s : mdp::end_states(stated.mdp)) {
    const auto pairs = stated.mdp.pairs_of(s);
    const std::int32_t k = *pairs.begin();
    if (pairs.size() == 1 && stated.coverage[k] > 0) prior.reward_sd[k] = stated.prior->drift_sd;
  }
}

// The stated prior with the sampling error of the table. Rewards that are taken for constants stay known.
Prior around_samples(const Model& stated, const std::vector<double>& variance, bool constants,
                     const Prior& prior) {
  const std::vector<double> none(variance.size(), 0.0);
  Prior found = prior_around_samples(stated.mdp, constants ? none : variance, stated.coverage, prior);
  keep_ends_known(stated, found);
  return found;
}

// Pairs at which v/n exceeds the square of the sd; n is at least `fewest` where it is not 0.
std::int64_t count_seldom(const std::vector<double>& counts, double fewest,
                          const std::vector<double>& variance, const Prior& prior) {
  std::int64_t seldom = 0;
  for (std::size_t k = 0; k < counts.size(); ++k)
    seldom += counts[k] > 0 && prior.reward_sd[k] > 0 &&
              variance[k] / std::max(counts[k], fewest) > prior.reward_sd[k] * prior.reward_sd[k];
  return seldom;
}

// A state that nothing leaves and that pays a little, for ever, is worth much: who states one reward_sd for
// all pairs seldom means its ends, too.
std::int64_t count_uncertain_ends(const Model& stated, const Prior& prior) {
  if (!stated.prior->reward_sd || !stated.prior->pair_reward_sd.empty()) return 0;
  const std::vector<std::int32_t> ends = mdp::end_states(stated.mdp);
  // Where all states are like that it is a bandit whose simulated rewards are 0.
  if (static_cast<std::int32_t>(ends.size()) == stated.mdp.states()) return 0;
  std::int64_t uncertain = 0;
  for (const std::int32_t s : ends) {
    bool any = false;
    for (const std::int32_t k : stated.mdp.pairs_of(s)) any = any || prior.reward_sd[k] > 0;
    uncertain += any;
  }
  return uncertain;
}

}  // namespace

Knowledge gather_knowledge(const Model& model, const std::optional<std::vector<double>>& given,
                           const std::optional<mdp::ObservationLog>& log, const PriorOverrides& overrides) {
  check_overrides(overrides);
  check_rewards(model.mdp);
  const std::vector<double>& coverage = given ? *given : model.coverage;
  const bool counted = given || !coverage.empty();
  const bool states = states_prior(model) || overrides.reward_sd || overrides.transition_strength;
  const SampleCounts samples = sample_counts(model, given.has_value(), states);
  const bool covered = counted && samples != SampleCounts::precision;
  if (!states && !counted) ask_for_prior(model.variance.empty() && !model.reward_variance);
  const Model stated = overridden(model, overrides);
  if (stated.prior->shared.any() && !stated.prior->reward_sd && stated.prior->pair_reward_sd.empty())
    throw InvalidArgument(
        fmt::format("errors that pairs share are stated, but not reward_sd, what each pair has of its own "
                    "({}; 0: nothing)",
                    base::how_to(base::Remedy::state_prior)));
  const auto pairs = static_cast<std::size_t>(model.mdp.pairs());
  Prior prior = stated_prior(stated);
  std::vector<double> variance = stated_variance(stated, prior);
  bool estimated = false;
  if (variance.empty() && log) {
    if (const std::optional<double> pooled = pooled_variance(model.mdp, *log)) {
      variance.assign(pairs, *pooled);
      estimated = true;
    }
  }
  const std::int64_t constants = constant_rewards(stated);
  if (variance.empty() && constants > 0 && !log && stated.prior->drift_sd == 0)
    variance.assign(pairs, 0.0);  // rewards that are known have none
  if (variance.empty() && covered) ask_for_variance("a prior from coverage");
  if (variance.empty() && counted) ask_for_variance("the sampling error of a table made from samples");
  if (variance.empty() && log) ask_for_variance("a log in which no pair shows two different rewards");

  std::vector<double> bias(pairs, 0.0);
  std::int64_t seldom = 0;
  if (counted) {
    base::check_size("coverage", "count", coverage.size(), pairs);
    seldom = count_seldom(coverage, samples == SampleCounts::precision ? 1 : 0, variance, prior);
  }
  if (samples == SampleCounts::precision) prior = around_samples(stated, variance, constants > 0, prior);
  if (covered) {
    prior = prior_from_coverage(model.mdp, variance, coverage, prior,
                                {.odds = stated.prior->odds, .drift_sd = stated.prior->drift_sd});
    for (std::size_t k = 0; k < pairs; ++k) bias[k] = reward_bias_bound(stated.prior->odds, variance[k]);
  }
  // Without a variance there are no rewards to learn from: 0 is never used.
  const bool learn = overrides.estimate_variance;
  if (learn && variance.empty()) ask_for_variance("a variance that is to be learnt");
  const std::int64_t ends = count_uncertain_ends(stated, prior);
  const Belief before(model.mdp, std::move(prior),
                      variance.empty() ? std::vector<double>(pairs, 0.0) : variance,
                      belief_options(stated, learn));
  Knowledge result{.source = covered ? PriorSource::coverage : PriorSource::stated,
                   .odds = stated.prior->odds,
                   .drift_sd = stated.prior->drift_sd,
                   .coverage = covered ? coverage : std::vector<double>(),
                   .bias = std::move(bias),
                   .variance = std::move(variance),
                   .variance_estimated = estimated,
                   .seldom_seen = covered ? seldom : 0,
                   .samples = samples,
                   .seldom_sampled = covered ? 0 : seldom,
                   .constant_rewards = constants,
                   .uncertain_ends = ends,
                   .shared = stated.prior->shared,
                   .before = before,
                   .now = before};
  if (log) result.now.observe(*log);
  return result;
}

}  // namespace mindgap::belief

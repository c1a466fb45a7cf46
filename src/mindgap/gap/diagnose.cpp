#include "mindgap/gap/diagnose.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>

#include "mindgap/base/check.h"
#include "mindgap/base/error.h"
#include "mindgap/gap/epi.h"
#include "mindgap/gap/horizon.h"
#include "mindgap/mdp/evaluate.h"
#include "mindgap/world/match.h"
#include "mindgap/world/projection.h"

namespace mindgap::gap {
namespace {

using belief::Belief;
using mdp::Mdp;
using mdp::Model;

constexpr double kLargeReward = 6;  // standard deviations of one observation beyond reward_max

// The model with the options' numbers in place of its own.
Model with_options(const Model& model, const DiagnoseInput& input, const DiagnoseOptions& options) {
  const bool stated =
      model.prior && (model.prior->reward_sd || !model.prior->pair_reward_sd.empty() ||
                      model.prior->transition_strength || !model.prior->pair_transition_strength.empty());
  if (!stated && !options.reward_sd && !options.transition_strength && !input.coverage) {
    throw InvalidArgument(
        "the model states no prior: say how far the truth may be from the simulator with [prior] reward_sd "
        "and "
        "transition_strength in model.toml, or how often history saw each pair with a coverage table");
  }
  for (const auto& [name, value] : {std::pair{"reward_sd", options.reward_sd},
                                    {"transition_strength", options.transition_strength},
                                    {"odds", options.odds},
                                    {"drift_sd", options.drift_sd}}) {
    if (value) base::check_finite("diagnose", name, *value);
  }
  Model result = model;
  if (!result.prior) result.prior = mdp::PriorSpec{};
  if (options.reward_sd) {
    result.prior->reward_sd = options.reward_sd;
    result.prior->pair_reward_sd = {};
  }
  if (options.transition_strength) {
    result.prior->transition_strength = options.transition_strength;
    result.prior->pair_transition_strength = {};
  }
  if (options.odds) result.prior->odds = *options.odds;
  if (options.drift_sd) result.prior->drift_sd = *options.drift_sd;
  return result;
}

// Which variance of one reward to use: stated, or else pooled from the pilot; empty where there is neither.
std::vector<double> variance_of(const Model& model, const DiagnoseInput& input, bool& estimated) {
  std::vector<double> variance = belief::observation_variance(model);
  estimated = false;
  if (!variance.empty() || !input.log) return variance;
  const std::optional<double> pooled = belief::pooled_variance(model.mdp, *input.log);
  if (!pooled) return {};
  estimated = true;
  return std::vector<double>(static_cast<std::size_t>(model.mdp.pairs()), *pooled);
}

[[noreturn]] void ask_for_variance(const char* why) {
  throw InvalidArgument(
      fmt::format("{} needs the variance of one observed reward: state it as [observation] reward_variance "
                  "in model.toml or "
                  "as a column `variance` in the rewards",
                  why));
}

RewardSign sign_of(std::span<const double> rewards) {
  const bool negative = std::any_of(rewards.begin(), rewards.end(), [](double r) { return r < 0; });
  return negative ? RewardSign::any : RewardSign::nonnegative;
}

// One diagnosis, step by step.
class Diagnoser {
 public:
  Diagnoser(const Model& model, const DiagnoseInput& input, const DiagnoseOptions& options)
      : model_(with_options(model, input, options)), mdp_(model_.mdp), input_(input), options_(options) {
    if (mdp_.discount() == 1) {
      throw InvalidArgument(
          "diagnose: discount is 1, but must be below 1: the value of a policy for ever is asked");
    }
  }

  Diagnosis run() {
    find_policy();
    find_prior();
    learn();
    weigh();
    if (input_.truth) hold_against_truth();
    rank();
    value_information();
    return std::move(result_);
  }

 private:
  void progress(const char* what, std::int64_t done, std::int64_t total) const {
    if (options_.on_progress) options_.on_progress(what, done, total);
  }

  // What the simulator recommends, where that goes, and how one would get elsewhere.
  void find_policy() {
    progress("solving", 0, 1);
    result_.sop = mdp::solve(mdp_, {.threads = options_.threads});
    result_.reach = mdp::policy_reach(mdp_, result_.sop.policy, options_.support_threshold);
    result_.routes = routes_to_unreached(mdp_, result_.reach, result_.sop.value);
  }

  void find_prior() {
    variance_ = variance_of(model_, input_, variance_estimated_);
    result_.odds = model_.prior->odds;
    result_.drift_sd = model_.prior->drift_sd;
    result_.prior = belief::stated_prior(model_);
    const auto pairs = static_cast<std::size_t>(mdp_.pairs());
    result_.bias.assign(pairs, 0.0);
    if (!input_.coverage) return;
    if (variance_.empty()) ask_for_variance("a prior from coverage");
    base::check_size("diagnose", "coverage", input_.coverage->size(), pairs);
    result_.prior_source = PriorSource::coverage;
    result_.coverage = *input_.coverage;
    result_.prior = belief::prior_from_coverage(mdp_, variance_, result_.coverage, result_.prior,
                                                {.odds = result_.odds, .drift_sd = result_.drift_sd});
    for (std::size_t k = 0; k < pairs; ++k) {
      result_.bias[k] = belief::reward_bias_bound(result_.odds, variance_[k]);
    }
  }

  // The belief before and, with a log, after the pilot.
  void learn() {
    if (input_.log && variance_.empty())
      ask_for_variance("a log in which no pair shows two different rewards");
    std::vector<double> variance = variance_;
    if (variance.empty())
      variance.assign(static_cast<std::size_t>(mdp_.pairs()), 0.0);  // never used: no data
    belief_.emplace(mdp_, result_.prior, variance);
    if (!input_.log) return;
    prior_belief_ = belief_;
    belief_->observe(*input_.log);
    mean_ = belief_->mean();
    PilotFindings pilot;
    pilot.rows = static_cast<std::int64_t>(input_.log->size());
    pilot.censored_rewards = belief_->censored_rewards();
    pilot.off_support = belief_->off_support();
    pilot.repeated_rows = mdp::repeated_rows(*input_.log);
    pilot.variance_estimated = variance_estimated_;
    pilot.large_rewards = large_rewards();
    test_residuals(pilot);
    result_.pilot = std::move(pilot);
  }

  std::vector<std::size_t> large_rewards() const {
    std::vector<std::size_t> rows;
    for (std::size_t i = 0; i < input_.log->size(); ++i) {
      const double limit = mdp_.reward_max() + kLargeReward * std::sqrt(variance_[input_.log->pair[i]]);
      if (std::abs(input_.log->reward[i]) > limit) rows.push_back(i);
    }
    return rows;
  }

  // What was seen of rewards that are not lower bounds.
  PilotStatistics uncensored() const {
    if (belief_->censored_rewards() == 0) return pilot_statistics(*belief_);
    Belief seen = *prior_belief_;
    for (std::size_t i = 0; i < input_.log->size(); ++i) {
      if (input_.log->censored[i] == 0) {
        seen.observe(input_.log->pair[i], input_.log->reward[i], input_.log->next_state[i]);
      }
    }
    return pilot_statistics(seen);
  }

  void test_residuals(PilotFindings& pilot) {
    const PilotStatistics statistics = uncensored();
    // A variance pooled from this very log is not a stated one: then the tests pool it themselves.
    const std::span<const double> stated = variance_estimated_ ? std::span<const double>() : variance_;
    pilot.residuals = pilot_residuals(mdp_, statistics, stated, {.level = options_.level});
    pilot.covered_pairs = static_cast<std::int64_t>(pilot.residuals.pairs.size());
    if (pilot.residuals.largest) {
      pilot.crossover_horizon =
          crossover_horizon(*pilot.residuals.largest, mdp_.reward_max(), mdp_.discount());
    }
    for (const PairResidual& residual : pilot.residuals.pairs) result_.bias[residual.pair] = residual.reward;

    bound_values(statistics, pilot);
  }

  // The simulation lemma for the pilot-refined model. Its rewards are the simulator's and the pilot's means,
  // its moves those of either: where the pilot saw one that the simulator lacks, the truth may go anywhere.
  void bound_values(const PilotStatistics& statistics, PilotFindings& pilot) const {
    const auto [least, most] = std::minmax_element(input_.log->reward.begin(), input_.log->reward.end());
    PostPilotOptions bound;
    bound.delta = options_.level;
    bound.sign = sign_of(mdp_.reward());
    bound.reward_max = std::max(mdp_.reward_max(), mdp_.reward_magnitude());
    for (std::int32_t k = 0; k < mdp_.pairs(); ++k) {
      const bool surprised = statistics.off_support[k] > 0;
      const std::int64_t row = mdp_.row_begin()[k + 1] - mdp_.row_begin()[k];
      bound.successors.push_back(surprised ? mdp_.states() : static_cast<std::int32_t>(row));
      if (statistics.count[k] == 0) continue;
      if (statistics.mean_reward[k] < 0) bound.sign = RewardSign::any;
      bound.reward_max = std::max(*bound.reward_max, std::abs(statistics.mean_reward[k]));
    }
    bound.reward_span = (bound.sign == RewardSign::any ? 2 : 1) * *bound.reward_max;
    if (input_.log->size() > 0) bound.reward_span = std::max(*bound.reward_span, *most - *least);
    pilot.bound = post_pilot_bound(mdp_, statistics.count, bound);
    bound.reward_error.assign(static_cast<std::size_t>(mdp_.pairs()), 0.0);
    bound.transition_error = bound.reward_error;
    pilot.covered_bound = post_pilot_bound(mdp_, statistics.count, bound).bound;
  }

  // How uncertain the simulator-optimal policy's value is, and which pairs make it so.
  void weigh() {
    progress("weighing pairs", 0, 1);
    const WeightsOptions weights{
        .probes = options_.probes, .seed = options_.seed, .threads = options_.threads};
    const Belief& before = prior_belief_ ? *prior_belief_ : *belief_;
    const PvvWeights prior = pvv_weights(mdp_, result_.sop.policy, weights);
    result_.weights_method = prior.method;
    result_.pvv_prior = pvv(mdp_, prior, precision_of(before));
    result_.contributions = pvv_contributions(prior, precision_of(before));
    if (!result_.pilot) return;
    const PvvWeights posterior = pvv_weights(*mean_, result_.sop.policy, weights);
    result_.pilot->pvv = pvv(*mean_, posterior, precision_of(*belief_));
    result_.contributions = pvv_contributions(posterior, precision_of(*belief_));
  }

  void hold_against_truth() {
    progress("comparing with the truth", 0, 1);
    const world::HiddenModel world = world::matched_to(mdp_, *input_.truth);
    const Mdp projection = world::deployment_projection(world);
    TruthFindings truth;
    truth.errors = error_chain(mdp_, world);
    const RewardSign sign =
        sign_of(mdp_.reward()) == RewardSign::any ? RewardSign::any : sign_of(projection.reward());
    const double reward_max = std::max(
        {mdp_.reward_max(), mdp_.reward_magnitude(), projection.reward_max(), projection.reward_magnitude()});
    truth.simulation_lemma_bound =
        simulation_lemma_bound(truth.errors.total.largest, reward_max, mdp_.discount(), sign);
    truth.simulation_lemma_bound_paper =
        simulation_lemma_bound_paper(truth.errors.total.largest, reward_max, mdp_.discount());
    truth.value = value_decomposition(mdp_, projection);
    truth.gap =
        gap_decomposition(projection, result_.sop.policy,
                          {.support_threshold = options_.support_threshold, .threads = options_.threads});
    truth.do_variance = world::do_variance(world);
    result_.bias = truth.errors.shift_error.reward;
    result_.truth = std::move(truth);
  }

  void rank() {
    if (mdp_.reward_max() == 0) {
      throw InvalidArgument(
          "all rewards of the model are 0, so there is no scale to measure their uncertainty by: state "
          "reward_max in "
          "model.toml");
    }
    result_.epi = exploration_priority(mdp_, result_.reach.share, belief_->reward_variances(), result_.bias,
                                       belief_->transition_strengths());
    const std::vector<double> pi = result_.sop.policy.probability_of_pair(mdp_);
    double all = 0, unmeasured = 0;
    for (std::int32_t s = 0; s < mdp_.states(); ++s) {
      for (std::int32_t k = mdp_.pair_begin()[s]; k < mdp_.pair_begin()[s + 1]; ++k) {
        const double earned = result_.reach.share[s] * pi[k] * std::abs(mdp_.reward()[k]);
        const bool seen =
            (!result_.coverage.empty() && result_.coverage[k] > 0) || belief_->rewards_seen()[k].count > 0;
        all += earned;
        if (!seen) unmeasured += earned;
      }
    }
    result_.unmeasured_share = all > 0 ? unmeasured / all : 0;
  }

  void value_information() {
    mdp::Policy deployed = result_.sop.policy;
    if (result_.pilot) {
      deployed = mdp::solve(*mean_, {.threads = options_.threads}).policy;
      result_.pilot->update_gain = mdp::evaluate(*mean_, deployed).value_at_start -
                                   mdp::evaluate(*mean_, result_.sop.policy).value_at_start;
    }
    const std::int64_t draws = options_.draws < 0 ? default_draws(mdp_) : options_.draws;
    if (draws == 0) return;
    EvpiOptions evpi;
    evpi.draws = draws;
    evpi.support_threshold = options_.support_threshold;
    evpi.seed = options_.seed;
    evpi.threads = options_.threads;
    std::atomic<std::int64_t> done{0};
    evpi.on_draw = [&] { progress("drawing models", ++done, draws); };
    result_.evpi = expected_value_of_perfect_information(*belief_, deployed, evpi);
  }

  const Model model_;
  const Mdp& mdp_;
  const DiagnoseInput& input_;
  const DiagnoseOptions& options_;
  std::vector<double> variance_;  // of one observed reward; empty: neither stated nor to be had
  bool variance_estimated_ = false;
  std::optional<Belief> belief_, prior_belief_;  // the second only where a log changed the first
  std::optional<Mdp> mean_;                      // of the belief, with a log
  Diagnosis result_;
};

}  // namespace

Diagnosis diagnose(const Model& model, const DiagnoseInput& input, const DiagnoseOptions& options) {
  return Diagnoser(model, input, options).run();
}

}  // namespace mindgap::gap

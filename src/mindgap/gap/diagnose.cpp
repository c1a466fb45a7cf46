#include "mindgap/gap/diagnose.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>

#include "mindgap/base/check.h"
#include "mindgap/base/error.h"
#include "mindgap/base/option_name.h"
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

RewardSign sign_of(std::span<const double> rewards) {
  const bool negative = std::any_of(rewards.begin(), rewards.end(), [](double r) { return r < 0; });
  return negative ? RewardSign::any : RewardSign::nonnegative;
}

// One diagnosis, step by step.
class Diagnoser {
 public:
  Diagnoser(const Model& model, const DiagnoseInput& input, const DiagnoseOptions& options)
      : mdp_(model.mdp),
        input_(input),
        options_(options),
        knowledge_(belief::gather_knowledge(model, input.coverage, input.log, options.prior)) {
    if (mdp_.discount() == 1) {
      throw InvalidArgument(
          "diagnose: discount is 1, but must be below 1: infinite-horizon values require it");
    }
  }

  Diagnosis run() {
    find_policy();
    result_.bias = knowledge_.bias;
    if (input_.log) learn();
    weigh();
    if (input_.truth) hold_against_truth();
    rank();
    value_information();
    check();
    result_.knowledge = std::move(knowledge_);
    return std::move(result_);
  }

 private:
  void progress(const char* what, std::int64_t done, std::int64_t total) const {
    options_.run.listener.tell(what, done, total);
  }

  // What the simulator recommends, where that goes, and how one would get elsewhere.
  void find_policy() {
    progress("solving", 0, 1);
    result_.sop = mdp::solve(mdp_, {.threads = options_.run.threads});
    result_.reach = mdp::policy_reach(mdp_, result_.sop.policy, options_.support_threshold);
    result_.routes = routes_to_unreached(mdp_, result_.reach, result_.sop.value);
  }

  // What the pilot says.
  void learn() {
    mean_ = knowledge_.now.mean();
    PilotFindings pilot;
    pilot.rows = static_cast<std::int64_t>(input_.log->size());
    pilot.censored_rewards = knowledge_.now.censored_rewards();
    pilot.off_support = knowledge_.now.off_support();
    pilot.repeated_rows = mdp::repeated_rows(*input_.log);
    pilot.large_rewards = large_rewards();
    test_residuals(pilot);
    result_.pilot = std::move(pilot);
  }

  std::vector<std::size_t> large_rewards() const {
    std::vector<std::size_t> rows;
    for (std::size_t i = 0; i < input_.log->size(); ++i) {
      const mdp::Observation seen = input_.log->row(i);
      if (!seen.reward) continue;
      const double limit = mdp_.reward_max() + kLargeReward * std::sqrt(knowledge_.variance[seen.pair]);
      if (std::abs(*seen.reward) > limit) rows.push_back(i);
    }
    return rows;
  }

  // What was seen of rewards that are not lower bounds.
  PilotStatistics uncensored() const {
    if (knowledge_.now.censored_rewards() == 0) return pilot_statistics(knowledge_.now);
    Belief seen = knowledge_.before;
    for (std::size_t i = 0; i < input_.log->size(); ++i) {
      const mdp::Observation row = input_.log->row(i);
      if (row.censored == mdp::Censoring::none) seen.observe(row);
    }
    return pilot_statistics(seen);
  }

  void test_residuals(PilotFindings& pilot) {
    const PilotStatistics statistics = uncensored();
    // A variance pooled from this very log, or one that is only a guess, is not a stated one: then the tests
    // pool it themselves.
    const std::span<const double> stated = knowledge_.variance_estimated || options_.prior.estimate_variance
                                               ? std::span<const double>()
                                               : knowledge_.variance;
    pilot.residuals = pilot_residuals(mdp_, statistics, stated, {.level = options_.level});
    pilot.covered_pairs = static_cast<std::int64_t>(pilot.residuals.pairs.size());
    if (pilot.residuals.largest) {
      pilot.crossover_horizon =
          crossover_horizon(*pilot.residuals.largest, mdp_.reward_max(), mdp_.discount());
    }
    for (const PairResidual& residual : pilot.residuals.pairs) {
      if (statistics.count[residual.pair] > 0) result_.bias[residual.pair] = residual.reward;
    }

    bound_values(statistics, pilot);
  }

  // The simulation lemma for the pilot-refined model. Its rewards are the simulator's and the pilot's means,
  // its moves those of either: where the pilot saw one that the simulator lacks, the truth may go anywhere.
  void bound_values(const PilotStatistics& statistics, PilotFindings& pilot) const {
    PostPilotOptions bound;
    bound.delta = options_.level;
    bound.sign = sign_of(mdp_.reward());
    bound.reward_max = std::max(mdp_.reward_max(), mdp_.reward_magnitude());
    std::vector<std::int64_t> whole;  // observations of which both was seen, at least so many
    for (std::int32_t k = 0; k < mdp_.pairs(); ++k) {
      whole.push_back(std::min(statistics.count[k], statistics.moves(mdp_, k)));
      const bool surprised = statistics.off_support[k] > 0;
      const std::int64_t row = mdp_.entries_of(k).size();
      bound.successors.push_back(surprised ? mdp_.states() : static_cast<std::int32_t>(row));
      if (statistics.count[k] == 0) continue;
      if (statistics.mean_reward[k] < 0) bound.sign = RewardSign::any;
      bound.reward_max = std::max(*bound.reward_max, std::abs(statistics.mean_reward[k]));
    }
    bound.reward_span = (bound.sign == RewardSign::any ? 2 : 1) * *bound.reward_max;
    double least = std::numeric_limits<double>::infinity(), most = -least;
    for (std::size_t i = 0; i < input_.log->size(); ++i) {
      if (const std::optional<double> reward = input_.log->row(i).reward) {
        least = std::min(least, *reward);
        most = std::max(most, *reward);
      }
    }
    bound.reward_span = std::max(*bound.reward_span, most - least);
    pilot.bound = post_pilot_bound(mdp_, whole, bound);
    bound.reward_error.assign(static_cast<std::size_t>(mdp_.pairs()), 0.0);
    bound.transition_error = bound.reward_error;
    pilot.covered_bound = post_pilot_bound(mdp_, whole, bound).bound;
  }

  // How uncertain the simulator-optimal policy's value is, and which pairs make it so.
  void weigh() {
    progress("weighing pairs", 0, 1);
    const WeightsOptions weights{.probes = options_.probes, .run = options_.run};
    const Belief &before = knowledge_.before, &now = knowledge_.now;
    const PvvWeights prior = pvv_weights(mdp_, result_.sop.policy, for_belief(weights, before));
    result_.weights_method = prior.method;
    result_.pvv_prior = pvv(mdp_, prior, precision_of(before));
    result_.contributions = pvv_contributions(prior, precision_of(before));
    weights_ = prior;
    if (!result_.pilot) return;
    weights_ = pvv_weights(*mean_, result_.sop.policy, for_belief(weights, now));
    result_.pilot->pvv = pvv(*mean_, weights_, precision_of(now));
    result_.contributions = pvv_contributions(weights_, precision_of(now));
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
                          {.support_threshold = options_.support_threshold, .threads = options_.run.threads});
    truth.do_variance = world::do_variance(world);
    result_.bias = truth.errors.shift_error.reward;
    result_.checks.positivity = check_positivity(
        mdp::discounted_visitation(projection,
                                   mdp::solve(projection, {.threads = options_.run.threads}).policy)
            .share,
        mdp::discounted_visitation(projection, result_.sop.policy).share, options_.support_threshold, true);
    result_.truth = std::move(truth);
  }

  void rank() {
    if (mdp_.reward_max() == 0) {
      throw InvalidArgument(fmt::format(
          "all rewards of the model are 0, so there is no scale to measure their uncertainty by: state "
          "reward_max ({})",
          base::told("in model.toml", "where the model is made")));
    }
    result_.epi = exploration_priority(mdp_, result_.reach.share, knowledge_.now.reward_variances(),
                                       result_.bias, knowledge_.now.transition_strengths());
    const std::vector<double> pi = result_.sop.policy.probability_of_pair(mdp_);
    double all = 0, unmeasured = 0;
    for (std::int32_t s = 0; s < mdp_.states(); ++s) {
      for (const std::int32_t k : mdp_.pairs_of(s)) {
        const double earned = result_.reach.share[s] * pi[k] * std::abs(mdp_.reward()[k]);
        const bool seen = (!knowledge_.coverage.empty() && knowledge_.coverage[k] > 0) ||
                          knowledge_.now.rewards_seen()[k].count > 0;
        all += earned;
        if (!seen) unmeasured += earned;
      }
    }
    result_.unmeasured_share = all > 0 ? unmeasured / all : 0;
  }

  void value_information() {
    mdp::Policy deployed = result_.sop.policy;
    if (result_.pilot) {
      deployed = mdp::solve(*mean_, {.threads = options_.run.threads}).policy;
      result_.pilot->update_gain = mdp::evaluate(*mean_, deployed).value_at_start -
                                   mdp::evaluate(*mean_, result_.sop.policy).value_at_start;
    }
    const std::int64_t draws = options_.draws < 0 ? default_draws(mdp_) : options_.draws;
    if (draws == 0) return;
    EvpiOptions evpi;
    evpi.draws = draws;
    evpi.support_threshold = options_.support_threshold;
    evpi.run = options_.run;
    evpi.engine = options_.engine;
    result_.evpi = expected_value_of_perfect_information(knowledge_.now, deployed, evpi);
  }

  // Whether what the numbers rest on holds for this model.
  void check() {
    constexpr double kMostNumbers = 4e7;  // values of states in drawn models that are held at once
    ChecksOptions options;
    options.draws = std::min(options.draws, options_.draws < 0 ? default_draws(mdp_) : options_.draws);
    options.precision_factor = options_.precision_factor;
    options.run = {options_.run.seed, options_.run.threads, {}};
    Checks& checks = result_.checks;
    checks.odds = knowledge_.odds;
    checks.variance_ratio = variance_ratio_bounds(knowledge_.odds);
    checks.variance_ratio_paper = variance_ratio_bounds_paper(knowledge_.odds);
    checks.precision = check_precision(weights_, knowledge_.now, options);
    checks.strength = check_strength(knowledge_, weights_, input_.log ? &*input_.log : nullptr,
                                     input_.calibration ? &*input_.calibration : nullptr);
    if (result_.evpi && !checks.positivity) {
      checks.positivity = check_positivity(result_.evpi->optimal_visitation, result_.reach.share,
                                           options_.support_threshold, false);
    }
    if (options.draws < 2 || static_cast<double>(options.draws) * mdp_.states() > kMostNumbers) return;
    progress("checking the delta method", 0, 1);
    checks.delta = delta_method_check(knowledge_.now, result_.sop.policy, {options.draws, options.run});
  }

  const Mdp& mdp_;
  const DiagnoseInput& input_;
  const DiagnoseOptions& options_;
  belief::Knowledge knowledge_;
  std::optional<Mdp> mean_;  // of what is believed now, with a log
  PvvWeights weights_;       // of the simulator-optimal policy, by what is believed now
  Diagnosis result_;
};

}  // namespace

Diagnosis diagnose(const Model& model, const DiagnoseInput& input, const DiagnoseOptions& options) {
  return Diagnoser(model, input, options).run();
}

}  // namespace mindgap::gap

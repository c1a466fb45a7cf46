#include "knowledge.h"

#include <fmt/format.h>

#include <map>

#include "mindgap/base/error.h"

namespace mindgap::app {

void add_prior_options(CLI::App& cli, KnowledgeOptions& options) {
  cli.add_option(
      "--coverage", options.coverage,
      "how often history saw each pair: state,action,count, or the history's log; the prior follows from it");
  cli.add_option(
      "--odds", options.prior.odds,
      "with --coverage: how strongly history's actions may have followed what it does not show, from 1 = "
      "not at all; adds to the doubt about every pair that history saw");
  cli.add_option("--drift-sd", options.prior.drift_sd,
                 "floor on the sd of each mean reward: what may have moved since");
  cli.add_option("--unseen", options.prior.unseen,
                 "probability that a simulated transition row is wrong about what is possible (0 to below 1; "
                 "default: 0 until an impossible move is seen)");
  cli.add_option("--reward-sd", options.prior.reward_sd,
                 "sd of the true mean reward around the simulator's, for all pairs, instead of the model's");
  cli.add_option("--reward-min", options.prior.reward_min,
                 "smallest value that a true mean reward can have; beliefs and drawn models keep to it");
  cli.add_option("--reward-max", options.prior.reward_max, "largest value that a true mean reward can have");
  const std::map<std::string, mdp::RewardKind> kinds = {{"gaussian", mdp::RewardKind::gaussian},
                                                        {"bernoulli", mdp::RewardKind::bernoulli}};
  cli.add_option("--rewards", options.prior.rewards,
                 "what one reward is: gaussian, a number around its mean, or bernoulli, 0 or 1")
      ->transform(CLI::CheckedTransformer(kinds).description(""))
      ->type_name("{gaussian,bernoulli}");
  cli.add_option(
      "--shared-sd", options.prior.shared_sd,
      "sd of an error of mean rewards that states share, beside --reward-sd: of all states of a group, "
      "or with --shared-length of neighbours");
  cli.add_option(
      "--shared-length", options.prior.shared_length,
      "over what distance that error fades: in units of the states' x and y, or in steps where they "
      "have none");
  cli.add_option("--transition-strength", options.prior.transition_strength,
                 "pseudo-observations behind each simulated row, for all pairs, instead of the model's");
}

void add_knowledge_options(CLI::App& cli, KnowledgeOptions& options) {
  add_prior_options(cli, options);
  cli.add_option(
      "--log", options.log,
      "observations of a pilot: unit,step,state,action,reward,next_state[,probability][,censored]");
  cli.add_flag(
      "--allow-new-states", options.allow_new_states,
      "states that the log or the coverage names and the simulator does not have are taken in, with a "
      "wide prior; without it they are refused");
  cli.add_flag("--estimate-variance", options.prior.estimate_variance,
               "the stated variance of one reward is a guess; the log's rewards correct it");
}

command::Evidence KnowledgeOptions::evidence() const {
  return {command::source_of(coverage), command::source_of(log), allow_new_states, prior};
}

}  // namespace mindgap::app

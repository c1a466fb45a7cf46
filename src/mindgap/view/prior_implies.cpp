#include "mindgap/view/prior_implies.h"

#include <fmt/format.h>

#include "mindgap/mdp/pair_name.h"
#include "mindgap/view/print.h"
#include "mindgap/view/shared_errors.h"

namespace mindgap::view {
namespace {

using gap::PriorImplies;
using mdp::Mdp;

std::string over(const PriorImplies& implied) {
  return implied.steps > 0 ? fmt::format("over {}", count(implied.steps, "step")) : std::string("discounted");
}

std::string values_in_words(const belief::RewardSupport& support) {
  std::string text;
  for (std::size_t i = 0; i < support.values.size(); ++i)
    text += (i == 0 ? "" : i + 1 == support.values.size() ? " or " : ", ") + number(support.values[i], 6);
  return text;
}

}  // namespace

std::string rewards_in_words(const belief::RewardSupport& support) {
  if (!support.values.empty())
    return fmt::format("a reward is {} ({})", values_in_words(support), support.law);
  if (!belief::bounded(support.mean)) return "";
  return fmt::format("true mean rewards lie from {} to {}", number(support.mean.lower, 6),
                     number(support.mean.upper, 6));
}

std::string reward_assumption(const belief::RewardSupport& support) {
  if (!support.values.empty())
    return fmt::format("A reward is {}, and its mean is what is not known.", values_in_words(support));
  std::string text = rewards_in_words(support);
  if (text.empty()) return text;
  text[0] = 'T';
  return text + ".";
}

std::vector<std::string> notes_on_prior(const belief::Knowledge& knowledge) {
  std::vector<std::string> notes;
  if (knowledge.constant_rewards > 0) {
    notes.push_back(
        fmt::format("No reward_sd is stated and the rewards take only {} values: they are taken as constants "
                    "of the problem, "
                    "and known{}. State reward_sd if they are estimates.",
                    knowledge.constant_rewards,
                    knowledge.drift_sd > 0 ? " up to drift_sd " + number(knowledge.drift_sd, 6) : ""));
  }
  if (knowledge.seldom_seen > 0) {
    notes.push_back(
        fmt::format("History saw {} of the state-action pairs so seldom that its sampling error exceeds the "
                    "stated reward_sd: "
                    "there reward_sd takes its place.",
                    knowledge.seldom_seen));
  }
  if (knowledge.samples == belief::SampleCounts::precision) {
    std::string note =
        "The model's counts are of samples of its simulator: the stated prior is about the real system "
        "around "
        "the simulator, and the sampling error of the table is added to it.";
    if (knowledge.seldom_sampled > 0)
      note += fmt::format(
          " At {} of the state-action pairs that error exceeds the stated reward_sd: more samples would help "
          "there.",
          knowledge.seldom_sampled);
    notes.push_back(std::move(note));
  }
  if (knowledge.uncertain_ends > 0) {
    notes.push_back(fmt::format(
        "{} {} an episode (nothing leaves {} and {} 0), but the one reward_sd makes {} uncertain, too, which "
        "adds up for ever and can outweigh everything else. State reward_sd per state-action pair, with 0 "
        "there, or let episodes begin again (restart).",
        count(knowledge.uncertain_ends, "state"), knowledge.uncertain_ends == 1 ? "ends" : "end",
        knowledge.uncertain_ends == 1 ? "it" : "them", knowledge.uncertain_ends == 1 ? "it pays" : "they pay",
        knowledge.uncertain_ends == 1 ? "its reward" : "their rewards"));
  }
  for (std::string& note : notes_on_shared(knowledge)) notes.push_back(std::move(note));
  return notes;
}

const char* where_simulated(const PriorImplies& implied) {
  return implied.of_members ? "in the members they are drawn around" : "in the simulator";
}

std::string prior_warning(const Mdp& mdp, const PriorImplies& implied) {
  if (!implied.too_good) return "";
  std::string text = fmt::format(
      "the prior promises much: in the models it allows the best policy earns {} on average, more than "
      "half again the {} that it earns {}",
      number(implied.mean), number(implied.simulator_best), where_simulated(implied));
  if (!implied.invented.empty()) {
    text += "; most of the difference is the reward of " + mdp::pair_name(mdp, implied.invented[0].pair);
  }
  return text +
         ". If you do not believe that, state a smaller reward_sd (per pair, where only some rewards are in "
         "doubt) or "
         "the bounds of true mean rewards (reward_min, reward_max)";
}

std::string text_of(const Mdp& mdp, const PriorImplies& implied) {
  std::string text =
      fmt::format("What the prior implies ({}, {})\n", count(implied.draws, "sampled model"), over(implied));
  text += fmt::format(
      "  the best policy earns {} in them on average (10th to 90th percentile {}); "
      "{} {}\n",
      number(implied.mean), range(implied.lower, implied.upper), number(implied.simulator_best),
      where_simulated(implied));
  text += fmt::format("  {} of their mean rewards lie outside what {} or a log has shown, {}\n",
                      percent(implied.outside), implied.of_members ? "any member" : "the simulator",
                      range(implied.shown[0], implied.shown[1]));
  for (std::size_t i = 0; i < implied.invented.size(); ++i) {
    text += fmt::format(
        "  {} {} from the reward of {}\n", i == 0 ? "most of the difference:" : "                       ",
        signed_number(implied.invented[i].value), mdp::pair_name(mdp, implied.invented[i].pair));
  }
  return text;
}

Json json_of(const Mdp& mdp, const PriorImplies& implied) {
  Json invented = Json::array();
  for (const gap::InventedValue& one : implied.invented) {
    invented.push_back(json_of_pair(mdp, one.pair));
    invented.back()["value"] = one.value;
  }
  return {{"draws", implied.draws},
          {"steps", implied.steps},
          {"simulator_best", implied.simulator_best},
          {"simulator_worst", implied.simulator_worst},
          {"best", implied.mean},
          {"best_standard_error", implied.standard_error},
          {"best_range", {implied.lower, implied.upper}},
          {"rewards_shown", {implied.shown[0], implied.shown[1]}},
          {"rewards_outside", implied.outside},
          {"invented", invented},
          {"too_good", implied.too_good},
          {"warning", implied.too_good ? Json(prior_warning(mdp, implied)) : Json()}};
}

}  // namespace mindgap::view

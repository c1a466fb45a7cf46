#include "mindgap/view/shared_errors.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "mindgap/base/error.h"
#include "mindgap/belief/surprise.h"
#include "mindgap/mdp/pair_name.h"
#include "mindgap/view/number.h"
#include "mindgap/view/parameters.h"
#include "mindgap/view/print.h"

namespace mindgap::view {
namespace {

// Which errors are shared, one phrase for each kind.
std::string kinds_of_shared(const mdp::Mdp& mdp, const mdp::SharedSpec& shared) {
  std::vector<std::string> kinds;
  if (shared.group_sd)
    kinds.push_back(fmt::format("all states of a group (sd {})", number(*shared.group_sd)));
  for (std::size_t g = 0; g < shared.group_sds.size(); ++g) {
    if (shared.group_sds[g] > 0)
      kinds.push_back(fmt::format("all states of group {} (sd {})",
                                  base::printable(mdp.labels().groups[static_cast<std::int32_t>(g)]),
                                  number(shared.group_sds[g])));
  }
  if (shared.kernel)
    kinds.push_back(fmt::format("neighbouring states (sd {}, fading over {}{})", number(shared.kernel->sd),
                                number(shared.kernel->length),
                                shared.kernel->over == mdp::KernelOver::graph ? " steps" : " in x and y"));
  if (!shared.loadings.empty())
    kinds.push_back(fmt::format("the pairs of {}",
                                count(static_cast<std::int64_t>(shared.factors.size()), "stated factor")));
  return fmt::format("{}", fmt::join(kinds, "; "));
}

// The member with the largest weight.
std::int32_t likeliest(const belief::Ensemble& ensemble) {
  const auto weights = ensemble.weights();
  return static_cast<std::int32_t>(std::max_element(weights.begin(), weights.end()) - weights.begin());
}

// Where members differ most, and how often they do. Rows differ by how much of the probability goes elsewhere
// than in the first member (total variation).
std::string differences_of(const mdp::Members& members) {
  const mdp::Mdp& mdp = members.mean();
  std::int64_t rewards = 0, rows = 0;
  double widest = 0, furthest = 0;
  std::string where, whereto;
  for (std::int32_t k = 0; k < mdp.pairs(); ++k) {
    double least = members.reward(0)[k], most = least;
    double moves = 0;
    for (std::int32_t i = 1; i < members.size(); ++i) {
      least = std::min(least, members.reward(i)[k]);
      most = std::max(most, members.reward(i)[k]);
      double apart = 0;
      for (const std::int64_t j : mdp.entries_of(k))
        apart += std::abs(members.probability(i)[j] - members.probability(0)[j]) / 2;
      moves = std::max(moves, apart);
    }
    rewards += most > least;
    rows += moves > 0;
    if (moves > furthest) {
      furthest = moves;
      whereto = fmt::format(" (most at {}: {} of the probability goes elsewhere)", mdp::pair_name(mdp, k),
                            percent(moves));
    }
    if (most - least <= widest) continue;
    widest = most - least;
    where = fmt::format(" (most at {}: {} to {})", mdp::pair_name(mdp, k), number(least), number(most));
  }
  return fmt::format("They differ in the mean rewards of {} of {}{} and in where {} of them lead{}.", rewards,
                     count(mdp.pairs(), "pair"), where, rows, whereto);
}

std::string text_of_members(const belief::Ensemble& ensemble) {
  const mdp::Members& members = ensemble.members();
  if (members.size() == 1) return "The ensemble has one member: it is that model.";
  if (members.distinct() == 1)
    return fmt::format("The {} members of the ensemble are all equal: they are one model.", members.size());
  const std::int32_t best = likeliest(ensemble);
  std::string text = fmt::format(
      "An ensemble of {} members: the truth is near one of them, nobody knows which. {} "
      "effective members",
      members.size(), number(ensemble.effective_members(), 3));
  if (ensemble.data().empty()) return text + ". " + differences_of(members);
  text +=
      fmt::format(" after what was observed; the likeliest is {} ({})", base::printable(members.name(best)),
                  percent(ensemble.weights()[static_cast<std::size_t>(best)]));
  return text + ".";
}

std::string text_of_surprise(const belief::Ensemble& ensemble, const belief::Surprise& found) {
  std::vector<std::string> pairs;
  const mdp::Mdp& mdp = ensemble.members().mean();
  for (const belief::PairSurprise& one : found.worst) pairs.push_back(mdp::pair_name(mdp, one.pair));
  return fmt::format(
      "No member of the ensemble explains what was observed (of data sets drawn from it {} are no more "
      "probable); the worst pairs are {}.",
      percent(found.share), fmt::join(pairs, ", "));
}

std::vector<std::string> notes_on_ensemble(const belief::Ensemble& ensemble) {
  std::vector<std::string> notes{text_of_members(ensemble)};
  double squares = 0;
  for (const double w : ensemble.members().weights()) squares += w * w;
  const bool several = 1 / squares >= belief::kFewMembers;  // before any data
  if (several && ensemble.effective_members() < belief::kFewMembers && !ensemble.data().empty())
    notes.emplace_back(
        "So few are left that the ensemble is too coarse for the data: more members near the likeliest "
        "ones would say more.");
  const belief::Surprise found = belief::surprise(ensemble, {.worst = 3});
  if (found.share < belief::kSurprising) notes.insert(notes.begin(), text_of_surprise(ensemble, found));
  return notes;
}

double share_of(const belief::Belief& before) {
  return belief::shared_share(before.shared(), before.prior().reward_sd);
}

std::string text_of_shared(const belief::Knowledge& knowledge) {
  const belief::Belief& before = knowledge.before;
  return fmt::format(
      "Errors of mean rewards are shared by {}: {} of their prior variance, in {}. One observation says "
      "something about all that share its error.",
      kinds_of_shared(before.simulator(), knowledge.shared), percent(share_of(before)),
      count(before.shared().factors(), "factor"));
}

// How well the stated prior explains what was seen; none where only bounds of some rewards were.
std::optional<double> surprise_of(const belief::Knowledge& knowledge) {
  if (knowledge.now.censored_rewards() > 0) return std::nullopt;
  return knowledge.now.factors().surprise();
}

std::string text_of_surprise(double surprise) {
  return fmt::format(
      "The stated prior does not explain the rewards that were observed: fewer than one data set in {} from "
      "it "
      "lies as far off. State a larger reward_sd or other shared errors.",
      surprise > 1e-6 ? number(std::floor(1 / surprise)) : "a million");
}

}  // namespace

std::string note_on_members(const mdp::Members& members) {
  return fmt::format("An ensemble of {}. {}", count(members.size(), "member"), differences_of(members));
}

std::string unexplained(const belief::Knowledge& knowledge) {
  if (const belief::Ensemble* ensemble = knowledge.now.ensemble()) {
    const belief::Surprise found = belief::surprise(*ensemble, {.worst = 3});
    return found.share < belief::kSurprising ? text_of_surprise(*ensemble, found) : std::string();
  }
  if (knowledge.now.shared().none()) return {};
  const std::optional<double> surprise = surprise_of(knowledge);
  return surprise && *surprise < belief::kSurprising ? text_of_surprise(*surprise) : std::string();
}

std::vector<std::string> notes_on_shared(const belief::Knowledge& knowledge) {
  if (knowledge.now.ensemble() != nullptr) return notes_on_ensemble(*knowledge.now.ensemble());
  if (knowledge.now.shared().none()) return {};
  std::vector<std::string> notes{text_of_shared(knowledge)};
  const std::optional<double> surprise = surprise_of(knowledge);
  if (surprise && *surprise < belief::kSurprising) notes.push_back(text_of_surprise(*surprise));
  return notes;
}

Json json_of_ensemble(const mdp::Model& model, const belief::Knowledge& knowledge) {
  const belief::Ensemble* ensemble = knowledge.now.ensemble();
  if (ensemble == nullptr) return nullptr;
  const belief::Surprise found = belief::surprise(*ensemble, {.worst = 0});
  return {{"members", ensemble->members().size()},
          {"effective_members", ensemble->effective_members()},
          {"surprise", found.share},
          {"weights", std::vector<double>(ensemble->weights().begin(), ensemble->weights().end())},
          {"parameters", json_of(known_parameters(model, *ensemble))}};
}

Json json_of_shared(const belief::Knowledge& knowledge) {
  if (knowledge.now.shared().none()) return nullptr;
  const std::optional<double> surprise = surprise_of(knowledge);
  return {{"share", share_of(knowledge.before)},
          {"factors", knowledge.before.shared().factors()},
          {"surprise", surprise ? Json(*surprise) : Json()}};
}

}  // namespace mindgap::view

#include "mindgap/view/check.h"

#include <fmt/format.h>

#include "mindgap/base/error.h"
#include "mindgap/belief/knowledge.h"
#include "mindgap/view/print.h"
#include "mindgap/view/prior_implies.h"

namespace mindgap::view {
namespace {

using mdp::Findings;
using mdp::Mdp;
using mdp::Model;

std::int64_t reachable_states(const Mdp& mdp, const Findings& findings) {
  return mdp.states() - static_cast<std::int64_t>(findings.unreachable.size());
}

// "left (2 states), right (1 state)"
std::string text_of_groups(const mdp::Labels& labels) {
  std::vector<std::int64_t> size(labels.groups.size(), 0);
  for (const std::int32_t group : labels.group_of_state) {
    if (group >= 0) ++size[group];
  }
  std::string text;
  for (std::size_t g = 0; g < size.size(); ++g) {
    text +=
        fmt::format("{}{} ({})", g == 0 ? "" : ", ",
                    base::printable(labels.groups[static_cast<std::int32_t>(g)]), count(size[g], "state"));
  }
  return text;
}

}  // namespace

CheckedPrior check_prior(const Model& model, std::int64_t draws, std::uint64_t seed, int threads) {
  CheckedPrior checked;
  if (draws < 0 || (!model.prior && model.coverage.empty())) return checked;
  try {
    const belief::Knowledge knowledge = belief::gather_knowledge(model, std::nullopt, std::nullopt);
    checked.notes = belief::notes_on_prior(knowledge);
    checked.implied =
        gap::prior_implies(knowledge.now, {.draws = draws,
                                           .steps = model.mdp.discount() == 1 ? kCheckedSteps : 0,
                                           .seed = seed,
                                           .threads = threads});
  } catch (const Error& error) {  // an unfinished prior does not make a model ill formed
    checked.problem = error.what();
  }
  return checked;
}

std::vector<std::string> warnings_of(const Model& model, const Findings& findings,
                                     const CheckedPrior& prior) {
  const Mdp& mdp = model.mdp;
  std::vector<std::string> warnings;
  if (!findings.unreachable.empty()) {
    warnings.push_back(fmt::format("{} cannot be reached from the start by any actions: {}",
                                   count(static_cast<std::int64_t>(findings.unreachable.size()), "state"),
                                   state_list(mdp, findings.unreachable)));
  }
  if (mdp.discount() == 1) warnings.emplace_back("the discount is 1: solve needs --horizon");
  if (mdp.reward_max() < mdp.reward_magnitude()) {
    warnings.push_back(fmt::format("reward_max is {}, but a reward of magnitude {} is there",
                                   mdp.reward_max(), mdp.reward_magnitude()));
  }
  if (findings.row_sum_error > 1e-12) {
    warnings.push_back(fmt::format("rows of transitions sum to 1 only within {:.2g}; bounds allow for it",
                                   findings.row_sum_error));
  }
  for (const std::int32_t action : findings.unused_actions) {
    warnings.push_back(
        fmt::format("action '{}' is available nowhere", base::printable(mdp.action_name(action))));
  }
  if (!model.prior) {
    warnings.emplace_back(
        "the model states no prior: how far the simulator may be wrong is not known from it");
  }
  if (!prior.problem.empty()) warnings.push_back("the prior is not complete: " + prior.problem);
  if (prior.implied) {
    const std::string warning = gap::prior_warning(mdp, *prior.implied);
    if (!warning.empty()) warnings.push_back(warning);
  }
  return warnings;
}

std::string text_of(const Model& model, const Findings& findings, const CheckedPrior& prior) {
  const Mdp& mdp = model.mdp;
  std::string text = headline(model);
  text += fmt::format("  reachable from the start   {} of {}\n", reachable_states(mdp, findings),
                      count(mdp.states(), "state"));
  text += fmt::format("  strongly connected         {}, {} closed (once in, never out)\n",
                      count(findings.components.count, "component"), findings.closed_components);
  text += fmt::format("  absorbing                  {}{}\n",
                      count(static_cast<std::int64_t>(findings.absorbing.size()), "state"),
                      findings.absorbing.empty() ? "" : ": " + state_list(mdp, findings.absorbing));
  if (!mdp.labels().groups.empty()) {
    text += fmt::format("  groups                     {}\n", text_of_groups(mdp.labels()));
  }
  if (prior.implied) text += text_of(mdp, *prior.implied);
  for (const std::string& note : prior.notes) text += "  note: " + note + "\n";
  for (const std::string& warning : warnings_of(model, findings, prior))
    text += "  warning: " + warning + "\n";
  text += "The model is well formed.\n";
  return text;
}

Json json_of(const Model& model, const Findings& findings, const CheckedPrior& prior) {
  Json json = json_of_model(model);
  json["reachable_states"] = reachable_states(model.mdp, findings);
  json["components"] = findings.components.count;
  json["closed_components"] = findings.closed_components;
  json["absorbing_states"] = findings.absorbing.size();
  json["prior_implies"] = prior.implied ? json_of(model.mdp, *prior.implied) : Json();
  json["notes"] = prior.notes;
  json["warnings"] = warnings_of(model, findings, prior);
  return json;
}

}  // namespace mindgap::view

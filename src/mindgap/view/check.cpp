#include "mindgap/view/check.h"

#include <fmt/format.h>

#include <algorithm>

#include "mindgap/base/error.h"
#include "mindgap/base/option_name.h"
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

// Without the ends of episodes that begin again: nothing enters those, as it should be.
std::vector<std::int32_t> unreachable_states(const Model& model, const Findings& findings) {
  std::vector<std::int32_t> found;
  std::set_difference(findings.unreachable.begin(), findings.unreachable.end(), model.ends.begin(),
                      model.ends.end(), std::back_inserter(found));
  return found;
}

std::vector<std::string> names_of(const Mdp& mdp, const std::vector<std::int32_t>& states) {
  std::vector<std::string> names;
  names.reserve(states.size());
  for (const std::int32_t s : states) names.push_back(mdp.state_name(s));
  return names;
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

std::vector<std::string> warnings_of(const Model& model, const Findings& findings,
                                     const CheckedPrior& prior) {
  const Mdp& mdp = model.mdp;
  std::vector<std::string> warnings;
  const std::vector<std::int32_t> unreachable = unreachable_states(model, findings);
  if (!unreachable.empty()) {
    warnings.push_back(fmt::format("{} cannot be reached from the start by any actions: {}",
                                   count(static_cast<std::int64_t>(unreachable.size()), "state"),
                                   state_list(mdp, unreachable)));
  }
  if (mdp.discount() == 1)
    warnings.push_back(fmt::format("the discount is 1: solve needs {}", base::option_name("horizon")));
  if (mdp.reward_max() < mdp.reward_magnitude()) {
    warnings.push_back(fmt::format("reward_max is {}, but a reward of magnitude {} is there",
                                   mdp.reward_max(), mdp.reward_magnitude()));
  }
  if (findings.row_sum_error > 1e-12) {
    warnings.push_back(fmt::format("rows of transitions sum to 1 only within {}; bounds allow for it",
                                   number(findings.row_sum_error, 2)));
  }
  for (const std::int32_t action : findings.unused_actions) {
    warnings.push_back(
        fmt::format("action '{}' is available nowhere", base::printable(mdp.action_name(action))));
  }
  const bool doubted = model.prior && model.prior->unseen;
  if (model.members && doubted) {
    warnings.emplace_back(
        "unseen is stated, but has no effect on an ensemble: its moves are those that some member has");
  }
  if (2 * findings.certain_rows > mdp.pairs() && !doubted && !model.members) {
    warnings.push_back(fmt::format(
        "{} of {} rows have one successor: certain moves. A log or trial that shows another move refutes the "
        "simulator; state how likely that is with {}",
        findings.certain_rows, mdp.pairs(),
        base::told("[prior] unseen = 0.05", "Mdp.with_prior(unseen=0.05)")));
  }
  if (!model.prior) {
    warnings.emplace_back(
        "the model states no prior: how far the simulator may be wrong is not known from it");
  }
  warnings.insert(warnings.end(), prior.warnings.begin(), prior.warnings.end());
  if (!prior.problem.empty()) warnings.push_back("the prior is not complete: " + prior.problem);
  if (prior.implied) {
    const std::string warning = prior_warning(mdp, *prior.implied);
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
  if (!model.ends.empty()) {
    text += fmt::format(
        "  ends, which begin again    {}: {}; a move into one leads to the start distribution instead\n",
        count(static_cast<std::int64_t>(model.ends.size()), "state"), state_list(mdp, model.ends));
  }
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
  json["restart_ends"] = names_of(model.mdp, model.ends);
  json["certain_rows"] = findings.certain_rows;
  json["prior_implies"] = prior.implied ? json_of(model.mdp, *prior.implied) : Json();
  json["notes"] = prior.notes;
  json["warnings"] = warnings_of(model, findings, prior);
  return json;
}

report::Page page_of(const Model& model, const Findings& findings, const CheckedPrior& prior) {
  const Mdp& mdp = model.mdp;
  report::Answer answer{
      "",
      "The model is well formed.",
      headline(model),
      {{"States reachable from the start",
        fmt::format("{} of {}", reachable_states(mdp, findings), mdp.states())},
       {"Strongly connected components",
        fmt::format("{}, {} closed", findings.components.count, findings.closed_components)},
       {"Absorbing states", fmt::format("{}", findings.absorbing.size())}}};
  if (prior.implied) {
    const gap::PriorImplies& implied = *prior.implied;
    answer.facts.emplace_back(
        "Best policy in models that the prior allows",
        fmt::format("{} on average ({}); {} {}", number(implied.mean), range(implied.lower, implied.upper),
                    number(implied.simulator_best), where_simulated(implied)));
  }
  for (const std::string& note : prior.notes) answer.facts.emplace_back("Note", note);
  for (const std::string& warning : warnings_of(model, findings, prior))
    answer.facts.emplace_back("Warning", warning);
  return {"A model", "", {{"", {answer}}}, ""};
}

}  // namespace mindgap::view

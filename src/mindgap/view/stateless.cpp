#include "mindgap/view/stateless.h"

#include <fmt/format.h>

#include <cmath>

#include "mindgap/base/error.h"
#include "mindgap/view/print.h"

namespace mindgap::view {
namespace {

constexpr const char* kStatelessFooter = "mindgap stateless";

std::string verdict_of(const TwoActions& two) {
  if (two.best_whole.units == 0)
    return fmt::format("Do not experiment: kappa {} is above the threshold {}", number(two.problem.kappa()),
                       number(two.threshold));
  return fmt::format("Experiment on {} of {}, half and half: worth {}",
                     count(std::llround(two.best_whole.units), "unit"), count(two.problem.units, "unit"),
                     number(two.best_whole.value));
}

std::vector<std::pair<std::string, std::string>> facts_of(const TwoActions& two) {
  std::vector<std::pair<std::string, std::string>> facts;
  facts.emplace_back("kappa, the favourite's lead in standard deviations", number(two.problem.kappa()));
  facts.emplace_back("threshold: from this kappa on no experiment pays", number(two.threshold, 5));
  facts.emplace_back("the paper's threshold (an experiment on all units that tells everything is worth 0)",
                     number(two.paper_threshold, 5));
  facts.emplace_back("best number of units, fractions allowed",
                     fmt::format("{}, worth {}", number(two.best.units), number(two.best.value)));
  facts.emplace_back("worth of perfect information", number(two.regret));
  if (std::isfinite(two.law.leading) && two.problem.prior_mean > 0)
    facts.emplace_back("square-root law",
                       fmt::format("{} {} = {}", number(two.law.leading), signed_number(two.law.correction),
                                   number(two.law.leading + two.law.correction)));
  return facts;
}

std::string verdict_of(const ManyActions& many) {
  const gap::Allocation& found = many.allocation;
  if (!(found.gain > 0))
    return "Deploy the favoured action with all units: no allocation that was found earns more";
  return fmt::format("Experiment: worth {} over deploying the favoured action", number(found.gain));
}

report::Table actions_table(const ManyActions& many) {
  report::Table table{
      "", {"action", "mean", "sd", "units", "earns", "last unit teaches", "next would teach", "index"}, {}};
  for (std::size_t a = 0; a < many.names.size(); ++a) {
    const gap::ActionIndex& action = many.allocation.actions[a];
    table.rows.push_back({base::printable(many.names[a], 40), number(many.problem.mean[a]),
                          number(many.problem.sd[a]), fmt::format("{}", action.units), number(action.earn),
                          action.units > 0 ? number(action.learn) : "-", number(action.learn_more),
                          action.units > 0 ? number(action.index()) : "-"});
  }
  return table;
}

std::vector<std::string> conditions_of(const ManyActions& many) {
  const gap::Allocation& found = many.allocation;
  std::vector<std::string> said{fmt::format(
      "The paper's condition (earn + learn is the same for all actions in use, and not more for others) {} "
      "for this allocation, up to one unit; the lowest index in use is {}.",
      found.condition_holds ? "holds" : "DOES NOT HOLD", number(found.lambda))};
  if (found.deploy_passes_condition && found.gain > 0) {
    said.emplace_back(
        "The paper's test would deploy: no action's first unit is worth its cost. It looks at the first unit "
        "only, and the first units on an action teach too little to change the decision; a larger experiment "
        "pays.");
  } else {
    said.push_back(fmt::format("The paper's test at the first unit says {}.",
                               found.deploy_passes_condition ? "deploy, which is right here" : "experiment"));
  }
  if (found.learning > 0)
    said.push_back(
        fmt::format("Watching the units on the favoured action is worth {} without any experiment.",
                    number(found.learning)));
  return said;
}

}  // namespace

std::string text_of(const TwoActions& two) {
  std::string text = verdict_of(two) + "\n";
  for (const auto& [what, value] : facts_of(two)) text += fmt::format("  {}: {}\n", what, value);
  return text +
         "It assumes two periods, one switch, normal outcomes and a stated prior (docs/math/stateless.md)\n";
}

std::string text_of(const ManyActions& many) {
  std::string text = verdict_of(many) + "\n" + report::to_text(actions_table(many));
  for (const std::string& one : conditions_of(many)) text += wrapped("  ", one);
  return text +
         "It assumes two periods, normal outcomes and independent stated priors (docs/math/stateless.md)\n";
}

report::Page page_of(const TwoActions& two) {
  report::Answer answer{two.best_whole.units == 0 ? "deploy" : "experiment", verdict_of(two), "",
                        facts_of(two)};
  return {"Whether to experiment", "", {{"", {answer}}}, kStatelessFooter};
}

report::Page page_of(const ManyActions& many) {
  report::Answer answer{many.allocation.gain > 0 ? "experiment" : "deploy", verdict_of(many), "", {}};
  return {"Whether to experiment",
          "",
          {{"", {answer, actions_table(many), report::Bullets{conditions_of(many)}}}},
          kStatelessFooter};
}

Json json_of(const TwoActions& two) {
  const gap::StatelessProblem& problem = two.problem;
  return {{"verdict", two.best_whole.units == 0 ? "deploy" : "experiment"},
          {"units", problem.units},
          {"discount", problem.discount},
          {"lead", problem.prior_mean},
          {"sd", problem.prior_sd},
          {"variance", problem.observation_variance},
          {"kappa", problem.kappa()},
          {"threshold", two.threshold},
          {"paper_threshold", two.paper_threshold},
          {"best_units", std::llround(two.best_whole.units)},
          {"value", two.best_whole.value},
          {"best_units_real", two.best.units},
          {"value_real", two.best.value},
          {"perfect_information", two.regret},
          {"square_root_law", {finite_or_null(two.law.leading), finite_or_null(two.law.correction)}}};
}

Json json_of(const ManyActions& many) {
  const gap::Allocation& found = many.allocation;
  Json actions = Json::array();
  for (std::size_t a = 0; a < many.names.size(); ++a) {
    const gap::ActionIndex& action = found.actions[a];
    actions.push_back({{"action", many.names[a]},
                       {"mean", many.problem.mean[a]},
                       {"sd", many.problem.sd[a]},
                       {"units", action.units},
                       {"learn", action.learn},
                       {"learn_more", action.learn_more},
                       {"index", action.index()},
                       {"index_more", action.index_more()}});
  }
  return {{"verdict", found.gain > 0 ? "experiment" : "deploy"},
          {"units", many.problem.units},
          {"discount", many.problem.discount},
          {"variance", many.problem.observation_variance},
          {"actions", actions},
          {"gain", found.gain},
          {"value", found.value},
          {"value_of_watching", found.learning},
          {"lambda", found.lambda},
          {"condition_holds", found.condition_holds},
          {"paper_test_deploys", found.deploy_passes_condition}};
}

}  // namespace mindgap::view

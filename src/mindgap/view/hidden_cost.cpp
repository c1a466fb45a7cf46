#include "mindgap/view/hidden_cost.h"

#include <fmt/format.h>

#include "mindgap/view/number.h"
#include "mindgap/view/print.h"

namespace mindgap::view {

std::vector<std::string> hidden_findings(const gap::HiddenCost& cost) {
  std::vector<std::string> said;
  said.push_back(
      fmt::format("The best policy of the observed state alone is worth {} from the start, plans that "
                  "remember at least {}, and "
                  "seeing the hidden state would be worth {}.",
                  number(cost.observed, 5), number(cost.remembering, 5), number(cost.seeing, 5)));
  said.push_back(
      fmt::format("Forgetting the past therefore costs between {} and {} ({} to {} of what the policy "
                  "earns).",
                  number(cost.least(), 3), number(cost.most(), 3), percent(cost.least_share()),
                  percent(cost.most_share())));
  said.push_back(
      cost.fades()
          ? fmt::format("Without new observations, knowledge of the hidden state halves at least every {} "
                        "(slowest mode {}), so it fades within the effective horizon.",
                        count(static_cast<std::int64_t>(cost.half_life), "step"), number(cost.slowest, 4))
          : fmt::format("Knowledge of the hidden state does not fade within the effective horizon (slowest "
                        "mode {}), so a model of the observed state alone stays wrong, however much data it "
                        "is fitted to. compare has planners that filter the hidden state (qmdp, "
                        "belief-state).",
                        number(cost.slowest, 4)));
  return said;
}

std::string hidden_text(const gap::HiddenCost& cost) {
  std::string text = "\nThe hidden state of the truth\n";
  for (const std::string& line : hidden_findings(cost)) text += wrapped("  - ", line);
  return text;
}

Json hidden_json(const gap::HiddenCost& cost) {
  return {{"observed", cost.observed},
          {"remembering", cost.remembering},
          {"seeing", cost.seeing},
          {"cost_least", cost.least()},
          {"cost_most", cost.most()},
          {"slowest_mode", cost.slowest},
          {"half_life", cost.slowest < 1 ? Json(cost.half_life) : Json()},
          {"fades", cost.fades()},
          {"findings", hidden_findings(cost)}};
}

report::Section hidden_section(const gap::HiddenCost& cost) {
  return {"The hidden state of the truth", {report::Bullets{hidden_findings(cost)}}};
}

}  // namespace mindgap::view

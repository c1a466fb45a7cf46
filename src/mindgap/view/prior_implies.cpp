#include "mindgap/view/prior_implies.h"

#include <fmt/format.h>

#include "mindgap/base/error.h"
#include "mindgap/view/print.h"

namespace mindgap::view {
namespace {

using gap::PriorImplies;
using mdp::Mdp;

std::string pair_name(const Mdp& mdp, std::int32_t pair) {
  return fmt::format("{} / {}", base::printable(mdp.state_name(mdp.state_of_pair(pair))),
                     base::printable(mdp.action_name_of_pair(pair)));
}

std::string over(const PriorImplies& implied) {
  return implied.steps > 0 ? fmt::format("over {}", count(implied.steps, "step")) : std::string("discounted");
}

}  // namespace

std::string prior_warning(const Mdp& mdp, const PriorImplies& implied) {
  if (!implied.too_good) return "";
  std::string text = fmt::format(
      "the prior promises much: in the models it allows the best policy earns {:.4g} on average, more than "
      "half "
      "again the {:.4g} that it earns in the simulator",
      implied.mean, implied.simulator_best);
  if (!implied.invented.empty()) {
    const std::int32_t pair = implied.invented[0].pair;
    text += fmt::format("; most of the difference is the reward of '{}' in '{}'",
                        base::printable(mdp.action_name_of_pair(pair)),
                        base::printable(mdp.state_name(mdp.state_of_pair(pair))));
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
      "  the best policy earns {:.4g} in them on average (10th to 90th percentile {:.4g} to {:.4g}); "
      "{:.4g} in the simulator\n",
      implied.mean, implied.lower, implied.upper, implied.simulator_best);
  text += fmt::format(
      "  {} of their mean rewards lie outside what the simulator or a log has shown, {:.4g} to {:.4g}\n",
      percent(implied.outside), implied.shown[0], implied.shown[1]);
  for (std::size_t i = 0; i < implied.invented.size(); ++i) {
    text += fmt::format("  {} {:+.4g} from the reward of {}\n",
                        i == 0 ? "most of the difference:" : "                       ",
                        implied.invented[i].value, pair_name(mdp, implied.invented[i].pair));
  }
  return text;
}

Json json_of(const Mdp& mdp, const PriorImplies& implied) {
  Json invented = Json::array();
  for (const gap::InventedValue& one : implied.invented) {
    invented.push_back({{"state", mdp.state_name(mdp.state_of_pair(one.pair))},
                        {"action", mdp.action_name_of_pair(one.pair)},
                        {"value", one.value}});
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

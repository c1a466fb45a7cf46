#include "mindgap/view/checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "mindgap/view/print.h"

namespace mindgap::view {
namespace {

using belief::StrengthBasis;
using gap::Checks;

std::string delta_in_words(const gap::DeltaCheck& delta) {
  std::string text =
      fmt::format("The first-order variance of the policy's value (PVV) is {}; over {} it is {}: ratio {}.",
                  number(delta.pvv), count(delta.draws, "sampled model"), number(delta.variance.mean),
                  with_error(delta.ratio, delta.ratio_standard_error, 3));
  if (delta.second_order) {
    const double corrected = delta.second_order->total;
    text +=
        fmt::format(" With the second-order correction it is {} ({} of the sampled one).", number(corrected),
                    delta.variance.mean > 0 ? number(corrected / delta.variance.mean, 3) : "1");
  }
  const double off = std::abs(delta.ratio - 1);
  if (off > .2 && off > 3 * delta.ratio_standard_error) {
    text +=
        " The linearisation does not hold here: trust the sampled variance, and observe a little before "
        "you rank pairs by PVV.";
  }
  return text;
}

std::string precision_in_words(const gap::PrecisionCheck& check) {
  return fmt::format(
      "If the stated variances of rewards are wrong by a factor {} either way, observations allocated by "
      "them leave at "
      "most {} times the least variance ({} on average over {} patterns; never more than {}); of the {} "
      "pairs that deserve most observations at least {} remain.",
      number(check.factor, 3), number(check.worst, 3), number(check.mean, 3), check.patterns,
      number(check.bound, 3), check.top, check.kept);
}

std::string odds_in_words(const Checks& checks) {
  if (checks.odds == 1)
    return "Odds bound 1: variances of rewards in the historical data are assumed to be those under your own "
           "choice of action.";
  return fmt::format(
      "Odds bound {}: the variance of a reward in the historical data is between {} and {} times that under "
      "your "
      "own choice of action (the paper's range: {} to {}).",
      number(checks.odds, 3), number(checks.variance_ratio.lower, 3), number(checks.variance_ratio.upper, 3),
      number(checks.variance_ratio_paper.lower, 3), number(checks.variance_ratio_paper.upper, 3));
}

std::string positivity_in_words(const gap::PositivityCheck& check, const mdp::Mdp& mdp) {
  const char* whose = check.by_truth ? "the best policy of the truth" : "the best policies of sampled models";
  if (check.states.empty())
    return fmt::format("Reachability positivity holds: wherever {} {} time, the deployed policy does too.",
                       whose, check.by_truth ? "spends" : "spend");
  return fmt::format(
      "Reachability positivity fails at {}: {} {} of {} time where the deployed policy practically never is "
      "({}). No amount of data from the deployed policy tells about those states.",
      count(static_cast<std::int64_t>(check.states.size()), "state"),
      whose + std::string(check.by_truth ? " spends" : " spend"), percent(check.share),
      check.by_truth ? "its" : "their", state_list(mdp, check.states));
}

std::string strength_in_words(const gap::StrengthCheck& check) {
  std::string text;
  if (check.effective && check.effective->basis == StrengthBasis::no_data) {
    text = fmt::format(
        "Strength of the prior: kappa_eff needs a pair with 20 rewards in the log that are not all the same, "
        "and there is none ({} with fewer, {} with one value only).",
        count(check.effective->too_few, "pair"), check.effective->without_spread);
  } else if (check.effective) {
    const bool agrees = check.effective->basis == StrengthBasis::agreement;
    text =
        fmt::format("Strength of the prior by the pilot: kappa_eff {}{}, from {}", agrees ? "at least " : "",
                    number(check.effective->strength, 3), count(check.effective->used, "pair"));
    if (check.stated) text += fmt::format("; the prior states {}", number(*check.stated, 3));
    text += fmt::format(". In model.toml: [prior] reward_sd = {}",
                        check.reward_sd_least == check.reward_sd_most
                            ? number(*check.reward_sd_most, 3)
                            : fmt::format("{} for each pair by its variance (a prior table): {}",
                                          "sqrt(variance / kappa_eff)",
                                          range(*check.reward_sd_least, *check.reward_sd_most, 3)));
    text += agrees ? "; the pilot is as near to the simulator as its noise lets it be." : ".";
  }
  if (check.self_consistency.empty()) return text;
  const auto [least, most] =
      std::minmax_element(check.self_consistency.begin(), check.self_consistency.end());
  return text + fmt::format(
                    "{}By the simulator{} alone: kappa_0 {} (1 + 19 c g; it says how consistent a simulator "
                    "is, not how right). As a prior: reward_sd = sqrt(variance / kappa_0) for each pair, {}.",
                    text.empty() ? "Strength of the prior. " : " ",
                    check.calibrated ? " and its calibration data" : "", range(*least, *most, 3),
                    range(check.self_consistent_sd_least, check.self_consistent_sd_most, 3));
}

std::vector<std::string> sentences(const DiagnoseView& view) {
  const Checks& checks = view.diagnosis.checks;
  std::vector<std::string> said;
  if (checks.delta) said.push_back(delta_in_words(*checks.delta));
  if (checks.precision) said.push_back(precision_in_words(*checks.precision));
  said.push_back(odds_in_words(checks));
  if (checks.positivity) said.push_back(positivity_in_words(*checks.positivity, view.model.mdp));
  if (std::string strength = strength_in_words(checks.strength); !strength.empty())
    said.push_back(std::move(strength));
  return said;
}

Json json_of_strength(const belief::StrengthEstimate& estimate) {
  const char* basis = estimate.basis == StrengthBasis::estimated   ? "estimated"
                      : estimate.basis == StrengthBasis::agreement ? "agreement"
                                                                   : "no_data";
  return {{"kappa", estimate.strength},
          {"basis", basis},
          {"pairs", estimate.used},
          {"too_few", estimate.too_few},
          {"without_spread", estimate.without_spread}};
}

Json json_of_delta(const gap::DeltaCheck& delta) {
  Json json{{"draws", delta.draws},
            {"pvv", delta.pvv},
            {"variance", delta.variance.mean},
            {"variance_se", delta.variance.standard_error},
            {"ratio", delta.ratio},
            {"ratio_se", delta.ratio_standard_error},
            {"second_order", nullptr}};
  if (const auto& second = delta.second_order) {
    json["second_order"] = {{"first", second->first},
                            {"skewness", second->skewness},
                            {"curvature", second->curvature},
                            {"total", second->total},
                            {"mean_shift", second->mean_shift}};
  }
  return json;
}

}  // namespace

std::string text_of_checks(const DiagnoseView& view) {
  std::string text = "Checks of these numbers\n";
  for (const std::string& one : sentences(view)) text += wrapped("  - ", one);
  return text;
}

report::Section section_of_checks(const DiagnoseView& view) {
  return {"Checks of these numbers", {report::Bullets{sentences(view)}}};
}

Json json_of_checks(const DiagnoseView& view) {
  const Checks& checks = view.diagnosis.checks;
  const mdp::Mdp& mdp = view.model.mdp;
  Json json;
  json["delta_method"] = checks.delta ? json_of_delta(*checks.delta) : Json(nullptr);
  json["precision"] = nullptr;
  if (const auto& precision = checks.precision) {
    json["precision"] = {{"factor", precision->factor}, {"patterns", precision->patterns},
                         {"pairs", precision->pairs},   {"bound", precision->bound},
                         {"worst", precision->worst},   {"mean", precision->mean},
                         {"top", precision->top},       {"kept", precision->kept}};
  }
  json["propensity_odds"] = {
      {"odds", checks.odds},
      {"variance_ratio", {checks.variance_ratio.lower, checks.variance_ratio.upper}},
      {"variance_ratio_paper", {checks.variance_ratio_paper.lower, checks.variance_ratio_paper.upper}}};
  json["positivity"] = nullptr;
  if (const auto& positivity = checks.positivity) {
    Json states = Json::array();
    for (std::size_t i = 0; i < positivity->states.size(); ++i) {
      states.push_back({{"state", mdp.state_name(positivity->states[i])},
                        {"wanted", positivity->wanted[i]},
                        {"deployed", positivity->deployed[i]}});
    }
    json["positivity"] = {{"holds", positivity->states.empty()},
                          {"by", positivity->by_truth ? "truth" : "sampled models"},
                          {"threshold", positivity->threshold},
                          {"share", positivity->share},
                          {"states", states}};
  }
  const gap::StrengthCheck& strength = checks.strength;
  Json kappa0 = Json::array();
  for (const std::int32_t pair : largest(strength.self_consistency, view.top)) {
    Json entry = json_of_pair(mdp, pair);
    entry["kappa"] = strength.self_consistency[static_cast<std::size_t>(pair)];
    kappa0.push_back(entry);
  }
  const auto maybe = [](const std::optional<double>& value) { return value ? Json(*value) : Json(nullptr); };
  json["prior_strength"] = {
      {"stated", maybe(strength.stated)},
      {"kappa_eff", strength.effective ? json_of_strength(*strength.effective) : Json(nullptr)},
      {"kappa_eff_paper", strength.paper ? json_of_strength(*strength.paper) : Json(nullptr)},
      {"reward_sd",
       strength.reward_sd_least ? Json{*strength.reward_sd_least, *strength.reward_sd_most} : Json(nullptr)},
      {"calibrated", strength.calibrated},
      {"kappa_0", kappa0},
      {"kappa_0_reward_sd", kappa0.empty()
                                ? Json(nullptr)
                                : Json{strength.self_consistent_sd_least, strength.self_consistent_sd_most}}};
  return json;
}

}  // namespace mindgap::view

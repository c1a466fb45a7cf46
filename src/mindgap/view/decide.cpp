#include "mindgap/view/decide.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "mindgap/base/error.h"
#include "mindgap/base/option_name.h"
#include "mindgap/mdp/pair_name.h"
#include "mindgap/report/table.h"
#include "mindgap/view/decide_value.h"
#include "mindgap/view/history.h"
#include "mindgap/view/nouns.h"
#include "mindgap/view/parameters.h"
#include "mindgap/view/pilot_length.h"
#include "mindgap/view/places.h"
#include "mindgap/view/print.h"
#include "mindgap/view/prior_implies.h"
#include "mindgap/view/provenance.h"
#include "mindgap/view/shared_errors.h"

namespace mindgap::view {
namespace {

using decide::Comparison;
using decide::Decision;
using decide::Kind;
using decide::PlanResult;

constexpr double kMostWorldsAsked = 1e7;  // that --worlds takes

// The units and routes of a pilot: "van-1, van-2 from zone-0-0: down x2, right x3".
std::vector<std::pair<std::string, std::string>> routes_in_words(const DecideView& view) {
  const Decision& decision = view.decision;
  const design::Design& pilot = *decision.pilot;
  const mdp::Mdp& mdp = view.model.mdp;
  std::vector<std::pair<std::string, std::string>> lines;
  for (std::size_t i = 0; i < decision.pilot_members.size(); ++i) {
    const auto way = design::likely_way(mdp, pilot.routes[pilot.route_of_unit[i]], pilot.unit_state[i]);
    lines.emplace_back(
        base::printable(view.unit_names[decision.pilot_members[i]]),
        fmt::format("from {}: {}", base::printable(mdp.state_name(pilot.unit_state[i])), in_words(mdp, way)));
  }
  return lines;
}

// --worlds that gives the same answer again.
std::string repeat_of(const Decision& decision) {
  const auto& [worlds, draws] = *decision.repeat;
  return draws > 0 ? fmt::format("auto:{}:{}", worlds, draws) : fmt::format("auto:{}", worlds);
}

const char* words_of_cut(decide::Cut cut) {
  switch (cut) {
    case decide::Cut::sampled_models:
      return "sampled models";
    case decide::Cut::information_draws:
      return "draws of the value of information";
    case decide::Cut::nothing_to_learn:
      return "draws that may show that nothing is to be learnt";
    case decide::Cut::followed_models:
      return "models in which the policy was followed";
    case decide::Cut::pilots:
      return "pilots to compare";
    case decide::Cut::screening_of_plans:
      return "screening of plans";
  }
  return "";
}

std::vector<std::string> cuts_in_words(const Decision& decision) {
  std::vector<std::string> words;
  for (const decide::Cut cut : decision.cut) words.emplace_back(words_of_cut(cut));
  return words;
}

// What the clock cut, and which number of models gives the same answer again.
std::string cut_in_words(const Decision& decision) {
  std::string text =
      fmt::format("the time limit cut the {}: on another machine, or a busier one, the answer may differ",
                  fmt::join(cuts_in_words(decision), " and the "));
  if (decision.repeat)
    text += "; " + base::option_value("worlds", repeat_of(decision)) + " repeats this one bit for bit";
  else
    text += fmt::format("; a number for {}, or a larger {}, gives one that does not depend on it",
                        base::option_name("worlds"), base::option_name("time-limit"));
  return text;
}

std::string verdict_line(const DecideView& view) {
  const Decision& decision = view.decision;
  const PlanResult& best = decision.plans[decision.recommended];
  if (decision.verdict) {
    std::string word(decide::name_of(*decision.verdict));
    for (char& c : word) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    return fmt::format("Verdict: {}: {} ({})\n", word, description_of(best.plan), best.plan.name);
  }
  std::string text =
      fmt::format("Verdict: UNDECIDED after {}; it leans to {} ({})\n",
                  count(decision.worlds, "sampled model"), decide::name_of(decision.leaning), best.plan.name);
  if (std::isfinite(decision.worlds_needed)) {
    text += fmt::format("  about {} sampled models would settle it", number(decision.worlds_needed, 2));
    if (decision.worlds_needed <= kMostWorldsAsked)
      text += ": " + base::option_value("worlds", fmt::format("{:.0f}", std::ceil(decision.worlds_needed)));
    text += decision.out_of_time ? fmt::format(", or a larger {}\n", base::option_name("time-limit")) : "\n";
  } else {
    text += "  more sampled models alone will not settle it: the kinds differ by just the indifference\n";
  }
  return text;
}

// "  exploring (thompson) over asop: 12 [10, 14]".
std::string gain_line(const DecideView& view, const char* what, const Comparison& gain) {
  return fmt::format("  {} ({} over {}): {} {}\n", what, view.decision.plans[gain.plan].plan.name,
                     view.decision.plans[gain.other].plan.name, number(gain.gain),
                     bracketed(gain.gain_interval));
}

// What exploring earns, and what routes add to that.
std::string exploring_lines(const DecideView& view) {
  const Decision& decision = view.decision;
  std::string text;
  const bool same = decision.against && decision.over_learning &&
                    decision.against->plan == decision.over_learning->plan &&
                    decision.against->other == decision.over_learning->other;
  if (decision.over_learning && !same)
    text += gain_line(view, "gain of exploring instead of waiting", *decision.over_learning);
  if (decision.over_undirected) {
    text += gain_line(view, "gain of designed routes", *decision.over_undirected);
    if (decision.leaning == Kind::experiment && !decide::routes_pay(decision))
      text += fmt::format(
          "  which is not clearly above the indifference of {} %, so designed routes do not pay here\n",
          number(100 * view.options.indifference));
  }
  return text;
}

std::string price_lines(const DecideView& view) {
  const Decision& decision = view.decision;
  if (decision.nothing_to_learn) {
    return "  even knowing the true model would earn less than what counts as tied, so no plan that learns "
           "was simulated\n";
  }
  if (!decision.against) return exploring_lines(view);
  const Comparison& price = *decision.against;
  const decide::Plan& plan = decision.plans[price.plan].plan;
  const std::string other = decision.plans[price.other].plan.name;
  std::string text = fmt::format("  gain over {}: {} {} on {} fresh sampled models\n", other,
                                 number(price.gain), bracketed(price.gain_interval), price.worlds);
  text += exploring_lines(view);
  if (plan.is_pilot()) {
    text += fmt::format("  reward forgone while the pilot runs: {} {}, ", number(price.cost),
                        bracketed(price.cost_interval));
    text += price.break_even_step ? fmt::format("recovered by step {}\n", *price.break_even_step)
                                  : std::string("never recovered within the horizon\n");
  }
  return text + fmt::format("  chance that it earns less than {}: {} %\n", other,
                            number(100 * price.probability_of_loss));
}

std::string stopping_lines(const DecideView& view) {
  if (!view.decision.stopping) return {};
  const decide::BatchPrice& price = *view.decision.stopping;
  return fmt::format("Next batch ({} over {}): worth {}, costs {}, net {} {}: {}{}\n",
                     count(price.explorers, "unit"), count(price.steps, "step"), number(price.worth),
                     number(price.cost), number(price.net), bracketed(price.interval),
                     price.go_on() ? "go on" : "stop", price.certain() ? "" : ", though it is close");
}

std::string plan_lines(const DecideView& view) {
  report::Table table{"",
                      {"plan", "kind", "value", "80 % of models", "+- (Monte Carlo)", "to the best",
                       "simultaneous 95 % interval", "best in", "expected loss"},
                      {}};
  for (const PlanResult& result : view.decision.plans) {
    if (result.screened) continue;
    table.rows.push_back({result.plan.name, std::string(decide::name_of(result.plan.kind)),
                          number(result.value), bracketed(result.range), number(result.standard_error, 2),
                          number(result.difference_to_best), bracketed(result.interval),
                          result.share_best ? percent(*result.share_best) : "-",
                          result.expected_loss ? number(result.expected_loss->mean) : "-"});
  }
  std::string text = report::to_text(table);
  const auto dropped = std::count_if(view.decision.plans.begin(), view.decision.plans.end(),
                                     [](const PlanResult& result) { return result.screened; });
  if (dropped > 0)
    text += fmt::format("{} dropped early, because others were clearly better ({} lists {})\n",
                        dropped == 1 ? "1 more plan was" : fmt::format("{} more plans were", dropped),
                        base::option_name("report"), dropped == 1 ? "it" : "them");
  return text;
}

std::string warning_lines(const DecideView& view) {
  std::string text;
  for (const std::string& warning : warnings_of(view)) text += wrapped("Warning: ", warning);
  return text.empty() ? text : text + "\n";
}

std::string information_line(const DecideView& view) {
  const decide::Information& known = view.decision.information;
  if (known.draws == 0) return {};
  return fmt::format(
      "Perfect information would be worth {}: {} of it where the deployed policy goes (waiting reveals it), "
      "{} "
      "where it does not go (only going there reveals it)\n",
      with_error(known.total.mean, known.total.standard_error), number(known.local.mean),
      number(known.reach.mean));
}

std::string parameters_of(const DecideView& view) {
  const belief::Ensemble* ensemble = view.situation.belief().ensemble();
  if (ensemble == nullptr || view.model.parameters.empty()) return {};
  return parameters_text(known_parameters(view.model, *ensemble)) + "\n";
}

std::string routes_text(const DecideView& view) {
  const Decision& decision = view.decision;
  if (!decision.pilot || !decision.plans[decision.recommended].plan.is_pilot()) return {};
  std::string text = "Where the pilot goes, most likely:\n";
  const auto lines = routes_in_words(view);
  constexpr std::size_t kMost = 8;
  for (std::size_t i = 0; i < std::min(lines.size(), kMost); ++i)
    text += fmt::format("  {} {}\n", lines[i].first, lines[i].second);
  if (lines.size() > kMost)
    text += fmt::format("  and {} more: see {}\n", lines.size() - kMost, whole_plan());
  return text;
}

// One row per setting: a letter per horizon.
std::string tipping_text(const decide::TippingMap& map) {
  std::vector<std::string> columns = {std::string(name_of(map.axis))};
  for (const std::int64_t horizon : map.horizons) columns.push_back(fmt::format("T={}", horizon));
  report::Table table{"", columns, {}};
  for (std::size_t i = 0; i < map.settings.size(); ++i) {
    std::vector<std::string> row = {
        fmt::format("{}{}", number(map.settings[i], 3), map.settings[i] == map.here ? " (here)" : "")};
    for (std::size_t h = 0; h < map.horizons.size(); ++h) {
      const decide::TippingCell& cell = map.cells[i * map.horizons.size() + h];
      row.push_back(cell.verdict ? std::string(1, "DLE"[static_cast<int>(*cell.verdict)]) : "?");
    }
    table.rows.push_back(row);
  }
  const std::string missing = left_out_sentence(map);
  return wrapped("", tipping_sentence(map)) +
         "Tipping points (D deploy, L learn, E experiment, ? undecided), " + std::string(name_of(map.axis)) +
         ":\n" + report::to_text(table) + (missing.empty() ? "" : wrapped("  ", missing));
}

Json json_of(const stats::Interval& range) {
  return {range.lower, range.upper};
}

Json json_of(const Decision& decision, const Comparison& price) {
  return {{"plan", decision.plans[price.plan].plan.name},
          {"other", decision.plans[price.other].plan.name},
          {"worlds", price.worlds},
          {"gain", price.gain},
          {"gain_interval", json_of(price.gain_interval)},
          {"sampling_interval", json_of(price.sampling_interval)},
          {"cost", price.cost},
          {"cost_interval", json_of(price.cost_interval)},
          {"break_even_step", price.break_even_step ? Json(*price.break_even_step) : Json()},
          {"probability_of_loss", price.probability_of_loss},
          {"probability_of_loss_interval", json_of(price.loss_interval)}};
}

// A gain and nothing else.
Json gain_of(const Decision& decision, const std::optional<Comparison>& price) {
  if (!price) return {};
  return {{"plan", decision.plans[price->plan].plan.name},
          {"other", decision.plans[price->other].plan.name},
          {"gain", price->gain},
          {"interval", json_of(price->gain_interval)},
          {"worlds", price->worlds}};
}

Json json_of(const decide::Refuted& refuted, const mdp::Mdp& mdp) {
  Json pairs = Json::array();
  for (const std::int32_t k : refuted.pairs) pairs.push_back(json_of_pair(mdp, k));
  return {{"moves", refuted.moves},
          {"off_support", refuted.off_support},
          {"visited_rows", refuted.visited_pairs},
          {"refuted_rows", refuted.refuted_pairs},
          {"refuted_policy_rows", refuted.policy_pairs},
          {"rows", pairs}};
}

Json json_of_plans(const Decision& decision) {
  Json plans = Json::array();
  for (const PlanResult& result : decision.plans) {
    plans.push_back({{"name", result.plan.name},
                     {"kind", decide::name_of(result.plan.kind)},
                     {"exploration", decide::name_of(result.plan.exploration)},
                     {"units", result.plan.pilot_units},
                     {"steps", result.plan.pilot_steps},
                     {"window", result.plan.window},
                     {"replan_every", result.replan_every},
                     {"value", result.value},
                     {"standard_error", result.standard_error},
                     {"range_lower", result.range.lower},
                     {"range_upper", result.range.upper},
                     {"total", result.total},
                     {"discounted", result.discounted},
                     {"difference_to_best", result.difference_to_best},
                     {"interval", json_of(result.interval)},
                     {"share_best", result.share_best ? Json(*result.share_best) : Json()},
                     {"expected_loss", result.expected_loss ? Json(result.expected_loss->mean) : Json()},
                     {"worlds", result.worlds},
                     {"screened", result.screened}});
  }
  return plans;
}

Json json_of_recommended(const DecideView& view) {
  const Decision& decision = view.decision;
  const decide::Plan& plan = decision.plans[decision.recommended].plan;
  Json recommended = {{"plan", plan.name},
                      {"kind", decide::name_of(plan.kind)},
                      {"exploration", decide::name_of(plan.exploration)},
                      {"units", plan.pilot_units},
                      {"steps", plan.pilot_steps},
                      {"routes", Json::array()}};
  if (!plan.is_pilot() || !decision.pilot) return recommended;
  const design::Design& pilot = *decision.pilot;
  const mdp::Mdp& mdp = view.model.mdp;
  for (std::size_t i = 0; i < decision.pilot_members.size(); ++i) {
    Json states = Json::array(), actions = Json::array();
    for (const design::Leg& leg :
         design::likely_way(mdp, pilot.routes[pilot.route_of_unit[i]], pilot.unit_state[i])) {
      states.push_back(mdp.state_name(leg.state));
      actions.push_back(mdp.action_name(leg.action));
    }
    recommended["routes"].push_back({{"unit", view.unit_names[decision.pilot_members[i]]},
                                     {"from", mdp.state_name(pilot.unit_state[i])},
                                     {"likely_states", states},
                                     {"likely_actions", actions}});
  }
  return recommended;
}

Json json_of(const decide::TippingMap& map) {
  Json cells = Json::array();
  for (const decide::TippingCell& cell : map.cells) {
    cells.push_back({{"setting", cell.setting},
                     {"horizon", cell.horizon},
                     {"verdict", cell.verdict ? decide::name_of(*cell.verdict) : "undecided"},
                     {"leaning", decide::name_of(cell.leaning)},
                     {"gain", cell.gain},
                     {"gain_interval", json_of(cell.gain_interval)}});
  }
  return {{"axis", name_of(map.axis)},  {"meaning", meaning_of(map.axis)},
          {"here", map.here},           {"sentence", tipping_sentence(map)},
          {"worlds", map.worlds},       {"left_out", map.left_out},
          {"cut_short", map.cut_short}, {"cells", cells}};
}

}  // namespace

std::string in_words(const decide::Refuted& refuted, const mdp::Mdp& mdp) {
  if (refuted.refuted_pairs == 0) return {};
  constexpr std::size_t kMost = 3;
  std::string text = fmt::format("the log refutes the simulator in {} of the {} state-action pairs it tried",
                                 refuted.refuted_pairs, refuted.visited_pairs);
  if (refuted.off_support > 0)
    text += fmt::format(" ({} of {} moves were to states that it calls impossible)", refuted.off_support,
                        refuted.moves);
  text += refuted.policy_pairs == 0
              ? std::string(", none of which today's best policy takes: ")
              : fmt::format(", {} of which today's best policy takes: ", refuted.policy_pairs);
  for (std::size_t i = 0; i < std::min(kMost, refuted.pairs.size()); ++i) {
    text += (i == 0 ? "" : ", ") + mdp::pair_name(mdp, refuted.pairs[i]);
  }
  if (refuted.pairs.size() > kMost) text += fmt::format(" and {} more", refuted.pairs.size() - kMost);
  return text + ". See mindgap diagnose; elsewhere the simulator may be as wrong";
}

std::vector<std::string> warnings_of(const DecideView& view) {
  std::vector<std::string> warnings = sample_warnings(view.situation.knowledge);
  if (std::string said = unexplained(view.situation.knowledge); !said.empty())
    warnings.push_back(std::move(said));
  if (!view.decision.refuted) return warnings;
  if (std::string said = in_words(*view.decision.refuted, view.model.mdp); !said.empty())
    warnings.push_back(std::move(said));
  return warnings;
}

std::string text_of(const DecideView& view) {
  const Decision& decision = view.decision;
  std::string text = headline(view.model) + "\n";
  text += fmt::format("{} for {}, {} sampled models, {} s{}\n\n", count(view.situation.units(), "unit"),
                      count(view.situation.horizon, "step"), decision.worlds, fixed(decision.seconds, 1),
                      decision.interrupted ? " (interrupted)" : "");
  if (!decision.cut.empty()) text += wrapped("  note: ", cut_in_words(decision)) + "\n";
  text += warning_lines(view) + verdict_line(view) + price_lines(view) + stopping_lines(view) +
          pilot_length_text(view) + information_line(view) + value_text(view) + "\n" + parameters_of(view);
  text += plan_lines(view) + routes_text(view);
  if (decision.prior_implies) {
    text += text_of(view.model.mdp, *decision.prior_implies);
    const std::string warning = prior_warning(view.model.mdp, *decision.prior_implies);
    if (!warning.empty()) text += wrapped("  warning: ", warning);
  }
  for (const decide::TippingMap& map : view.tipping) text += "\n" + tipping_text(map);
  text += "It assumes:\n";
  for (const std::string& line : assumptions_of(view.situation, view.options)) text += wrapped("  - ", line);
  if (!view.plan.empty()) text += fmt::format("The pilot's plan: {}\n", view.plan);
  if (!view.report.empty()) text += fmt::format("Report: {}\n", view.report);
  return text;
}

Json json_of(const DecideView& view) {
  const Decision& decision = view.decision;
  Json json = json_of_model(view.model);
  json["verdict"] = decision.verdict ? decide::name_of(*decision.verdict) : "undecided";
  json["leaning"] = decide::name_of(decision.leaning);
  json["worlds_needed"] = std::isfinite(decision.worlds_needed) ? Json(decision.worlds_needed) : Json();
  json["objective"] = name_of(view.options.objective);
  json["units"] = view.situation.units();
  json["horizon"] = view.situation.horizon;
  json["plans"] = json_of_plans(decision);
  json["recommended"] = json_of_recommended(view);
  const Json price = decision.against ? json_of(decision, *decision.against) : Json();
  for (const char* key : {"gain", "gain_interval", "cost", "break_even_step", "probability_of_loss"})
    json[key] = decision.against ? price[key] : Json();
  json["against"] = price;
  json["gain_over_learning"] = gain_of(decision, decision.over_learning);
  json["gain_over_undirected"] = gain_of(decision, decision.over_undirected);
  json["nothing_to_learn"] = decision.nothing_to_learn;
  json["pilot_price"] = decision.pilot_price ? json_of(decision, *decision.pilot_price) : Json();
  json["pilot_length"] = json_of_pilot_length(view);
  json["stopping"] = decision.stopping ? json_of_price(*decision.stopping) : Json();
  const auto estimated = [&](const gap::Estimate& value) {
    return decision.information.draws > 0 ? Json(value.mean) : Json();
  };
  json["evpi"] = estimated(decision.information.total);
  json["evpi_local"] = estimated(decision.information.local);
  json["evpi_reach"] = estimated(decision.information.reach);
  json["evpi_standard_error"] =
      decision.information.draws > 0 ? Json(decision.information.total.standard_error) : Json();
  add_value_json(json, view);
  json["prior_implies"] = decision.prior_implies ? json_of(view.model.mdp, *decision.prior_implies) : Json();
  json["tipping"] = Json::array();
  for (const decide::TippingMap& map : view.tipping) json["tipping"].push_back(json_of(map));
  json["worlds"] = decision.worlds;
  json["looks"] = decision.looks;
  json["seconds"] = decision.seconds;
  json["interrupted"] = decision.interrupted;
  json["cut_by_time"] = cuts_in_words(decision);
  json["repeat_worlds"] = decision.repeat ? Json(repeat_of(decision)) : Json();
  json["assumptions"] = assumptions_of(view.situation, view.options);
  if (!view.situation.belief().shared().none())
    json["shared_errors"] = json_of_shared(view.situation.knowledge);
  if (view.situation.belief().ensemble() != nullptr)
    json["ensemble"] = json_of_ensemble(view.model, view.situation.knowledge);
  json["warnings"] = warnings_of(view);
  json["refuted"] = decision.refuted ? json_of(*decision.refuted, view.model.mdp) : Json();
  json["notes"] = notes_of(decision);
  json["about"] = json_of_about(view.model.about);
  json["inputs"] = json_of_inputs(view);
  json["inputs_sha256"] = hash_of_inputs(view);
  json["checklist"] = json_of_checklist(view);
  json["report"] = view.report.empty() ? Json() : Json(view.report);
  return json;
}

}  // namespace mindgap::view

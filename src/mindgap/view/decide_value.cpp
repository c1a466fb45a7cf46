#include "mindgap/view/decide_value.h"

#include <fmt/format.h>

#include <array>
#include <cmath>

#include "mindgap/base/error.h"
#include "mindgap/view/number.h"
#include "mindgap/view/print.h"

namespace mindgap::view {
namespace {

using decide::Decision;
using decide::GroupResult;

constexpr std::size_t kMostLines = 6;

Json json_pair(const stats::Interval& interval) {
  return {interval.lower, interval.upper};
}

const std::string& plan_name(const DecideView& view, std::size_t plan) {
  return view.decision.plans[plan].plan.name;
}

std::string part_name(const voi::RowsPart& part) {
  const char* what = part.rewards ? "rewards" : "transitions";
  return part.group.empty() ? what : fmt::format("{} in {}", what, base::printable(part.group));
}

std::string_view name_of(GroupResult::By by) {
  constexpr std::array<std::string_view, 3> kNames = {"states", "units from", "pilot"};
  return kNames[static_cast<std::size_t>(by)];
}

std::string group_name(const GroupResult& group) {
  switch (group.by) {
    case GroupResult::By::state:
      return "earned in " + base::printable(group.group);
    case GroupResult::By::unit:
      return "units that begin in " + base::printable(group.group);
    case GroupResult::By::pilot:
      return group.group;
  }
  return group.group;
}

std::string rows_text(const DecideView& view) {
  const Decision& decision = view.decision;
  if (!decision.rows || decision.rows->draws < 2) return {};
  const voi::RowsValue& rows = *decision.rows;
  std::string text = "Knowing only part of the model would be worth:";
  const std::size_t shown = std::min(rows.parts.size(), kMostLines);
  for (std::size_t i = 0; i < shown; ++i)
    text += fmt::format("{} {} {}", i == 0 ? "" : ",", part_name(rows.parts[i]),
                        with_error(rows.parts[i].value.mean, rows.parts[i].value.standard_error));
  if (rows.parts.size() > shown) text += fmt::format(" and {} more", rows.parts.size() - shown);
  text += fmt::format(". The sum is {}; knowing everything is worth {}",
                      number(rows.all.mean - rows.remainder.mean), number(rows.all.mean));
  return wrapped("", text);
}

std::string parameters_value_text(const DecideView& view) {
  const auto& parameters = view.decision.parameters;
  if (parameters.empty()) return {};
  std::string text = "For the choice between these plans, knowing a parameter would be worth:";
  for (std::size_t i = 0; i < std::min(parameters.size(), kMostLines); ++i)
    text += fmt::format("{} {} {}", i == 0 ? "" : ",", base::printable(parameters[i].parameter),
                        with_error(parameters[i].value, parameters[i].standard_error));
  return wrapped("", text);
}

std::string curve_text(const DecideView& view) {
  const auto& curve = view.decision.curve;
  if (!curve || !curve->best) return {};
  const decide::PilotSize& best = curve->sizes[*curve->best];
  std::string text =
      fmt::format("Best of {} pilot sizes, compared with {}: {} for {}, net {}", curve->sizes.size(),
                  plan_name(view, curve->reference), count(best.units, "unit"), count(best.steps, "step"),
                  with_range(best.net.mean, best.net_interval));
  if (best.worth && best.forgone)
    text += fmt::format(" = {} gained after it - {} forgone during it - {} costs", number(best.worth->mean),
                        number(best.forgone->mean), number(best.cost.mean));
  if (best.net_interval.lower <= 0)
    text += best.net_interval.upper < 0 ? "; no size pays" : "; the interval reaches 0: it may not pay";
  return wrapped("", text);
}

std::string groups_text(const DecideView& view) {
  const auto& found = view.decision.groups;
  if (!found) return {};
  std::string text = fmt::format("Who gains from {} instead of {}:", plan_name(view, found->plan),
                                 plan_name(view, found->other));
  for (std::size_t i = 0; i < std::min(found->groups.size(), kMostLines); ++i) {
    const GroupResult& group = found->groups[i];
    text += fmt::format("{} {} {}", i == 0 ? "" : ",", group_name(group), signed_number(group.difference, 3));
  }
  return wrapped("", text);
}

// "a quarter of", "twice".
std::string times_of(double factor) {
  const std::array<std::pair<double, const char*>, 7> words = {{{.0625, "a sixteenth of"},
                                                                {.125, "an eighth of"},
                                                                {.25, "a quarter of"},
                                                                {.5, "half"},
                                                                {1, "once"},
                                                                {2, "twice"},
                                                                {4, "four times"}}};
  for (const auto& [value, word] : words) {
    if (std::abs(std::log(factor / value)) < .1) return word;
  }
  return number(factor, 2) + " times";
}

// "x 0.5", "2".
std::string setting_in_words(const decide::TornadoSetting& setting) {
  using What = decide::TornadoSetting::What;
  if (setting.what == What::stated) return "as stated";
  return (setting.what == What::times ? "x " : "") + number(setting.number, 6);
}

Json json_of_end(const std::optional<decide::TornadoEnd>& end) {
  if (!end) return {};
  return {{"setting", setting_in_words(end->setting)},
          {"gain", end->gain},
          {"interval", json_pair(end->interval)},
          {"leaning", decide::name_of(end->leaning)}};
}

Json json_of_rows(const Decision& decision) {
  if (!decision.rows) return {};
  const voi::RowsValue& rows = *decision.rows;
  Json parts = Json::array();
  for (const voi::RowsPart& part : rows.parts) {
    parts.push_back({{"group", part.group.empty() ? Json() : Json(part.group)},
                     {"about", part.rewards ? "rewards" : "transitions"},
                     {"value", part.value.mean},
                     {"standard_error", part.value.standard_error}});
  }
  return {{"draws", rows.draws},
          {"parts", parts},
          {"rewards", rows.rewards.mean},
          {"transitions", rows.transitions.mean},
          {"all", rows.all.mean},
          {"all_standard_error", rows.all.standard_error},
          {"idle", rows.idle},
          {"remainder", rows.remainder.mean},
          {"remainder_standard_error", rows.remainder.standard_error}};
}

Json json_of_curve(const DecideView& view) {
  const auto& curve = view.decision.curve;
  if (!curve) return {};
  Json sizes = Json::array();
  const auto mean = [](const std::optional<gap::Estimate>& value) {
    return value ? Json(value->mean) : Json();
  };
  for (const decide::PilotSize& size : curve->sizes) {
    sizes.push_back({{"plan", plan_name(view, size.plan)},
                     {"units", size.units},
                     {"steps", size.steps},
                     {"worlds", size.worlds},
                     {"worth", mean(size.worth)},
                     {"forgone", mean(size.forgone)},
                     {"cost", size.cost.mean},
                     {"net", size.net.mean},
                     {"net_standard_error", size.net.standard_error},
                     {"net_interval", json_pair(size.net_interval)}});
  }
  return {{"reference", plan_name(view, curve->reference)},
          {"worlds", curve->worlds},
          {"best", curve->best ? Json(plan_name(view, curve->sizes[*curve->best].plan)) : Json()},
          {"sizes", sizes}};
}

Json json_of_groups(const DecideView& view) {
  const auto& found = view.decision.groups;
  if (!found) return {};
  Json groups = Json::array();
  constexpr std::array<const char*, 3> kBy = {"state", "unit", "pilot"};
  for (const GroupResult& group : found->groups) {
    groups.push_back({{"by", kBy[static_cast<std::size_t>(group.by)]},
                      {"group", group.group},
                      {"plan", group.plan},
                      {"other", group.other},
                      {"difference", group.difference},
                      {"interval", json_pair(group.interval)}});
  }
  return {{"plan", plan_name(view, found->plan)},
          {"other", plan_name(view, found->other)},
          {"worlds", found->worlds},
          {"groups", groups}};
}

Json json_of_tornado(const DecideView& view) {
  if (!view.tornado) return {};
  const decide::Tornado& found = *view.tornado;
  Json bars = Json::array();
  for (const decide::TornadoBar& bar : found.bars) {
    bars.push_back({{"input", in_words(bar.input)},
                    {"low", json_of_end(bar.low)},
                    {"high", json_of_end(bar.high)},
                    {"swing", bar.swing}});
  }
  Json left_out = Json::array();
  for (const decide::TornadoInput input : found.left_out) left_out.push_back(in_words(input));
  return {{"plan", plan_name(view, found.plan)},
          {"other", plan_name(view, found.other)},
          {"worlds", found.worlds},
          {"here", json_of_end(found.here)},
          {"bars", bars},
          {"left_out", left_out}};
}

}  // namespace

std::string name_of(const decide::Objective& objective) {
  if (objective.tail < 1) return fmt::format("cvar:{:g}", objective.tail);
  return objective.sum == decide::Objective::total ? "total" : "discounted";
}

const char* meaning_of(decide::TippingAxis axis) {
  return axis == decide::TippingAxis::prior_width
             ? "how many times wider than stated the prior is (standard deviations x f, pseudo-observations "
               "/ "
               "f^2)"
             : "the odds bound M: how many times likelier or rarer an unrecorded factor may have made an "
               "action";
}

std::string tipping_sentence(const decide::TippingMap& map) {
  const std::optional<decide::TippingPoints> points = decide::tipping_points(map);
  if (!points) return {};
  const bool width = map.axis == decide::TippingAxis::prior_width;
  const auto place = [&](double setting) {
    if (!width) return "an odds bound of " + number(setting, 2);
    return (std::abs(std::log(setting)) < .1 ? "" : times_of(setting) + " ") + "the stated prior width";
  };
  const std::string_view here = decide::name_of(points->here);
  if (!points->below && !points->above) {
    return fmt::format("The verdict leans to {} from {} to {}: it does not flip.", here,
                       place(points->lowest), place(points->highest));
  }
  std::string text = fmt::format("The verdict leans to {} here and flips", here);
  if (points->below)
    text += fmt::format(" to {} below about {}", decide::name_of(points->below->to),
                        place(points->below->setting));
  if (points->above)
    text += fmt::format("{} to {} above about {}", points->below ? " and" : "",
                        decide::name_of(points->above->to), place(points->above->setting));
  return text + ".";
}

const char* in_words(decide::TornadoInput input) {
  using Varied = decide::TornadoInput;
  switch (input) {
    case Varied::reward_sd:
      return "standard deviation of mean rewards";
    case Varied::transition_strength:
      return "strength of transitions";
    case Varied::odds:
      return "odds bound (confounding)";
    case Varied::drift_sd:
      return "standard deviation of drift";
    case Varied::reward_variance:
      return "variance of one reward";
    case Varied::discount:
      return "1 - discount";
    case Varied::horizon:
      return "horizon";
    case Varied::units:
      return "units";
    case Varied::pilot_cost:
      return "cost of the pilot";
    case Varied::unit_cost:
      return "cost of a unit";
    case Varied::unit_step_cost:
      return "cost of a unit's step";
    case Varied::pair_cost:
      return "costs of state-action pairs";
    case Varied::delay:
      return "delay";
    case Varied::uptake:
      return "uptake";
  }
  return "";
}

std::string left_out_sentence(const decide::TippingMap& map) {
  const auto listed = [](const std::vector<double>& settings) {
    std::string text;
    for (const double setting : settings) text += (text.empty() ? "" : ", ") + number(setting, 3);
    return text;
  };
  std::string text;
  if (!map.left_out.empty())
    text += fmt::format("Left out: {} {}. ", name_of(map.axis), listed(map.left_out));
  if (!map.cut_short.empty())
    text += fmt::format("Undecided cells of {} {} got no further sampled models. ", name_of(map.axis),
                        listed(map.cut_short));
  if (text.empty()) return text;
  return text + "A larger time limit allows more sampled models.";
}

report::Table parts_table(const DecideView& view) {
  report::Table table{"", {"about", "worth knowing", "+- (Monte Carlo)"}, {}};
  if (!view.decision.rows) return table;
  const voi::RowsValue& rows = *view.decision.rows;
  for (const voi::RowsPart& part : rows.parts)
    table.rows.push_back({part_name(part), number(part.value.mean), number(part.value.standard_error, 2)});
  table.rows.push_back({"remainder (everything minus the sum of the parts)", number(rows.remainder.mean),
                        number(rows.remainder.standard_error, 2)});
  table.rows.push_back({"everything", number(rows.all.mean), number(rows.all.standard_error, 2)});
  return table;
}

report::Table curve_table(const DecideView& view) {
  report::Table table{
      "",
      {"units", "steps", "learnt", "forgone", "costs", "net", "simultaneous 95 % interval", "models"},
      {}};
  if (!view.decision.curve) return table;
  for (const decide::PilotSize& size : view.decision.curve->sizes) {
    table.rows.push_back({std::to_string(size.units), std::to_string(size.steps),
                          size.worth ? number(size.worth->mean) : "-",
                          size.forgone ? number(size.forgone->mean) : "-", number(size.cost.mean),
                          number(size.net.mean), bracketed(size.net_interval), std::to_string(size.worlds)});
  }
  return table;
}

report::Table groups_table(const DecideView& view) {
  report::Table table{"", {"by", "group", "recommended", "other", "difference", "95 % interval"}, {}};
  if (!view.decision.groups) return table;
  for (const GroupResult& group : view.decision.groups->groups) {
    table.rows.push_back({std::string(name_of(group.by)), base::printable(group.group), number(group.plan),
                          number(group.other), number(group.difference), bracketed(group.interval)});
  }
  return table;
}

report::Table tornado_table(const DecideView& view) {
  report::Table table{"", {"input", "low", "gain", "high", "gain there", "swing"}, {}};
  if (!view.tornado) return table;
  const auto words = [](const std::optional<decide::TornadoEnd>& end) {
    return end ? setting_in_words(end->setting) : std::string("-");
  };
  const auto gain = [](const std::optional<decide::TornadoEnd>& end) {
    return end ? number(end->gain) : std::string("-");
  };
  for (const decide::TornadoBar& bar : view.tornado->bars)
    table.rows.push_back({in_words(bar.input), words(bar.low), gain(bar.low), words(bar.high), gain(bar.high),
                          number(bar.swing)});
  return table;
}

std::string value_text(const DecideView& view) {
  std::string text = rows_text(view) + parameters_value_text(view) + curve_text(view) + groups_text(view);
  if (view.tornado) {
    text += fmt::format("How far the gain of {} over {} ({}) moves with each stated number:\n{}",
                        plan_name(view, view.tornado->plan), plan_name(view, view.tornado->other),
                        number(view.tornado->here.gain), report::to_text(tornado_table(view)));
  }
  return text;
}

void add_value_json(Json& json, const DecideView& view) {
  const Decision& decision = view.decision;
  json["evppi"] = json_of_rows(decision);
  json["evppi_parameters"] = Json::array();
  for (const decide::ParameterValue& one : decision.parameters) {
    json["evppi_parameters"].push_back({{"parameter", one.parameter},
                                        {"cross_fitted", one.value},
                                        {"se", one.standard_error},
                                        {"interval", json_pair(one.interval)},
                                        {"plug_in", one.plug_in}});
  }
  const decide::Terms& terms = view.options.simulation.terms;
  json["terms"] = {{"pilot_cost", terms.pilot_cost},
                   {"unit_cost", terms.unit_cost},
                   {"unit_step_cost", terms.unit_step_cost},
                   {"pair_costs", !terms.pair_cost.empty()},
                   {"delay", terms.delay},
                   {"uptake", terms.uptake},
                   {"drift_rate", terms.drift_rate}};
  json["curve"] = json_of_curve(view);
  json["groups"] = json_of_groups(view);
  json["tornado"] = json_of_tornado(view);
}

}  // namespace mindgap::view

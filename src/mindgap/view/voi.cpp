#include "mindgap/view/voi.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "mindgap/base/error.h"
#include "mindgap/report/table.h"
#include "mindgap/view/number.h"
#include "mindgap/view/print.h"

namespace mindgap::view {
namespace {

std::string named(const voi::Columns& columns) {
  return base::printable(fmt::format("{}", fmt::join(columns, ", ")), 200);
}

report::Table table_of_plans(const voi::SampledValue& value) {
  report::Table table{"Plans", {"plan", "mean worth", "best in", "expected loss"}, {}};
  for (std::size_t p = 0; p < value.plans.size(); ++p) {
    table.rows.push_back({base::printable(value.plans[p]),
                          with_error(value.means[p].mean, value.means[p].standard_error),
                          percent(value.acceptability.share[p]), number(value.acceptability.loss[p].mean)});
  }
  return table;
}

// What each group is worth; `scale` and costs where they are asked for.
report::Table table_of_parts(const std::string& title, const std::vector<voi::PartialValue>& parts,
                             const std::vector<voi::NetBenefit>& net) {
  report::Table table{title, {"about", "worth", "95 % interval", "plug-in", "explained by"}, {}};
  if (!net.empty()) table.columns.insert(table.columns.end(), {"cost", "net benefit", "95 % interval of it"});
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const voi::PartialValue& part = parts[i];
    table.rows.push_back({named(part.about), number(part.cross_fitted), bracketed(part.interval),
                          number(part.plug_in), part.model});
    if (net.empty()) continue;
    for (std::string cell : {number(net[i].cost), number(net[i].value), bracketed(net[i].interval)})
      table.rows.back().push_back(std::move(cell));
  }
  return table;
}

constexpr const char* kAboutTitle = "Perfect information about some parameters (EVPPI)";

std::string data_title(const voi::SampledValue& value) {
  std::string title = "What experiments would show (EVSI)";
  if (!value.enbs.empty())
    title += fmt::format("; net benefit (ENBS) for {} times its worth", number(value.scale));
  return title;
}

Json json_of_columns(const voi::Columns& columns) {
  Json names = Json::array();
  for (const std::string& name : columns) names.push_back(name);
  return names;
}

Json json_of_interval(const stats::Interval& interval) {
  return {interval.lower, interval.upper};
}

Json json_of_parts(const std::vector<voi::PartialValue>& parts) {
  Json list = Json::array();
  for (const voi::PartialValue& part : parts) {
    list.push_back({{"about", json_of_columns(part.about)},
                    {"cross_fitted", part.cross_fitted},
                    {"plug_in", part.plug_in},
                    {"se", part.se},
                    {"interval", json_of_interval(part.interval)},
                    {"plug_in_se", part.plug_in_se},
                    {"model", part.model}});
  }
  return list;
}

}  // namespace

std::string headline_of(const voi::SampledValue& value) {
  return fmt::format("Take {}: worth {} on average. Perfect information would add {}.",
                     base::printable(value.plans[value.best]), number(value.means[value.best].mean),
                     with_error(value.evpi.mean, value.evpi.standard_error));
}

std::string text_of(const voi::SampledValue& value) {
  std::string text = fmt::format("{}\n{} of {}\n\n", headline_of(value), count(value.draws, "draw"),
                                 count(static_cast<std::int64_t>(value.plans.size()), "plan"));
  text += report::to_text(table_of_plans(value));
  if (!value.evppi.empty())
    text += fmt::format("\n{}\n{}", kAboutTitle, report::to_text(table_of_parts("", value.evppi, {})));
  if (!value.evsi.empty())
    text += fmt::format("\n{}\n{}", data_title(value),
                        report::to_text(table_of_parts("", value.evsi, value.enbs)));
  if (!value.evppi.empty() || !value.evsi.empty())
    text += wrapped(
        "",
        "Worth is cross-fitted: what a rule earns that was found without the draws it is judged on. "
        "The truth is not below it in expectation. The plug-in is never below it and tends to be too high.");
  return text;
}

Json json_of(const voi::SampledValue& value) {
  Json plans = Json::array();
  for (std::size_t p = 0; p < value.plans.size(); ++p) {
    plans.push_back({{"name", value.plans[p]},
                     {"mean", value.means[p].mean},
                     {"se", value.means[p].standard_error},
                     {"share_best", value.acceptability.share[p]},
                     {"expected_loss", value.acceptability.loss[p].mean},
                     {"expected_loss_se", value.acceptability.loss[p].standard_error}});
  }
  Json json = {{"draws", value.draws},
               {"plans", plans},
               {"best", value.plans[value.best]},
               {"evpi", value.evpi.mean},
               {"evpi_se", value.evpi.standard_error},
               {"evppi", json_of_parts(value.evppi)},
               {"evsi", json_of_parts(value.evsi)},
               {"scale", value.scale}};
  if (value.enbs.empty()) return json;
  Json list = Json::array();
  for (const voi::NetBenefit& net : value.enbs) {
    list.push_back({{"about", json_of_columns(net.about)},
                    {"cost", net.cost},
                    {"value", net.value},
                    {"se", net.se},
                    {"interval", json_of_interval(net.interval)}});
  }
  json["enbs"] = list;
  return json;
}

report::Page page_of(const voi::SampledValue& value) {
  report::Page page{"Value of information", fmt::format("{} sampled models", value.draws), {}, ""};
  report::Answer answer{"", headline_of(value), "", {}};
  page.sections.push_back({"", {answer, table_of_plans(value)}});
  if (!value.evppi.empty()) page.sections.push_back({kAboutTitle, {table_of_parts("", value.evppi, {})}});
  if (!value.evsi.empty())
    page.sections.push_back({data_title(value), {table_of_parts("", value.evsi, value.enbs)}});
  return page;
}

}  // namespace mindgap::view

#include "mindgap/view/parameters.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "mindgap/base/error.h"
#include "mindgap/report/charts.h"
#include "mindgap/view/number.h"
#include "mindgap/view/print.h"

namespace mindgap::view {
namespace {

constexpr std::size_t kMostPictures = 8;
const char* const kBefore = "before";
const char* const kNow = "now";

struct Moments {
  double mean = 0, sd = 0;
};

Moments moments_of(std::span<const double> value, std::span<const double> weight) {
  const double mean = std::inner_product(value.begin(), value.end(), weight.begin(), 0.0);
  double square = 0;
  for (std::size_t i = 0; i < value.size(); ++i) square += weight[i] * (value[i] - mean) * (value[i] - mean);
  return {mean, std::sqrt(square)};
}

std::vector<std::size_t> ascending(std::span<const double> value) {
  std::vector<std::size_t> order(value.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return value[i]; });
  return order;
}

// The smallest value with at least this share of the weight at or below it.
double quantile_of(std::span<const double> value, std::span<const double> weight, double share) {
  double sum = 0;
  const std::vector<std::size_t> order = ascending(value);
  for (const std::size_t i : order) {
    sum += weight[i];
    if (sum >= share) return value[i];
  }
  return value[order.back()];
}

std::string shown(const std::string& name) {
  return base::printable(name, 40);
}

}  // namespace

std::vector<KnownParameter> known_parameters(const mdp::Model& model, const belief::Ensemble& ensemble) {
  std::vector<KnownParameter> known;
  const std::span<const double> before = ensemble.members().weights(), now = ensemble.weights();
  for (const mdp::Parameter& one : model.parameters) {
    const Moments first = moments_of(one.value, before), last = moments_of(one.value, now);
    known.push_back({one.name, first.mean, first.sd, last.mean, last.sd, quantile_of(one.value, now, .05),
                     quantile_of(one.value, now, .95)});
  }
  return known;
}

report::Table parameters_table(const std::vector<KnownParameter>& known) {
  report::Table table{
      "Parameters", {"parameter", "mean before", "sd before", "mean now", "sd now", "5 %", "95 %"}, {}};
  for (const KnownParameter& one : known) {
    table.rows.push_back({shown(one.name), number(one.mean_before), number(one.sd_before, 2),
                          number(one.mean), number(one.sd, 2), number(one.lower), number(one.upper)});
  }
  return table;
}

std::string parameters_text(const std::vector<KnownParameter>& known) {
  if (known.empty()) return {};
  report::Table table = parameters_table(known);
  table.title.clear();
  return "What is known about the parameters, over the members by their weights\n" + report::to_text(table);
}

Json json_of(const std::vector<KnownParameter>& known) {
  Json json = Json::array();
  for (const KnownParameter& one : known) {
    json.push_back({{"name", one.name},
                    {"mean_before", one.mean_before},
                    {"sd_before", one.sd_before},
                    {"mean", one.mean},
                    {"sd", one.sd},
                    {"lower", one.lower},
                    {"upper", one.upper}});
  }
  return json;
}

report::Figure parameters_figure(const mdp::Model& model, const belief::Ensemble& ensemble) {
  report::Table table{"", {"parameter", "value", "when", "share"}, {}};
  std::string said;
  const std::vector<KnownParameter> known = known_parameters(model, ensemble);
  for (std::size_t p = 0; p < std::min(known.size(), kMostPictures); ++p) {
    const std::vector<double>& value = model.parameters[p].value;
    const auto add = [&](const char* when, std::span<const double> weight) {
      double sum = 0;
      for (const std::size_t i : ascending(value)) {
        sum += weight[i];
        table.rows.push_back(
            {shown(known[p].name), number(value[i], 6), when, number(std::min(1.0, sum), 4)});
      }
    };
    add(kBefore, ensemble.members().weights());
    add(kNow, ensemble.weights());
    said += fmt::format("{}{} {} +- {}, before {} +- {}", said.empty() ? "" : "; ", shown(known[p].name),
                        number(known[p].mean), number(known[p].sd, 2), number(known[p].mean_before),
                        number(known[p].sd_before, 2));
  }
  report::LinesChart chart;
  chart.words = {
      "parameters", "What is known about the parameters",
      "The share of the members' weight at or below each value, before any data and now. The steeper "
      "the line, the better the parameter is known.",
      said + "."};
  chart.table = std::move(table);
  chart.x = {"value", "value of the parameter"};
  chart.y = {"share", "share at or below it"};
  chart.series = "when";
  chart.panel = "parameter";
  chart.height = 160;
  return report::lines(chart);
}

}  // namespace mindgap::view

#include "paper/reproduce/vending.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "mindgap/stats/share.h"
#include "paper/cases/registry.h"

namespace mindgap::reproduce::vending {

trial::Results run(const Options& options, const std::string& errors, std::vector<std::string> planners,
                   std::vector<std::int64_t> horizons) {
  const auto made = cases::find_case("vending").make(
      {.seed = options.run.seed, .units = {}, .options = {{"errors", errors}}});
  trial::SweepOptions sweep;
  sweep.planners = std::move(planners);
  if (std::find(sweep.planners.begin(), sweep.planners.end(), "oracle") == sweep.planners.end()) {
    sweep.planners.insert(sweep.planners.begin(), "oracle");
  }
  sweep.horizons = std::move(horizons);
  sweep.trials = options.trials > 0 ? options.trials : kTrials;
  sweep.run = options.run;
  sweep.what = "trials, errors " + errors;
  return trial::run_sweep(*made, sweep);
}

const trial::SummaryRow& row_of(const std::vector<trial::SummaryRow>& rows, std::string_view planner,
                                std::int64_t horizon) {
  for (const trial::SummaryRow& row : rows) {
    if (row.planner == planner && row.horizon == horizon) return row;
  }
  throw std::logic_error(fmt::format("no row of {} at {}", planner, horizon));
}

double half_width(const std::optional<stats::Interval>& interval) {
  return interval ? (interval->upper - interval->lower) / 2 : 0;
}

double one_sided(const stats::Wilcoxon& test) {
  const auto n = static_cast<double>(test.nonzero);
  return test.statistic > n * (n + 1) / 4 ? test.p_value / 2 : 1 - test.p_value / 2;
}

double one_sided(const trial::Results& results, std::string_view planner, std::string_view reference,
                 std::int64_t horizon) {
  const auto place = std::find(results.horizons.begin(), results.horizons.end(), horizon);
  const auto h = static_cast<std::size_t>(place - results.horizons.begin());
  std::vector<double> difference = results.column(results.place_of(planner), h);
  const std::vector<double> other = results.column(results.place_of(reference), h);
  for (std::size_t i = 0; i < difference.size(); ++i) difference[i] -= other[i];
  return one_sided(stats::wilcoxon_signed_rank(difference));
}

Line line_of(std::string what, double published, double published_half, double ours,
             const std::optional<stats::Interval>& interval) {
  Line line{.what = std::move(what), .published = published, .ours = ours, .interval = interval};
  line.published_error = published_half;
  line.why = kOpen;
  line.cause_unknown = true;
  return line;
}

stats::Interval share_interval(double percent, std::int64_t trials) {
  const stats::Interval share = stats::share_interval(percent / 100, static_cast<double>(trials), .95);
  return {100 * share.lower, 100 * share.upper};
}

Reproduction begin(const std::string& name, const std::string& unit, const std::string& method) {
  return {.name = name, .title = find_artefact(name).title, .unit = unit, .method = method};
}

std::string method_of(const Options& options, const std::string& more) {
  return fmt::format(
      "{} trials, seed {}; final cash as % of the oracle's mean. Ours agrees within the two 95 % errors "
      "together.{}",
      options.trials > 0 ? options.trials : kTrials, options.run.seed, more);
}

}  // namespace mindgap::reproduce::vending

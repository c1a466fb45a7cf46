#include <fmt/format.h>

#include <cmath>

#include "mindgap/report/charts.h"
#include "mindgap/stats/paired.h"
#include "mindgap/view/number.h"
#include "paper/reproduce/hiv.h"

namespace mindgap::reproduce {
namespace {

constexpr std::int64_t kHivSlopesDays = 400, kFrom = 50, kHivSlopesTrials = 1000;
constexpr double kSlopesPaperTrials = 30;

struct Fit {
  double slope = 0, r_squared = 0;
};

// Least squares of y on the day, days kFrom to kHivSlopesDays.
Fit fit(std::span<const double> y) {
  const auto n = static_cast<double>(kHivSlopesDays - kFrom + 1);
  double t_mean = 0, y_mean = 0;
  for (std::int64_t day = kFrom; day <= kHivSlopesDays; ++day) {
    t_mean += static_cast<double>(day) / n;
    y_mean += y[static_cast<std::size_t>(day - 1)] / n;
  }
  double tt = 0, ty = 0, yy = 0;
  for (std::int64_t day = kFrom; day <= kHivSlopesDays; ++day) {
    const double t = static_cast<double>(day) - t_mean, v = y[static_cast<std::size_t>(day - 1)] - y_mean;
    tt += t * t;
    ty += t * v;
    yy += v * v;
  }
  return {ty / tt, ty * ty / (tt * yy)};
}

std::vector<double> minus(std::span<const double> a, std::span<const double> b) {
  std::vector<double> difference;
  for (std::size_t day = 0; day < a.size(); ++day) difference.push_back(a[day] - b[day]);
  return difference;
}

std::vector<double> above(const HivCourse& planner, const HivCourse& reference) {
  return minus(planner.cases, reference.cases);
}

// Of each trial's own curve, less the reference's of the same trial where there is one. The slope of the mean
// curve is their mean.
std::vector<double> slopes(const HivCourse& planner, const HivCourse* reference) {
  std::vector<double> found;
  for (std::size_t i = 0; i < planner.cases_of_trial.size(); ++i) {
    const std::vector<double>& curve = planner.cases_of_trial[i];
    found.push_back(fit(reference ? minus(curve, reference->cases_of_trial[i]) : curve).slope);
  }
  return found;
}

report::Figure gap_figure(const HivCourse& asop, const HivCourse& sep, const HivCourse& fisher) {
  report::Table table{"", {"day", "planner", "cases above A-SOP"}, {}};
  for (const auto& [name, course] : {std::pair("SEP", &sep), {"Fisher-SEP-T", &fisher}}) {
    const std::vector<double> gap = above(*course, asop);
    for (std::size_t day = 0; day < gap.size(); ++day)
      table.rows.push_back({fmt::format("{}", day + 1), name, view::fixed(gap[day], 2)});
  }
  return report::lines(
      {.words = {"hiv-slopes", "How many cases more than A-SOP",
                 "A straight line would be a constant gain a day.",
                 fmt::format("After 400 days SEP is {} and Fisher-SEP-T {} cases above A-SOP.",
                             view::fixed(above(sep, asop).back(), 0),
                             view::fixed(above(fisher, asop).back(), 0))},
       .table = table,
       .x = {"day"},
       .y = {"cases above A-SOP"},
       .series = "planner"});
}

}  // namespace

Reproduction hiv_slopes(const Options& options) {
  const std::int64_t trials = options.trials > 0 ? options.trials : kHivSlopesTrials;
  cases::hiv::HivOptions of_case;
  of_case.seed = options.run.seed;
  const cases::hiv::HivCase on(of_case);
  const HivCourse asop = hiv_course(on, "asop", kHivSlopesDays, trials, options);
  const HivCourse sep = hiv_course(on, "sep", kHivSlopesDays, trials, options);
  const HivCourse fisher = hiv_course(on, "fisher", kHivSlopesDays, trials, options);
  const HivCourse oracle = hiv_course(on, "oracle", kHivSlopesDays, trials, options);

  Reproduction result;
  result.name = "hiv-slopes";
  result.title = "HIV testing: is the gap linear in time? (figure unnormalized-gaps, panel b)";
  result.unit = "cases a day";
  result.method =
      fmt::format("{} trials (paper 30), seed {}, blind; least squares of the mean curve, days {} to {}",
                  trials, options.run.seed, kFrom, kHivSlopesDays);
  const Fit of_sep = fit(above(sep, asop)), of_fisher = fit(above(fisher, asop)),
            of_oracle = fit(oracle.cases);
  // The paper states no error: 30 trials with our spread, and its last digit.
  const auto add = [&](const char* what, double published, const Fit& ours, const std::vector<double>& each) {
    Line line;
    line.what = what;
    line.published = published;
    line.ours = ours.slope;
    if (each.size() > 1) line.interval = stats::paired_t(each).interval;
    const double half = line.interval ? (line.interval->upper - line.interval->lower) / 2 : 0;
    line.published_error = half * std::sqrt(static_cast<double>(trials) / kSlopesPaperTrials) + .05;
    line.cause_unknown = true;
    line.why =
        "how teams walk and how the paper's curves were drawn is not in the text; see "
        "docs/math/departures.md";
    result.lines.push_back(line);
  };
  add("SEP above A-SOP", 3.3, of_sep, slopes(sep, &asop));
  add("Fisher-SEP-T above A-SOP", 4.3, of_fisher, slopes(fisher, &asop));
  add("oracle, all its cases", 9.0, of_oracle, slopes(oracle, nullptr));
  result.claims.push_back(
      {"The gaps are linear in time, R^2 > .999", of_sep.r_squared > .999 && of_fisher.r_squared > .999,
       fmt::format("R^2 {} (SEP), {} (Fisher-SEP-T); see docs/math/departures.md",
                   view::fixed(of_sep.r_squared, 4), view::fixed(of_fisher.r_squared, 4))});
  report::Table table{"Cases found, mean over trials", {"day", "oracle", "asop", "sep", "fisher"}, {}};
  for (std::size_t day = 0; day < asop.cases.size(); ++day) {
    table.rows.push_back({fmt::format("{}", day + 1), view::fixed(oracle.cases[day], 2),
                          view::fixed(asop.cases[day], 2), view::fixed(sep.cases[day], 2),
                          view::fixed(fisher.cases[day], 2)});
  }
  result.data.push_back({"hiv-slopes.csv", table});
  result.figures.push_back(gap_figure(asop, sep, fisher));
  return result;
}

}  // namespace mindgap::reproduce

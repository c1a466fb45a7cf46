#include <fmt/format.h>

#include <cmath>
#include <fstream>
#include <iostream>

#include "mindgap/report/charts.h"
#include "mindgap/report/page.h"

// A page with every chart and every block there is: gallery OUT.html. The browser test opens it.
namespace mindgap::report {
namespace {

std::string number(double value) {
  return fmt::format("{:.4g}", value);
}

Table value_over_time() {
  Table table{"", {"day", "plan", "value", "lower", "upper"}, {}};
  const std::vector<std::pair<std::string, double>> plans = {
      {"deploy", .6}, {"learn", .75}, {"Thompson", .8}, {"pilot of 10 days", .95}, {"pilot of 20 days", .9}};
  for (const auto& [name, rate] : plans) {
    for (int day = 0; day <= 100; day += 2) {
      const double value = day * rate - (rate > .85 ? 8 * (1 - std::exp(-day / 10.)) : 0);
      table.rows.push_back(
          {std::to_string(day), name, number(value), number(value - .05 * day), number(value + .05 * day)});
    }
  }
  return table;
}

Figure lines_figure() {
  return lines(
      {.words = {"value", "What each plan has earned by each day",
                 "The pilots cost at first and lead from day 30 on.",
                 "Lines over 100 days. After 100 days deploying has earned 60 and the pilot of 10 days 87."},
       .table = value_over_time(),
       .x = {"day", "day"},
       .y = {"value", "total reward so far"},
       .series = "plan",
       .lower = "lower",
       .upper = "upper",
       .across = {{50, "what it costs"}},
       .upright = {{30, "breaks even"}}});
}

Figure panels_figure() {
  Table table{"", {"T", "planner", "percent", "published"}, {}};
  for (const std::string planner : {"SOP", "A-SOP", "SEP", "Fisher-SEP", "KG-SEP"}) {
    for (const int horizon : {100, 200, 400, 800, 1600}) {
      const double value = 90 - 8 * std::log2(horizon / 100.) + static_cast<double>(planner.size());
      table.rows.push_back(
          {std::to_string(horizon), planner, number(value), planner == "KG-SEP" ? "" : number(value + 3)});
    }
  }
  return lines({.words = {"panels", "Ours beside the published, by planner", "Open diamonds are published.",
                          "Five panels, each falling with the horizon; ours are 3 points lower."},
                .table = table,
                .x = {"T", "horizon", true},
                .y = {"percent", "% of oracle"},
                .published = "published",
                .panel = "planner",
                .height = 130});
}

Figure bars_figure() {
  Table table{"", {"state and action", "when", "variance [units^2]"}, {}};
  for (int i = 0; i < 6; ++i) {
    const std::string pair = fmt::format("zone-{}-{}, stay <&> \"wait\"", i, 7 - i);
    table.rows.push_back({pair, "before", number(3. / (i + 1))});
    table.rows.push_back({pair, "after", number(.8 / (i + 1))});
  }
  return bars({.words = {"matters", "What is uncertain and matters", "Before and after the pilot.",
                         "Six pairs; the largest falls from 3 to .8."},
               .table = table,
               .category = "state and action",
               .value = {"variance [units^2]", "contribution to the variance of the value"},
               .series = "when"});
}

Figure tipping_figure() {
  Table table{"", {"prior width", "horizon", "verdict"}, {}};
  const char* verdicts[] = {"deploy", "learn", "experiment", "undecided"};
  for (int y = 0; y < 5; ++y) {
    for (int x = 0; x < 7; ++x) {
      const int kind = x + y < 3 ? 0 : x + y == 3 ? 3 : x + y < 6 ? 1 : 2;
      table.rows.push_back({fmt::format("{:g}", .25 * (1 + x)), std::to_string(25 << y), verdicts[kind]});
    }
  }
  return heat(
      {.words = {"tipping", "How wrong must the simulator be before the verdict flips",
                 "Letters: D deploy, L learn, E experiment, U undecided.",
                 "A map of 7 widths by 5 horizons; wide priors and long horizons ask for experiments."},
       .table = table,
       .x = {"prior width", "prior width, times the stated one"},
       .y = {"horizon", "horizon"},
       .value = "verdict",
       .first_below = true});
}

Figure refined_figure() {
  Table table{"", {"from", "to", "low", "high", "verdict"}, {}};
  table.rows = {{"1", "2", "10", "100", "deploy"},
                {"2", "4", "10", "100", "learn"},
                {"1", "2", "100", "1000", "learn"},
                {"2", "3", "100", "1000", "undecided"},
                {"3", "4", "100", "1000", "experiment"}};
  return heat({.words = {"refined", "The same, refined where it tips", "", "Five cells."},
               .table = table,
               .x = {"from", "width"},
               .y = {"low", "horizon", true},
               .value = "verdict",
               .x_to = "to",
               .y_to = "high"});
}

Figure visits_figure() {
  Table table{"", {"row", "column", "planner", "visits"}, {}};
  for (const std::string planner : {"oracle", "sop", "fisher"}) {
    for (int y = 0; y < 5; ++y) {
      for (int x = 0; x < 8; ++x)
        table.rows.push_back({std::to_string(y), std::to_string(x), planner,
                              number(10. * x * y / static_cast<double>(planner.size()))});
    }
  }
  return heat({.words = {"visits", "Where teams go", "", "Three maps of 8 by 5 zones."},
               .table = table,
               .x = {"column"},
               .y = {"row"},
               .value = "visits",
               .value_title = "team-days",
               .panel = "planner",
               .square = true});
}

Figure map_figure() {
  Table states{"", {"name", "x", "y", "visits"}, {}}, routes{"", {"route", "x", "y"}, {}};
  for (int y = 0; y < 5; ++y) {
    for (int x = 0; x < 8; ++x)
      states.rows.push_back({fmt::format("zone-{}-{}", y, x), std::to_string(x), std::to_string(y),
                             number(std::exp(-.2 * std::abs(x - 6) - .2 * std::abs(y - 2)) * 10)});
  }
  for (int x = 0; x < 7; ++x) routes.rows.push_back({"route 1 (6 units)", std::to_string(x), "2"});
  for (int y = 0; y < 3; ++y) routes.rows.push_back({"route 2 (2 units)", "0", std::to_string(y)});
  for (int x = 0; x < 6; ++x) routes.rows.push_back({"route 2 (2 units)", std::to_string(x), "2"});
  for (int y = 2; y < 5; ++y) routes.rows.push_back({"route 2 (2 units)", "5", std::to_string(y)});
  return map(
      {.words = {"map", "Where the pilot goes", "Darker: visited more often. Circles: where a route begins.",
                 "A map of 8 by 5 zones with two routes through the corridor in row 2."},
       .states = states,
       .name = "name",
       .x = "x",
       .y = "y",
       .value = "visits",
       .value_title = "expected visits",
       .routes = routes});
}

Figure intervals_figure() {
  Table table{"", {"planner", "ours", "lower", "upper", "published"}, {}};
  for (int i = 0; i < 6; ++i)
    table.rows.push_back({fmt::format("planner {}", i), number(80 - 5 * i), number(78 - 5 * i),
                          number(82 - 5 * i), i == 5 ? "" : number(81.5 - 4 * i)});
  return intervals({.words = {"intervals", "Published beside ours", "", "Six planners from 80 down to 55."},
                    .table = table,
                    .row = "planner",
                    .value = {"ours", "% of oracle"},
                    .lower = "lower",
                    .upper = "upper",
                    .published = "published"});
}

Figure spans_figure() {
  Table table{"", {"machine", "from", "to", "phase"}, {}};
  for (const std::string machine : {"Downtown", "Suburb", "Office"}) {
    const auto shift = static_cast<int>(machine.size());
    table.rows.push_back({machine, "0", "14", "pilot"});
    table.rows.push_back({machine, "14", std::to_string(14 + 3 * shift), "explore"});
    table.rows.push_back({machine, std::to_string(14 + 3 * shift), "90", "exploit"});
  }
  return spans({.words = {"spans", "What each machine is used for", "Triangles: a break was found.",
                          "Three machines begin with a pilot of 14 days."},
                .table = table,
                .row = "machine",
                .from = "from",
                .to = "to",
                .kind = "phase",
                .from_title = "day",
                .events = {"", {"machine", "from", "what"}, {{"Suburb", "35", "break"}}}});
}

Page gallery() {
  Page page;
  page.title = "Every picture there is";
  page.subtitle = "8 vans, 100 days: deploy, learn or experiment?";
  page.footer = "mindgap, a page for tests. </script><script>window.escaped = false</script>";
  page.sections.push_back(
      {"",
       {Answer{
           "experiment",
           "Experiment: send 2 of 8 vans on a pilot of 10 days.",
           "It earns 12 % more than the best plan without a pilot, and what it costs comes back by day 30.",
           {{"Gain over learning passively", "94 [61, 127]"},
            {"Cost while it runs", "18 [15, 21]"},
            {"Breaks even", "day 30"},
            {"Probability that it loses", "8 %"}}}}});
  page.sections.push_back(
      {"Value over time", {Paragraph{"Each plan ran in 1,000 sampled models."}, lines_figure()}});
  page.sections.push_back({"When the verdict tips", {tipping_figure(), refined_figure()}});
  page.sections.push_back({"Where the pilot goes", {map_figure(), visits_figure()}});
  page.sections.push_back(
      {"What matters", {bars_figure(), intervals_figure(), panels_figure(), spans_figure()}});
  page.sections.push_back({"Assumptions",
                           {Bullets{{"The prior is as wide as the history is thin.",
                                     "Units do not meet: <b>no markup</b> & such."}},
                            Table{"Plans",
                                  {"plan", "value", "interval"},
                                  {{"deploy", "60.1", "[58, 62]"}, {"learn, \"wait\"", "75", "[73, 77]"}}}}});
  return page;
}

}  // namespace
}  // namespace mindgap::report

int main(int count, char** arguments) {
  if (count != 2) {
    std::cerr << "usage: gallery OUT.html\n";
    return 2;
  }
  std::ofstream(arguments[1]) << mindgap::report::to_html(mindgap::report::gallery());
}

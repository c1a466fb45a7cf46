#include "mindgap/view/decide_value_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "mindgap/report/charts.h"
#include "mindgap/view/decide_value.h"
#include "mindgap/view/nouns.h"
#include "mindgap/view/number.h"

namespace mindgap::view {
namespace {

using report::Figure;
using report::Paragraph;
using report::Section;
using report::Table;

constexpr std::size_t kMostParts = 12;

void add_parts(const DecideView& view, Section& section) {
  Table table = parts_table(view);
  if (table.rows.size() <= 2) return;
  report::BarsChart chart;
  chart.words = {"evppi", "What it would be worth to know one part of the model",
                 "Value of perfect information about a part alone (EVPPI), the most valuable first.",
                 fmt::format("Most valuable: {}, {}.", table.rows[0][0], table.rows[0][1])};
  chart.table = {"", {table.columns[0], table.columns[1]}, {}};
  for (std::size_t i = 0; i + 2 < table.rows.size() && i < kMostParts; ++i)
    chart.table.rows.push_back({table.rows[i][0], table.rows[i][1]});
  chart.category = table.columns[0];
  chart.value = {table.columns[1], Nouns(view.model.about).reward()};
  section.blocks.emplace_back(report::bars(chart));
  table.title = "Value of perfect information about parts";
  section.blocks.emplace_back(std::move(table));
}

void add_curve(const DecideView& view, Section& section) {
  if (!view.decision.curve || view.decision.curve->sizes.empty()) return;
  const decide::PilotCurve& curve = *view.decision.curve;
  const Nouns nouns(view.model.about);
  const bool dropped = std::any_of(curve.sizes.begin(), curve.sizes.end(),
                                   [&](const auto& size) { return size.worlds < curve.worlds; });
  report::LinesChart chart;
  chart.words = {
      "pilot-sizes", "What pilots of every size bring, after what they cost",
      fmt::format("Against \"{}\", on the same models; bands are simultaneous 95 % intervals.{}",
                  in_words(view.decision.plans[curve.reference].plan, nouns),
                  dropped ? " Sizes that were clearly behind were simulated in fewer models." : ""),
      curve.best ? fmt::format("The best is {} for {}, with {}.", nouns.units(curve.sizes[*curve.best].units),
                               nouns.steps(curve.sizes[*curve.best].steps),
                               nouns.rewards(number(curve.sizes[*curve.best].net.mean)))
                 : std::string("No size brings more than it costs.")};
  chart.table = {"", {"steps", "units", "net", "lower", "upper"}, {}};
  for (const decide::PilotSize& size : curve.sizes)
    chart.table.rows.push_back({fmt::format("{}", size.steps), nouns.units(size.units),
                                number(size.net.mean, 6), number(size.net_interval.lower, 6),
                                number(size.net_interval.upper, 6)});
  chart.x = {"steps", fmt::format("length of the pilot, {}s", nouns.step())};
  chart.y = {"net", nouns.reward() + ", net"};
  chart.series = "units";
  chart.lower = "lower";
  chart.upper = "upper";
  chart.across = {{0, ""}};
  section.blocks.emplace_back(report::lines(chart));
  Table table = curve_table(view);
  table.title = "Pilots by size";
  section.blocks.emplace_back(std::move(table));
}

void add_acceptability(const DecideView& view, Section& section) {
  const Nouns nouns(view.model.about);
  report::BarsChart chart;
  chart.table = {"", {"plan", "share"}, {}};
  Table table{
      "How sure the choice is", {"plan", "best in so many models", "expected loss", "+- (Monte Carlo)"}, {}};
  std::string said;
  for (const decide::PlanResult& result : view.decision.plans) {
    if (!result.share_best) continue;
    const std::string plan = in_words(result.plan, nouns);
    chart.table.rows.push_back({plan, number(100 * *result.share_best)});
    table.rows.push_back({plan, percent(*result.share_best),
                          result.expected_loss ? number(result.expected_loss->mean) : "-",
                          result.expected_loss ? number(result.expected_loss->standard_error, 2) : "-"});
    said += fmt::format("{}{} {}", said.empty() ? "" : ", ", plan, percent(*result.share_best));
  }
  if (table.rows.size() < 2) return;
  chart.words = {
      "acceptability", "In how many models each plan is best",
      "The share of sampled models in which no other plan that was compared to the end does better.", said};
  chart.category = "plan";
  chart.value = {"share", "% of sampled models"};
  section.blocks.emplace_back(report::bars(chart));
  section.blocks.emplace_back(std::move(table));
}

void add_tornado(const DecideView& view, Section& section) {
  if (!view.tornado || view.tornado->bars.empty()) return;
  const decide::Tornado& tornado = *view.tornado;
  report::IntervalsChart chart;
  chart.words = {
      "tornado", "What the gain depends on",
      fmt::format("The gain at the ends of each stated number, all else as stated; the dot is the gain as "
                  "stated ({}), on the same {} models.",
                  number(tornado.here.gain), tornado.worlds),
      fmt::format("The widest swing: {}, {}.", in_words(tornado.bars[0].input),
                  number(tornado.bars[0].swing))};
  chart.table = {"", {"input", "as stated", "low", "high"}, {}};
  for (const decide::TornadoBar& bar : tornado.bars) {
    const double low = bar.low ? bar.low->gain : tornado.here.gain,
                 high = bar.high ? bar.high->gain : tornado.here.gain;
    chart.table.rows.push_back(
        {in_words(bar.input), number(tornado.here.gain, 6), number(low, 6), number(high, 6)});
  }
  chart.row = "input";
  chart.value = {"as stated", "gain, " + Nouns(view.model.about).reward()};
  chart.lower = "low";
  chart.upper = "high";
  section.blocks.emplace_back(report::intervals(chart));
  Table table = tornado_table(view);
  table.title = "One number at a time";
  section.blocks.emplace_back(std::move(table));
}

}  // namespace

Section value_section(const DecideView& view) {
  Section section{kValueSection, {}};
  add_parts(view, section);
  add_curve(view, section);
  add_acceptability(view, section);
  Table groups = groups_table(view);
  if (!groups.rows.empty()) {
    groups.title = "Who gains and who pays";
    section.blocks.emplace_back(std::move(groups));
  }
  add_tornado(view, section);
  return section;
}

}  // namespace mindgap::view

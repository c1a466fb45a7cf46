#include "paper/reproduce/page.h"

#include <gtest/gtest.h>

namespace mindgap::reproduce {
namespace page_test {

Reproduction made() {
  Reproduction result;
  result.name = "made";
  result.title = "A made one";
  result.unit = "% of oracle";
  result.method = "3 trials";
  result.lines = {
      {.what = "SOP, T = 5",
       .published = 33,
       .ours = 34,
       .interval = stats::Interval{33, 35},
       .published_error = 2},
      {.what = "SEP, T = 5", .published = 90, .ours = 70, .published_error = 2, .why = "it is told where"},
      {.what = "KG, T = 5", .published = 80, .ours = 70, .published_error = 2, .why = "it is told where"},
      {.what = "ours alone", .ours = 50}};
  result.claims = {{"it holds", true, "5 > 3"}, {"it does not", false, "5 < 8"}};
  return result;
}

TEST(ReproducePage, LinesSayWhetherTheyAgree) {
  const report::Table table = line_table(made());
  ASSERT_EQ(table.rows.size(), 4);
  EXPECT_EQ(table.rows[0], (std::vector<std::string>{"SOP, T = 5", "33", "34", "[33, 35]", "2.2", "agrees"}));
  EXPECT_EQ(table.rows[1].back(), "differs, explained");
  EXPECT_EQ(table.rows[3],
            (std::vector<std::string>{"ours alone", "", "50", "simulated, error not stated", "", ""}));
  EXPECT_EQ(verdict({.what = "x", .published = 1, .ours = 5}), "DIFFERS, cause unknown");
  EXPECT_EQ(verdict({.what = "x", .published = 1, .why = "none", .not_reproduced = true}), "not reproduced");
  EXPECT_EQ(verdict({.what = "x", .published = 1, .ours = 5, .why = "open", .cause_unknown = true}),
            "DIFFERS, cause unknown");
}

TEST(ReproducePage, AReasonIsGivenOnce) {
  Reproduction result;
  for (int i = 1; i <= 9; ++i)
    result.lines.push_back({.what = "x" + std::to_string(i), .published = 1, .ours = 5, .why = "open"});
  result.lines.push_back({.what = "y", .published = 1, .ours = 5, .why = "known"});
  result.lines.push_back({.what = "z", .published = 1, .ours = 1, .why = "open"});
  const std::vector<std::string> wanted = {"x1; x2; x3; x4; x5; x6; and 3 more: open", "y: known"};
  EXPECT_EQ(reasons_of(result), wanted);
}

// With few trials an interval is wide: 90 and 70 agree within hypot(2, 20), but by our own error alone.
TEST(ReproducePage, FewTrialsTellLittle) {
  Reproduction result = made();
  result.lines[1].interval = stats::Interval{50, 90};
  EXPECT_EQ(line_table(result).rows[1].back(), "agrees by our error alone: too few trials");
  const report::Page page = page_of({result}, "");
  const auto& answer = std::get<report::Answer>(page.sections.at(0).blocks.at(0));
  EXPECT_EQ(answer.facts.at(0).second, "1, 1 with a known cause and 0 without");
  EXPECT_NE(answer.headline.find("(1 by our own error alone)"), std::string::npos) << answer.headline;
  result.lines[1].interval = stats::Interval{50.2, 89.8};  // hypot(2, 19.8) = 19.901
  EXPECT_EQ(line_table(result).rows[1].back(), "differs, explained");
}

TEST(ReproducePage, WhatWasSimulatedIsNotExact) {
  Reproduction result = made();
  EXPECT_EQ(line_table(result).rows[3].at(3), "simulated, error not stated");
  result.lines[3].exact = true;
  EXPECT_EQ(line_table(result).rows[3].at(3), "exact");
  for (const char* name : {"hiv-slopes", "vending-log"}) {
    for (const auto& row : line_table(find_artefact(name).run({.trials = 2})).rows)
      EXPECT_NE(row.at(3), "exact") << name << ": " << row.at(0);
  }
}

TEST(ReproducePage, BeginsWithTheScoreAndDrawsWhatWasPublished) {
  const report::Page page = page_of({made()}, "how");
  EXPECT_EQ(page.title, "A made one");
  const auto& answer = std::get<report::Answer>(page.sections.at(0).blocks.at(0));
  EXPECT_EQ(answer.headline, "1 of 3 published numbers agree with ours; 1 of 2 claims holds.");
  EXPECT_EQ(answer.facts.at(0).second, "2, 2 with a known cause and 0 without");
  const auto& figure = std::get<report::Figure>(page.sections.at(1).blocks.at(0));
  EXPECT_EQ(figure.id, "made-published");
  EXPECT_EQ(figure.data.at(0).table.rows.size(), 3);
  EXPECT_EQ(figure.description, "3 numbers. They lie farthest apart at 'SEP, T = 5', by 20.");
  const auto& reasons = std::get<report::Bullets>(page.sections.at(1).blocks.at(3));
  EXPECT_EQ(reasons.items, std::vector<std::string>{"SEP, T = 5; KG, T = 5: it is told where"});
  EXPECT_NO_THROW(report::to_html(page));
}

TEST(ReproducePage, SeveralAreOnePage) {
  Reproduction other = made();
  other.name = "other";
  const report::Page page = page_of({made(), other}, "");
  EXPECT_EQ(page.title, "The paper's tables and figures");
  EXPECT_EQ(page.sections.at(0).title, "A made one");
  EXPECT_NO_THROW(report::to_html(page));
}

TEST(ReproducePage, Markdown) {
  const std::string text = markdown_of({made()});
  EXPECT_TRUE(text.starts_with("## A made one\n\n3 trials\n\n| % of oracle | published | ours |"));
  EXPECT_NE(text.find("- SEP, T = 5; KG, T = 5: it is told where\n"), std::string::npos);
  EXPECT_NE(text.find("| DOES NOT HOLD | it does not | 5 < 8 |"), std::string::npos);
}

/// Artefacts that have pictures draw them from few trials, too; every figure can be put on a page.
TEST(ReproducePage, EveryArtefactCanBeDrawn) {
  const std::vector<std::pair<std::string, std::size_t>> wanted = {
      {"stateless", 4},  {"lock", 2},       {"fork", 1},       {"hiv-table", 1},
      {"hiv-sweep", 1},  {"hiv-slopes", 1}, {"hiv-figure", 3}, {"hiv-contraction", 0},
      {"vending-log", 2}};
  for (const auto& [name, figures] : wanted) {
    const Reproduction result = find_artefact(name).run({.trials = 2});
    EXPECT_EQ(result.figures.size(), figures) << name;
    for (const report::Figure& figure : result.figures) {
      EXPECT_FALSE(figure.title.empty() || figure.description.empty()) << figure.id;
      EXPECT_EQ(figure.description.find("nan"), std::string::npos) << figure.description;
    }
    EXPECT_LT(report::to_html(page_of({result}, "")).size(), 3'000'000u) << name;
  }
}

TEST(ReproducePageLong, TheSlowArtefactsToo) {
  for (const auto& [name, figures] : {std::pair("treasure", 2), {"vending-table", 1}}) {
    const Reproduction result = find_artefact(name).run({.trials = 2});
    EXPECT_EQ(result.figures.size(), static_cast<std::size_t>(figures)) << name;
    EXPECT_NO_THROW(report::to_html(page_of({result}, ""))) << name;
  }
}

}  // namespace page_test
}  // namespace mindgap::reproduce

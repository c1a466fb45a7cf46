#include "paper/reproduce/page.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "mindgap/base/error.h"
#include "mindgap/files/output.h"
#include "mindgap/report/charts.h"
#include "mindgap/view/number.h"

namespace mindgap::reproduce {
namespace {

struct Score {
  std::size_t published = 0, agreeing = 0, explained = 0, undecided = 0, missing = 0, claims = 0, holding = 0;
};

Score score_of(const Reproduction& result) {
  Score score;
  for (const Line& line : result.lines) {
    if (!line.published) continue;
    ++score.published;
    if (line.not_reproduced) {
      ++score.missing;
    } else if (line.agrees()) {
      ++score.agreeing;
      if (line.undecided()) ++score.undecided;
    } else if (!line.why.empty() && !line.cause_unknown) {
      ++score.explained;
    }
  }
  score.claims = result.claims.size();
  for (const Claim& claim : result.claims) score.holding += claim.holds ? 1 : 0;
  return score;
}

report::Answer answer_of(const Reproduction& result) {
  const Score score = score_of(result);
  report::Answer answer;
  std::string numbers, claims;
  if (score.published > 0)
    numbers =
        fmt::format("{} of {} agree with ours{}", score.agreeing,
                    view::count(static_cast<std::int64_t>(score.published), "published number"),
                    score.undecided > 0 ? fmt::format(" ({} by our own error alone)", score.undecided) : "");
  if (score.claims > 0)
    claims = fmt::format("{} of {} hold{}", score.holding,
                         view::count(static_cast<std::int64_t>(score.claims), "claim"),
                         score.holding == 1 || score.claims == 1 ? "s" : "");
  answer.headline = numbers + (numbers.empty() || claims.empty() ? "" : "; ") + claims + ".";
  answer.reason = result.method;
  const std::size_t differ = score.published - score.agreeing - score.missing;
  if (differ > 0)
    answer.facts.emplace_back("Numbers that differ",
                              fmt::format("{}, {} with a known cause and {} without", differ, score.explained,
                                          differ - score.explained));
  if (score.missing > 0)
    answer.facts.emplace_back("Numbers not reproduced", fmt::format("{}", score.missing));
  return answer;
}

/// Each number that was published, beside ours.
report::Figure published_figure(const Reproduction& result) {
  report::Table table{"", {"what", "ours", "lower", "upper", "published"}, {}};
  double farthest = 0;
  std::string where;
  for (const Line& line : result.lines) {
    if (!line.published || line.not_reproduced) continue;
    const stats::Interval interval = line.interval.value_or(stats::Interval{line.ours, line.ours});
    table.rows.push_back({line.what, view::number(line.ours, 6), view::number(interval.lower, 6),
                          view::number(interval.upper, 6), view::number(*line.published, 6)});
    if (std::abs(line.ours - *line.published) < farthest) continue;
    farthest = std::abs(line.ours - *line.published);
    where = line.what;
  }
  report::IntervalsChart chart;
  chart.words = {result.name + "-published", "Published beside ours",
                 "With 95 % intervals where ours is not exact.",
                 fmt::format("{} numbers. They lie farthest apart at '{}', by {}.", table.rows.size(), where,
                             view::number(farthest, 3))};
  chart.table = std::move(table);
  chart.row = "what";
  chart.value = {"ours", result.unit};
  chart.lower = "lower";
  chart.upper = "upper";
  chart.published = "published";
  return report::intervals(chart);
}

bool shows_published(const Reproduction& result) {
  for (const report::Figure& figure : result.figures) {
    for (const report::Dataset& dataset : figure.data) {
      const auto& columns = dataset.table.columns;
      if (std::find(columns.begin(), columns.end(), "published") != columns.end()) return true;
    }
  }
  return false;
}

report::Table claim_table(const Reproduction& result) {
  report::Table table{"What the text claims", {"holds?", "claim", "evidence"}, {}};
  for (const Claim& claim : result.claims)
    table.rows.push_back({claim.holds ? "holds" : "DOES NOT HOLD", claim.text, claim.evidence});
  return table;
}

void add_sections(const Reproduction& result, bool alone, report::Page& page) {
  report::Section first{alone ? "" : result.title, {answer_of(result)}};
  for (const report::Figure& figure : result.figures) first.blocks.emplace_back(figure);
  page.sections.push_back(std::move(first));
  report::Section numbers{alone ? "Published beside ours" : "", {}};
  const bool any = std::any_of(result.lines.begin(), result.lines.end(),
                               [](const Line& line) { return line.published.has_value(); });
  if (any && !shows_published(result)) numbers.blocks.emplace_back(published_figure(result));
  if (!result.lines.empty()) numbers.blocks.emplace_back(line_table(result));
  if (const auto reasons = reasons_of(result); !reasons.empty()) {
    numbers.blocks.emplace_back(report::Paragraph{"Why numbers differ, or what is open where nobody knows:"});
    numbers.blocks.emplace_back(report::Bullets{reasons});
  }
  if (!numbers.blocks.empty()) page.sections.push_back(std::move(numbers));
  if (!result.claims.empty()) page.sections.push_back({alone ? "Claims" : "", {claim_table(result)}});
}

}  // namespace

std::vector<std::string> reasons_of(const Reproduction& result) {
  constexpr std::size_t kNamed = 6;
  struct Group {
    std::string why;
    std::vector<std::string> what;
  };
  std::vector<Group> groups;  // numbers that share a reason
  for (const Line& line : result.lines) {
    if (line.agrees() || line.why.empty()) continue;
    auto same =
        std::find_if(groups.begin(), groups.end(), [&](const Group& group) { return group.why == line.why; });
    if (same == groups.end()) same = groups.insert(groups.end(), Group{line.why, {}});
    same->what.push_back(line.what);
  }
  std::vector<std::string> reasons;
  for (Group& group : groups) {
    if (group.what.size() > kNamed + 1) {
      const std::size_t more = group.what.size() - kNamed;
      group.what.resize(kNamed);
      group.what.push_back(fmt::format("and {} more", more));
    }
    reasons.push_back(fmt::format("{}: {}", fmt::join(group.what, "; "), group.why));
  }
  return reasons;
}

std::string verdict(const Line& line) {
  if (!line.published) return "";
  if (line.not_reproduced) return "not reproduced";
  if (line.undecided()) return "agrees by our error alone: too few trials";
  if (line.agrees()) return "agrees";
  return line.why.empty() || line.cause_unknown ? "DIFFERS, cause unknown" : "differs, explained";
}

report::Table line_table(const Reproduction& result) {
  report::Table table{"", {result.unit, "published", "ours", "95 % interval", "within", "verdict"}, {}};
  for (const Line& line : result.lines) {
    if (line.not_reproduced) {
      table.rows.push_back(
          {line.what, line.published ? view::number(*line.published, 6) : "", "", "", "", verdict(line)});
      continue;
    }
    table.rows.push_back({line.what, line.published ? view::number(*line.published, 6) : "",
                          view::number(line.ours, 6),
                          line.interval ? view::bracketed(*line.interval, 5)
                          : line.exact  ? "exact"
                                        : "simulated, error not stated",
                          line.published ? view::number(line.tolerance(), 2) : "", verdict(line)});
  }
  return table;
}

report::Page page_of(const std::vector<Reproduction>& results, const std::string& footer) {
  report::Page page;
  page.title = results.size() == 1 ? results.front().title : "The paper's tables and figures";
  page.subtitle = "The published value beside ours";
  page.footer = footer;
  for (const Reproduction& result : results) add_sections(result, results.size() == 1, page);
  return page;
}

std::string markdown_of(const std::vector<Reproduction>& results) {
  std::string text;
  for (const Reproduction& result : results) {
    text += fmt::format("{}## {}\n\n{}\n\n", text.empty() ? "" : "\n", result.title, result.method);
    if (!result.lines.empty()) text += report::to_markdown(line_table(result)) + "\n";
    for (const std::string& reason : reasons_of(result)) text += fmt::format("- {}\n", reason);
    if (!reasons_of(result).empty()) text += "\n";
    if (!result.claims.empty()) text += report::to_markdown(claim_table(result));
  }
  return text;
}

void write_data(const std::filesystem::path& folder, const std::vector<Reproduction>& results) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) throw StoreError(fmt::format("{}: {}", folder.string(), error.message()));
  for (const Reproduction& result : results) {
    for (const Reproduction::Data& data : result.data)
      files::write_file(folder / data.file, report::to_csv(data.table));
  }
  files::write_file(folder / "tables.md", markdown_of(results));
}

}  // namespace mindgap::reproduce

#include "mindgap/view/history_test.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "mindgap/mdp/pair_name.h"
#include "mindgap/view/number.h"
#include "mindgap/view/print.h"

namespace mindgap::view {
namespace {

const char* split_name(gap::Split split) {
  switch (split) {
    case gap::Split::time:
      return "time";
    case gap::Split::behaviour:
      return "behaviour";
    default:
      return "propensity";
  }
}

std::string parts_of(const gap::SplitTest& test) {
  switch (test.split) {
    case gap::Split::time:
      return fmt::format("rows before step {:.0f} predict those from then on", test.cut);
    case gap::Split::behaviour:
      return "units that act one way in the same states predict those that act the other way";
    default:
      return "rows whose action was likely predict those of the same pair whose action was not";
  }
}

const char* meaning_of(gap::Split split, bool differs) {
  if (split == gap::Split::time)
    return differs ? "what actions lead to has changed while history was recorded"
                   : "no sign that anything changed while history was recorded";
  if (split == gap::Split::behaviour)
    return differs ? "the same action has other results where other units take it: something that is not "
                     "recorded "
                     "moves both, or units differ"
                   : "no sign that units that act differently also get different results";
  return differs
             ? "results depend on how likely the action was: what operators knew and the state does not say "
               "moves results, so that plain means are confounded"
             : "no sign that what operators knew beyond the state moves results";
}

std::string chance(double share) {
  return share < .001 ? std::string("p < .001") : fmt::format("p = {}", number(share, 2));
}

std::string split_sentence(const mdp::Mdp& mdp, const gap::SplitTest& test) {
  if (!test.possible)
    return fmt::format("Split by {}: not possible, {}.", split_name(test.split), test.why_not);
  const bool differs = test.surprise.share < belief::kSurprising;
  std::vector<std::string> worst;
  for (const belief::PairSurprise& one : test.surprise.worst) worst.push_back(mdp::pair_name(mdp, one.pair));
  return fmt::format("Split by {} ({}; {} of {} rows can be compared): {}, {}.{}", split_name(test.split),
                     parts_of(test), test.compared, test.second, chance(test.surprise.share),
                     meaning_of(test.split, differs),
                     differs && !worst.empty() ? fmt::format(" Worst: {}.", fmt::join(worst, "; ")) : "");
}

// Largest standardised confounding first.
std::vector<gap::PropensityPair> by_evidence(const gap::HistoryTest& test, std::size_t top) {
  std::vector<gap::PropensityPair> pairs = test.pairs;
  std::stable_sort(pairs.begin(), pairs.end(),
                   [](const auto& a, const auto& b) { return a.p_value < b.p_value; });
  if (top > 0 && pairs.size() > top) pairs.resize(top);
  return pairs;
}

report::Table propensity_table(const mdp::Mdp& mdp, const gap::HistoryTest& test, std::size_t top) {
  const bool drift = std::any_of(test.pairs.begin(), test.pairs.end(), [](const auto& p) { return p.drift; });
  report::Table table{
      "Confounding of mean rewards, by inverse propensity weighting",
      {"pair", "rows", "effective rows", "mean", "weighted", "confounding", "se", "p (all pairs)"},
      {}};
  if (drift) table.columns.insert(table.columns.end(), {"drift since", "se of it"});
  for (const gap::PropensityPair& one : by_evidence(test, top)) {
    std::vector<std::string> row = {mdp::pair_name(mdp, one.pair),
                                    fmt::format("{}", one.rows),
                                    number(one.effective_rows, 3) + (one.poor_overlap ? " (few)" : ""),
                                    number(one.mean, 4),
                                    number(one.weighted, 4),
                                    number(one.confounding, 3),
                                    number(one.standard_error, 2),
                                    number(one.bonferroni, 2)};
    if (drift) {
      row.push_back(one.drift ? number(*one.drift, 3) : "");
      row.push_back(one.drift_error ? number(*one.drift_error, 2) : "");
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

}  // namespace

std::vector<std::string> history_findings(const mdp::Mdp& mdp, const gap::HistoryTest& test) {
  std::vector<std::string> said;
  for (const gap::SplitTest& split : test.splits) said.push_back(split_sentence(mdp, split));
  if (test.has_propensities && !test.pairs.empty()) {
    const auto flagged = std::count_if(test.pairs.begin(), test.pairs.end(),
                                       [](const auto& p) { return p.bonferroni < .05 && !p.poor_overlap; });
    said.push_back(
        fmt::format("Logged probabilities: at {} of {} the mean reward is confounded (5 % for all of "
                    "them together), by the difference of the plain and the weighted mean.",
                    flagged, count(static_cast<std::int64_t>(test.pairs.size()), "pair")));
    if (test.poor_overlap > 0)
      said.push_back(
          fmt::format("Overlap is poor at {} of them: a few rows carry the weight, and neither the "
                      "weighted mean nor its standard error is to be trusted there.",
                      test.poor_overlap));
  } else if (!test.has_propensities) {
    said.push_back(
        "No probabilities of actions are logged (column probability): confounding and drift cannot be told "
        "apart.");
  }
  said.push_back(
      "What this cannot see: an unrecorded factor that moves both parts alike, errors where history never "
      "acted, and "
      "whatever has changed since. Only randomised actions show those.");
  return said;
}

std::string history_text(const mdp::Mdp& mdp, const gap::HistoryTest& test, std::size_t top) {
  std::string text =
      fmt::format("\nHistory against itself, before any pilot ({}{})\n", count(test.rows, "row"),
                  test.variance_estimated ? ", variance of a reward pooled from it" : "");
  for (const std::string& line : history_findings(mdp, test)) text += wrapped("  - ", line);
  if (!test.pairs.empty()) text += report::to_text(propensity_table(mdp, test, top));
  return text;
}

Json history_json(const mdp::Mdp& mdp, const gap::HistoryTest& test) {
  Json json = {{"rows", test.rows},
               {"variance_estimated", test.variance_estimated},
               {"splits", Json::array()},
               {"propensities", test.has_propensities},
               {"poor_overlap", test.poor_overlap},
               {"pairs", Json::array()},
               {"findings", history_findings(mdp, test)}};
  for (const gap::SplitTest& split : test.splits) {
    Json worst = Json::array();
    for (const belief::PairSurprise& one : split.surprise.worst)
      worst.push_back({{"state", mdp.state_name(mdp.state_of_pair(one.pair))},
                       {"action", mdp.action_name_of_pair(one.pair)},
                       {"share", one.share}});
    json["splits"].push_back(
        {{"by", split_name(split.split)},
         {"possible", split.possible},
         {"why_not", split.why_not},
         {"cut", split.split == gap::Split::time ? Json(split.cut) : Json()},
         {"first", split.first},
         {"second", split.second},
         {"compared", split.compared},
         {"share", split.possible ? Json(split.surprise.share) : Json()},
         {"standard_error", split.possible ? Json(split.surprise.standard_error) : Json()},
         {"worst", std::move(worst)}});
  }
  for (const gap::PropensityPair& one : test.pairs) {
    json["pairs"].push_back({{"state", mdp.state_name(mdp.state_of_pair(one.pair))},
                             {"action", mdp.action_name_of_pair(one.pair)},
                             {"rows", one.rows},
                             {"effective_rows", one.effective_rows},
                             {"least_probability", one.least_probability},
                             {"poor_overlap", one.poor_overlap},
                             {"mean", one.mean},
                             {"weighted", one.weighted},
                             {"weighted_error", one.weighted_error},
                             {"confounding", one.confounding},
                             {"standard_error", one.standard_error},
                             {"p_value", one.p_value},
                             {"bonferroni", one.bonferroni},
                             {"drift", one.drift ? Json(*one.drift) : Json()},
                             {"drift_error", one.drift_error ? Json(*one.drift_error) : Json()}});
  }
  return json;
}

report::Section history_section(const mdp::Mdp& mdp, const gap::HistoryTest& test, std::size_t top) {
  report::Section section{"History against itself, before any pilot",
                          {report::Bullets{history_findings(mdp, test)}}};
  if (!test.pairs.empty()) section.blocks.emplace_back(propensity_table(mdp, test, top));
  return section;
}

}  // namespace mindgap::view

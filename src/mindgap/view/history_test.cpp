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

const char* words(gap::NotSplit why) {
  switch (why) {
    case gap::NotSplit::empty_part:
      return "one part would be empty";
    case gap::NotSplit::no_common_pair:
      return "the two parts have no state-action pair in common";
    case gap::NotSplit::no_time:
      return "most rows have the same step: there is no time in this record";
    case gap::NotSplit::one_unit:
      return "there is one unit only";
    case gap::NotSplit::units_alike:
      return "all units act alike";
    default:
      return "the logged probability of a pair is the same in all of its rows: actions followed nothing else";
  }
}

// "" where the split is possible.
std::string why_not_split(const gap::SplitTest& test) {
  return test.why_not ? words(*test.why_not) : "";
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
    return differs ? "results of actions changed while the data were recorded"
                   : "no sign that anything changed while the data were recorded";
  if (split == gap::Split::behaviour)
    return differs ? "the same action has other results where other units take it: an unrecorded factor "
                     "affects both actions and results, or units differ"
                   : "no sign that units that act differently also get different results";
  return differs ? "results depend on how likely the action was: information that operators had and the "
                   "state does "
                   "not contain affects results, so that plain means are confounded"
                 : "no sign that information that operators had beyond the state affects results";
}

std::string chance(double share) {
  return share < .001 ? std::string("p < .001") : fmt::format("p = {}", number(share, 2));
}

std::string split_sentence(const mdp::Mdp& mdp, const gap::SplitTest& test) {
  if (!test.possible)
    return fmt::format("Split by {}: not possible, {}.", split_name(test.split), why_not_split(test));
  const bool differs = test.surprise.share < belief::kSurprising;
  std::vector<std::string> worst;
  for (const belief::PairSurprise& one : test.surprise.worst) worst.push_back(mdp::pair_name(mdp, one.pair));
  const bool close = !differs && test.surprise.share < .05;
  return fmt::format("Split by {} ({}; {} of {} rows can be compared): {}{}, {}.{}", split_name(test.split),
                     parts_of(test), test.compared, test.second, chance(test.surprise.share),
                     close ? fmt::format(" (only below {} counts here)", number(belief::kSurprising, 1)) : "",
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

// Everybody's mean of a pair side by side: as it is, by propensities where they were logged, by the
// instrument.
report::Table instrument_table(const mdp::Mdp& mdp, const gap::HistoryTest& test, std::size_t top) {
  std::vector<gap::InstrumentPair> pairs = test.instrument->pairs;
  std::stable_sort(pairs.begin(), pairs.end(),
                   [](const auto& a, const auto& b) { return a.p_value < b.p_value; });
  if (top > 0 && pairs.size() > top) pairs.resize(top);
  const bool drift = std::any_of(pairs.begin(), pairs.end(), [](const auto& p) { return p.drift; });
  report::Table table{"Confounding of mean rewards, by the instrument", {"pair", "rows", "mean"}, {}};
  if (test.has_propensities) table.columns.emplace_back("weighted");
  table.columns.insert(table.columns.end(),
                       {"by instrument", "se of it", "first-stage F", "confounding", "se", "p (all pairs)"});
  if (drift) table.columns.insert(table.columns.end(), {"drift since", "se of drift"});
  for (const gap::InstrumentPair& one : pairs) {
    std::vector<std::string> row = {mdp::pair_name(mdp, one.pair), fmt::format("{}", one.rows),
                                    number(one.mean, 4)};
    if (test.has_propensities) {
      const auto same = std::find_if(test.pairs.begin(), test.pairs.end(),
                                     [&](const auto& other) { return other.pair == one.pair; });
      row.push_back(same == test.pairs.end() ? "" : number(same->weighted, 4));
    }
    row.insert(row.end(),
               {number(one.estimate, 4) + (one.pooled ? " (pooled)" : ""), number(one.estimate_error, 2),
                number(one.first_stage, 3) + (one.weak ? " (weak)" : ""), number(one.confounding, 3),
                number(one.standard_error, 2), number(one.bonferroni, 2)});
    if (drift) {
      row.push_back(one.drift ? number(*one.drift, 3) : "");
      row.push_back(one.drift_error ? number(*one.drift_error, 2) : "");
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

// How many pairs have changed since, at 5 % for all of them together.
template <typename Pairs, typename Trusted>
std::string drift_sentence(const Pairs& pairs, const Trusted& trusted, const char* how) {
  std::int64_t known = 0, moved = 0;
  for (const auto& one : pairs) known += one.drift && trusted(one) ? 1 : 0;
  for (const auto& one : pairs) {
    if (!one.drift || !trusted(one) || !(*one.drift_error > 0)) continue;
    const double p = std::erfc(std::abs(*one.drift) / *one.drift_error / std::sqrt(2.0));
    moved += p * static_cast<double>(known) < .05 ? 1 : 0;
  }
  if (known == 0) return "";
  return fmt::format(
      "Drift: at {} of {} the pilot's mean differs from history's mean corrected by {}, so the reward has "
      "changed since (5 % for all of them together).",
      moved, count(known, "pair"), how);
}

void add_instrument_findings(const gap::InstrumentTest& test, std::vector<std::string>& said) {
  if (test.pairs.empty()) {
    said.emplace_back(
        "The instrument is uninformative: it changes actions in no state, or it has fewer values than there "
        "are actions.");
    return;
  }
  const auto flagged = std::count_if(test.pairs.begin(), test.pairs.end(),
                                     [](const auto& p) { return p.bonferroni < .05 && !p.weak; });
  said.push_back(
      fmt::format("Instrument ({} with it, {}): at {} of {} the mean reward is confounded (5 % for all of "
                  "them together), "
                  "by the difference of the plain mean and the two-stage estimate.",
                  count(test.rows, "row"), count(static_cast<std::int64_t>(test.values.size()), "value"),
                  flagged, count(static_cast<std::int64_t>(test.pairs.size()), "pair")));
  const std::string drift = drift_sentence(
      test.pairs, [](const auto& p) { return !p.weak; }, "the instrument");
  if (!drift.empty()) said.push_back(drift);
  if (test.weak > 0)
    said.push_back(fmt::format(
        "The instrument is weak at {} of them (first-stage F below {}): it hardly changes actions "
        "there, and neither the estimate nor its standard error is to be trusted.",
        test.weak, gap::kWeakInstrument));
  if (test.pooled > 0)
    said.push_back(fmt::format(
        "At {} of them the state has too few data (fewer than {} rows, or a weak instrument), so the effect "
        "of an action is assumed to be the same in every state.",
        test.pooled, gap::kOwnRows));
  if (test.not_identified > 0)
    said.push_back(
        fmt::format("The instrument is uninformative about {} more.", count(test.not_identified, "pair")));
  said.emplace_back(
      "The instrument's estimates assume that its value was as good as random given the state, that it "
      "affects rewards only through the action, and that what an action adds does not depend on what is "
      "hidden (otherwise they are about the decisions that the instrument changed). The data cannot show "
      "whether this holds.");
}

// What both corrections of a mean say, around what is a correction's `own`.
template <typename Pair>
Json pair_json(const mdp::Mdp& mdp, const Pair& one, const Json& own) {
  Json json = {{"state", mdp.state_name(mdp.state_of_pair(one.pair))},
               {"action", mdp.action_name_of_pair(one.pair)},
               {"rows", one.rows},
               {"mean", one.mean}};
  json.update(own);
  json["confounding"] = one.confounding;
  json["standard_error"] = one.standard_error;
  json["p_value"] = one.p_value;
  json["bonferroni"] = one.bonferroni;
  json["drift"] = one.drift ? Json(*one.drift) : Json();
  json["drift_error"] = one.drift_error ? Json(*one.drift_error) : Json();
  return json;
}

Json instrument_json(const mdp::Mdp& mdp, const gap::InstrumentTest& test) {
  Json json = {{"values", test.values},
               {"rows", test.rows},
               {"weak", test.weak},
               {"pooled", test.pooled},
               {"not_identified", test.not_identified},
               {"pairs", Json::array()}};
  for (const gap::InstrumentPair& one : test.pairs) {
    json["pairs"].push_back(pair_json(mdp, one,
                                      {{"estimate", one.estimate},
                                       {"estimate_error", one.estimate_error},
                                       {"first_stage", one.first_stage},
                                       {"weak", one.weak},
                                       {"pooled", one.pooled},
                                       {"by_unit", one.by_unit}}));
  }
  return json;
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
    const std::string drift = drift_sentence(
        test.pairs, [](const auto& p) { return !p.poor_overlap; }, "the logged probabilities");
    if (!drift.empty()) said.push_back(drift);
  }
  if (test.instrument) add_instrument_findings(*test.instrument, said);
  if (!test.has_propensities && !test.instrument) {
    said.emplace_back(
        "Neither probabilities of actions (column probability) nor an instrument (column instrument) are "
        "logged: confounding and drift cannot be told apart.");
  }
  said.emplace_back(
      "This test cannot detect an unrecorded factor that affects both parts alike, errors of pairs that are "
      "not in the data, or changes since then. Only randomised actions can.");
  return said;
}

std::string history_text(const mdp::Mdp& mdp, const gap::HistoryTest& test, std::size_t top) {
  std::string text = fmt::format("\nHistorical data tested against themselves, before any pilot ({}{})\n",
                                 count(test.rows, "row"),
                                 test.variance_estimated ? ", variance of a reward pooled from it" : "");
  for (const std::string& line : history_findings(mdp, test)) text += wrapped("  - ", line);
  if (!test.pairs.empty()) text += report::to_text(propensity_table(mdp, test, top));
  if (test.instrument && !test.instrument->pairs.empty())
    text += report::to_text(instrument_table(mdp, test, top));
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
         {"why_not", why_not_split(split)},
         {"cut", split.split == gap::Split::time ? Json(split.cut) : Json()},
         {"first", split.first},
         {"second", split.second},
         {"compared", split.compared},
         {"share", split.possible ? Json(split.surprise.share) : Json()},
         {"standard_error", split.possible ? Json(split.surprise.standard_error) : Json()},
         {"worst", std::move(worst)}});
  }
  for (const gap::PropensityPair& one : test.pairs) {
    json["pairs"].push_back(pair_json(mdp, one,
                                      {{"effective_rows", one.effective_rows},
                                       {"least_probability", one.least_probability},
                                       {"poor_overlap", one.poor_overlap},
                                       {"weighted", one.weighted},
                                       {"weighted_error", one.weighted_error}}));
  }
  if (test.instrument) json["instrument"] = instrument_json(mdp, *test.instrument);
  return json;
}

report::Section history_section(const mdp::Mdp& mdp, const gap::HistoryTest& test, std::size_t top) {
  report::Section section{"Historical data tested against themselves, before any pilot",
                          {report::Bullets{history_findings(mdp, test)}}};
  if (!test.pairs.empty()) section.blocks.emplace_back(propensity_table(mdp, test, top));
  if (test.instrument && !test.instrument->pairs.empty())
    section.blocks.emplace_back(instrument_table(mdp, test, top));
  return section;
}

}  // namespace mindgap::view

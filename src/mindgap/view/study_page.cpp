#include "mindgap/view/study_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "mindgap/base/error.h"
#include "mindgap/mdp/pair_name.h"
#include "mindgap/mdp/solve.h"
#include "mindgap/report/charts.h"
#include "mindgap/study/assign.h"
#include "mindgap/view/number.h"
#include "mindgap/view/places.h"
#include "mindgap/view/print.h"
#include "mindgap/view/study.h"
#include "mindgap/view/study_conflicts.h"

namespace mindgap::view {
namespace {

using report::Bullets;
using report::Figure;
using report::Paragraph;
using report::Section;
using report::Table;

constexpr std::size_t kMostPairs = 20;

report::Answer answer_of(const study::Summary& s) {
  const decide::BatchPrice& price = s.price;
  report::Answer answer;
  if (s.phase == study::Phase::stopped) {
    answer.headline = fmt::format("Stopped: {}", base::printable(s.why, 300));
  } else if (price.steps == 0) {
    answer.headline = "There is nobody or no time left to explore.";
  } else {
    answer.kind = price.go_on() ? "experiment" : "deploy";
    answer.headline = price.go_on() ? "Go on: the next batch is worth more than it costs."
                                    : "Stop exploring: the next batch costs more than it is worth.";
  }
  answer.reason = s.experiment_pays
                      ? std::string("Explorers earn more than controls (valid however often you look).")
                  : s.difference.interval || s.difference.permutation
                      ? std::string("There is no proof yet that explorers earn more than controls.")
                      : fmt::format("Explorers and controls are not compared, because {}.",
                                    why_not_compared(s.difference));
  if (price.steps > 0) {
    answer.facts.emplace_back(fmt::format("Next batch: {} explorers, {} steps", price.explorers, price.steps),
                              fmt::format("worth {}, costs {}", number(price.worth), number(price.cost)));
    answer.facts.emplace_back("Net (95 % interval)", with_range(price.net, price.interval));
  }
  answer.facts.emplace_back("Promised by the simulator, of its policy", number(s.simulator_value));
  answer.facts.emplace_back("That policy, by what is known now", number(s.policy_value_now));
  answer.facts.emplace_back(
      fmt::format("The best policy now, which differs in {}", count(s.changed_states, "state")),
      number(s.best_value_now));
  answer.facts.emplace_back("Results",
                            fmt::format("{} of {} assigned, {} pending", s.results, s.assigned, s.pending));
  answer.facts.emplace_back("Pairs that refute the simulator", fmt::format("{}", s.flagged.size()));
  answer.facts.emplace_back("Drift between batches", s.drift.alarm ? "alarm" : "none shown");
  return answer;
}

// Results by step and arm that are in.
Figure progress_figure(const study::State& state) {
  std::map<std::pair<std::int32_t, int>, std::array<std::int64_t, 2>> count;  // assigned, in
  for (std::size_t i = 0; i < state.assignments.size(); ++i) {
    auto& cell = count[{state.assignments[i].step, static_cast<int>(state.assignments[i].arm)}];
    ++cell[0];
    if (state.result[i] >= 0) ++cell[1];
  }
  Table table{"", {"step", "what", "units"}, {}};
  std::int64_t assigned = 0, in = 0;
  for (const auto& [key, cell] : count) {
    const char* arm = key.second == 0 ? "explore" : "control";
    table.rows.push_back(
        {fmt::format("{}", key.first), fmt::format("{}: assigned", arm), fmt::format("{}", cell[0])});
    table.rows.push_back(
        {fmt::format("{}", key.first), fmt::format("{}: results in", arm), fmt::format("{}", cell[1])});
    assigned += cell[0];
    in += cell[1];
  }
  report::LinesChart chart;
  chart.words = {"progress", "Assignments and results by step",
                 "Where the lines of an arm part, results are out.",
                 fmt::format("{} assignments, {} of them with a result.", assigned, in)};
  chart.table = std::move(table);
  chart.x = {"step"};
  chart.y = {"units", "units", false, true};
  chart.series = "what";
  return report::lines(chart);
}

// What was simulated beside what is believed, for the pairs seen most often.
Figure beliefs_figure(const study::State& state, const study::Summary& s) {
  Table table{"", {"pair", "believed", "lower", "upper", "simulated", "seen"}, {}};
  const std::size_t shown = std::min(s.pairs.size(), kMostPairs);
  for (std::size_t i = 0; i < shown; ++i) {
    const study::PairSummary& pair = s.pairs[i];
    table.rows.push_back({mdp::pair_name(state.mdp(), pair.pair), number(pair.mean_reward),
                          number(pair.mean_reward - 1.96 * pair.reward_sd),
                          number(pair.mean_reward + 1.96 * pair.reward_sd), number(pair.simulated_reward),
                          fmt::format("{}", pair.seen)});
  }
  report::IntervalsChart chart;
  chart.words = {
      "beliefs", "Mean rewards: believed now, and simulated",
      fmt::format("The {} pairs seen most often; bars hold 95 % of the belief.", shown),
      fmt::format("{} pairs were seen; {} of them refute the simulator.", s.pairs.size(), s.flagged.size())};
  chart.table = std::move(table);
  chart.row = "pair";
  chart.value = {"believed", "mean reward"};
  chart.lower = "lower";
  chart.upper = "upper";
  chart.published = "simulated";
  chart.dots = "believed";
  chart.diamonds = "simulated";
  return report::intervals(chart);
}

Figure map_figure(const study::State& state) {
  const mdp::Mdp& mdp = state.mdp();
  std::vector<double> visits(static_cast<std::size_t>(mdp.states()), 0.0);
  for (std::size_t i = 0; i < state.assignments.size(); ++i) {
    if (state.assignments[i].arm == study::Arm::explore && state.result[i] >= 0)
      ++visits[state.assignments[i].state];
  }
  report::MapChart chart;
  chart.states = places_table(mdp, "visits", visits);
  chart.words = {"explored", "Where explorers have been", "The darker, the more results of explorers.",
                 fmt::format("Most: {} results.", largest_place(mdp, visits))};
  chart.name = "state";
  chart.x = "x";
  chart.y = "y";
  chart.value = "visits";
  return report::map(chart);
}

Table flagged_table(const study::State& state, const study::Summary& s) {
  Table table{"Pairs that refute the simulator",
              {"pair", "results", "mean reward", "simulated", "p", "adjusted"},
              {}};
  for (const study::PairEvidence& one : s.flagged) {
    table.rows.push_back({mdp::pair_name(state.mdp(), one.pair),
                          fmt::format("{}", std::max(one.rewards, one.moves)), number(one.mean_reward),
                          number(state.mdp().reward()[one.pair]), number(one.p_value, 2),
                          number(one.adjusted, 2)});
  }
  return table;
}

Section arms_section(const study::Summary& s) {
  const study::Difference& d = s.difference;
  std::string text =
      d.interval ? fmt::format(
                       "Per unit and step, explorers earned {} and controls {}: a difference of {} (95 % "
                       "confidence sequence {}, valid however often you look) over {} complete steps.",
                       number(d.explore), number(d.control), number(d.difference),
                       range(d.interval->lower, d.interval->upper), d.steps)
      : d.permutation
          ? fmt::format(
                "Per unit and step, explorers earned {} and controls {} over {} complete steps: a difference "
                "of {}. An interval needs {} units in each arm, assigned at random and not by a plan; a "
                "permutation test ({}) gives p = {} ({} at all looks together).",
                number(d.explore), number(d.control), d.steps, number(d.difference), study::kFewest,
                d.permutation->exact ? "exact" : "approximate", number(d.permutation->p_value, 2),
                number(d.permutation->adjusted, 2))
          : fmt::format("Explorers and controls are not compared, because {}.", why_not_compared(d));
  text += s.ratio.alarm
              ? " Results do not come back from both arms alike: find out why before comparing them."
              : " Results come back from both arms alike, as far as one can tell.";
  return {"Explorers and controls", {Paragraph{text}}};
}

Section drift_section(const study::State& state, const study::Summary& s) {
  Section section{"Did anything drift?", {Paragraph{drift_in_words(s.drift)}}};
  if (s.drift.pairs.empty()) return section;
  Table table{"Most suspect", {"pair", "mean reward before", "in the last batch", "log e"}, {}};
  for (std::size_t i = 0; i < std::min(s.drift.pairs.size(), kMostPairs); ++i) {
    const study::DriftPair& pair = s.drift.pairs[i];
    table.rows.push_back({mdp::pair_name(state.mdp(), pair.pair), number(pair.mean_before),
                          number(pair.mean_last), number(pair.log_e)});
  }
  section.blocks.emplace_back(std::move(table));
  return section;
}

// What comes next, in the order in which it is to be done.
Section next_section(const study::State& state, const study::Summary& s) {
  std::vector<std::string> items;
  for (std::size_t i = 0; i < std::min(s.waiting.size(), kMostPairs); ++i) {
    const study::Waiting& one = s.waiting[i];
    items.push_back(fmt::format("Waiting for {} of {} at step {}, assigned {}.",
                                one.place_unknown ? "the next state" : "the result",
                                base::printable(state.units[one.unit].name, 60), one.step, one.since));
  }
  if (s.waiting.size() > kMostPairs)
    items.push_back(fmt::format("Waiting for {} more results.", s.waiting.size() - kMostPairs));
  const std::vector<const study::Conflict*> open = open_conflicts(state);
  for (std::size_t i = 0; i < std::min(open.size(), kMostPairs); ++i)
    items.push_back(fmt::format("Settle {}.", conflict_in_words(state, *open[i])));
  if (open.size() > kMostPairs)
    items.push_back(fmt::format("Settle {} more conflicts.", open.size() - kMostPairs));
  items.push_back(s.phase == study::Phase::stopped
                      ? std::string("Hand over the policy below: the study is over.")
                      : price_in_words(s.price));
  return {"What to do next", {Bullets{items}}};
}

// The policy to hand over: what is best by what is known now, beside what the simulator said.
Section policy_section(const study::State& state) {
  constexpr std::int32_t kMostStates = 400;
  const mdp::Mdp& mdp = state.mdp();
  const std::vector<std::int32_t> best = study::best_policy(state);
  const mdp::Solution simulated = mdp::solve(mdp);
  Table table{"The best policy by what is known now", {"state", "action", "the simulator's action"}, {}};
  for (std::int32_t s = 0; s < mdp.states() && s < kMostStates; ++s) {
    const auto at = static_cast<std::size_t>(s);
    const auto action = [&](std::int32_t pair) {
      return base::printable(mdp.action_name(mdp.pair_action()[static_cast<std::size_t>(pair)]), 80);
    };
    const std::int32_t before = simulated.policy.pair_of_state()[at];
    table.rows.push_back({base::printable(mdp.state_name(s), 80), action(best[at]),
                          before == best[at] ? "the same" : action(before)});
  }
  Section section{"The policy to hand over", {}};
  if (mdp.states() > kMostStates)
    section.blocks.emplace_back(Paragraph{fmt::format(
        "The first {} of {} states; an export of the study has all.", kMostStates, mdp.states())});
  section.blocks.emplace_back(std::move(table));
  return section;
}

// What a decision was made on, from its JSON.
std::string look_in_words(const std::string& content) {
  const auto json = nlohmann::json::parse(content, nullptr, false);
  if (!json.is_object()) return "";
  std::string text = json.contains("why") ? base::printable(json["why"].get<std::string>(), 300) + ". " : "";
  if (json.contains("changed_states"))
    return fmt::format("{} results; the policy changed in {} states", json.value("results", 0),
                       json.value("changed_states", 0));
  if (!json.contains("look") || !json["look"].is_object()) return text;
  const auto& look = json["look"];
  return text + fmt::format("{} results; the next batch was worth {} and cost {}", look.value("results", 0),
                            number(look.value("worth", 0.0)), number(look.value("cost", 0.0)));
}

Table decisions_table(const study::Summary& s) {
  Table table{"Decisions", {"time", "what", "made on"}, {}};
  for (const study::Decision& one : s.decisions)
    table.rows.push_back({one.time, one.kind, look_in_words(one.content)});
  return table;
}

}  // namespace

report::Page page_of(const study::Status& status, const std::string& version) {
  const study::State& state = status.state;
  const study::Summary& s = status.summary;
  report::Page page;
  page.title = title_of(state.model, "the study");
  page.subtitle = fmt::format("{} units, {} of them controls; steps {} to {} of {}; {}", s.units, s.controls,
                              s.least_step, s.most_step, s.horizon, to_string(s.phase));
  page.sections.push_back({"", {answer_of(s)}});
  page.sections.push_back(next_section(state, s));
  page.sections.push_back({"Progress", {progress_figure(state)}});
  Section beliefs{"Beliefs against the simulator", {}};
  if (!s.pairs.empty()) beliefs.blocks.emplace_back(beliefs_figure(state, s));
  beliefs.blocks.emplace_back(
      s.flagged.empty()
          ? report::Block(Paragraph{"No pair refutes the simulator (5 % at all looks together)."})
          : report::Block(flagged_table(state, s)));
  page.sections.push_back(std::move(beliefs));
  if (has_places(state.mdp()) && s.results > 0)
    page.sections.push_back({"Where explorers have been", {map_figure(state)}});
  page.sections.push_back(arms_section(s));
  page.sections.push_back(drift_section(state, s));
  page.sections.push_back(policy_section(state));
  page.sections.push_back({"Decisions", {decisions_table(s)}});
  if (std::vector<std::string> said = warnings_of(status); !said.empty())
    page.sections.push_back({"Notes", {Bullets{std::move(said)}}});
  page.footer = fmt::format("mindgap {}, seed {}; log {}", version, state.options.seed, status.after.head);
  return page;
}

}  // namespace mindgap::view

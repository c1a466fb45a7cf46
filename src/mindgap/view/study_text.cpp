#include <fmt/format.h>

#include <algorithm>

#include "mindgap/base/error.h"
#include "mindgap/base/option_name.h"
#include "mindgap/mdp/pair_name.h"
#include "mindgap/report/table.h"
#include "mindgap/view/print.h"
#include "mindgap/view/study.h"
#include "mindgap/view/study_conflicts.h"

namespace mindgap::view {
namespace {

using base::printable;

constexpr std::size_t kListed = 20;

std::string unit_name(const study::State& state, std::int32_t unit) {
  return printable(state.units[unit].name);
}

std::string text_of_waiting(const study::State& state, const std::vector<study::Waiting>& waiting) {
  std::string text;
  for (std::size_t i = 0; i < std::min(waiting.size(), kListed); ++i) {
    text += fmt::format("  waiting: {} for {} of step {}, assigned {}\n", unit_name(state, waiting[i].unit),
                        waiting[i].place_unknown ? "the next state" : "the result", waiting[i].step,
                        waiting[i].since);
  }
  if (waiting.size() > kListed) text += fmt::format("  ... and {} more\n", waiting.size() - kListed);
  return text;
}

std::string conflicts_text(const study::State& state) {
  const std::vector<const study::Conflict*> open = open_conflicts(state);
  if (open.empty()) return "";
  const auto all = static_cast<std::int64_t>(open.size());
  std::string text =
      fmt::format("{} to be settled by the owner (page Conflicts of study serve):\n", count(all, "conflict"));
  for (std::size_t i = 0; i < std::min(open.size(), kListed); ++i)
    text += "  " + conflict_in_words(state, *open[i]) + "\n";
  if (open.size() > kListed)
    text += fmt::format("  ... and {} more (the JSON has all)\n", open.size() - kListed);
  return text;
}

std::string price_text(const decide::BatchPrice& price) {
  return wrapped("", price_in_words(price));
}

std::string evidence_text(const study::State& state, const study::Summary& summary) {
  std::string text;
  for (std::size_t i = 0; i < std::min(summary.flagged.size(), kListed); ++i) {
    const study::PairEvidence& one = summary.flagged[i];
    text += fmt::format("  {}: seen {}, mean reward {}, simulated {}, p {} (adjusted {})\n",
                        mdp::pair_name(state.mdp(), one.pair), std::max(one.rewards, one.moves),
                        number(one.mean_reward), number(state.mdp().reward()[one.pair]),
                        number(one.p_value, 2), number(one.adjusted, 2));
  }
  if (summary.flagged.size() > kListed)
    text += fmt::format("  ... and {} more (the JSON has all)\n", summary.flagged.size() - kListed);
  const std::string head =
      summary.flagged.empty()
          ? "No pair refutes the simulator (5 % at all looks together).\n"
          : fmt::format("{} refuted (false discovery rate 5 %, valid at every look):\n",
                        count(static_cast<std::int64_t>(summary.flagged.size()), "simulated pair"));
  return head + text + drift_in_words(summary.drift) + "\n";
}

std::string arms_text(const study::Summary& summary) {
  const study::Difference& d = summary.difference;
  std::string text =
      d.interval ? fmt::format(
                       "Explorers minus controls, reward per unit and step over {}: {}, 95 % "
                       "confidence sequence (valid however often you look) {}.\n",
                       count(d.steps, "complete step"), signed_number(d.difference), bracketed(*d.interval))
      : d.permutation
          ? fmt::format(
                "Explorers minus controls, reward per unit and step over {}: {}; p {} by {} "
                "permutation "
                "({} at all looks together); an interval needs {} units in each arm, assigned at random and "
                "not by "
                "a plan.\n",
                count(d.steps, "complete step"), signed_number(d.difference),
                number(d.permutation->p_value, 2), d.permutation->exact ? "exact" : "approximate",
                number(d.permutation->adjusted, 2), study::kFewest)
          : fmt::format("Explorers minus controls: not compared, because {}.\n", why_not_compared(d));
  const study::SampleRatio& r = summary.ratio;
  text += fmt::format(
      "Results in: {} of {} explorers', {} of {} controls'. Units that lack a result that is due: {} of {}, "
      "{} of {} (p = {} that both arms report at the same rate).\n",
      r.results_explore, r.assigned_explore, r.results_control, r.assigned_control,
      count(r.short_explore, "explorer"), r.units_explore, count(r.short_control, "control"), r.units_control,
      number(r.p_value, 2));
  return text;
}

std::string log_line(const study::Anchor& after) {
  return fmt::format("Log   {}\n", after.head);
}

}  // namespace

std::string why_not_compared(const study::Difference& d) {
  if (d.censored > 0) return "rewards are censored";
  if (d.steps == 0) return "not all results of the first step are in";
  return fmt::format("an arm has fewer than {} units", study::kFewest);
}

std::string price_in_words(const decide::BatchPrice& price) {
  if (price.steps == 0) return "Another batch: there is nobody or no time left to explore.";
  return fmt::format(
      "Another batch of {} with {}: worth {} (standard error {}) to all units afterwards, costs {}; net {}, "
      "95 % "
      "{}: {}{}.",
      count(price.steps, "step"), count(price.explorers, "explorer"), number(price.worth),
      number(price.standard_error, 2), number(price.cost), signed_number(price.net),
      bracketed(price.interval), price.go_on() ? "go on" : "stop",
      price.certain() ? "" : ", though it is close");
}

std::string drift_in_words(const study::Drift& drift) {
  if (drift.batches < 2) return "Drift: results of one batch so far, nothing to compare.";
  return fmt::format("{} between {} batches (anytime-valid p = {}).",
                     drift.alarm ? "DRIFT: conditions changed" : "No evidence of drift", drift.batches,
                     number(drift.p_value, 2));
}

std::vector<std::string> warnings_of(const study::Begun& begun) {
  if (!begun.problem) return {};
  const std::vector<study::UnitRow>& units = begun.state.units;
  const std::int64_t controls = std::count_if(
      units.begin(), units.end(), [](const study::UnitRow& unit) { return unit.arm == study::Arm::control; });
  switch (*begun.problem) {
    case study::ArmsProblem::no_control:
      return {
          "there are no controls, so the study cannot compare explorers with controls or show that the "
          "experiment pays (more units, or a larger control share)"};
    case study::ArmsProblem::no_explorer:
      return {"nobody explores: there are controls only (more units, or a smaller control share)"};
    case study::ArmsProblem::not_drawn:
      return {
          "the starting state decides which units explore (the plan sends all units of a state or none), so "
          "explorers and controls cannot be compared"};
    case study::ArmsProblem::too_small:
      break;
  }
  return {fmt::format(
      "there are {} control(s) and {} explorer(s): with fewer than {} in an arm explorers and controls are "
      "compared by permutation, which gives a p-value and no interval, and seldom a small one (more units, "
      "or another control share)",
      controls, static_cast<std::int64_t>(units.size()) - controls, study::kFewest)};
}

std::string text_of(const study::Begun& begun) {
  const study::State& state = begun.state;
  const study::Batch& batch = state.batches.back();
  std::int64_t controls = 0;
  for (const study::UnitRow& unit : state.units) controls += unit.arm == study::Arm::control;
  return headline(state.model) +
         fmt::format(
             "Study of {}, {} of them controls, over {}; seed {}.\n"
             "First design: {} over {}; variance of the target {} -> {}; gives up {} of reward.\n"
             "Model {}\nLog   {}\n",
             count(static_cast<std::int64_t>(state.units.size()), "unit"), controls,
             count(state.options.horizon, "step"), state.options.seed,
             count(static_cast<std::int64_t>(batch.routes.size()), "route"), count(batch.steps, "step"),
             number(batch.before), number(batch.after), number(batch.expected_loss),
             state.options.model_sha256, begun.after.head);
}

std::string text_of(const study::Joined& joined) {
  const study::State& state = joined.state;
  std::int64_t controls = 0;
  for (std::size_t u = joined.first; u < state.units.size(); ++u)
    controls += state.units[u].arm == study::Arm::control;
  return fmt::format(
      "{} joined, {} of them controls; the study has {}. The comparison of arms stays with the {} it began "
      "with.\nLog   {}\n",
      count(static_cast<std::int64_t>(state.units.size() - joined.first), "unit"), controls,
      count(static_cast<std::int64_t>(state.units.size()), "unit"), state.founding(), joined.after.head);
}

std::string text_of(const study::Assigned& assigned) {
  const study::State& state = assigned.state;
  report::Table table;
  table.columns = {"unit", "step", "state", "action", "route", "arm", "probability"};
  for (const std::int32_t i : assigned.assignments) {
    const study::AssignmentRow& row = state.assignments[i];
    table.rows.push_back(
        {unit_name(state, row.unit), std::to_string(row.step), printable(state.mdp().state_name(row.state)),
         printable(state.mdp().action_name(row.action)), row.route < 0 ? "-" : std::to_string(row.route),
         to_string(row.arm), number(row.probability)});
  }
  return report::to_text(table) + text_of_waiting(state, assigned.waiting) +
         (assigned.updated ? "The policy was updated by the results so far.\n" : "") +
         fmt::format("{} ({} new), {} waiting, {} finished\n",
                     count(static_cast<std::int64_t>(assigned.assignments.size()), "assignment"),
                     assigned.added, assigned.waiting.size(), assigned.finished) +
         log_line(assigned.after);
}

std::string text_of(const study::Recorded& recorded) {
  const study::Results& results = recorded.results;
  std::int64_t deviations = 0, voids = 0, censored = 0;
  for (const study::ObservationRow& row : results.rows) {
    deviations += row.deviation;
    voids += row.is_void;
    censored += row.censored;
  }
  return fmt::format(
             "recorded {} ({} void, {} censored, {} completed, {} corrected); {} known already; {}; {}\n",
             count(static_cast<std::int64_t>(results.rows.size()), "result"), voids, censored,
             results.completed, results.corrected, results.already, count(deviations, "deviation"),
             count(static_cast<std::int64_t>(results.impossible.size()), "impossible move")) +
         log_line(recorded.after);
}

std::vector<std::string> warnings_of(const study::Recorded& recorded, const std::string& place) {
  std::vector<std::string> warnings;
  std::size_t said = 0;
  const study::State& state = recorded.state;
  if (!recorded.results.new_states.empty()) {
    std::vector<std::int32_t> added;
    for (const std::string& name : recorded.results.new_states) added.push_back(state.mdp().find_state(name));
    warnings.push_back(fmt::format("the model has {} more, which the simulator does not have: {}",
                                   count(static_cast<std::int64_t>(added.size()), "state"),
                                   state_list(state.mdp(), added)));
  }
  const auto say = [&](const std::string& text) {
    if (said++ < kListed) warnings.push_back(text);
  };
  for (std::size_t i = 0; i < recorded.results.rows.size(); ++i) {
    const study::ObservationRow& row = recorded.results.rows[i];
    if (!row.deviation) continue;
    const std::int32_t assigned = state.find_assignment(row.unit, row.step);
    say(fmt::format("{} {}: unit '{}' did '{}' at step {} and was assigned '{}': kept as a deviation", place,
                    recorded.results.lines[i], unit_name(state, row.unit),
                    printable(state.mdp().action_name(row.action)), row.step,
                    printable(state.mdp().action_name(state.assignments[assigned].action))));
  }
  for (const std::size_t i : recorded.results.impossible) {
    const study::ObservationRow& row = recorded.results.rows[i];
    say(fmt::format("{} {}: the model calls '{}' impossible after '{}' in '{}': kept", place,
                    recorded.results.lines[i], printable(state.mdp().state_name(row.next_state)),
                    printable(state.mdp().action_name(row.action)),
                    printable(state.mdp().state_name(row.state))));
  }
  for (const std::size_t i : recorded.results.far) {
    const study::ObservationRow& row = recorded.results.rows[i];
    say(fmt::format(
        "{} {}: the reward {} is more than {} standard deviations from what the model expects: kept; "
        "if it is a slip, record the right line as a correction ({})",
        place, recorded.results.lines[i], number(row.reward, 6), study::kFar, base::option_flag("correct")));
  }
  if (said > kListed) warnings.push_back(fmt::format("... and {} more such {}s", said - kListed, place));
  return warnings;
}

std::vector<std::string> warnings_of(const study::Status& status) {
  const study::Summary& s = status.summary;
  std::vector<std::string> all;
  if (s.members_refuted) all.emplace_back("no member of the ensemble explains what was observed");
  if (s.shared_refuted)
    all.emplace_back("the stated prior of shared errors does not explain the rewards that were observed");
  if (s.clock_back)
    all.push_back(fmt::format(
        "the clock went back between entries {} and {} of the log ({} to {}); nothing is computed from it",
        s.clock_back->entry, s.clock_back->entry + 1, s.clock_back->before, s.clock_back->after));
  if (s.deviations > 0)
    all.push_back(fmt::format(
        "{} result(s) of another action than assigned: kept, but not used as randomised", s.deviations));
  if (s.impossible > 0)
    all.push_back(
        fmt::format("{} move(s) that the model calls impossible: the model is wrong there", s.impossible));
  if (!s.far_rewards.empty())
    all.push_back(
        fmt::format("{} reward(s) more than {} standard deviations from what the model expects: they "
                    "count as they are; if it was a slip, record the right line as a correction ({})",
                    s.far_rewards.size(), study::kFar, base::option_flag("correct")));
  if (s.ratio.alarm)
    all.emplace_back(
        "results of one arm go missing, or come late, more often than of the other: find out why "
        "before comparing them");
  if (s.drift.alarm) all.emplace_back("conditions changed between batches");
  if (!s.model_difference.empty())
    all.push_back(fmt::format("the model at {} is not the study's: {}",
                              printable(status.state.options.model_path, 200), s.model_difference));
  return all;
}

std::string text_of(const study::Status& status) {
  const study::Summary& s = status.summary;
  std::string text = headline(status.state.model);
  text +=
      fmt::format("Phase: {}{}. {} ({} controls), {} of {} done by the slowest, {} by the fastest; {}, {}.\n",
                  to_string(s.phase), s.why.empty() ? "" : " (" + printable(s.why, 200) + ")",
                  count(s.units, "unit"), s.controls, s.least_step, count(s.horizon, "step"), s.most_step,
                  count(s.batches, "design"), count(s.updates, "update"));
  text += fmt::format(
      "Results: {} of {} assigned, {} pending; {} void, {} censored, {} partial, {}, {}, {} replaced.\n",
      s.results, s.assigned, s.pending, s.void_results, s.censored, s.partial,
      count(s.deviations, "deviation"), count(s.impossible, "impossible move"), s.replaced);
  text += text_of_waiting(status.state, s.waiting) + conflicts_text(status.state);
  text += wrapped(
      "", fmt::format(
              "Value at the start: the simulator promises {} for its policy. From all data so far, that "
              "policy earns {} and the best policy {}; they differ in {}. {} observed.",
              number(s.simulator_value, 6), number(s.policy_value_now, 6), number(s.best_value_now, 6),
              count(s.changed_states, "state"), count(static_cast<std::int64_t>(s.pairs.size()), "pair")));
  text += evidence_text(status.state, s) + arms_text(s);
  if (s.phase != study::Phase::stopped) text += price_text(s.price);
  for (const std::string& warning : warnings_of(status)) text += "Note: " + warning + ".\n";
  return text + "Log " + status.after.head + "\n";
}

std::string text_of(const study::Redesigned& redesigned) {
  const study::State& state = redesigned.state;
  const std::string look = price_text(redesigned.look.price) + log_line(redesigned.after);
  if (state.stopped)
    return fmt::format("Stopped: {}. When it was stopped:\n", printable(state.why, 200)) + look;
  const study::Batch& batch = state.batches.back();
  if (batch.routes.empty())
    return fmt::format(
               "Design {}: everybody follows the policy that is best by what is known now. When it was "
               "made:\n",
               state.batches.size()) +
           look;
  return fmt::format(
             "Design {}: {} over {}; variance of the target {} -> {}; gives up {} of reward.\n"
             "When it was made:\n",
             state.batches.size(), count(static_cast<std::int64_t>(batch.routes.size()), "route"),
             count(batch.steps, "step"), number(batch.before), number(batch.after),
             number(batch.expected_loss)) +
         look;
}

namespace {

// What was held against something outside, and what nobody can know without.
std::string text_of_proofs(const study::Verification& v, bool since_head) {
  std::string text;
  if (since_head)
    text +=
        fmt::format("The row that you noted is there; events added since: {}.\n", v.events_since.value_or(0));
  if (v.anchors > 0)
    text +=
        fmt::format("{} of this study: the log up to there is what it was.\n", count(v.anchors, "anchor"));
  if (v.signatures > 0)
    text += fmt::format("Signed: {} by {}{}.\n", count(v.signatures, "signature"),
                        count(static_cast<std::int64_t>(v.keys.size()), "key"),
                        v.keys.size() == 1 ? " (" + v.keys.front() + ")" : "");
  if (!since_head && v.anchors == 0)
    text += fmt::format(
        "This alone does not prove that no entries were cut off and that the log was not rewritten. Compare "
        "it\n"
        "with a hash that you noted ({}) or an anchor kept elsewhere ({}).\n",
        base::option_name("head"), base::option_name("anchors"));
  return text;
}

}  // namespace

std::string text_of(const study::Verification& v, bool since_head) {
  if (!v.good) return "The study does not verify: " + v.problem + "\n";
  return fmt::format("Verified: {}, {}, {}, {}, {}, all as computed again from the log.\nLog {}\n",
                     count(v.events, "event"), count(v.units, "unit"), count(v.designs, "design"),
                     count(v.assignments, "assignment"), count(v.observations, "observation"), v.head) +
         text_of_proofs(v, since_head);
}

}  // namespace mindgap::view

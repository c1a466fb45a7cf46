#include <fmt/format.h>

#include <algorithm>

#include "mindgap/base/option_name.h"
#include "mindgap/decide/work.h"
#include "mindgap/view/decide.h"
#include "mindgap/view/number.h"
#include "mindgap/view/prior_implies.h"

namespace mindgap::view {
namespace {

using decide::DecideOptions;
using decide::Situation;

std::string where_history_looked(const belief::Knowledge& knowledge) {
  double least = 0, largest = 0;
  std::int64_t unseen = 0;
  for (std::size_t k = 0; k < knowledge.coverage.size(); ++k) {
    if (knowledge.coverage[k] != 0) continue;
    const double sd = knowledge.before.prior_reward_sd(static_cast<std::int32_t>(k));
    least = unseen == 0 ? sd : std::min(least, sd);
    largest = unseen == 0 ? sd : std::max(largest, sd);
    ++unseen;
  }
  const auto all = static_cast<std::int64_t>(knowledge.coverage.size());
  if (unseen == 0) return fmt::format("The historical data contain all {} state-action pairs.", all);
  return fmt::format(
      "The historical data contain {} of {} state-action pairs. The other {} have only the prior for pairs "
      "without data: their true mean rewards lie around the simulator's with a standard deviation of {}.",
      all - unseen, all, unseen, range(least, largest));
}

/// What a caller may say instead; nothing for the reader of a page.
std::string unless(Reader reader, const std::string& text) {
  return reader == Reader::caller ? text : std::string();
}

// Default plans that there is no time for.
std::string slow_plans(const Situation& situation, const DecideOptions& options) {
  if (!options.plans.empty()) return {};
  std::string names;
  for (const decide::Plan& plan : decide::default_plans(situation)) {
    if (!decide::is_affordable(plan, situation, options.simulation_options()))
      names += (names.empty() ? "" : ", ") + plan.name;
  }
  return names;
}

// Costs, delay and uptake, or that there are none.
std::vector<std::string> terms_in_words(const decide::Terms& terms, Reader reader) {
  std::vector<std::string> said;
  if (terms.cost_nothing()) {
    said.push_back(fmt::format(
        "An experiment costs nothing but the reward that it gives up{}.",
        unless(reader, fmt::format(" ({} and others otherwise)", base::option_name("pilot-cost")))));
  } else {
    said.push_back(fmt::format(
        "An experiment costs {} once, {} a unit and {} a step of a unit{}, in the unit of the reward; all "
        "values "
        "and gains are net of that. Experiments other than pilots go on to the end of the horizon.",
        number(terms.pilot_cost), number(terms.unit_cost), number(terms.unit_step_cost),
        terms.pair_cost.empty() ? "" : ", and what the table says for each use of a state-action pair"));
  }
  if (terms.delay > 0)
    said.push_back(
        fmt::format("The results of a pilot are used {} after its end.", count(terms.delay, "step")));
  if (terms.uptake < 1)
    said.push_back(fmt::format("{} of the units follow recommendations; the others keep to today's policy.",
                               percent(terms.uptake)));
  return said;
}

}  // namespace

std::vector<std::string> assumptions_of(const Situation& situation, const DecideOptions& options,
                                        Reader reader) {
  const belief::Knowledge& knowledge = situation.knowledge;
  std::vector<std::string> said;
  said.emplace_back(
      "The true model is a draw from the prior. Every number here is a mean over models sampled from the "
      "prior, not the simulator's own value.");
  if (knowledge.source == belief::PriorSource::coverage) {
    said.push_back(where_history_looked(knowledge));
    said.push_back(
        knowledge.odds > 1
            ? fmt::format(
                  "In the historical data, an unrecorded factor may have made an action up to {} times "
                  "likelier or rarer{}. This widens the prior of every state-action pair in these "
                  "data.",
                  number(knowledge.odds, 6), unless(reader, fmt::format(" ({})", base::option_name("odds"))))
            : fmt::format(
                  "In the historical data, no unrecorded factor influenced both the action and its outcome "
                  "(no confounding, odds bound 1).{}",
                  unless(reader,
                         fmt::format(" Say {} or more if one may have.", base::option_value("odds", "2")))));
  } else {
    said.emplace_back(
        "The simulator's possible error is the stated prior; no coverage of historical data was given.");
  }
  if (std::string rewards = reward_assumption(knowledge.now.rewards()->support()); !rewards.empty())
    said.push_back(std::move(rewards));
  for (const std::string& note : notes_on_prior(knowledge)) said.push_back(note);
  said.push_back(knowledge.drift_sd > 0
                     ? fmt::format("Mean rewards may have drifted since: a standard deviation of at least {} "
                                   "everywhere.",
                                   number(knowledge.drift_sd, 6))
                     : std::string("Nothing has drifted since the data were collected (drift_sd 0)."));
  const belief::Refutation refutation = situation.belief().refutation();
  if (situation.belief().ensemble() != nullptr) {
    said.emplace_back(
        "Moves that are impossible in every member of the ensemble are assumed impossible. If one is "
        "observed, it is counted and reported but not learnt; add a member that allows it.");
  } else {
    said.push_back(
        refutation.share > 0
            ? fmt::format("A row of transitions is wrong about what is possible with probability {} ({} of "
                          "{} rows that were tried did something the simulator calls impossible).",
                          number(refutation.share, 2), refutation.refuted, refutation.visited)
            : fmt::format(
                  "Moves that the simulator calls impossible are impossible ({}the first such move that is "
                  "seen ends this assumption).",
                  unless(reader, base::option_value("unseen", "0.05") + " otherwise; ")));
  }
  const double moves = options.simulation.terms.drift_rate;
  said.push_back(
      moves > 0
          ? fmt::format(
                "Mean rewards drift within the horizon: after every step, {} of each deviation from today's "
                "belief is redrawn, with the same distribution. Transitions do not drift. The value of "
                "information is omitted, because it is defined for a truth that does not change.",
                percent(moves))
          : std::string("Nothing drifts within the horizon."));
  const std::int64_t every = decide::replanning_of(situation, options.simulation);
  said.push_back(fmt::format(
      "Units ({}) do not disturb each other; what any of them sees in the {} steps is shared, "
      "and plans that learn use it after every {}, those that take long to plan less often"
      "{}.",
      situation.units(), situation.horizon, every == 1 ? std::string("step") : fmt::format("{} steps", every),
      unless(reader, fmt::format(" ({} of each plan)", base::option_name("replan-every")))));
  if (options.objective.tail < 1) {
    said.push_back(fmt::format(
        "Plans are judged by the mean of the worst {} of sampled models; the others do not count.",
        percent(options.objective.tail)));
  }
  for (std::string& term : terms_in_words(options.simulation.terms, reader)) said.push_back(std::move(term));
  said.push_back(options.objective.sum == decide::Objective::total
                     ? fmt::format("A reward counts the same whenever it comes{}.",
                                   unless(reader, fmt::format(" ({} otherwise)",
                                                              base::option_value("objective", "discounted"))))
                     : std::string("A reward counts less the later it comes, by the model's discount."));
  if (const std::string slow = slow_plans(situation, options); !slow.empty()) {
    said.push_back(fmt::format(
        "These plans were left out because simulating them would take too long: {}. We assume that "
        "none of them is better.{}",
        slow,
        unless(reader, fmt::format(" A longer time limit may include them; naming them in {} does.",
                                   base::option_name("plans")))));
  }
  return said;
}

std::vector<std::string> notes_of(const decide::Decision& decision) {
  using What = decide::Note::What;
  std::vector<std::string> all;
  for (const decide::Note& note : decision.notes) {
    const std::string plans = fmt::format("{}", fmt::join(note.plans, ", "));
    switch (note.what) {
      case What::past_horizon:
        all.push_back(fmt::format("left out, because it would run past step {}: {}", note.horizon, plans));
        break;
      case What::unlimited:
        all.push_back("left out, because only routes that are designed beforehand keep to limits: " + plans);
        break;
      case What::out_of_time:
        all.push_back("left out, for lack of time to design it: " + plans);
        break;
      case What::infeasible:
        all.push_back("left out, because no such pilot keeps to the limits: " + plans);
        break;
      case What::no_pilot_fits:
        all.emplace_back("the horizon is shorter than any pilot: none is compared");
        break;
      case What::nothing_of_kind:
        all.push_back(fmt::format("no plan of the kind '{}' is among the plans: nothing is said about it",
                                  decide::name_of(note.kind)));
        break;
    }
  }
  return all;
}

}  // namespace mindgap::view

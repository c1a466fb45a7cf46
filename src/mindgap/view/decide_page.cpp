#include "mindgap/view/decide_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "mindgap/base/error.h"
#include "mindgap/view/decide_figures.h"
#include "mindgap/view/decide_value.h"
#include "mindgap/view/parameters.h"
#include "mindgap/view/print.h"

namespace mindgap::view {
namespace {

using decide::Comparison;
using decide::Decision;
using decide::Kind;
using decide::Plan;
using decide::PlanResult;
using report::Answer;
using report::Bullets;
using report::Paragraph;
using report::Section;
using report::Table;

std::string over(const Decision& decision, const Comparison& gain) {
  return fmt::format("{} over {}", decision.plans[gain.plan].plan.name, decision.plans[gain.other].plan.name);
}

void add_gains(const Decision& decision, Answer& answer) {
  if (decision.against) {
    const Comparison& price = *decision.against;
    const Plan& plan = decision.plans[price.plan].plan;
    const std::string other = decision.plans[price.other].plan.name;
    answer.facts.emplace_back(fmt::format("Gain over {}, the best plan of another kind", other),
                              with_range(price.gain, price.gain_interval));
    if (plan.is_pilot())
      answer.facts.emplace_back("Reward forgone while the pilot runs",
                                with_range(price.cost, price.cost_interval));
    if (plan.kind == Kind::experiment)
      answer.facts.emplace_back("Breaks even", price.break_even_step
                                                   ? fmt::format("from step {} on", *price.break_even_step)
                                                   : std::string("not within the horizon"));
    answer.facts.emplace_back(
        "Chance that it ends behind",
        fmt::format("{} ({} to {})", percent(price.probability_of_loss), percent(price.loss_interval.lower),
                    percent(price.loss_interval.upper)));
  }
  if (decision.over_learning) {
    const Comparison& gain = *decision.over_learning;
    answer.facts.emplace_back(
        fmt::format("Exploring instead of waiting and updating ({})", over(decision, gain)),
        with_range(gain.gain, gain.gain_interval));
  }
  if (decision.over_undirected) {
    const Comparison& gain = *decision.over_undirected;
    answer.facts.emplace_back(
        fmt::format("Designed routes instead of undirected exploration ({})", over(decision, gain)),
        with_range(gain.gain, gain.gain_interval));
  }
}

Answer answer_of(const DecideView& view) {
  const Decision& decision = view.decision;
  Answer answer{decision.verdict ? std::string(decide::name_of(*decision.verdict)) : "undecided",
                headline_of(view),
                reason_of(view),
                {}};
  add_gains(decision, answer);
  const PlanResult& plan = decision.plans[decision.recommended];
  answer.facts.emplace_back(
      fmt::format("Value of {}, and where 80 % of the drawn models lie", plan.plan.name),
      with_range(plan.value, plan.range));
  if (decision.information.draws > 0) {
    const decide::Information& known = decision.information;
    answer.facts.emplace_back("Worth of knowing everything",
                              with_error(known.total.mean, known.total.standard_error));
    answer.facts.emplace_back("of that, shown by waiting", number(known.local.mean));
    answer.facts.emplace_back("of that, only by going there", number(known.reach.mean));
  }
  return answer;
}

// Those that were compared to the end, then those left out early, each by value.
std::vector<PlanResult> best_first(std::vector<PlanResult> plans) {
  std::stable_sort(plans.begin(), plans.end(), [](const PlanResult& a, const PlanResult& b) {
    return a.screened != b.screened ? !a.screened : a.value > b.value;
  });
  return plans;
}

Table plans_table(const DecideView& view) {
  Table table{"Plans",
              {"plan", "what it is", "kind", "value", "80 % of models from", "to", "Monte-Carlo error",
               "to the best", "lower", "upper", "models"},
              {}};
  for (const PlanResult& result : best_first(view.decision.plans)) {
    std::string kind(decide::name_of(result.plan.kind));
    if (result.plan.kind == Kind::experiment)
      kind += fmt::format(", {}", decide::name_of(result.plan.exploration));
    table.rows.push_back({result.plan.name, decide::description_of(result.plan), kind, number(result.value),
                          number(result.range.lower), number(result.range.upper),
                          number(result.standard_error, 2), number(result.difference_to_best),
                          number(result.interval.lower), number(result.interval.upper),
                          fmt::format("{}", result.worlds)});
  }
  return table;
}

Section plans_section(const DecideView& view) {
  Section section{"What the plans earn", {}};
  section.blocks.emplace_back(value_over_time(view));
  section.blocks.emplace_back(Paragraph{fmt::format(
      "Each plan was followed in the same {} models sampled from what is believed, {}. \"80 % of models\" is "
      "the 10th to 90th percentile over those models: how far the plan's value depends on which of them is "
      "true. The Monte-Carlo error is that of the mean alone and shrinks with more samples. Plans with fewer "
      "models were dropped after a first screening; their values are not comparable with the rows above. The "
      "columns lower and upper are simultaneous {} % confidence limits for the difference from the best "
      "plan.",
      view.decision.worlds,
      view.options.objective.sum == decide::Objective::total
          ? "and its value is the sum of rewards over the horizon"
          : "and its value is the discounted sum of rewards over the horizon",
      number(100 * view.options.level))});
  if (view.decision.against) {
    section.blocks.emplace_back(Paragraph{fmt::format(
        "The intervals of the gains above come from {} further models that had no part in choosing the "
        "plans. "
        "They cover the error of averaging over sampled models; that of the gain over the best plan of "
        "another "
        "kind also covers which plan is chosen where several cannot be told apart. They do not cover a prior "
        "that is wrong.",
        view.decision.against->worlds)});
  }
  section.blocks.emplace_back(plans_table(view));
  return section;
}

Section stopping_section(const DecideView& view) {
  const decide::BatchPrice& price = *view.decision.stopping;
  return {"The next batch",
          {Paragraph{fmt::format(
              "After what the log shows, another batch of {} with {} is worth {} and costs {}: "
              "{} net. "
              "{}{}",
              count(price.steps, "step"), count(price.explorers, "unit"), number(price.worth),
              number(price.cost), with_range(price.net, price.interval), price.go_on() ? "Go on." : "Stop.",
              price.certain() ? "" : " The interval includes 0, so this is not for certain.")}}};
}

Section pilot_section(const DecideView& view) {
  const Plan& plan = view.decision.plans[*view.decision.pilot_plan].plan;
  Section section{view.decision.recommended == *view.decision.pilot_plan
                      ? "Where the pilot goes"
                      : "Where a pilot would go (it is not recommended)",
                  {}};
  section.blocks.emplace_back(
      Paragraph{fmt::format("{} over {}, each on a route of its own. The routes are what a unit most likely "
                            "does; the written plan has an action for every state.",
                            count(plan.pilot_units, "unit"), count(plan.pilot_steps, "step"))});
  for (report::Figure& figure : pilot_maps(view)) section.blocks.emplace_back(std::move(figure));
  section.blocks.emplace_back(routes_table(view));
  section.blocks.emplace_back(uncertainty_bars(view));
  return section;
}

}  // namespace

std::string headline_of(const DecideView& view) {
  const Decision& decision = view.decision;
  const Plan& plan = decision.plans[decision.recommended].plan;
  if (!decision.verdict)
    return fmt::format("Undecided so far; it leans to {}: {}.", decide::name_of(decision.leaning),
                       decide::description_of(plan));
  if (decision.nothing_to_learn) return "Deploy: nothing that could be learnt is worth learning.";
  if (!decision.against) return fmt::format("Only this was compared: {}.", decide::description_of(plan));
  if (*decision.verdict == Kind::deploy)
    return "Deploy: neither learning nor an experiment earns more than it costs.";
  if (*decision.verdict == Kind::learn)
    return fmt::format("Do not experiment: {}.", decide::description_of(plan));
  return fmt::format("Experiment: {}.", decide::description_of(plan));
}

namespace {

// Whether routes are worth their trouble, where the verdict is to experiment.
std::string routes_reason(const DecideView& view) {
  const Decision& decision = view.decision;
  if (decision.leaning != Kind::experiment || !decision.over_undirected) return {};
  const Comparison& routes = *decision.over_undirected;
  const std::string designed = decision.plans[routes.plan].plan.name;
  const std::string undirected = decision.plans[routes.other].plan.name;
  if (decide::routes_pay(decision))
    return fmt::format(" Designed routes ({}) earn {} more than the best exploration without a design ({}).",
                       designed, with_range(routes.gain, routes.gain_interval), undirected);
  return fmt::format(
      " Designed routes are not worth their trouble here: the gain of {} over {} is {}, not surely above the "
      "{} % that count as tied.",
      designed, undirected, with_range(routes.gain, routes.gain_interval),
      number(100 * view.options.indifference));
}

}  // namespace

std::string reason_of(const DecideView& view) {
  const Decision& decision = view.decision;
  std::string text;
  if (decision.nothing_to_learn) {
    return fmt::format(
        "Even perfect knowledge of the true model would earn only {} more over {}, surely less "
        "than "
        "the {} % of the value that count as tied, so no plan that learns was simulated.",
        with_error(decision.information.total.mean, decision.information.total.standard_error),
        count(view.situation.horizon, "step"), number(100 * view.options.indifference));
  }
  if (!decision.verdict) {
    text = std::isfinite(decision.worlds_needed)
               ? fmt::format("About {} sampled models would settle it; {} were followed. ",
                             number(decision.worlds_needed), decision.worlds)
               : std::string("The kinds of plan differ by just what counts as tied. ");
  }
  if (!decision.against) return text + "There is no plan of another kind to compare with.";
  const Comparison& price = *decision.against;
  const Plan& other = decision.plans[price.other].plan;
  const double best = std::abs(decision.plans[price.other].value);
  if (price.gain > 0) {
    text +=
        fmt::format("It earns {} more over {} than the best plan of another kind ({})", number(price.gain),
                    count(view.situation.horizon, "step"), decide::description_of(other));
    text += best > 0 ? fmt::format(", {} more.", rough_percent(price.gain / best)) : std::string(".");
    return text + routes_reason(view);
  }
  if (-price.gain > view.options.indifference * best) {
    return text +
           fmt::format(
               "On the further worlds that price the plans, the best plan of another kind ({}) earned {} "
               "more: the two are not told apart yet.",
               decide::description_of(other), number(-price.gain));
  }
  return text + fmt::format(
                    "The best plan of another kind ({}) would earn {} more, less than the {} % that count "
                    "as tied; the simpler kind is preferred.",
                    decide::description_of(other), number(-price.gain),
                    number(100 * view.options.indifference));
}

report::Page page_of(const DecideView& view) {
  report::Page page;
  page.title = view.model.name.empty() ? "A decision" : base::printable(view.model.name, 200);
  page.subtitle = fmt::format("Should {} experiment before trusting the simulator for the next {}?",
                              count(view.situation.units(), "unit"), count(view.situation.horizon, "step"));
  page.sections.push_back({"", {answer_of(view)}});
  if (const std::vector<std::string> warnings = warnings_of(view); !warnings.empty())
    page.sections.push_back({"Warnings", {Bullets{warnings}}});
  page.sections.push_back(plans_section(view));
  if (view.decision.stopping) page.sections.push_back(stopping_section(view));
  if (!view.tipping.empty()) {
    Section section{"How wrong must the simulator be before the verdict flips?", {}};
    for (const decide::TippingMap& map : view.tipping) {
      section.blocks.emplace_back(Paragraph{tipping_sentence(map)});
      section.blocks.emplace_back(tipping_figure(map));
      if (std::string missing = left_out_sentence(map); !missing.empty())
        section.blocks.emplace_back(Paragraph{std::move(missing)});
    }
    page.sections.push_back(std::move(section));
  }
  if (view.decision.pilot) page.sections.push_back(pilot_section(view));
  const belief::Ensemble* ensemble = view.situation.belief().ensemble();
  if (ensemble != nullptr && !view.model.parameters.empty()) {
    page.sections.push_back({"What is known about the parameters",
                             {parameters_figure(view.model, *ensemble),
                              parameters_table(known_parameters(view.model, *ensemble))}});
  }
  page.sections.push_back({"What this assumes", {Bullets{assumptions_of(view.situation, view.options)}}});
  if (!view.decision.notes.empty()) page.sections.push_back({"Notes", {Bullets{notes_of(view.decision)}}});
  page.footer = fmt::format("mindgap{}{}, seed {}, {} drawn models, {} more to price it",
                            view.version.empty() ? "" : " ", view.version, view.options.simulation.run.seed,
                            view.decision.worlds, view.decision.against ? view.decision.against->worlds : 0);
  return page;
}

}  // namespace mindgap::view

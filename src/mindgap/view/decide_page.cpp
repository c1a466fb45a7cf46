#include "mindgap/view/decide_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "mindgap/base/error.h"
#include "mindgap/view/decide_figures.h"
#include "mindgap/view/decide_value.h"
#include "mindgap/view/decide_value_page.h"
#include "mindgap/view/nouns.h"
#include "mindgap/view/parameters.h"
#include "mindgap/view/pilot_length.h"
#include "mindgap/view/print.h"
#include "mindgap/view/provenance.h"

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

std::string words_of(const DecideView& view, std::size_t plan) {
  return in_words(view.decision.plans[plan].plan, Nouns(view.model.about));
}

std::string rewards_of(const DecideView& view, const Comparison& gain) {
  return Nouns(view.model.about).rewards(with_range(gain.gain, gain.gain_interval));
}

void add_price(const DecideView& view, const Comparison& price, Answer& answer) {
  const Nouns nouns(view.model.about);
  const Plan& plan = view.decision.plans[price.plan].plan;
  answer.facts.emplace_back(
      fmt::format("Gain over \"{}\", the best plan of another kind", words_of(view, price.other)),
      rewards_of(view, price));
  if (plan.is_pilot())
    answer.facts.emplace_back("Forgone while the pilot runs",
                              nouns.rewards(with_range(price.cost, price.cost_interval)));
  if (plan.kind == Kind::experiment)
    answer.facts.emplace_back("Breaks even",
                              price.break_even_step
                                  ? fmt::format("from {} {} on", nouns.step(), *price.break_even_step)
                                  : std::string("not within the horizon"));
  answer.facts.emplace_back(
      "Chance that it ends behind",
      fmt::format("{} ({} to {})", percent(price.probability_of_loss), percent(price.loss_interval.lower),
                  percent(price.loss_interval.upper)));
}

bool same_plans(const std::optional<Comparison>& a, const std::optional<Comparison>& b) {
  return a && b && a->plan == b->plan && a->other == b->other;
}

void add_gains(const DecideView& view, Answer& answer) {
  const Decision& decision = view.decision;
  if (decision.against) add_price(view, *decision.against, answer);
  if (decision.over_learning && !same_plans(decision.against, decision.over_learning))
    answer.facts.emplace_back(fmt::format("Exploring (\"{}\") instead of waiting and updating",
                                          words_of(view, decision.over_learning->plan)),
                              rewards_of(view, *decision.over_learning));
  if (decision.over_undirected)
    answer.facts.emplace_back(
        fmt::format(R"(Designed routes ("{}") instead of exploring without a design ("{}"))",
                    words_of(view, decision.over_undirected->plan),
                    words_of(view, decision.over_undirected->other)),
        rewards_of(view, *decision.over_undirected));
}

Answer answer_of(const DecideView& view) {
  const Decision& decision = view.decision;
  const Nouns nouns(view.model.about);
  Answer answer{decision.verdict ? std::string(decide::name_of(*decision.verdict)) : "undecided",
                headline_of(view),
                reason_of(view),
                {}};
  const PlanResult& plan = decision.plans[decision.recommended];
  answer.facts.emplace_back(fmt::format("Value over {}, and where 80 % of the sampled models lie",
                                        nouns.steps(view.situation.horizon)),
                            nouns.rewards(with_range(plan.value, plan.range)));
  add_gains(view, answer);
  if (decision.pilot_length)
    answer.facts.emplace_back("Length of a pilot by the bound on regret", pilot_length_fact(view));
  if (decision.information.draws > 0) {
    const decide::Information& known = decision.information;
    answer.facts.emplace_back("Worth of knowing everything",
                              nouns.rewards(with_error(known.total.mean, known.total.standard_error)));
    answer.facts.emplace_back("of that, shown by waiting", nouns.rewards(number(known.local.mean)));
    answer.facts.emplace_back("of that, only by going there", nouns.rewards(number(known.reach.mean)));
  }
  return answer;
}

// By value, the best first.
std::vector<PlanResult> best_first(const std::vector<PlanResult>& plans, bool screened) {
  std::vector<PlanResult> chosen;
  std::copy_if(plans.begin(), plans.end(), std::back_inserter(chosen),
               [&](const PlanResult& result) { return result.screened == screened; });
  std::stable_sort(chosen.begin(), chosen.end(),
                   [](const PlanResult& a, const PlanResult& b) { return a.value > b.value; });
  return chosen;
}

Table plans_table(const DecideView& view) {
  const Nouns nouns(view.model.about);
  Table table{"Plans compared to the end",
              {"plan", "kind", "value", "80 % of models from", "to", "Monte-Carlo error", "to the best",
               "lower", "upper", "code"},
              {}};
  for (const PlanResult& result : best_first(view.decision.plans, false))
    table.rows.push_back({in_words(result.plan, nouns), std::string(decide::name_of(result.plan.kind)),
                          number(result.value), number(result.range.lower), number(result.range.upper),
                          number(result.standard_error, 2), number(result.difference_to_best),
                          number(result.interval.lower), number(result.interval.upper), result.plan.name});
  return table;
}

// Their means are over few models, so they stand beside nothing else.
Table dropped_table(const DecideView& view) {
  const Nouns nouns(view.model.about);
  Table table{
      "Plans dropped early", {"plan", "kind", "models", "value in those", "Monte-Carlo error", "code"}, {}};
  for (const PlanResult& result : best_first(view.decision.plans, true))
    table.rows.push_back({in_words(result.plan, nouns), std::string(decide::name_of(result.plan.kind)),
                          fmt::format("{}", result.worlds), number(result.value),
                          number(result.standard_error, 2), result.plan.name});
  return table;
}

Section plans_section(const DecideView& view) {
  Section section{"What the plans earn", {}};
  section.blocks.emplace_back(value_over_time(view));
  section.blocks.emplace_back(Paragraph{fmt::format(
      "Each plan was followed in the same {} models sampled from what is believed, {}. \"80 % of models\" is "
      "the 10th to 90th percentile over those models: how far the plan's value depends on which of them is "
      "true. The Monte-Carlo error is that of the mean alone and shrinks with more samples. The columns "
      "lower and "
      "upper are simultaneous {} % confidence limits for the difference from the best plan.",
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
  Table dropped = dropped_table(view);
  if (dropped.rows.empty()) return section;
  section.blocks.emplace_back(
      Paragraph{"The following plans were dropped early, because others were clearly better. Their values "
                "are means over "
                "the models in which they were simulated and cannot be compared with the table above."});
  section.blocks.emplace_back(std::move(dropped));
  return section;
}

Section stopping_section(const DecideView& view) {
  const Nouns nouns(view.model.about);
  const decide::BatchPrice& price = *view.decision.stopping;
  return {"The next batch",
          {Paragraph{fmt::format(
              "After what the log shows, another batch of {} with {} is worth {} and costs {}: "
              "{} net. "
              "{}{}",
              nouns.steps(price.steps), nouns.units(price.explorers), number(price.worth), number(price.cost),
              with_range(price.net, price.interval), price.go_on() ? "Go on." : "Stop.",
              price.certain() ? "" : " The interval includes 0, so this is not for certain.")}}};
}

Section pilot_section(const DecideView& view) {
  const Plan& plan = view.decision.plans[*view.decision.pilot_plan].plan;
  Section section{view.decision.recommended == *view.decision.pilot_plan
                      ? "Where the pilot goes"
                      : "Where a pilot would go (it is not recommended)",
                  {}};
  const Nouns nouns(view.model.about);
  section.blocks.emplace_back(Paragraph{
      fmt::format("{} for {}, each on a route of its own. The routes are what a {} most likely does; the "
                  "written plan has an action for every state.",
                  nouns.units(plan.pilot_units), nouns.steps(plan.pilot_steps), nouns.unit())});
  for (report::Figure& figure : pilot_maps(view)) section.blocks.emplace_back(std::move(figure));
  section.blocks.emplace_back(routes_table(view));
  section.blocks.emplace_back(uncertainty_bars(view));
  return section;
}

}  // namespace

std::string headline_of(const DecideView& view) {
  const Decision& decision = view.decision;
  const std::string plan = words_of(view, decision.recommended);
  if (!decision.verdict)
    return fmt::format("Undecided so far; it leans to {}: {}.", decide::name_of(decision.leaning), plan);
  if (decision.nothing_to_learn) return "Deploy: nothing that could be learnt is worth learning.";
  if (!decision.against) return fmt::format("Only this was compared: {}.", plan);
  if (*decision.verdict == Kind::deploy)
    return "Deploy: neither learning nor an experiment earns more than it costs.";
  if (*decision.verdict == Kind::learn) return fmt::format("Do not experiment: {}.", plan);
  return fmt::format("Experiment: {}.", plan);
}

namespace {

// Whether routes are worth their trouble, where the verdict is to experiment.
std::string routes_reason(const DecideView& view) {
  const Decision& decision = view.decision;
  if (decision.leaning != Kind::experiment || !decision.over_undirected) return {};
  const Comparison& routes = *decision.over_undirected;
  const std::string designed = words_of(view, routes.plan), undirected = words_of(view, routes.other);
  if (decide::routes_pay(decision))
    return fmt::format(
        R"( Designed routes ("{}") earn {} more than the best exploration without a design ("{}").)",
        designed, rewards_of(view, routes), undirected);
  return fmt::format(
      " Designed routes are not worth the effort here: \"{}\" gains {} over \"{}\", which is not clearly "
      "above the indifference of {} %.",
      designed, rewards_of(view, routes), undirected, number(100 * view.options.indifference));
}

}  // namespace

std::string reason_of(const DecideView& view) {
  const Decision& decision = view.decision;
  const Nouns nouns(view.model.about);
  std::string text;
  if (decision.nothing_to_learn) {
    return fmt::format(
        "Even perfect knowledge of the true model would earn only {} more over {}, surely less "
        "than "
        "the {} % of the value that count as tied, so no plan that learns was simulated.",
        nouns.rewards(with_error(decision.information.total.mean, decision.information.total.standard_error)),
        nouns.steps(view.situation.horizon), number(100 * view.options.indifference));
  }
  if (!decision.verdict) {
    text = std::isfinite(decision.worlds_needed)
               ? fmt::format("About {} sampled models would settle it; {} were followed. ",
                             number(decision.worlds_needed), decision.worlds)
               : std::string("The kinds of plan differ by just what counts as tied. ");
  }
  if (!decision.against) return text + "There is no plan of another kind to compare with.";
  const Comparison& price = *decision.against;
  const std::string other = words_of(view, price.other);
  const double best = std::abs(decision.plans[price.other].value);
  if (price.gain > 0) {
    text += fmt::format("It earns {} more over {} than the best plan of another kind (\"{}\")",
                        nouns.rewards(number(price.gain)), nouns.steps(view.situation.horizon), other);
    text += best > 0 ? fmt::format(", {} more.", rough_percent(price.gain / best)) : std::string(".");
    return text + routes_reason(view);
  }
  if (-price.gain > view.options.indifference * best) {
    return text +
           fmt::format(
               "On fresh sampled models the best plan of another kind (\"{}\") earned {} more, so the two "
               "cannot be distinguished yet.",
               other, nouns.rewards(number(-price.gain)));
  }
  return text +
         fmt::format(
             "The best plan of another kind (\"{}\") would earn {} more, less than the {} % that count "
             "as tied; the simpler kind is preferred.",
             other, nouns.rewards(number(-price.gain)), number(100 * view.options.indifference));
}

report::Page page_of(const DecideView& view) {
  report::Page page;
  page.title = view.model.name.empty() ? "A decision" : base::printable(view.model.name, 200);
  const Nouns nouns(view.model.about);
  page.subtitle = fmt::format("Should {} experiment before trusting the simulator for the next {}?",
                              nouns.units(view.situation.units()), nouns.steps(view.situation.horizon));
  page.sections.push_back({"", {answer_of(view)}});
  if (const std::vector<std::string> warnings = warnings_of(view); !warnings.empty())
    page.sections.push_back({"Warnings", {Bullets{warnings}}});
  page.sections.push_back(plans_section(view));
  if (Section value = value_section(view); !value.blocks.empty()) page.sections.push_back(std::move(value));
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
  page.sections.push_back(
      {"What this assumes", {Bullets{assumptions_of(view.situation, view.options, Reader::page)}}});
  if (!view.decision.notes.empty()) page.sections.push_back({"Notes", {Bullets{notes_of(view.decision)}}});
  page.sections.push_back(inputs_section(view));
  page.sections.push_back(checklist_section(view));
  page.footer = fmt::format("mindgap{}{}, seed {}, {} sampled models, {} more to price it",
                            view.version.empty() ? "" : " ", view.version, view.options.simulation.run.seed,
                            view.decision.worlds, view.decision.against ? view.decision.against->worlds : 0);
  return page;
}

}  // namespace mindgap::view

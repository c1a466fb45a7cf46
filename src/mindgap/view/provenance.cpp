#include "mindgap/view/provenance.h"

#include <fmt/format.h>

#include <algorithm>

#include "mindgap/base/error.h"
#include "mindgap/base/run.h"
#include "mindgap/study/plan.h"
#include "mindgap/study/sha256.h"
#include "mindgap/view/decide_value_page.h"
#include "mindgap/view/nouns.h"
#include "mindgap/view/number.h"

namespace mindgap::view {
namespace {

constexpr const char* kNotStated = "not stated by the owner";
constexpr const char* kAsked = "asked for";
constexpr const char* kOfModel = "the model";
constexpr const char* kDefault = "default";
constexpr const char* kPlansSection = "What the plans earn";
constexpr const char* kInputsSection = "What went in";
constexpr const char* kAssumptions = "What this assumes";
constexpr const char* kTop = "top of the page";

std::string owner(const std::string& text) {
  return text.empty() ? kNotStated : base::printable(text, 1000);
}

/// A number of the prior: what was asked for, else what the model states, else what holds without either.
class PriorRows {
 public:
  PriorRows(const DecideView& view, std::vector<Input>& rows) : rows_(rows), model_(view.model.prior) {}

  void add(const char* what, const std::optional<double>& asked, const std::optional<double>& stated,
           bool per_pair, const std::string& otherwise) {
    if (asked) {
      rows_.push_back({what, number(*asked, 6), kAsked});
    } else if (per_pair) {
      rows_.push_back({what, "a number per state and action", kOfModel});
    } else if (stated) {
      rows_.push_back({what, number(*stated, 6), kOfModel});
    } else {
      rows_.push_back({what, otherwise, model_ ? "not stated" : kDefault});
    }
  }

 private:
  std::vector<Input>& rows_;
  const std::optional<mdp::PriorSpec>& model_;
};

void add_prior(const DecideView& view, std::vector<Input>& rows) {
  const mdp::PriorSpec stated = view.model.prior.value_or(mdp::PriorSpec{});
  const belief::PriorOverrides& asked = view.prior;
  const auto unless = [&](double value, double usual) {
    return value == usual ? std::optional<double>() : std::optional<double>(value);
  };
  PriorRows prior(view, rows);
  prior.add("Standard deviation of a true mean reward around the simulator's", asked.reward_sd,
            stated.reward_sd, !stated.pair_reward_sd.empty(), "none");
  prior.add("Pseudo-observations behind a simulated transition distribution", asked.transition_strength,
            stated.transition_strength, !stated.pair_transition_strength.empty(), "none");
  prior.add("Odds bound: how many times likelier or rarer an unrecorded factor may have made an action",
            asked.odds, unless(stated.odds, 1), false, "1 (no confounding)");
  prior.add("Smallest standard deviation of a mean reward, for drift", asked.drift_sd,
            unless(stated.drift_sd, 0), false, "0 (no drift)");
  prior.add("Share of rows that may do what the simulator calls impossible", asked.unseen, stated.unseen,
            false, "none before one was seen to");
  prior.add("Smallest true mean reward", asked.reward_min, stated.reward_min, false, "unbounded");
  prior.add("Largest true mean reward", asked.reward_max, stated.reward_max, false, "unbounded");
  rows.push_back({"Variance of one observed reward",
                  view.model.reward_variance ? number(*view.model.reward_variance, 6)
                  : view.model.variance.empty()
                      ? (view.situation.knowledge.variance_estimated ? "pooled from the log" : "not stated")
                      : "a number per state and action",
                  view.situation.knowledge.variance_estimated ? "the log" : kOfModel});
}

std::string plans_in_words(const DecideView& view) {
  const Nouns nouns(view.model.about);
  std::string text;
  for (const decide::PlanResult& result : view.decision.plans)
    text += (text.empty() ? "" : "; ") + in_words(result.plan, nouns);
  return text;
}

std::string prior_in_words(const DecideView& view) {
  return view.situation.knowledge.source == belief::PriorSource::coverage
             ? "from how often history saw each state and action, wide elsewhere"
             : "as the model states it";
}

std::string scenarios(const DecideView& view) {
  std::string text;
  for (const decide::TippingMap& map : view.tipping)
    text += (text.empty() ? "" : "; ") +
            fmt::format("{} by horizon, {} cells", name_of(map.axis), map.cells.size());
  return text.empty() ? "none was asked for" : text;
}

std::string error_in_words(const DecideView& view) {
  return fmt::format(
      "each plan simulated in the same {} models sampled from the prior{}; simultaneous {} % confidence "
      "limits",
      view.decision.worlds,
      view.decision.against ? fmt::format(", gains in {} further ones", view.decision.against->worlds) : "",
      number(100 * view.options.level));
}

void add_worth(const DecideView& view, std::vector<Point>& points) {
  const decide::Decision& decision = view.decision;
  const Nouns nouns(view.model.about);
  const decide::Information& known = decision.information;
  points.push_back({"evpi", "Value of perfect information (EVPI)", kTop,
                    known.draws > 0 ? nouns.rewards(with_error(known.total.mean, known.total.standard_error))
                                    : "not computed"});
  const bool parts = decision.rows && !decision.rows->parts.empty();
  points.push_back({"evppi", "Value of perfect information about parts (EVPPI)", parts ? kValueSection : "",
                    parts
                        ? fmt::format("{} parts, the largest {}", decision.rows->parts.size(),
                                      nouns.rewards(with_error(decision.rows->parts[0].value.mean,
                                                               decision.rows->parts[0].value.standard_error)))
                        : std::string("not computed")});
  if (decision.pilot_price) {
    const decide::Comparison& price = *decision.pilot_price;
    const std::string of = in_words(decision.plans[price.plan].plan, nouns);
    points.push_back({"evsi", "Value of sample information (EVSI)", kPlansSection,
                      fmt::format("{}: {} before what it costs while it runs", of,
                                  nouns.rewards(number(price.gain + price.cost)))});
    points.push_back({"enbs", "Net benefit of sampling (ENBS)", kPlansSection,
                      fmt::format("{}: {}", of, nouns.rewards(with_range(price.gain, price.gain_interval)))});
    points.push_back(
        {"costs", "Costs of research", kPlansSection,
         fmt::format("reward forgone while it runs: {}; stated costs: {}",
                     nouns.rewards(with_range(price.cost, price.cost_interval)),
                     view.options.simulation.terms.cost_nothing() ? "none" : "see the assumptions")});
    return;
  }
  points.push_back({"evsi", "Value of sample information (EVSI)", "", "no pilot was among the plans"});
  points.push_back({"enbs", "Net benefit of sampling (ENBS)", "", "no pilot was among the plans"});
  points.push_back({"costs", "Costs of research", "", "none was stated"});
}

}  // namespace

std::string hash_of_inputs(const DecideView& view) {
  std::string bytes = study::sha_wherever_it_starts(view.model);
  for (const mdp::AboutKey& key : mdp::kAboutKeys) bytes += "\n" + view.model.about.*key.text;
  for (const double count : view.situation.knowledge.coverage) bytes += fmt::format("\n{}", count);
  return study::hex(study::sha256(bytes + "\n" + view.log));
}

std::vector<Input> inputs_of(const DecideView& view) {
  const mdp::Mdp& mdp = view.model.mdp;
  const belief::Knowledge& knowledge = view.situation.knowledge;
  std::vector<Input> rows;
  rows.push_back(
      {"Model",
       fmt::format("{}, {}, {}", count(mdp.states(), "state"), count(mdp.actions(), "action"),
                   count(mdp.pairs(), "state-action pair")),
       view.model_path.empty() ? "given by the program that called" : base::printable(view.model_path, 300)});
  rows.push_back({"Discount", number(mdp.discount(), 6), kOfModel});
  const Nouns nouns(view.model.about);
  rows.push_back({"Who acts", nouns.units(view.situation.units()), kAsked});
  rows.push_back({"Horizon", nouns.steps(view.situation.horizon), kAsked});
  const auto seen = static_cast<std::int64_t>(knowledge.coverage.size()) -
                    std::count(knowledge.coverage.begin(), knowledge.coverage.end(), 0.0);
  rows.push_back({"History",
                  knowledge.source == belief::PriorSource::coverage
                      ? fmt::format("counts of {} of {} state-action pairs", seen, knowledge.coverage.size())
                      : "none",
                  knowledge.source == belief::PriorSource::coverage ? kAsked : kDefault});
  const auto lines = std::count(view.log.begin(), view.log.end(), '\n');
  rows.push_back({"Log of observations",
                  view.log.empty() ? "none" : count(std::max<std::int64_t>(lines - 1, 0), "line"),
                  view.log.empty() ? kDefault : kAsked});
  add_prior(view, rows);
  rows.push_back({"Counts as tied",
                  fmt::format("{} % of the best value", number(100 * view.options.indifference)),
                  view.options.indifference == decide::DecideOptions{}.indifference ? kDefault : kAsked});
  rows.push_back({"Sampled models", fmt::format("{}", view.decision.worlds),
                  view.options.worlds > 0 ? kAsked : "as many as it took"});
  rows.push_back({"Seed", fmt::format("{}", view.options.simulation.run.seed),
                  view.options.simulation.run.seed == base::Run{}.seed ? kDefault : kAsked});
  return rows;
}

std::vector<Point> checklist_of(const DecideView& view) {
  const mdp::About& about = view.model.about;
  const Nouns nouns(about);
  std::vector<Point> points;
  points.push_back({"decision", "Decision problem", kTop,
                    fmt::format("deploy, learn or experiment, for {} and {}",
                                nouns.units(view.situation.units()), nouns.steps(view.situation.horizon))});
  points.push_back({"decision_maker", "Decision maker", "", owner(about.decision_maker)});
  points.push_back({"plans", "Plans compared", kPlansSection, plans_in_words(view)});
  points.push_back({"perspective", "Perspective", "", owner(about.perspective)});
  points.push_back({"horizon", "Horizon and discounting", kPlansSection,
                    fmt::format("{}, {}", nouns.steps(view.situation.horizon),
                                view.options.objective.sum == decide::Objective::total
                                    ? std::string("undiscounted")
                                    : fmt::format("discounted by {} a {}",
                                                  number(view.model.mdp.discount(), 6), nouns.step()))});
  points.push_back({"population", "Population and scale", "", owner(about.population)});
  points.push_back({"prior", "Sources and form of the prior", kInputsSection,
                    fmt::format("{}; sources: {}", prior_in_words(view), owner(about.sources))});
  points.push_back({"structure", "Structural uncertainty", kAssumptions,
                    view.situation.belief().ensemble() != nullptr
                        ? "an ensemble of models"
                        : "one structure; what it leaves out is assumed away"});
  points.push_back({"method", "Method and its error", kPlansSection, error_in_words(view)});
  add_worth(view, points);
  points.push_back({"scenarios", "Scenarios",
                    view.tipping.empty() ? "" : "How wrong must the simulator be before the verdict flips?",
                    scenarios(view)});
  points.push_back(
      {"assumptions", "Assumptions", kAssumptions,
       count(static_cast<std::int64_t>(assumptions_of(view.situation, view.options).size()), "assumption")});
  points.push_back({"reproducibility", "Reproducibility", kInputsSection,
                    fmt::format("mindgap {}, seed {}, inputs {}", view.version,
                                view.options.simulation.run.seed, hash_of_inputs(view).substr(0, 16))});
  points.push_back({"funding", "Funding and interests", "", owner(about.funding)});
  points.push_back({"contact", "Contact", "", owner(about.contact)});
  return points;
}

report::Section inputs_section(const DecideView& view) {
  report::Table table{"Inputs", {"what", "value", "from"}, {}};
  for (const Input& row : inputs_of(view)) table.rows.push_back({row.what, row.value, row.from});
  report::Table run{"How to get the same again", {"what", "value"}, {}};
  run.rows.push_back({"Program", fmt::format("mindgap {}", view.version)});
  run.rows.push_back({"Command line", view.command_line.empty() ? "called as a library"
                                                                : base::printable(view.command_line, 2000)});
  run.rows.push_back({"Seed", fmt::format("{}", view.options.simulation.run.seed)});
  run.rows.push_back({"SHA-256 of the inputs", hash_of_inputs(view)});
  run.rows.push_back({"Date", view.date.empty() ? "not recorded" : view.date});
  return {kInputsSection, {std::move(table), std::move(run)}};
}

report::Section checklist_section(const DecideView& view) {
  report::Table table{"Points of CHEERS-VOI", {"point", "where on this page", "what it says"}, {}};
  for (const Point& point : checklist_of(view))
    table.rows.push_back({point.point, point.where.empty() ? "here" : point.where, point.value});
  return {"Checklist",
          {report::Paragraph{
               "What the reporting standard for value-of-information analyses asks for (CHEERS-VOI, Value "
               "in Health 26:1461, 2023), and where it is answered."},
           std::move(table)}};
}

Json json_of_about(const mdp::About& about) {
  Json json = Json::object();
  for (const mdp::AboutKey& key : mdp::kAboutKeys)
    json[key.name] = (about.*key.text).empty() ? Json() : Json(about.*key.text);
  return json;
}

Json json_of_inputs(const DecideView& view) {
  Json json = Json::array();
  for (const Input& row : inputs_of(view))
    json.push_back({{"what", row.what}, {"value", row.value}, {"from", row.from}});
  return json;
}

Json json_of_checklist(const DecideView& view) {
  Json json = Json::array();
  for (const Point& point : checklist_of(view))
    json.push_back({{"key", point.key},
                    {"point", point.point},
                    {"where", point.where.empty() ? Json() : Json(point.where)},
                    {"value", point.value}});
  return json;
}

}  // namespace mindgap::view

#include "mindgap/decide/tornado.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>

#include "mindgap/base/error.h"
#include "mindgap/decide/tipping.h"
#include "mindgap/stats/paired.h"

namespace mindgap::decide {
namespace {

// A decision in other circumstances.
struct Circumstances {
  Situation situation;
  DecideOptions options;
  Plan plan, other;
};
using Change = std::function<void(Circumstances&)>;

struct Input {
  TornadoInput which;
  TornadoSetting at_low, at_high;
  Change low, high;
};

Plan resized(const Plan& plan, double units) {
  const auto scaled = [&](std::int64_t n) {
    return std::max<std::int64_t>(1, std::llround(static_cast<double>(n) * units));
  };
  if (plan.is_pilot()) return pilot_plan(scaled(plan.pilot_units), plan.pilot_steps);
  if (plan.window > 0) return adaptive_plan(scaled(plan.pilot_units), plan.window);
  return plan;
}

void scale_units(Circumstances& there, double factor) {
  const std::vector<std::int32_t> units = there.situation.unit_state;
  const auto wanted = std::max<std::size_t>(
      1, static_cast<std::size_t>(std::llround(factor * static_cast<double>(units.size()))));
  there.situation.unit_state.clear();
  for (std::size_t i = 0; i < wanted; ++i)
    there.situation.unit_state.push_back(
        units[wanted <= units.size() ? i * units.size() / wanted : i % units.size()]);
  const double share = static_cast<double>(wanted) / static_cast<double>(units.size());
  there.plan = resized(there.plan, share);
  there.other = resized(there.other, share);
}

class Bars {
 public:
  Bars(const mdp::Model& model, const Situation& situation, const DecideOptions& options,
       const Decision& decision, const std::optional<std::vector<double>>& coverage,
       const std::optional<mdp::ObservationLog>& log, const belief::PriorOverrides& prior)
      : model_(model),
        options_(options),
        coverage_(coverage),
        log_(log),
        prior_(prior),
        as_stated_{situation, options, decision.plans[decision.against->plan].plan,
                   decision.plans[decision.against->other].plan} {}

  Tornado run(std::int64_t worlds) {
    worlds_ = worlds;
    Tornado found;
    found.worlds = worlds;
    found.here = *end_at({}, [](Circumstances&) {});
    for (const Input& input : inputs()) {
      if (stopped()) {
        found.left_out.push_back(input.which);
        continue;
      }
      TornadoBar bar{input.which, end_at(input.at_low, input.low), end_at(input.at_high, input.high)};
      double least = found.here.gain, most = found.here.gain;
      for (const std::optional<TornadoEnd>& end : {bar.low, bar.high}) {
        least = end ? std::min(least, end->gain) : least;
        most = end ? std::max(most, end->gain) : most;
      }
      bar.swing = most - least;
      found.bars.push_back(bar);
    }
    std::stable_sort(found.bars.begin(), found.bars.end(),
                     [](const TornadoBar& a, const TornadoBar& b) { return a.swing > b.swing; });
    return found;
  }

 private:
  bool stopped() const { return options_.simulation.run.listener.wants_to_stop(); }

  // None where the change is empty, or the plans do not exist there.
  std::optional<TornadoEnd> end_at(const TornadoSetting& setting, const Change& change) const {
    if (!change || stopped()) return std::nullopt;
    Circumstances there = as_stated_;
    there.options.simulation.leave_out_infeasible = true;
    there.options.simulation.tolerance = there.options.tolerance();
    change(there);
    for (const Plan* plan : {&there.plan, &there.other}) {
      if (std::max(plan->pilot_steps, plan->window) >= there.situation.horizon) return std::nullopt;
    }
    const Simulation simulation(there.situation, {there.plan, there.other}, there.options.simulation);
    if (simulation.plans().size() < 2) return std::nullopt;
    const std::array<std::size_t, 2> both = {0, 1};
    const Outcomes outcomes =
        simulation.run(both, 0, worlds_, std::numeric_limits<double>::infinity(), "one-way sensitivity");
    if (outcomes.worlds < 2) return std::nullopt;
    const std::array<std::vector<double>, 2> values = {outcomes.values(0, there.options.objective),
                                                       outcomes.values(1, there.options.objective)};
    std::vector<double> gain = values[0];
    for (std::size_t w = 0; w < gain.size(); ++w) gain[w] -= values[1][w];
    const stats::PairedT found = stats::paired_t(gain, there.options.level);
    const std::array<Kind, 2> kinds = {there.plan.kind, there.other.kind};
    return TornadoEnd{setting, found.mean, *found.interval,
                      settle(values, kinds, there.options.indifference, there.options.level).kind};
  }

  Change with_prior(double sds, double strengths) const {
    return [=](Circumstances& there) {
      belief::Knowledge& knowledge = there.situation.knowledge;
      belief::Prior prior = knowledge.now.prior();
      for (double& sd : prior.reward_sd) sd *= sds;
      for (double& strength : prior.transition_strength) strength *= strengths;
      knowledge.before = knowledge.before.with_prior(prior, sds);
      knowledge.now = knowledge.now.with_prior(std::move(prior), sds);
    };
  }

  // The knowledge gathered again from a model or overrides that differ.
  Change gathered(const std::function<void(mdp::Model&, belief::PriorOverrides&)>& differ) const {
    return [this, differ](Circumstances& there) {
      mdp::Model model = model_;
      belief::PriorOverrides prior = prior_;
      differ(model, prior);
      there.situation.knowledge = belief::gather_knowledge(model, coverage_, log_, prior);
    };
  }

  static TornadoSetting times(double factor) { return {TornadoSetting::What::times, factor}; }
  static TornadoSetting value(double number) { return {TornadoSetting::What::value, number}; }

  void add_halved(std::vector<Input>& all, TornadoInput which,
                  const std::function<Change(double factor)>& change) const {
    all.push_back({which, times(.5), times(2), change(.5), change(2)});
  }

  void add_priors(std::vector<Input>& all) const {
    const belief::Knowledge& knowledge = as_stated_.situation.knowledge;
    add_halved(all, TornadoInput::reward_sd, [&](double f) { return with_prior(f, 1); });
    add_halved(all, TornadoInput::transition_strength, [&](double f) { return with_prior(1, f); });
    if (knowledge.source == belief::PriorSource::coverage) {
      const auto odds = [&](double value) {
        return gathered([value](mdp::Model&, belief::PriorOverrides& prior) { prior.odds = value; });
      };
      const double here = knowledge.odds;
      all.push_back(
          {TornadoInput::odds, value(1), value(2 * here), here > 1 ? odds(1) : Change(), odds(2 * here)});
      if (knowledge.drift_sd > 0) {
        add_halved(all, TornadoInput::drift_sd, [&, here = knowledge.drift_sd](double f) {
          return gathered([=](mdp::Model&, belief::PriorOverrides& prior) { prior.drift_sd = f * here; });
        });
      }
    }
    if (!knowledge.variance_estimated && (!model_.variance.empty() || model_.reward_variance)) {
      add_halved(all, TornadoInput::reward_variance, [&](double f) {
        return gathered([f](mdp::Model& model, belief::PriorOverrides&) {
          for (double& variance : model.variance) variance *= f;
          if (model.reward_variance) *model.reward_variance *= f;
        });
      });
    }
  }

  void add_costs(std::vector<Input>& all) const {
    const Terms& terms = options_.simulation.terms;
    const auto add = [&](TornadoInput which, bool there, const std::function<void(Terms&, double)>& scale) {
      if (!there) return;
      add_halved(all, which, [scale](double f) {
        return [scale, f](Circumstances& other) { scale(other.options.simulation.terms, f); };
      });
    };
    add(TornadoInput::pilot_cost, terms.pilot_cost > 0, [](Terms& t, double f) { t.pilot_cost *= f; });
    add(TornadoInput::unit_cost, terms.unit_cost > 0, [](Terms& t, double f) { t.unit_cost *= f; });
    add(TornadoInput::unit_step_cost, terms.unit_step_cost > 0,
        [](Terms& t, double f) { t.unit_step_cost *= f; });
    add(TornadoInput::pair_cost, !terms.pair_cost.empty(), [](Terms& t, double f) {
      for (double& cost : t.pair_cost) cost *= f;
    });
    add(TornadoInput::delay, terms.delay > 0,
        [](Terms& t, double f) { t.delay = std::llround(f * static_cast<double>(t.delay)); });
    if (terms.uptake < 1) {
      all.push_back({TornadoInput::uptake, times(.5), value(1),
                     [](Circumstances& there) { there.options.simulation.terms.uptake *= .5; },
                     [](Circumstances& there) { there.options.simulation.terms.uptake = 1; }});
    }
  }

  std::vector<Input> inputs() const {
    std::vector<Input> all;
    add_priors(all);
    if (options_.objective.sum == Objective::discounted) {
      const double left = 1 - as_stated_.situation.belief().simulator().discount();
      const auto discount = [&](double f) {
        return gathered([value = std::max(0.0, 1 - f * left)](mdp::Model& model, belief::PriorOverrides&) {
          model.mdp = model.mdp.with_discount(value);
        });
      };
      if (left > 0) all.push_back({TornadoInput::discount, times(.5), times(2), discount(.5), discount(2)});
    }
    add_halved(all, TornadoInput::horizon, [](double f) {
      return [f](Circumstances& there) {
        there.situation.horizon =
            std::max<std::int64_t>(1, std::llround(f * static_cast<double>(there.situation.horizon)));
      };
    });
    add_halved(all, TornadoInput::units,
               [](double f) { return [f](Circumstances& there) { scale_units(there, f); }; });
    add_costs(all);
    return all;
  }

  const mdp::Model& model_;
  const DecideOptions& options_;
  const std::optional<std::vector<double>>& coverage_;
  const std::optional<mdp::ObservationLog>& log_;
  const belief::PriorOverrides& prior_;
  const Circumstances as_stated_;
  std::int64_t worlds_ = 0;
};

}  // namespace

std::optional<Tornado> tornado(const mdp::Model& model, const Situation& situation,
                               const DecideOptions& options, const Decision& decision,
                               const std::optional<std::vector<double>>& coverage,
                               const std::optional<mdp::ObservationLog>& log,
                               const belief::PriorOverrides& prior, std::int64_t worlds) {
  if (!decision.against) return std::nullopt;
  for (const std::size_t plan : {decision.against->plan, decision.against->other}) {
    if (decision.plans[plan].plan.given) return std::nullopt;  // a pilot's routes are for these units alone
  }
  Tornado found = Bars(model, situation, options, decision, coverage, log, prior).run(worlds);
  found.plan = decision.against->plan;
  found.other = decision.against->other;
  return found;
}

}  // namespace mindgap::decide

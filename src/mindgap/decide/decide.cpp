#include "mindgap/decide/decide.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "mindgap/base/check.h"
#include "mindgap/base/clock.h"
#include "mindgap/base/error.h"
#include "mindgap/decide/compare_plans.h"
#include "mindgap/gap/epi.h"
#include "mindgap/mdp/evaluate.h"
#include "mindgap/stats/moments.h"

namespace mindgap::decide {
namespace {

// The given plans that fit, or the default ones; says what is left out.
std::vector<Plan> fitting_plans(const Situation& situation, const DecideOptions& options,
                                std::vector<std::string>& notes) {
  const bool own = options.plans.empty();
  std::vector<Plan> fitting;
  std::string left_out;
  for (const Plan& plan : own ? default_plans(situation.units(), situation.horizon) : options.plans) {
    if (std::find(fitting.begin(), fitting.end(), plan) != fitting.end()) continue;
    if (plan.is_pilot() && plan.pilot_units > situation.units()) {
      throw InvalidArgument(fmt::format("{}: there are only {} units", plan.name, situation.units()));
    }
    if (plan.is_pilot() && plan.pilot_steps >= situation.horizon) {
      left_out += (left_out.empty() ? "" : ", ") + plan.name;
      continue;
    }
    fitting.push_back(plan);
  }
  if (!left_out.empty()) {
    notes.push_back(
        fmt::format("left out, for it would not end before step {}: {}", situation.horizon, left_out));
  }
  if (fitting.empty()) throw InvalidArgument("decide: no plan is left to compare");
  for (const Kind kind : {Kind::deploy, Kind::learn, Kind::experiment}) {
    if (std::any_of(fitting.begin(), fitting.end(), [&](const Plan& p) { return p.kind == kind; })) continue;
    notes.push_back(kind == Kind::experiment && (own || !left_out.empty())
                        ? std::string("the horizon is shorter than any pilot: no experiment is compared")
                        : fmt::format("no plan of the kind '{}' is among the plans: nothing is said about it",
                                      name_of(kind)));
  }
  return fitting;
}

constexpr std::uint64_t kFirstPriced = std::uint64_t{1}
                                       << 60;  // number of the first model that prices a batch

class Decider {
 public:
  Decider(const Situation& situation, const DecideOptions& options)
      : options_(options),
        plans_(fitting_plans(situation, options, decision_.notes)),
        simulation_(situation, plans_, with_design_time(options)) {
    keep_designed();
  }

  Decision run() {
    decision_.plans.resize(plans_.size());
    for (std::size_t p = 0; p < plans_.size(); ++p) decision_.plans[p].plan = plans_[p];
    screen();
    choose();
    recommend();
    state_gain();
    price_next_batch();
    inform();
    imply();
    add_priority();
    decision_.assumptions = assumptions_of(simulation_.situation(), options_);
    decision_.seconds = clock_.seconds();
    return std::move(decision_);
  }

 private:
  // Following the plans must have most of the time.
  static SimulationOptions with_design_time(const DecideOptions& options) {
    SimulationOptions simulation = options.simulation;
    if (options.worlds == 0)
      simulation.design_time = std::min(simulation.design_time, .25 * options.time_limit);
    return simulation;
  }

  // Says which pilots there was no time to design.
  void keep_designed() {
    std::string left_out;
    std::vector<Plan> kept;
    for (const PreparedPlan& prepared : simulation_.plans()) kept.push_back(prepared.plan);
    for (const Plan& plan : plans_) {
      if (std::find(kept.begin(), kept.end(), plan) == kept.end())
        left_out += (left_out.empty() ? "" : ", ") + plan.name;
    }
    if (!left_out.empty()) decision_.notes.push_back("left out, for lack of time to design it: " + left_out);
    plans_ = std::move(kept);
  }

  bool stopped() const { return options_.simulation.should_stop && options_.simulation.should_stop(); }

  // Seconds until a share of the time limit is spent; a number of worlds that was asked for has no limit.
  double left_of(double share) const {
    if (options_.worlds > 0) return std::numeric_limits<double>::infinity();
    return std::max(0.0, share * options_.time_limit - clock_.seconds());
  }

  // Of the default plans' many pilots, keeps those that do best on a few worlds of their own.
  void screen() {
    kept_.resize(plans_.size());
    std::iota(kept_.begin(), kept_.end(), std::size_t{0});
    std::vector<std::size_t> pilots;
    for (const std::size_t p : kept_) {
      if (plans_[p].is_pilot()) pilots.push_back(p);
    }
    if (!options_.plans.empty() || pilots.size() <= kPilotsKept) return;
    const Outcomes seen = simulation_.run(kept_, 0, kScreeningWorlds, left_of(.25), "thinning out pilots");
    next_world_ = kScreeningWorlds;
    std::vector<double> mean(plans_.size());
    for (const std::size_t p : kept_) mean[p] = stats::mean(seen.values(p, options_.objective));
    std::stable_sort(pilots.begin(), pilots.end(), [&](auto a, auto b) { return mean[a] > mean[b]; });
    for (std::size_t i = kPilotsKept; i < pilots.size(); ++i) {
      std::erase(kept_, pilots[i]);
      decision_.plans[pilots[i]].screened = true;
    }
    std::vector<std::size_t> all(plans_.size());
    std::iota(all.begin(), all.end(), std::size_t{0});
    fill_results(seen, all, options_, decision_);
  }

  // More worlds until the verdict is settled, or worlds or time run out.
  void choose() {
    for (const std::size_t p : kept_) kinds_.push_back(plans_[p].kind);
    std::int64_t wanted = options_.worlds > 0 ? options_.worlds : kFirstWorlds;
    Verdict verdict;
    while (true) {
      const std::int64_t more = wanted - outcomes_.worlds;
      const Outcomes next =
          simulation_.run(kept_, next_world_, more, left_of(.6), "following plans in drawn worlds");
      append(outcomes_, next);
      next_world_ += next.worlds;
      decision_.out_of_time = next.worlds < more && !stopped();
      ++decision_.looks;
      verdict = look();
      if (verdict.settled || options_.worlds > 0 || next.worlds < more || wanted >= kMostWorlds) break;
      wanted *= 2;
    }
    decision_.interrupted = stopped();
    decision_.leaning = verdict.kind;
    decision_.worlds_needed = verdict.worlds_needed;
    if (verdict.settled) decision_.verdict = verdict.kind;
    decision_.worlds = outcomes_.worlds;
  }

  Verdict look() {
    values_.clear();
    for (std::size_t i = 0; i < kept_.size(); ++i) values_.push_back(outcomes_.values(i, options_.objective));
    if (outcomes_.worlds < 2) return {Kind::deploy, false, std::numeric_limits<double>::infinity()};
    return settle(values_, kinds_, options_.indifference,
                  options_.worlds > 0 ? options_.level : level_of_look(options_.level, decision_.looks));
  }

  void recommend() {
    decision_.steps = outcomes_.steps;
    fill_results(outcomes_, kept_, options_, decision_);
    recommended_ = *best_of_kind(values_, kinds_, decision_.leaning);
    decision_.recommended = kept_[recommended_];
    best_pilot_ = best_of_kind(values_, kinds_, Kind::experiment);
    if (!best_pilot_) return;
    decision_.pilot_plan = kept_[*best_pilot_];
    const PreparedPlan& prepared = simulation_.plans()[*decision_.pilot_plan];
    decision_.pilot = prepared.design;
    decision_.pilot_members = prepared.pilot_members;
  }

  // The plans that matter, on fresh worlds.
  void state_gain() {
    const std::optional<std::size_t> other = best_of_others(values_, kinds_, decision_.leaning);
    std::optional<std::size_t> learner;
    for (std::size_t i = 0; i < kept_.size(); ++i) {
      if (plans_[kept_[i]].name == "asop") learner = i;
    }
    std::vector<std::size_t> which = {recommended_};
    const auto add = [&](std::optional<std::size_t> place) {
      if (place && std::find(which.begin(), which.end(), *place) == which.end()) which.push_back(*place);
    };
    add(other);
    if (best_pilot_ && learner) {
      add(best_pilot_);
      add(learner);
    }
    if (which.size() < 2 || decision_.interrupted) return;
    std::vector<std::size_t> plans;
    for (const std::size_t i : which) plans.push_back(kept_[i]);
    const std::int64_t worlds = std::max<std::int64_t>(outcomes_.worlds, 2);
    const Outcomes fresh =
        simulation_.run(plans, next_world_, worlds, left_of(.9), "pricing on fresh worlds");
    if (fresh.worlds < 2) return;
    if (other)
      decision_.against = compare_plans(fresh, plans, kept_[recommended_], kept_[*other], options_, plans_);
    if (best_pilot_ && learner) {
      decision_.pilot_price =
          compare_plans(fresh, plans, kept_[*best_pilot_], kept_[*learner], options_, plans_);
    }
  }

  void price_next_batch() {
    if (!options_.price_next_batch || !decision_.pilot_plan || decision_.interrupted) return;
    const Situation& situation = simulation_.situation();
    std::vector<std::uint8_t> explores(situation.unit_state.size(), 0);
    for (const std::int32_t u : decision_.pilot_members) explores[u] = 1;
    std::vector<std::int32_t> unit_state;  // explorers first
    for (const bool first : {true, false}) {
      for (std::size_t u = 0; u < explores.size(); ++u) {
        if ((explores[u] != 0) == first) unit_state.push_back(situation.unit_state[u]);
      }
    }
    const Plan& pilot = plans_[*decision_.pilot_plan];
    decision_.stopping = price_batch({situation.belief(), unit_state, pilot.pilot_units, pilot.pilot_steps,
                                      situation.horizon, options_.simulation.seed, kFirstPriced});
  }

  // How much an error of the simulator in each state would touch the deployed policy (gap/epi.h).
  void add_priority() {
    const belief::Knowledge& knowledge = simulation_.situation().knowledge;
    const mdp::Mdp mean = knowledge.now.mean();
    const std::vector<double> index = gap::exploration_priority(
        mean, mdp::discounted_visitation(mean, simulation_.deployed()).share,
        knowledge.now.reward_variances(), knowledge.bias, knowledge.now.transition_strengths());
    decision_.priority.assign(static_cast<std::size_t>(mean.states()), 0.0);
    for (std::int32_t k = 0; k < mean.pairs(); ++k) decision_.priority[mean.state_of_pair(k)] += index[k];
  }

  void inform() {
    if (options_.information_draws == 0 || decision_.interrupted) return;
    SimulationOptions how = options_.simulation;
    how.should_stop = [&] {
      return stopped() || (options_.worlds == 0 && clock_.seconds() > options_.time_limit);
    };
    decision_.information = value_of_information(simulation_.situation(), simulation_.deployed(),
                                                 options_.objective, options_.information_draws, how);
  }

  // What the belief promises, before anything rests on it.
  void imply() {
    if (options_.information_draws == 0 || decision_.interrupted) return;
    const Situation& situation = simulation_.situation();
    gap::PriorImpliesOptions how{.steps = situation.horizon,
                                 .discounted = options_.objective == Objective::discounted,
                                 .seed = options_.simulation.seed,
                                 .threads = options_.simulation.threads,
                                 .should_stop = [&] { return stopped(); }};
    how.positions.assign(static_cast<std::size_t>(situation.belief().simulator().states()), 0.0);
    for (const std::int32_t s : situation.unit_state) ++how.positions[s];
    decision_.prior_implies = gap::prior_implies(situation.belief(), how);
  }

  const base::Clock clock_;
  const DecideOptions& options_;
  Decision decision_;
  std::vector<Plan> plans_;
  Simulation simulation_;
  std::vector<std::size_t> kept_;  // places of plans that are compared; what follows is by place in it
  std::vector<Kind> kinds_;
  std::vector<std::vector<double>> values_;
  Outcomes outcomes_;
  std::int64_t next_world_ = 0;
  std::size_t recommended_ = 0;
  std::optional<std::size_t> best_pilot_;
};

}  // namespace

void DecideOptions::validate() const {
  base::check_range("decide", "indifference", indifference, 0, 1);
  base::check_range("decide", "level", level, .5, .9999);
  base::check_range("decide", "worlds", static_cast<double>(worlds), 0, 1e7);
  base::check_positive("decide", "time_limit", time_limit);
  base::check_range("decide", "information_draws", static_cast<double>(information_draws), 0, 1e7);
  if (worlds == 1) throw InvalidArgument("decide: one world shows no spread; 2 at least are wanted");
}

Decision decide(const Situation& situation, const DecideOptions& options) {
  options.validate();
  situation.validate();
  return Decider(situation, options).run();
}

}  // namespace mindgap::decide

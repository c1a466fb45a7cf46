#include "mindgap/decide/decide.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>

#include "mindgap/base/clock.h"
#include "mindgap/base/workers.h"
#include "mindgap/decide/beside_plans.h"
#include "mindgap/decide/compare_plans.h"
#include "mindgap/decide/pilot_length.h"
#include "mindgap/stats/moments.h"

namespace mindgap::decide {
namespace {

// Places in Decider::kept_.
using Place = std::optional<std::size_t>;

// Worlds after which plans are dropped that will not be recommended, beside after every look.
constexpr std::int64_t kDropWorlds[] = {128, 256, 512, 1'024, 2'048, 4'096};

// What information is worth is known for a truth that stands still only.
DecideOptions told(const DecideOptions& options) {
  DecideOptions own = options;
  if (options.simulation.terms.drift_rate > 0) own.information_draws = 0;
  return own;
}

class Decider {
 public:
  Decider(const Situation& situation, const DecideOptions& options)
      : options_(told(options)),
        plans_(fitting_plans(situation, options, decision_.notes)),
        simulation_(situation, {}, options.simulation_options()) {}

  Decision run() {
    decision_.refuted = refuted_by_log(simulation_.situation().knowledge, simulation_.deployed());
    inform();
    if (!stopped() && decision_.cut.empty())
      decision_.rows = rows_worth_knowing(simulation_.situation(), simulation_.deployed(), options_);
    decision_.prior_implies = implied_by(simulation_.situation(), options_);
    if (nothing_to_learn()) {
      follow_deployed();
    } else {
      prepare();
      thin_out();
      choose();
      recommend();
      weigh();
      state_gains();
      show_pilot();
      price_sizes();
      if (options_.price_next_batch && decision_.pilot_plan && !decision_.interrupted)
        decision_.stopping = price_next_batch(simulation_.situation(), options_, decision_);
    }
    decision_.priority = priority_of_states(simulation_.situation(), simulation_.deployed());
    if (decision_.out_of_time) cut(Cut::sampled_models);
    say_how_to_repeat();
    decision_.seconds = clock_.seconds();
    return std::move(decision_);
  }

 private:
  // Designs pilots, and says which there was no time for.
  void prepare() {
    simulation_.add(plans_);
    std::vector<std::string> left_out;
    std::vector<Plan> kept;
    for (const PreparedPlan& prepared : simulation_.plans()) kept.push_back(prepared.plan);
    const std::vector<std::string>& infeasible = simulation_.infeasible();
    for (const Plan& plan : plans_) {
      if (std::find(kept.begin(), kept.end(), plan) == kept.end() &&
          std::find(infeasible.begin(), infeasible.end(), plan.name) == infeasible.end())
        left_out.push_back(plan.name);
    }
    if (!left_out.empty()) {
      decision_.notes.push_back({Note::What::out_of_time, left_out});
      if (!stopped()) cut(Cut::pilots);
    }
    if (!infeasible.empty()) decision_.notes.push_back({Note::What::infeasible, infeasible});
    plans_ = std::move(kept);
    list_plans();
  }

  void list_plans() {
    decision_.plans.resize(plans_.size());
    for (std::size_t p = 0; p < plans_.size(); ++p) {
      decision_.plans[p].plan = plans_[p];
      decision_.plans[p].replan_every = simulation_.plans()[p].replan_every;
    }
  }

  bool stopped() const { return options_.simulation.run.listener.wants_to_stop(); }

  // Seconds until a share of the time limit is spent; a number of worlds that was asked for has no limit.
  double left_of(double share) const {
    if (options_.worlds > 0 || options_.most_worlds > 0 || base::are_shared())
      return std::numeric_limits<double>::infinity();
    return std::max(0.0, share * options_.time_limit - clock_.seconds());
  }

  void cut(Cut what) {
    if (std::find(decision_.cut.begin(), decision_.cut.end(), what) == decision_.cut.end())
      decision_.cut.push_back(what);
  }

  // Numbers of models and draws that were cut can be asked for; pilots that were not designed cannot.
  void say_how_to_repeat() {
    const auto counted = [](Cut what) {
      return what == Cut::sampled_models || what == Cut::information_draws;
    };
    if (decision_.cut.empty() || !std::all_of(decision_.cut.begin(), decision_.cut.end(), counted)) return;
    const bool draws =
        std::find(decision_.cut.begin(), decision_.cut.end(), Cut::information_draws) != decision_.cut.end();
    decision_.repeat = {decision_.out_of_time ? decision_.worlds : kMostWorlds,
                        draws ? decision_.information.draws : 0};
  }

  // Whether to stop, because somebody asks for it or because a share of the time is over.
  bool over(double share, Cut what) {
    if (stopped()) return true;
    if (left_of(share) > 0) return false;
    cut(what);
    return true;
  }

  // The value of information comes first: it may be all that is needed.
  void inform() {
    if (options_.information_draws == 0) return;
    SimulationOptions how = options_.simulation;
    bool late = false;
    how.run.listener.stop = [&] { return stopped() || (late = left_of(.15) == 0); };
    const std::int64_t draws = options_.most_draws > 0
                                   ? std::min(options_.most_draws, options_.information_draws)
                                   : options_.information_draws;
    decision_.information =
        value_of_information(simulation_.situation(), simulation_.deployed(), options_.objective, draws, how);
    if (late && decision_.information.draws < draws) cut(Cut::information_draws);
  }

  // No plan earns more in any world than who knows it, so deploying is tied with every plan where perfect
  // information is surely worth less than the indifference. Asked only of the default plans: who names plans
  // wants to see them. As many draws as a first look has worlds.
  bool nothing_to_learn() {
    Information& known = decision_.information;
    if (!options_.plans.empty() || options_.simulation.given || options_.worlds > 0 ||
        options_.objective.tail < 1 || known.draws < options_.information_draws || known.draws < 2 ||
        !surely_not_worth_it(known, options_.indifference, options_.level))
      return false;
    SimulationOptions how = options_.simulation;
    how.run.listener.stop = [&] { return over(.3, Cut::nothing_to_learn); };
    add_draws(known, simulation_.situation(), simulation_.deployed(), options_.objective, kFirstWorlds, how);
    decision_.nothing_to_learn = static_cast<std::int64_t>(known.gain.size()) >= kFirstWorlds &&
                                 surely_not_worth_it(known, options_.indifference, options_.level);
    return decision_.nothing_to_learn;
  }

  void follow_deployed() {
    plans_ = {plan_from_string("sop")};
    simulation_.add(plans_);
    list_plans();
    kept_ = {0};
    outcomes_ = simulation_.run(kept_, 0, kFirstWorlds, left_of(.6), "simulating plans in sampled models");
    decision_.worlds = outcomes_.worlds;
    decision_.looks = 1;
    decision_.interrupted = stopped();
    if (outcomes_.worlds < kFirstWorlds && !stopped()) cut(Cut::followed_models);
    decision_.steps = outcomes_.steps;
    decision_.verdict = Kind::deploy;
    fill_results(outcomes_, kept_, options_, decision_);
  }

  // Of the many default plans, keeps those that do best on a few worlds of their own.
  void thin_out() {
    kept_.resize(plans_.size());
    std::iota(kept_.begin(), kept_.end(), std::size_t{0});
    if (!options_.plans.empty()) return;
    const std::int64_t most = options_.worlds > 0 ? options_.worlds : kFirstWorlds;
    const auto left = [&] {
      over(.35, Cut::screening_of_plans);
      return left_of(.35);
    };
    for (const Round& round :
         race(simulation_, kept_, options_.objective, options_.indifference, left, most)) {
      fill_results(round.outcomes, round.plans, options_, decision_);
      for (const std::size_t p : round.plans)
        decision_.plans[p].screened = std::find(round.left.begin(), round.left.end(), p) == round.left.end();
      next_world_ = round.outcomes.worlds;
      kept_ = round.left;
      const bool whole = std::find(std::begin(kRaceWorlds), std::end(kRaceWorlds), round.outcomes.worlds) !=
                         std::end(kRaceWorlds);
      if (!whole && !stopped()) cut(Cut::screening_of_plans);
    }
  }

  // More worlds until the verdict is settled, or worlds or time run out.
  void choose() {
    list_kinds();
    const std::int64_t most = options_.most_worlds > 0 ? options_.most_worlds : kMostWorlds;
    std::int64_t wanted = options_.worlds > 0 ? options_.worlds : std::min(kFirstWorlds, most);
    Verdict verdict;
    while (true) {
      meet(wanted);
      const bool whole = outcomes_.worlds == wanted;
      decision_.out_of_time = !whole && !stopped();
      ++decision_.looks;
      verdict = look();
      if (verdict.settled || options_.worlds > 0 || !whole || wanted >= most) break;
      wanted = std::min(2 * wanted, most);
      drop();
    }
    decision_.interrupted = stopped();
    decision_.leaning = verdict.kind;
    decision_.worlds_needed = verdict.worlds_needed;
    if (verdict.settled) decision_.verdict = verdict.kind;
    decision_.worlds = outcomes_.worlds;
  }

  // Brings the plans to so many worlds, or fewer where time is over, and drops some on the way.
  void meet(std::int64_t wanted) {
    while (outcomes_.worlds < wanted) {
      const auto* const stop =
          std::upper_bound(std::begin(kDropWorlds), std::end(kDropWorlds), outcomes_.worlds);
      const std::int64_t until = stop == std::end(kDropWorlds) ? wanted : std::min(*stop, wanted);
      const Outcomes next = simulation_.run(
          kept_, next_world_, until - outcomes_.worlds, left_of(.65), "simulating plans in sampled models",
          {}, estimate_once(static_cast<double>(wanted) / static_cast<double>(until)));
      append(outcomes_, next);
      next_world_ += next.worlds;
      if (outcomes_.worlds < until) return;
      if (until < wanted) drop();
    }
  }

  // Who names plans wants to see them to the end.
  void drop() {
    if (!options_.plans.empty()) return;
    const std::vector<std::size_t> left =
        contenders(simulation_.plans(), kept_, outcomes_, options_.objective, options_.indifference);
    if (left.size() == kept_.size()) return;
    fill_results(outcomes_, kept_, options_, decision_);
    std::vector<std::size_t> columns;
    for (std::size_t i = 0; i < kept_.size(); ++i) {
      if (std::find(left.begin(), left.end(), kept_[i]) != left.end()) {
        columns.push_back(i);
      } else {
        decision_.plans[kept_[i]].screened = true;
      }
    }
    outcomes_ = only(outcomes_, columns);
    kept_ = left;
    list_kinds();
  }

  void list_kinds() {
    kinds_.clear();
    for (const std::size_t p : kept_) kinds_.push_back(plans_[p].kind);
  }

  // As many worlds again price the plans that matter. `times` as many as the first call simulates are wanted.
  std::function<void(double)> estimate_once(double times) const {
    const auto& estimate = options_.simulation.run.listener.estimate;
    if (!estimate || decision_.looks > 0 || outcomes_.worlds > 0) return {};
    return [this, &estimate, times](double seconds) {
      const double most = options_.worlds > 0 ? std::numeric_limits<double>::infinity() : options_.time_limit;
      estimate(std::min(2 * times * seconds, most));
    };
  }

  Verdict look() {
    values_.clear();
    for (std::size_t i = 0; i < kept_.size(); ++i) values_.push_back(outcomes_.values(i, options_.objective));
    if (outcomes_.worlds < 2) return {Kind::deploy, false, std::numeric_limits<double>::infinity()};
    return settle(values_, kinds_, options_.indifference,
                  options_.worlds > 0 ? options_.level : level_of_look(options_.level, decision_.looks));
  }

  template <typename Holds>
  Place best_where(Holds holds) const {
    Place best;
    for (std::size_t i = 0; i < kept_.size(); ++i) {
      if (!holds(plans_[kept_[i]])) continue;
      if (!best || stats::mean(values_[i]) > stats::mean(values_[*best])) best = i;
    }
    return best;
  }

  // The best of each sort, by the worlds that plans were compared on.
  void recommend() {
    decision_.steps = outcomes_.steps;
    fill_results(outcomes_, kept_, options_, decision_);
    other_ = best_of_others(values_, kinds_, decision_.leaning);
    learner_ = best_where([](const Plan& p) { return p.name == "asop"; });
    pilot_ = best_where([](const Plan& p) { return p.is_pilot(); });
    designed_ = best_where([](const Plan& p) { return p.is_designed(); });
    undirected_ = best_where([](const Plan& p) { return p.is_undirected(); });
    pick(outcomes_, kept_);
  }

  // How sure the choice between the plans is, world by world.
  void weigh() {
    const Objective::Sum sum = options_.objective.sum;
    decision_.draws.first_world = static_cast<std::uint64_t>(next_world_ - outcomes_.worlds);
    decision_.draws.plans = kept_;
    for (std::size_t i = 0; i < kept_.size(); ++i) decision_.draws.values.push_back(outcomes_.sums(i, sum));
    const voi::Acceptability found = voi::acceptability(decision_.draws.values);
    for (std::size_t i = 0; i < kept_.size(); ++i) {
      decision_.plans[kept_[i]].share_best = found.share[i];
      decision_.plans[kept_[i]].expected_loss = found.loss[i];
    }
  }

  // All sizes of pilots, also those that were screened, and who gains and who pays, on worlds of their own.
  void price_sizes() {
    // Not where time is over, nor in what repeats such an answer.
    if (decision_.interrupted || stopped() || decision_.out_of_time || options_.most_worlds > 0) return;
    std::vector<std::size_t> which, whole;  // the latter in all worlds
    const auto add = [](std::vector<std::size_t>& places, std::size_t place) {
      if (std::find(places.begin(), places.end(), place) == places.end()) places.push_back(place);
    };
    for (std::size_t p = 0; p < plans_.size(); ++p) {
      if (plans_[p].is_pilot()) add(which, p);
    }
    const auto named = [&](const char* name) {
      return std::find_if(plans_.begin(), plans_.end(), [&](const Plan& p) { return p.name == name; });
    };
    auto reference = named("asop");
    if (reference == plans_.end()) reference = named("sop");
    Place against;  // of the curve
    if (!which.empty() && reference != plans_.end()) {
      against = static_cast<std::size_t>(reference - plans_.begin());
      whole.push_back(*against);
    }
    std::span<const std::int32_t> members;
    if (plans_[decision_.recommended].is_pilot()) members = decision_.pilot_members;
    const Groups groups = groups_of(simulation_.situation(), members);
    const bool by_group = decision_.against && groups.earned.count > 0;
    if (by_group) {
      add(whole, decision_.recommended);
      add(whole, decision_.against->other);
      simulation_.count_by(groups.earned);
    }
    for (const std::size_t place : whole) add(which, place);
    if (which.size() < 2) return;
    const std::int64_t wanted =
        options_.worlds > 0 ? std::clamp<std::int64_t>(options_.worlds / 4, 2, kCurveWorlds) : kCurveWorlds;
    const PricedSizes priced =
        price_pilots(simulation_, which, whole, against, next_world_ + outcomes_.worlds, wanted,
                     options_.objective.sum, options_.level);
    if (priced.outcomes.worlds < 2) return;
    if (against) decision_.curve = priced.curve;
    if (by_group) {
      decision_.groups = group_results(priced.outcomes, priced.plans, groups, decision_.recommended,
                                       decision_.against->other, options_.level);
    }
  }

  // The experiment, and from it the recommendation: the designed one where it is surely better than the
  // undirected by more than the indifference. Routes must be worth their trouble.
  void pick(const Outcomes& worlds, std::span<const std::size_t> places) {
    experiment_ = undirected_ ? undirected_ : designed_;
    if (designed_ && undirected_ && worlds.worlds >= 2) {
      const Comparison routes =
          compare_plans(worlds, places, kept_[*designed_], kept_[*undirected_], options_, plans_);
      const double value = std::abs(stats::mean(values_[*undirected_]));
      if (routes.gain_interval.lower > options_.indifference * value) experiment_ = designed_;
    }
    recommended_ = decision_.leaning == Kind::experiment ? *experiment_
                                                         : *best_of_kind(values_, kinds_, decision_.leaning);
    decision_.recommended = kept_[recommended_];
  }

  // Those of the candidates that the worlds cannot tell from the best of them, `place`: with another sample
  // one of them may be the best.
  template <typename Candidate>
  std::vector<std::size_t> as_good_as(std::size_t place, Candidate candidate) const {
    std::vector<std::size_t> found;
    for (std::size_t i = 0; i < kept_.size(); ++i) {
      if (candidate(i) && !surely_behind(values_[i], values_[place], options_.level)) found.push_back(i);
    }
    return found;
  }

  // Who else might have been recommended: routes are taken only where they are surely worth more, so a plan
  // of the same kind and exploration.
  std::vector<std::size_t> in_place_of(std::size_t place) const {
    return as_good_as(place, [&](std::size_t i) {
      return kinds_[i] == kinds_[place] && plans_[kept_[i]].exploration == plans_[kept_[place]].exploration;
    });
  }

  // The undirected plan that was dropped last, the best of those.
  std::optional<std::size_t> dropped_undirected() const {
    std::optional<std::size_t> found;
    const auto rank = [&](std::size_t p) {
      return std::pair(decision_.plans[p].worlds, decision_.plans[p].value);
    };
    for (std::size_t p = 0; p < plans_.size(); ++p) {
      if (plans_[p].is_undirected() && (!found || rank(p) > rank(*found))) found = p;
    }
    return found;
  }

  // The plans that matter, on fresh worlds.
  void state_gains() {
    std::vector<std::size_t> plans;
    const auto add = [&](Place place) {
      if (place && std::find(plans.begin(), plans.end(), kept_[*place]) == plans.end())
        plans.push_back(kept_[*place]);
    };
    for (const Place place : {Place(recommended_), other_, designed_, undirected_}) add(place);
    for (const std::size_t i : in_place_of(recommended_)) add(i);
    const std::vector<std::size_t> others =
        other_ ? as_good_as(*other_, [&](std::size_t i) { return kinds_[i] != decision_.leaning; })
               : std::vector<std::size_t>{};
    for (const std::size_t i : others) add(i);
    if (designed_ || undirected_) add(learner_);
    if (learner_) add(pilot_);
    if (plans.size() < 2 || decision_.interrupted) return;
    const std::int64_t worlds = std::max<std::int64_t>(outcomes_.worlds, 2);
    // Fewer plans than were compared, on as many worlds: no more time than that took.
    const auto run = [&](std::span<const std::size_t> which, std::int64_t first, std::int64_t count) {
      return simulation_.run(which, next_world_ + first, count, std::numeric_limits<double>::infinity(),
                             "comparing the best plans in fresh sampled models");
    };
    // Undirected exploration has its price also where it was dropped, in fewer worlds.
    std::vector<std::size_t> more = plans;
    std::int64_t begin = worlds;
    const Place outdone = designed_ && !undirected_ ? dropped_undirected() : std::nullopt;
    if (outdone) {
      more.push_back(*outdone);
      begin = std::min(worlds, kDropWorlds[0]);
    }
    const Outcomes first = run(more, 0, begin);
    std::vector<std::size_t> columns(plans.size());
    std::iota(columns.begin(), columns.end(), std::size_t{0});
    Outcomes fresh = only(first, columns);
    if (first.worlds == begin && begin < worlds) append(fresh, run(plans, begin, worlds - begin));
    if (fresh.worlds < 2) return;
    pick(fresh, plans);
    const auto compared = [&](Place one, Place other) -> std::optional<Comparison> {
      if (!one || !other || *one == *other) return std::nullopt;
      return compare_plans(fresh, plans, kept_[*one], kept_[*other], options_, plans_);
    };
    decision_.against = compared(recommended_, other_);
    if (decision_.against) {
      stats::Interval& stated = decision_.against->gain_interval;
      for (const std::size_t one : in_place_of(recommended_)) {
        if (std::find(plans.begin(), plans.end(), kept_[one]) == plans.end()) continue;
        for (const std::size_t other : others) {
          const stats::Interval own = compared(one, other)->sampling_interval;
          stated = {std::min(stated.lower, own.lower), std::max(stated.upper, own.upper)};
        }
      }
    }
    decision_.over_learning = compared(experiment_, learner_);
    decision_.over_undirected =
        outdone ? compare_plans(first, more, kept_[*designed_], *outdone, options_, plans_)
                : compared(designed_, undirected_);
    decision_.pilot_price = compared(pilot_, learner_);
  }

  void show_pilot() {
    if (!pilot_) return;
    decision_.pilot_plan = kept_[plans_[kept_[recommended_]].is_pilot() ? recommended_ : *pilot_];
    const PreparedPlan& prepared = simulation_.plans()[*decision_.pilot_plan];
    decision_.pilot = prepared.design;
    decision_.pilot_members = prepared.pilot_members;
  }

  const base::Clock clock_;
  const DecideOptions options_;
  Decision decision_;
  std::vector<Plan> plans_;
  Simulation simulation_;
  std::vector<std::size_t> kept_;  // places of plans that are compared; what follows is by place in it
  std::vector<Kind> kinds_;
  std::vector<std::vector<double>> values_;
  Outcomes outcomes_;
  std::int64_t next_world_ = 0;
  std::size_t recommended_ = 0;
  Place other_, learner_, pilot_, designed_, undirected_, experiment_;
};

}  // namespace

Decision decide(const Situation& situation, const DecideOptions& options) {
  options.validate();
  situation.validate();
  options.simulation.terms.validate(situation.belief().simulator().pairs());
  Decision decision = Decider(situation, options).run();
  decision.pilot_length = bounded_pilot_length(situation, options, decision);
  return decision;
}

}  // namespace mindgap::decide

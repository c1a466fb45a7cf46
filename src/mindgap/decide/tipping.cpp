#include "mindgap/decide/tipping.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <memory>
#include <numeric>
#include <set>
#include <utility>

#include "mindgap/base/check.h"
#include "mindgap/base/error.h"
#include "mindgap/decide/work.h"
#include "mindgap/stats/paired.h"
#include "mindgap/voi/tail.h"

namespace mindgap::decide {
namespace {

using Row = std::vector<TippingCell>;  // one setting, by horizon

constexpr std::array<double, 11> kHorizons = {.1, .14, .2, .3, .4, .55, .75, 1, 1.25, 1.6, 2};

// Shares of the horizon, as whole steps.
std::vector<std::int64_t> horizons_around(std::int64_t horizon) {
  std::set<std::int64_t> steps;
  for (const double share : kHorizons)
    steps.insert(std::max<std::int64_t>(1, std::llround(share * static_cast<double>(horizon))));
  return {steps.begin(), steps.end()};
}

bool ends_before(const Plan& plan, std::int64_t horizon) {
  return plan.pilot_steps < horizon;
}
bool fits(const Plan& plan, std::int64_t horizon) {
  return ends_before(plan, horizon) && 5 * plan.pilot_steps <= 2 * horizon;
}

// The plans for a horizon: those that fit it, or where the user's plans are all longer, those that end
// before it.
std::vector<std::size_t> plans_at(std::span<const PreparedPlan> plans, std::int64_t horizon) {
  std::vector<std::size_t> fitting, ending;
  for (std::size_t p = 0; p < plans.size(); ++p) {
    if (fits(plans[p].plan, horizon)) fitting.push_back(p);
    if (ends_before(plans[p].plan, horizon)) ending.push_back(p);
  }
  return fitting.empty() ? ending : fitting;
}

// Horizons at which there is a plan at all.
std::vector<std::int64_t> with_a_plan(const std::vector<std::int64_t>& horizons,
                                      const std::vector<Plan>& plans) {
  std::vector<std::int64_t> some;
  for (const std::int64_t horizon : horizons) {
    if (std::any_of(plans.begin(), plans.end(), [&](const Plan& p) { return ends_before(p, horizon); }))
      some.push_back(horizon);
  }
  return some;
}

// The plans that are compared at some horizon.
std::vector<Plan> plans_for(const Situation& situation, const DecideOptions& options,
                            const std::vector<std::int64_t>& horizons) {
  std::vector<Plan> plans;
  const auto add = [&](const Plan& plan) {
    if (std::find(plans.begin(), plans.end(), plan) == plans.end() && plan.pilot_steps < horizons.back())
      plans.push_back(plan);
  };
  if (!options.plans.empty()) {
    for (const Plan& plan : options.plans) add(plan);
    return plans;
  }
  for (const char* name : {"sop", "asop"}) add(plan_from_string(name));
  // Lengths that double: every horizon has one between a fifth and two fifths of it, and shorter ones.
  for (std::int64_t steps = 1; 5 * steps <= 2 * horizons.back(); steps *= 2) {
    if (10 * steps < horizons.front()) continue;
    add(pilot_plan(situation.units(), steps));
    if (steps >= situation.horizon / 10) add(pilot_plan((situation.units() + 3) / 4, steps));
  }
  return plans;
}

TippingCell cell_at(const Outcomes& outcomes, const std::vector<PreparedPlan>& plans, double setting,
                    std::int64_t horizon, std::size_t point, const DecideOptions& options) {
  std::vector<std::vector<double>> values;
  std::vector<Kind> kinds;
  for (const std::size_t p : plans_at(plans, horizon)) {
    values.push_back(voi::tail_values(outcomes.values_at(p, point), options.objective.tail));
    kinds.push_back(plans[p].plan.kind);
  }
  TippingCell cell{setting, horizon, {}, Kind::deploy};
  const Verdict verdict = settle(values, kinds, options.indifference, 1 - (1 - options.level) / 2);
  cell.leaning = verdict.kind;
  if (verdict.settled) cell.verdict = verdict.kind;
  const std::optional<std::size_t> other = best_of_others(values, kinds, verdict.kind);
  if (!other) return cell;
  const std::vector<double>& one = values[*best_of_kind(values, kinds, verdict.kind)];
  std::vector<double> difference(one.size());
  std::transform(one.begin(), one.end(), values[*other].begin(), difference.begin(), std::minus<>());
  const stats::PairedT gain = stats::paired_t(difference, options.level);
  cell.gain = gain.mean;
  cell.gain_interval = *gain.interval;
  return cell;
}

bool differ(const Row& a, const Row& b) {
  for (std::size_t h = 0; h < a.size(); ++h) {
    if (a[h].leaning != b[h].leaning) return true;
  }
  return false;
}

class Mapper {
 public:
  Mapper(const Situation& situation, const DecideOptions& options, const KnowledgeAt& knowledge_at,
         const TippingOptions& how)
      : situation_(situation),
        options_(options),
        knowledge_at_(knowledge_at),
        how_(how),
        plans_(plans_for(situation, options, horizons_around(situation.horizon))),
        horizons_(with_a_plan(horizons_around(situation.horizon), plans_)) {
    Situation longest = situation;
    longest.horizon = horizons_.back();
    for (const Plan& plan : plans_) per_world_ += work_of_world(plan, longest, options.simulation);
  }

  const std::vector<std::int64_t>& horizons() const { return horizons_; }
  const std::map<double, Row>& rows() const { return rows_; }
  const std::vector<double>& left_out() const { return left_out_; }
  const std::vector<double>& cut_short() const { return cut_short_; }
  std::int64_t worlds() const { return worlds_; }

  // First some worlds for every setting, then more where a cell is undecided, the nearest setting first.
  void add_all(const std::vector<double>& settings) {
    for (const double setting : settings) {
      if (!rows_.contains(setting) && !add(setting)) left_out_.push_back(setting);
    }
    sharpen();
  }

  // A setting between any two neighbours that differ, as far as worlds go.
  void refine() {
    std::vector<double> between;
    for (auto it = rows_.begin(); it != rows_.end() && std::next(it) != rows_.end(); ++it) {
      if (differ(it->second, std::next(it)->second))
        between.push_back(std::sqrt(it->first * std::next(it)->first));
    }
    for (const double setting : between) add(setting);
    sharpen();
  }

 private:
  struct Pending {
    double setting = 0;
    std::unique_ptr<Simulation> simulation;
    Outcomes outcomes;
  };

  // False where it cannot be afforded, or who listens wants to stop.
  bool add(double setting) {
    if (stopped() || (rows_.size() >= 2 && !affords(how_.worlds))) return false;
    Situation there = situation_;
    there.knowledge = knowledge_at_(setting);
    there.horizon = horizons_.back();
    SimulationOptions how = options_.simulation;
    how.replan_every = replanning_of(situation_, how);
    how.tolerance = options_.tolerance();
    Pending one{setting, std::make_unique<Simulation>(std::move(there), plans_, how), {}};
    one.outcomes = follow(one, how_.worlds);
    if (one.outcomes.worlds < how_.worlds) return false;  // interrupted
    // Two looks at most, which share the error.
    rows_[setting] = row_of(one.outcomes, one.simulation->plans(), setting);
    if (how_.more_worlds > how_.worlds && undecided(rows_[setting])) pending_.push_back(std::move(one));
    return true;
  }

  void sharpen() {
    for (Pending& one : std::exchange(pending_, {})) {
      const std::int64_t more = how_.more_worlds - one.outcomes.worlds;
      if (!stopped() && affords(more)) append(one.outcomes, follow(one, more));
      if (one.outcomes.worlds < how_.more_worlds) {
        cut_short_.push_back(one.setting);
      } else {
        rows_[one.setting] = row_of(one.outcomes, one.simulation->plans(), one.setting);
      }
    }
  }

  // So many worlds more than it has met.
  Outcomes follow(const Pending& one, std::int64_t worlds) {
    std::vector<std::size_t> all(one.simulation->plans().size());
    std::iota(all.begin(), all.end(), std::size_t{0});
    constexpr double kNever = std::numeric_limits<double>::infinity();
    Outcomes found =
        one.simulation->run(all, one.outcomes.worlds, worlds, kNever, "tipping points", horizons_);
    worlds_ += found.worlds;
    return found;
  }

  bool affords(std::int64_t more) const {
    return static_cast<double>(worlds_ + more) * per_world_ <= how_.most_work;
  }
  bool stopped() const { return options_.simulation.run.listener.wants_to_stop(); }

  static bool undecided(const Row& row) {
    return std::any_of(row.begin(), row.end(), [](const TippingCell& cell) { return !cell.verdict; });
  }

  Row row_of(const Outcomes& outcomes, const std::vector<PreparedPlan>& plans, double setting) const {
    Row row;
    for (const std::int64_t horizon : horizons_) {
      const auto at = std::lower_bound(outcomes.steps.begin(), outcomes.steps.end(), horizon);
      row.push_back(cell_at(outcomes, plans, setting, horizon,
                            static_cast<std::size_t>(at - outcomes.steps.begin()), options_));
    }
    return row;
  }

  const Situation& situation_;
  const DecideOptions& options_;
  const KnowledgeAt& knowledge_at_;
  const TippingOptions how_;
  std::vector<Plan> plans_;
  std::vector<std::int64_t> horizons_;
  double per_world_ = 0;     // nanoseconds of work.h
  std::int64_t worlds_ = 0;  // followed so far
  std::vector<double> left_out_, cut_short_;
  std::vector<Pending> pending_;  // undecided, and worlds may settle them
  std::map<double, Row> rows_;
};

}  // namespace

std::string_view name_of(TippingAxis axis) {
  return axis == TippingAxis::prior_width ? "prior width" : "odds";
}

TippingMap tipping_map(const Situation& situation, const DecideOptions& options, TippingAxis axis,
                       std::vector<double> settings, double here, const KnowledgeAt& knowledge_at,
                       const TippingOptions& how) {
  options.validate();
  base::check_range("tipping_map", "worlds", static_cast<double>(how.worlds), 2, 1e7);
  base::check_range("tipping_map", "more_worlds", static_cast<double>(how.more_worlds), 0, 1e7);
  if (options.objective.sum != Objective::total)
    throw InvalidArgument("tipping_map: verdicts over horizons are about the total reward");
  for (const double setting : settings) base::check_positive("tipping_map", "setting", setting);
  // The nearest first, should worlds run out.
  std::stable_sort(settings.begin(), settings.end(), [here](double a, double b) {
    return std::abs(std::log(a / here)) < std::abs(std::log(b / here));
  });
  Mapper mapper(situation, options, knowledge_at, how);
  mapper.add_all(settings);
  for (std::int64_t round = 0; round < how.refinements; ++round) mapper.refine();
  TippingMap map{axis, here, {}, mapper.horizons(), {}};
  map.horizon = situation.horizon;
  map.worlds = mapper.worlds();
  map.left_out = mapper.left_out();
  map.cut_short = mapper.cut_short();
  std::sort(map.left_out.begin(), map.left_out.end());
  std::sort(map.cut_short.begin(), map.cut_short.end());
  for (const auto& [setting, row] : mapper.rows()) {
    map.settings.push_back(setting);
    map.cells.insert(map.cells.end(), row.begin(), row.end());
  }
  return map;
}

std::optional<TippingPoints> tipping_points(const TippingMap& map) {
  const auto at = std::find(map.settings.begin(), map.settings.end(), map.here);
  const auto column = std::find(map.horizons.begin(), map.horizons.end(), map.horizon);
  if (at == map.settings.end() || column == map.horizons.end()) return std::nullopt;
  const auto leaning = [&](std::size_t setting) {
    return map.cells[setting * map.horizons.size() + static_cast<std::size_t>(column - map.horizons.begin())]
        .leaning;
  };
  const auto here = static_cast<std::size_t>(at - map.settings.begin());
  TippingPoints points{leaning(here), {}, {}, map.settings.front(), map.settings.back()};
  const auto flip = [&](std::size_t same, std::size_t other) {
    return TippingPoint{std::sqrt(map.settings[same] * map.settings[other]), leaning(other)};
  };
  for (std::size_t i = here; i > 0 && !points.below; --i) {
    if (leaning(i - 1) != points.here) points.below = flip(i, i - 1);
  }
  for (std::size_t i = here; i + 1 < map.settings.size() && !points.above; ++i) {
    if (leaning(i + 1) != points.here) points.above = flip(i, i + 1);
  }
  return points;
}

belief::Knowledge widened(const belief::Knowledge& knowledge, double factor) {
  base::check_positive("widened", "factor", factor);
  belief::Prior prior = knowledge.now.prior();
  for (double& sd : prior.reward_sd) sd *= factor;
  for (double& strength : prior.transition_strength) strength /= factor * factor;
  belief::Knowledge wide = knowledge;
  wide.before = knowledge.before.with_prior(prior, factor);
  wide.now = knowledge.now.with_prior(std::move(prior), factor);
  return wide;
}

std::vector<TippingMap> tipping_maps(const mdp::Model& model, const Situation& situation,
                                     const DecideOptions& options,
                                     const std::optional<std::vector<double>>& coverage,
                                     const std::optional<mdp::ObservationLog>& log,
                                     const belief::PriorOverrides& prior) {
  std::vector<TippingMap> maps;
  const bool odds_matter = situation.knowledge.source == belief::PriorSource::coverage;
  const TippingOptions how{.most_work = kTippingWorkPerSecond * options.time_limit / (odds_matter ? 2 : 1)};
  maps.push_back(tipping_map(
      situation, options, TippingAxis::prior_width, {.0625, .125, .25, .5, 1, 2, 4}, 1,
      [&](double width) { return widened(situation.knowledge, width); }, how));
  if (!odds_matter) return maps;
  const double here = situation.knowledge.odds;
  std::vector<double> odds = {1, 1.5, 2, 3, 5};
  if (std::find(odds.begin(), odds.end(), here) == odds.end()) odds.push_back(here);
  maps.push_back(tipping_map(
      situation, options, TippingAxis::odds, odds, here,
      [&](double m) {
        belief::PriorOverrides other = prior;
        other.odds = m;
        return belief::gather_knowledge(model, coverage, log, other);
      },
      how));
  return maps;
}

}  // namespace mindgap::decide

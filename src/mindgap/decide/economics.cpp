#include "mindgap/decide/economics.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "mindgap/base/number.h"
#include "mindgap/decide/compare_plans.h"
#include "mindgap/stats/moments.h"
#include "mindgap/stats/paired.h"
#include "mindgap/voi/conditional_mean.h"
#include "mindgap/voi/samples.h"

namespace mindgap::decide {
namespace {

constexpr std::int32_t kMostGroups = 12;

std::size_t column_of(std::span<const std::size_t> which, std::size_t plan) {
  return static_cast<std::size_t>(std::find(which.begin(), which.end(), plan) - which.begin());
}

std::vector<double> costs_of(const Outcomes& outcomes, std::size_t column) {
  std::vector<double> costs;
  for (std::int64_t w = 0; w < outcomes.worlds; ++w)
    costs.push_back(outcomes.cost[static_cast<std::size_t>(w) * outcomes.plans + column]);
  return costs;
}

// A field of a CSV file, in quotes where that is needed.
std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + '"';
}

// One pilot against the reference, world by world.
struct SizeByWorld {
  std::size_t plan = 0;
  std::vector<double> net, cost, worth, forgone;  // the last two only of undiscounted sums
};

SizeByWorld size_by_world(const Outcomes& outcomes, std::size_t column, std::size_t against,
                          std::size_t place, const Plan& plan, Objective::Sum sum) {
  SizeByWorld size{place, outcomes.sums(column, sum), costs_of(outcomes, column), {}, {}};
  const std::vector<double> base = outcomes.sums(against, sum);
  for (std::size_t w = 0; w < size.net.size(); ++w) size.net[w] -= base[w];
  if (sum != Objective::total) return size;
  const auto at = std::lower_bound(outcomes.steps.begin(), outcomes.steps.end(), plan.pilot_steps);
  const auto point = static_cast<std::size_t>(at - outcomes.steps.begin());
  const std::vector<double> until = outcomes.values_at(column, point);
  size.forgone = outcomes.values_at(against, point);
  size.worth = size.net;
  for (std::size_t w = 0; w < size.net.size(); ++w) {
    size.forgone[w] -= until[w] + size.cost[w];  // every cost of a pilot falls before its end
    size.worth[w] += size.forgone[w] + size.cost[w];
  }
  return size;
}

// The mean of x, known in the first n of the N worlds in which `best` is known. Worlds differ more than sizes
// do, so the mean of x over its own n worlds could not be compared with that of `best`; the difference can:
//   mean over N of best + mean over n of d,  d = x - best,
// with variance (var best + 2 cov(best, d)) / N + var d / n. The plain mean where n = N.
gap::Estimate estimate_beside(const std::vector<double>& x, const std::vector<double>& best) {
  if (x.size() == best.size()) return gap::estimate(x);
  const auto n = static_cast<double>(x.size()), all = static_cast<double>(best.size());
  const std::span<const double> same = std::span(best).first(x.size());
  std::vector<double> difference(x.size());
  std::transform(x.begin(), x.end(), same.begin(), difference.begin(), std::minus<>());
  const double mean = stats::mean(difference), center = stats::mean(same);
  double covariance = 0;
  for (std::size_t w = 0; w < x.size(); ++w)
    covariance += (same[w] - center) * (difference[w] - mean) / (n - 1);
  const auto variance = [](std::span<const double> numbers) {
    const double sd = stats::standard_deviation(numbers);
    return sd * sd;
  };
  const double square = (variance(best) + 2 * covariance) / all + variance(difference) / n;
  return {stats::mean(best) + mean, std::sqrt(std::max(0.0, square))};
}

// Whether each column is a pilot that is behind the best one for certain.
std::vector<bool> pilots_behind(const Outcomes& outcomes, std::span<const std::size_t> places,
                                std::span<const PreparedPlan> plans, Objective::Sum sum) {
  constexpr double kLevel = .99;
  std::vector<std::vector<double>> values;
  std::optional<std::size_t> best;
  for (std::size_t i = 0; i < places.size(); ++i) {
    values.push_back(outcomes.sums(i, sum));
    if (!plans[places[i]].plan.is_pilot()) continue;
    if (!best || stats::mean(values[i]) > stats::mean(values[*best])) best = i;
  }
  std::vector<bool> behind(places.size());
  for (std::size_t i = 0; i < places.size(); ++i)
    behind[i] = plans[places[i]].plan.is_pilot() && surely_behind(values[i], values[*best], kLevel);
  return behind;
}

// The best of the sizes is one that is known in all worlds: the others were dropped because they are behind.
void fill(PilotCurve& curve, std::span<const SizeByWorld> sizes, std::span<const PreparedPlan> plans,
          int rounds, double level) {
  const SizeByWorld* best = nullptr;
  for (const SizeByWorld& size : sizes) {
    if (static_cast<std::int64_t>(size.net.size()) < curve.worlds) continue;
    if (best == nullptr || stats::mean(size.net) > stats::mean(best->net)) best = &size;
  }
  if (best == nullptr) return;
  const double each = 1 - (1 - level) / (static_cast<double>(sizes.size()) * rounds);
  for (const SizeByWorld& size : sizes) {
    const Plan& plan = plans[size.plan].plan;
    PilotSize priced{size.plan, static_cast<std::int64_t>(size.net.size()), plan.pilot_units,
                     plan.pilot_steps};
    priced.cost = estimate_beside(size.cost, best->cost);
    priced.net = estimate_beside(size.net, best->net);
    if (!size.worth.empty()) {
      priced.worth = estimate_beside(size.worth, best->worth);
      priced.forgone = estimate_beside(size.forgone, best->forgone);
    }
    priced.net_interval =
        stats::student_interval(priced.net.mean, priced.net.standard_error, priced.worlds, each);
    curve.sizes.push_back(priced);
  }
  std::stable_sort(curve.sizes.begin(), curve.sizes.end(), [](const PilotSize& a, const PilotSize& b) {
    return std::pair(a.units, a.steps) < std::pair(b.units, b.steps);
  });
  const auto is_best = [&](const PilotSize& size) { return size.plan == best->plan; };
  curve.best = static_cast<std::size_t>(std::find_if(curve.sizes.begin(), curve.sizes.end(), is_best) -
                                        curve.sizes.begin());
}

}  // namespace

PricedSizes price_pilots(const Simulation& simulation, std::vector<std::size_t> plans,
                         std::span<const std::size_t> whole, std::optional<std::size_t> reference,
                         std::int64_t first, std::int64_t worlds, Objective::Sum sum, double level) {
  PricedSizes priced;
  Outcomes& outcomes = priced.outcomes;
  std::vector<SizeByWorld> sizes;
  const auto keep = [&](const std::vector<bool>& columns) {
    for (std::size_t i = 0; reference && i < plans.size(); ++i) {
      const Plan& plan = simulation.plans()[plans[i]].plan;
      if (columns[i] && plan.is_pilot())
        sizes.push_back(size_by_world(outcomes, i, column_of(plans, *reference), plans[i], plan, sum));
    }
  };
  std::vector<std::int64_t> ends;
  for (const std::int64_t end : kCurveRounds) {
    if (reference && end < worlds) ends.push_back(end);
  }
  ends.push_back(worlds);
  int rounds = 0;
  for (const std::int64_t end : ends) {
    append(outcomes, simulation.run(plans, first + outcomes.worlds, end - outcomes.worlds,
                                    std::numeric_limits<double>::infinity(), "pricing sizes of pilots"));
    ++rounds;
    if (outcomes.worlds < end || end == worlds) break;
    std::vector<bool> done = pilots_behind(outcomes, plans, simulation.plans(), sum);
    for (const std::size_t place : whole) done[column_of(plans, place)] = false;
    keep(done);
    std::vector<std::size_t> columns, left;
    for (std::size_t i = 0; i < plans.size(); ++i) {
      if (done[i]) continue;
      columns.push_back(i);
      left.push_back(plans[i]);
    }
    outcomes = only(outcomes, columns);
    plans = std::move(left);
  }
  keep(std::vector<bool>(plans.size(), true));
  priced.plans = std::move(plans);
  if (reference && outcomes.worlds >= 2) {
    priced.curve.worlds = outcomes.worlds;
    priced.curve.reference = *reference;
    fill(priced.curve, sizes, simulation.plans(), rounds, level);
  }
  return priced;
}

Groups groups_of(const Situation& situation, std::span<const std::int32_t> pilot_members) {
  Groups groups;
  const mdp::Mdp& mdp = situation.belief().simulator();
  const std::vector<std::int32_t>& given = mdp.labels().group_of_state;
  const std::int32_t named = given.empty() ? 0 : std::min(mdp.labels().groups.size(), kMostGroups);
  const auto number = [&](std::int32_t s) { return given[s] < named ? given[s] : -1; };
  const auto add = [&](GroupResult::By by, std::string name) {
    groups.by.push_back(by);
    groups.names.push_back(std::move(name));
    ++groups.earned.count;
  };
  for (const auto by : {GroupResult::By::state, GroupResult::By::unit}) {
    const std::int32_t first = groups.earned.count;
    for (std::int32_t g = 0; g < named; ++g) add(by, std::string(mdp.labels().groups[g]));
    if (named == 0) continue;
    if (by == GroupResult::By::state) {
      for (std::int32_t s = 0; s < mdp.states(); ++s) groups.earned.state.push_back(number(s));
    } else {
      for (const std::int32_t s : situation.unit_state)
        groups.earned.unit.push_back(number(s) < 0 ? -1 : first + number(s));
    }
  }
  if (pilot_members.empty() || pilot_members.size() == situation.unit_state.size()) return groups;
  const std::int32_t inside = groups.earned.count;
  add(GroupResult::By::pilot, "units in the pilot");
  add(GroupResult::By::pilot, "units not in the pilot");
  groups.earned.member.assign(situation.unit_state.size(), inside + 1);
  for (const std::int32_t u : pilot_members) groups.earned.member[u] = inside;
  return groups;
}

GroupResults group_results(const Outcomes& outcomes, std::span<const std::size_t> which, const Groups& groups,
                           std::size_t plan, std::size_t other, double level) {
  GroupResults results{outcomes.worlds, plan, other, {}};
  const std::size_t one = column_of(which, plan), two = column_of(which, other);
  for (std::size_t g = 0; g < groups.names.size(); ++g) {
    std::vector<double> first, second, difference;
    for (std::size_t w = 0; w < static_cast<std::size_t>(outcomes.worlds); ++w) {
      first.push_back(outcomes.by_group[(w * outcomes.plans + one) * outcomes.groups + g]);
      second.push_back(outcomes.by_group[(w * outcomes.plans + two) * outcomes.groups + g]);
      difference.push_back(first.back() - second.back());
    }
    const gap::Estimate ahead = gap::estimate(difference);
    results.groups.push_back(
        {groups.by[g], groups.names[g], gap::estimate(first).mean, gap::estimate(second).mean, ahead.mean,
         stats::student_interval(ahead.mean, ahead.standard_error, outcomes.worlds, level)});
  }
  return results;
}

std::vector<ParameterValue> value_of_parameters(const mdp::Model& model, const Situation& situation,
                                                const PlanDraws& draws, const SimulationOptions& options) {
  const belief::Ensemble* ensemble = situation.belief().ensemble();
  std::vector<ParameterValue> values;
  if (ensemble == nullptr || draws.values.size() < 2 ||
      static_cast<std::int64_t>(draws.values[0].size()) < voi::kFewestDraws)
    return values;
  voi::Draws table;
  voi::SamplesOptions how{.run = {.seed = options.run.seed, .threads = options.run.threads}};
  for (std::size_t p = 0; p < draws.values.size(); ++p) {
    how.plans.push_back("plan " + std::to_string(p));
    table.names.push_back(how.plans.back());
    table.columns.push_back(draws.values[p]);
  }
  for (const mdp::Parameter& parameter : model.parameters) {
    std::vector<double> column;
    for (std::uint64_t w = 0; w < draws.values[0].size(); ++w)
      column.push_back(
          parameter.value[ensemble->member_of_draw(options.run.seed, world_number(draws.first_world + w))]);
    if (std::all_of(column.begin(), column.end(), [&](double v) { return v == column[0]; })) continue;
    how.about.push_back({"parameter " + parameter.name});
    table.names.push_back(how.about.back()[0]);
    table.columns.push_back(std::move(column));
    values.push_back({parameter.name});
  }
  if (values.empty()) return values;
  const voi::SampledValue found = voi::value_of_samples(table, how);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const voi::PartialValue& part = found.evppi[i];
    values[i] = {values[i].parameter, part.cross_fitted, part.se, part.interval, part.plug_in};
  }
  std::stable_sort(values.begin(), values.end(),
                   [](const ParameterValue& a, const ParameterValue& b) { return a.value > b.value; });
  return values;
}

std::string draws_table(const mdp::Model& model, const Situation& situation, const PlanDraws& draws,
                        std::span<const std::string> plan_names, const SimulationOptions& options) {
  const belief::Ensemble* ensemble = situation.belief().ensemble();
  const mdp::Mdp& mdp = situation.belief().simulator();
  const bool rewards = ensemble == nullptr && mdp.pairs() <= kMostRewardColumns;
  std::string text = "world";
  if (ensemble != nullptr) {
    for (const mdp::Parameter& parameter : model.parameters) text += "," + csv_field(parameter.name);
  }
  for (std::int32_t k = 0; rewards && k < mdp.pairs(); ++k)
    text += "," + csv_field("reward " + mdp.state_name(mdp.state_of_pair(k)) + "/" +
                            mdp.action_name(mdp.pair_action()[k]));
  for (const std::string& name : plan_names) text += "," + csv_field(name);
  text += '\n';
  for (std::uint64_t w = 0; !draws.values.empty() && w < draws.values[0].size(); ++w) {
    const std::uint64_t number = world_number(draws.first_world + w);
    text += std::to_string(draws.first_world + w);
    if (ensemble != nullptr) {
      const std::int32_t member = ensemble->member_of_draw(options.run.seed, number);
      for (const mdp::Parameter& parameter : model.parameters)
        text += "," + base::shortest(parameter.value[member]);
    }
    if (rewards) {
      const mdp::Mdp drawn = situation.belief().sample(options.run.seed, number);
      for (std::int32_t k = 0; k < mdp.pairs(); ++k) text += "," + base::shortest(drawn.reward()[k]);
    }
    for (const std::vector<double>& plan : draws.values) text += "," + base::shortest(plan[w]);
    text += '\n';
  }
  return text;
}

}  // namespace mindgap::decide

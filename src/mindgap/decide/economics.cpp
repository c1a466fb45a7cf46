#include "mindgap/decide/economics.h"

#include <algorithm>

#include "mindgap/base/number.h"
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

}  // namespace

PilotCurve pilot_curve(const Outcomes& outcomes, std::span<const std::size_t> which,
                       std::span<const PreparedPlan> plans, std::size_t reference, Objective::Sum sum,
                       double level) {
  PilotCurve curve{outcomes.worlds, reference, {}, {}};
  const std::size_t against = column_of(which, reference);
  const std::vector<double> base = outcomes.sums(against, sum);
  for (std::size_t i = 0; i < which.size(); ++i) {
    const Plan& plan = plans[which[i]].plan;
    if (!plan.is_pilot()) continue;
    PilotSize size{which[i], plan.pilot_units, plan.pilot_steps};
    const std::vector<double> cost = costs_of(outcomes, i);
    size.cost = gap::estimate(cost);
    std::vector<double> net = outcomes.sums(i, sum);
    for (std::size_t w = 0; w < net.size(); ++w) net[w] -= base[w];
    size.net = gap::estimate(net);
    if (sum == Objective::total) {
      const auto at = std::lower_bound(outcomes.steps.begin(), outcomes.steps.end(), plan.pilot_steps);
      const auto point = static_cast<std::size_t>(at - outcomes.steps.begin());
      std::vector<double> forgone = outcomes.values_at(against, point), worth = net;
      const std::vector<double> until = outcomes.values_at(i, point);
      for (std::size_t w = 0; w < net.size(); ++w) {
        forgone[w] -= until[w] + cost[w];  // every cost of a pilot falls before its end
        worth[w] += forgone[w] + cost[w];
      }
      size.forgone = gap::estimate(forgone);
      size.worth = gap::estimate(worth);
    }
    curve.sizes.push_back(size);
  }
  std::stable_sort(curve.sizes.begin(), curve.sizes.end(), [](const PilotSize& a, const PilotSize& b) {
    return std::pair(a.units, a.steps) < std::pair(b.units, b.steps);
  });
  const double each = 1 - (1 - level) / std::max<double>(1, static_cast<double>(curve.sizes.size()));
  for (std::size_t i = 0; i < curve.sizes.size(); ++i) {
    PilotSize& size = curve.sizes[i];
    size.net_interval =
        stats::student_interval(size.net.mean, size.net.standard_error, outcomes.worlds, each);
    if (!curve.best || size.net.mean > curve.sizes[*curve.best].net.mean) curve.best = i;
  }
  return curve;
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

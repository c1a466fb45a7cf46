#include "decide/design_variation.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "decide/follow.h"
#include "mindgap/base/parallel.h"
#include "mindgap/decide/drawn_world.h"
#include "mindgap/stats/moments.h"
#include "mindgap/trial/loop.h"

namespace mindgap::decide {
namespace {

constexpr std::uint64_t kFresh = (std::uint64_t{1} << 61) + (std::uint64_t{1} << 40);

// What each plan earns in all, [plan][world], in worlds drawn with how.simulation.run.seed.
std::vector<std::vector<double>> totals(const Situation& situation, const DecideOptions& how,
                                        const std::vector<PreparedPlan>& plans, std::int64_t worlds) {
  std::vector<std::vector<double>> all(plans.size(), std::vector<double>(static_cast<std::size_t>(worlds)));
  const std::array<std::int64_t, 1> horizon = {situation.horizon};
  const base::Threads threads(how.simulation.run.threads);
  threads.for_each_chunk(worlds, [&](std::int64_t w) {
    const std::uint64_t number = kFresh + static_cast<std::uint64_t>(w);
    DrawnWorld world(situation.belief().sample(how.simulation.run.seed, number), situation.knowledge.variance,
                     situation.unit_state, situation.horizon, how.simulation.run.seed, number,
                     situation.belief().rewards());
    for (std::size_t p = 0; p < plans.size(); ++p) {
      world.forget();
      trial::run_trial(world, *follow_prepared(situation, how, plans[p], number % (1U << 30)), horizon);
      double sum = 0;
      for (const double earned : world.earned()) sum += earned;
      all[p][static_cast<std::size_t>(w)] = sum;
    }
  });
  return all;
}

std::vector<double> differences(const std::vector<double>& some, const std::vector<double>& others) {
  std::vector<double> result(some);
  for (std::size_t i = 0; i < result.size(); ++i) result[i] -= others[i];
  return result;
}

double error_of(const std::vector<double>& values) {
  return stats::standard_deviation(values) / std::sqrt(static_cast<double>(values.size()));
}

DecideOptions with_seed(const VariationOptions& options, std::uint64_t seed, std::int32_t members) {
  DecideOptions how;
  how.plans = options.plans;
  how.worlds = options.worlds;
  how.information_draws = 0;
  how.simulation.run.seed = seed;
  how.simulation.target.members = members;
  return how;
}

PreparedPlan prepared(const Situation& situation, const Plan& plan, const DecideOptions& how) {
  return Simulation(situation, {plan}, how.simulation).plans().front();
}

// gain[d][w] of J designs in W worlds is m_d + c_w + e_dw: the sample variance of the J means has the
// expectation var(m) + var(e)/W, and var(e) is estimated by the sum of (gain - its design's mean - its
// world's mean + the mean of all)^2 / ((J-1)(W-1)), as in a two-way analysis of variance.
double sd_over_designs(const std::vector<std::vector<double>>& gain) {
  const std::size_t designs = gain.size(), worlds = gain.front().size();
  std::vector<double> mean;
  mean.reserve(gain.size());
  for (const auto& one : gain) mean.push_back(stats::mean(one));
  const double all = stats::mean(mean);
  double squares = 0;
  for (std::size_t w = 0; w < worlds; ++w) {
    double here = 0;
    for (const auto& one : gain) here += one[w] / static_cast<double>(designs);
    for (std::size_t d = 0; d < designs; ++d) {
      const double residual = gain[d][w] - mean[d] - here + all;
      squares += residual * residual;
    }
  }
  const double sd = stats::standard_deviation(mean), count = static_cast<double>(worlds);
  const double noise = squares / (static_cast<double>(designs) - 1) / (count - 1) / count;
  return std::sqrt(std::max(0.0, sd * sd - noise));
}

// Gains of a pair of plans designed with several seeds, [design][world].
std::vector<std::vector<double>> gains_of_designs(const Situation& situation, const DecideOptions& how,
                                                  const Plan& plan, const Plan& other, std::int32_t members,
                                                  const VariationOptions& options) {
  std::vector<PreparedPlan> plans;
  for (std::size_t d = 1; d <= options.designs; ++d) {
    DecideOptions anew = with_seed(options, how.simulation.run.seed, members);
    anew.simulation.design_seed += d;
    plans.push_back(prepared(situation, plan, anew));
    plans.push_back(prepared(situation, other, anew));
  }
  const auto earned = totals(situation, how, plans, options.fresh_worlds);
  std::vector<std::vector<double>> gain;
  for (std::size_t p = 0; p < plans.size(); p += 2) gain.push_back(differences(earned[p], earned[p + 1]));
  return gain;
}

}  // namespace

Variation vary(const Problem& problem, std::uint64_t number, const VariationOptions& options) {
  const Situation& situation = problem.situation;
  const std::uint64_t seed = options.seed + 1'000 * number;
  const DecideOptions how = with_seed(options, seed, options.members.front());
  const Decision decision = decide(situation, how);
  Variation result;
  if (!decision.against) return result;
  const Comparison& stated = *decision.against;
  const Plan &plan = decision.plans[stated.plan].plan, &other = decision.plans[stated.other].plan;
  result.plan = plan.name;
  result.other = other.name;
  result.stated = stated.gain;
  result.lower = stated.gain_interval.lower;
  result.upper = stated.gain_interval.upper;
  result.standard_error = (result.upper - result.lower) / 2 / 1.962;

  const auto earned =
      totals(situation, how, {prepared(situation, plan, how), prepared(situation, other, how)},
             options.fresh_worlds);
  const std::vector<double> same = differences(earned[0], earned[1]);
  result.same = stats::mean(same);
  result.same_error = error_of(same);
  result.differs = result.same_error > 0 || result.standard_error > 0;
  if (options.designs > 1 && (plan.is_pilot() || other.is_pilot())) {
    for (const std::int32_t members : options.members) {
      const auto gain = gains_of_designs(situation, how, plan, other, members, options);
      result.design_sd.push_back(sd_over_designs(gain));
      if (!result.designs.empty()) continue;
      for (const auto& one : gain) result.designs.push_back(stats::mean(one));
    }
  }

  const DecideOptions anew = with_seed(options, seed + 1, options.members.front());
  const Decision again = decide(situation, anew);
  if (!again.against) return result;
  const Plan &one = again.plans[again.against->plan].plan, &two = again.plans[again.against->other].plan;
  result.again_plan = one.name;
  result.again_other = two.name;
  const auto found = totals(situation, anew, {prepared(situation, one, anew), prepared(situation, two, anew)},
                            options.fresh_worlds);
  const std::vector<double> gain = differences(found[0], found[1]);
  result.turned = one.kind == other.kind && two.kind == plan.kind;
  result.again = result.turned ? -stats::mean(gain) : stats::mean(gain);
  result.settled = decision.verdict.has_value();
  result.again_settled = again.verdict.has_value();
  result.again_error = error_of(gain);
  return result;
}

}  // namespace mindgap::decide

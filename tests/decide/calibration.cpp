#include "decide/calibration.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "mindgap/mdp/finite_horizon.h"
#include "mindgap/stats/moments.h"

namespace mindgap::decide {
namespace {

// Far above any world that a decision draws, so these are fresh ones; the pilots are those of the decision.
constexpr std::int64_t kFreshWorld = std::int64_t{1} << 24;
constexpr std::uint64_t kClairvoyantDraw = std::uint64_t{1} << 60;
constexpr std::int64_t kShareOfWorlds = 5;  // fixed plans are compared on this part of the fresh worlds

std::vector<Plan> fixed_plans_of(const Situation& situation) {
  std::vector<Plan> plans = {plan_from_string("sop"), plan_from_string("asop"), plan_from_string("thompson")};
  for (const std::int64_t units : {situation.units(), (situation.units() + 3) / 4}) {
    for (const std::int64_t part : {10, 5})
      plans.push_back(pilot_plan(units, std::max<std::int64_t>(1, situation.horizon / part)));
    plans.push_back(pilot_plan(units, std::max<std::int64_t>(1, 2 * situation.horizon / 5)));
  }
  return plans;
}

// E V* over the horizon: what knowing the truth would earn.
double clairvoyant(const Situation& situation, std::uint64_t seed, std::int64_t draws) {
  double sum = 0;
  for (std::int64_t i = 0; i < draws; ++i) {
    const mdp::Mdp truth =
        situation.belief().sample(seed, kClairvoyantDraw + static_cast<std::uint64_t>(i)).with_discount(1);
    const mdp::FiniteHorizonSolution best =
        mdp::solve_finite_horizon(truth, situation.horizon, {.keep_policy = false, .threads = 1});
    for (const std::int32_t s : situation.unit_state) sum += best.value[static_cast<std::size_t>(s)];
  }
  return sum / static_cast<double>(draws);
}

std::size_t place_of(std::vector<Plan>& plans, const Plan& plan) {
  const auto at = std::find(plans.begin(), plans.end(), plan);
  if (at != plans.end()) return static_cast<std::size_t>(at - plans.begin());
  plans.push_back(plan);
  return plans.size() - 1;
}

template <typename Value>
double mean_over(const std::vector<Judged>& problems, bool stating_only, Value value) {
  double sum = 0, count = 0;
  for (const Judged& judged : problems) {
    if (stating_only && !judged.differs) continue;
    sum += value(judged);
    ++count;
  }
  return sum / count;
}

}  // namespace

const std::vector<std::string>& fixed_plans() {
  static const std::vector<std::string> kNames = {
      "sop",       "asop",           "thompson",      "all x 1/10",   "all x 1/5",
      "all x 2/5", "quarter x 1/10", "quarter x 1/5", "quarter x 2/5"};
  return kNames;
}

Judged judge(const Problem& problem, std::uint64_t number, const CalibrationOptions& options) {
  const Situation& situation = problem.situation;
  DecideOptions how;
  how.worlds = options.worlds;
  how.time_limit = options.time_limit;
  how.information_draws = 0;
  how.simulation.run.seed = options.seed + number;
  const Decision decision = decide(situation, how);
  const Comparison& price = *decision.against;
  Judged judged{number, problem.family,
                decision.verdict ? std::string(name_of(*decision.verdict)) : "undecided",
                decision.plans[price.plan].plan.name, decision.plans[price.other].plan.name};
  judged.worlds = decision.worlds;
  judged.stated = price.gain;
  const double factor = stats::student_interval(0, 1, price.worlds, how.level).upper;
  judged.stated_error = (price.sampling_interval.upper - price.sampling_interval.lower) / 2 / factor;

  std::vector<Plan> plans;
  const std::size_t plan = place_of(plans, decision.plans[price.plan].plan);
  const std::size_t other = place_of(plans, decision.plans[price.other].plan);
  std::vector<std::size_t> fixed;
  for (const Plan& one : fixed_plans_of(situation)) fixed.push_back(place_of(plans, one));
  const Simulation simulation(situation, plans, how.simulation);
  const std::vector<std::size_t> both = {plan, other};
  const double for_ever = std::numeric_limits<double>::infinity();
  const Outcomes fresh = simulation.run(both, kFreshWorld, options.fresh_worlds, for_ever, "judging");
  std::vector<double> gain = fresh.values(0, Objective::total);
  const std::vector<double> less = fresh.values(1, Objective::total);
  for (std::size_t w = 0; w < gain.size(); ++w) gain[w] -= less[w];
  judged.realised = stats::mean(gain);
  judged.difference_sd = stats::standard_deviation(gain);
  judged.realised_error = judged.difference_sd / std::sqrt(static_cast<double>(gain.size()));
  judged.differs = judged.difference_sd > 0 || judged.stated_error > 0;
  judged.inside =
      price.sampling_interval.lower <= judged.realised && judged.realised <= price.sampling_interval.upper;
  judged.covered = std::abs(judged.stated - judged.realised) <=
                   factor * std::hypot(judged.stated_error, judged.realised_error);

  std::vector<std::size_t> all(plans.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  const std::int64_t some = std::max<std::int64_t>(2, options.fresh_worlds / kShareOfWorlds);
  const Outcomes shares = simulation.run(all, kFreshWorld, some, for_ever, "judging");
  const double most = clairvoyant(situation, how.simulation.run.seed, some);
  judged.verdict_share = stats::mean(shares.values(plan, Objective::total)) / most;
  for (const std::size_t one : fixed)
    judged.fixed_share.push_back(stats::mean(shares.values(one, Objective::total)) / most);
  return judged;
}

Calibration calibrate(const CalibrationOptions& options) {
  Calibration calibration;
  for (std::uint64_t i = 0; i < options.problems; ++i) {
    const std::uint64_t number = options.first + i;
    calibration.problems.push_back(judge(draw_problem(options.seed, number), number, options));
    if (options.on_judged) options.on_judged(calibration.problems.back());
  }
  return calibration;
}

std::int64_t Calibration::stating() const {
  return std::count_if(problems.begin(), problems.end(), [](const Judged& j) { return j.differs; });
}

double Calibration::inside() const {
  return mean_over(problems, true, [](const Judged& j) { return j.inside ? 1 : 0; });
}

double Calibration::covered() const {
  return mean_over(problems, true, [](const Judged& j) { return j.covered ? 1 : 0; });
}

double Calibration::verdict_share() const {
  return mean_over(problems, false, [](const Judged& j) { return j.verdict_share; });
}

std::vector<double> Calibration::fixed_shares() const {
  std::vector<double> shares;
  for (std::size_t p = 0; p < fixed_plans().size(); ++p)
    shares.push_back(mean_over(problems, false, [&](const Judged& j) { return j.fixed_share[p]; }));
  return shares;
}

double Calibration::best_fixed_share() const {
  const std::vector<double> shares = fixed_shares();
  return *std::max_element(shares.begin(), shares.end());
}

}  // namespace mindgap::decide

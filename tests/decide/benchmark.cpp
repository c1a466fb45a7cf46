#include "decide/benchmark.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>

#include "decide/follow.h"
#include "mindgap/base/parallel.h"
#include "mindgap/decide/drawn_world.h"
#include "mindgap/stats/moments.h"
#include "mindgap/trial/loop.h"

namespace mindgap::decide {
namespace {

using MakePlanner = std::function<std::unique_ptr<planner::Planner>(std::uint64_t trial)>;
using Method = RivalSpec::Method;

// Discounted reward per unit, in each of the first `models` models drawn from what `truths` states.
std::vector<double> earned_in(const Situation& truths, std::uint64_t seed, std::uint64_t models,
                              std::int64_t units, std::int64_t horizon, const MakePlanner& make) {
  const std::array<std::int64_t, 1> steps = {horizon};
  const std::vector<std::int32_t> start(static_cast<std::size_t>(units), 0);
  const std::vector<double> variance(truths.belief().prior().reward_sd.size(), 0.0);
  std::vector<double> all(models);
  base::parallel_for(
      base::Threads(0), static_cast<std::int64_t>(models), 1, [&](std::int64_t begin, std::int64_t end) {
        for (auto number = static_cast<std::uint64_t>(begin); number < static_cast<std::uint64_t>(end);
             ++number) {
          DrawnWorld world(draw_stated_model(truths, seed, number), variance, start, horizon, seed, number,
                           belief::reward_belief(belief::RewardModel::known_variance));
          trial::run_trial(world, *make(number), steps);
          double sum = 0;
          for (std::size_t t = world.earned().size(); t-- > 0;)
            sum = world.earned()[t] + kBenchmarkDiscount * sum;
          all[number] = sum / static_cast<double>(units);
        }
      });
  return all;
}

class Bench {
 public:
  Bench(const Family& family, PriorKind prior, std::int64_t units, const BenchmarkOptions& options)
      : options_(options),
        units_(units),
        known_(benchmark_situation(family, prior, units, options.horizon)),
        truths_(benchmark_situation(family, PriorKind::accurate, units, options.horizon)) {
    how_.plans = options.plans;
    how_.most_worlds = options.worlds;
    how_.indifference = options.indifference;
    how_.objective = Objective::discounted;
    how_.information_draws = 0;
    how_.simulation.run.seed = options.seed;
  }

  BenchmarkResult run(const Family& family, PriorKind prior) {
    const Decision decision = decide(known_, how_);
    BenchmarkResult result{family.name, prior, units_, decision.plans[decision.recommended].plan.name};
    const std::vector<double> ours =
        earned_in(truths_, options_.seed, options_.models, units_, options_.horizon,
                  [&](std::uint64_t trial) { return follow_recommended(known_, how_, decision, trial); });
    result.mean = stats::mean(ours);
    result.standard_error = error_of(ours);
    std::vector<std::vector<double>> theirs;
    for (const auto& candidates : rival_candidates(options_.tuning_models > 0)) {
      const RivalSpec rival = tuned(candidates);
      theirs.push_back(in_truths(rival));
      result.rivals.push_back(row_of(name_of(rival), theirs.back(), minus(ours, theirs.back())));
    }
    const auto best = static_cast<std::size_t>(&result.best_rival() - result.rivals.data());
    const Plan& plan = recommended_by_default(decision);
    const std::vector<double> by_default = plan.name == result.recommended ? ours : in_truths(plan);
    result.by_default = row_of(plan.name, by_default, minus(by_default, theirs[best]));
    return result;
  }

 private:
  static std::vector<std::vector<RivalSpec>> rival_candidates(bool tuned) {
    if (!tuned)
      return {{{Method::greedy, 0}}, {{Method::epsilon, .05}}, {{Method::psrl, 1}}, {{Method::beb, 1}}};
    std::vector<std::vector<RivalSpec>> all = {{{Method::greedy, 0}}, {}, {}, {}};
    for (const double epsilon : {.02, .05, .1, .2}) all[1].push_back({Method::epsilon, epsilon});
    for (const double hold : {1.0, 5.0, 20.0}) all[2].push_back({Method::psrl, hold});
    for (const double bonus : {.125, .25, .5, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0})
      all[3].push_back({Method::beb, bonus});
    return all;
  }

  // What decide() recommends from the same sampled models where kinds within the default indifference are
  // tied.
  static const Plan& recommended_by_default(const Decision& decision) {
    const double indifference = DecideOptions{}.indifference;
    const auto plan_at = [&](std::size_t place) -> const Plan& { return decision.plans[place].plan; };
    std::vector<Kind> kinds;
    for (const std::size_t place : decision.draws.plans) kinds.push_back(plan_at(place).kind);
    const std::vector<std::vector<double>>& values = decision.draws.values;
    const Kind kind = settle(values, kinds, indifference, DecideOptions{}.level).kind;
    const auto best_where = [&](auto holds) {
      const Plan* best = nullptr;
      double most = 0;
      for (std::size_t i = 0; i < values.size(); ++i) {
        const Plan& one = plan_at(decision.draws.plans[i]);
        if (!holds(one) || (best != nullptr && stats::mean(values[i]) <= most)) continue;
        best = &one;
        most = stats::mean(values[i]);
      }
      return best;
    };
    if (kind != Kind::experiment) return *best_where([&](const Plan& p) { return p.kind == kind; });
    const Plan* undirected = best_where([](const Plan& p) { return p.is_undirected(); });
    const std::optional<Comparison>& routes = decision.over_undirected;
    const bool pay =
        undirected == nullptr || (routes && routes->gain_interval.lower >
                                                indifference * std::abs(decision.plans[routes->other].value));
    return pay ? *best_where([](const Plan& p) { return p.is_designed(); }) : *undirected;
  }

  static std::vector<double> minus(std::vector<double> one, const std::vector<double>& other) {
    for (std::size_t i = 0; i < one.size(); ++i) one[i] -= other[i];
    return one;
  }

  static BenchmarkRow row_of(const std::string& name, const std::vector<double>& earned,
                             const std::vector<double>& ahead) {
    return {name, stats::mean(earned), error_of(earned), stats::mean(ahead), error_of(ahead)};
  }

  static double error_of(const std::vector<double>& values) {
    return stats::standard_deviation(values) / std::sqrt(static_cast<double>(values.size()));
  }

  MakePlanner maker(const RivalSpec& rival, std::uint64_t seed) const {
    return [this, rival, seed](std::uint64_t trial) {
      return make_rival(rival, known_.belief().simulator(), known_.belief().prior().transition_strength,
                        units_, seed, trial);
    };
  }

  std::vector<double> in_truths(const RivalSpec& rival) const {
    return earned_in(truths_, options_.seed, options_.models, units_, options_.horizon,
                     maker(rival, options_.seed));
  }

  std::vector<double> in_truths(const Plan& plan) const {
    return earned_in(truths_, options_.seed, options_.models, units_, options_.horizon,
                     [&](std::uint64_t trial) { return follow_plan(known_, how_, plan, trial); });
  }

  // The best in models drawn from what is known: what its user could have found out beforehand.
  RivalSpec tuned(const std::vector<RivalSpec>& candidates) const {
    if (candidates.size() == 1) return candidates.front();
    constexpr std::uint64_t kApart = 1'000'000;
    std::vector<double> mean;
    mean.reserve(candidates.size());
    for (const RivalSpec& rival : candidates)
      mean.push_back(stats::mean(earned_in(known_, options_.seed + kApart, options_.tuning_models, units_,
                                           options_.horizon, maker(rival, options_.seed + kApart))));
    return candidates[static_cast<std::size_t>(std::max_element(mean.begin(), mean.end()) - mean.begin())];
  }

  const BenchmarkOptions& options_;
  std::int64_t units_;
  Situation known_, truths_;
  DecideOptions how_;
};

}  // namespace

const BenchmarkRow& BenchmarkResult::best_rival() const {
  return *std::max_element(rivals.begin(), rivals.end(),
                           [](const auto& a, const auto& b) { return a.mean < b.mean; });
}

bool BenchmarkResult::as_good(double errors) const {
  const BenchmarkRow& best = best_rival();
  return best.ahead >= -errors * best.ahead_standard_error;
}

bool BenchmarkResult::default_within_indifference(double errors) const {
  return by_default.ahead >= -DecideOptions{}.indifference * std::abs(best_rival().mean) -
                                 errors * by_default.ahead_standard_error;
}

BenchmarkResult run_benchmark(const Family& family, PriorKind prior, std::int64_t units,
                              const BenchmarkOptions& options) {
  return Bench(family, prior, units, options).run(family, prior);
}

}  // namespace mindgap::decide

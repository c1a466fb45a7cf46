#include "mindgap/gap/prior_implies.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>

#include "mindgap/base/check.h"
#include "mindgap/base/error.h"
#include "mindgap/base/parallel.h"
#include "mindgap/base/workers.h"
#include "mindgap/belief/ensemble.h"
#include "mindgap/gap/evpi.h"
#include "mindgap/mdp/evaluate.h"
#include "mindgap/mdp/finite_horizon.h"
#include "mindgap/mdp/solve.h"

namespace mindgap::gap {
namespace {

using mdp::Mdp;

constexpr std::uint64_t kFirstDraw = std::uint64_t{1} << 59;
constexpr double kWork = 2e8;  // sweeps over transitions that are worth their time
constexpr std::size_t kInventors = 3;
constexpr double kHalfAgain = .5, kShareOfRange = .1;

// The best value of one model, and how often its best policy takes each pair.
struct Best {
  double value = 0;
  std::vector<double> visits;
};

class Horizon {
 public:
  Horizon(const Mdp& mdp, const PriorImpliesOptions& options)
      : options_(options), positions_(options.positions) {
    if (positions_.empty()) positions_.assign(mdp.start().begin(), mdp.start().end());
    base::check_size("prior_implies", "positions", positions_.size(), static_cast<std::size_t>(mdp.states()));
    base::check_nonnegative("prior_implies", "positions", positions_);
    if (options.steps == 0 && mdp.discount() == 1)
      throw InvalidArgument("prior_implies: the discount is 1: expected steps");
  }

  Best best(const Mdp& model, bool with_visits) const {
    return options_.steps == 0 ? best_for_ever(model, with_visits) : best_over_steps(model, with_visits);
  }

 private:
  double value_of(std::span<const double> value) const {
    return std::inner_product(value.begin(), value.end(), positions_.begin(), 0.0);
  }

  Best best_for_ever(const Mdp& model, bool with_visits) const {
    const mdp::Solution solution = mdp::solve(model, {.tolerance = 1e-6, .threads = 1});
    Best found{value_of(solution.value), {}};
    if (!with_visits) return found;
    // Visits from the positions: the visitation of the model that starts there, in units of time.
    const double units = std::accumulate(positions_.begin(), positions_.end(), 0.0);
    std::vector<double> start = positions_;
    for (double& share : start) share /= units;
    const mdp::Visitation seen =
        mdp::discounted_visitation(model.with_start(std::move(start)), solution.policy);
    found.visits.assign(static_cast<std::size_t>(model.pairs()), 0.0);
    for (std::int32_t s = 0; s < model.states(); ++s)
      found.visits[solution.policy.pair_of_state()[s]] = units * seen.share[s] / (1 - model.discount());
    return found;
  }

  Best best_over_steps(const Mdp& drawn, bool with_visits) const {
    const Mdp model = options_.discounted ? drawn : drawn.with_discount(1);
    const mdp::FiniteHorizonSolution solution =
        mdp::solve_finite_horizon(model, options_.steps, {.keep_policy = with_visits, .threads = 1});
    Best found{value_of(solution.value), {}};
    if (!with_visits) return found;
    found.visits.assign(static_cast<std::size_t>(model.pairs()), 0.0);
    std::vector<double> now = positions_, next(now.size());
    for (std::int64_t t = 0; t < options_.steps; ++t) {
      std::fill(next.begin(), next.end(), 0.0);
      const std::int32_t* pair = solution.pair.data() + t * model.states();
      for (std::size_t s = 0; s < now.size(); ++s) {
        if (now[s] == 0) continue;
        found.visits[pair[s]] += now[s];
        for (const std::int64_t i : model.entries_of(pair[s]))
          next[model.next_state()[i]] += model.discount() * now[s] * model.probability()[i];
      }
      std::swap(now, next);
    }
    return found;
  }

  const PriorImpliesOptions& options_;
  std::vector<double> positions_;
};

// What one drawn model contributes.
struct Implied {
  double value = 0;
  std::int64_t outside = 0;
  std::vector<double> invented;  // per pair
  double simulated = 0;          // the best value of the member that it is drawn around
};

std::vector<double> numbers_of(const std::vector<Implied>& some) {
  std::vector<double> numbers;
  base::NumberWriter writer(numbers);
  for (const Implied& one : some) {
    writer.one(one.value);
    writer.one(one.outside);
    writer.one(one.simulated);
    writer.list(one.invented);
  }
  return numbers;
}

std::vector<Implied> implied_from(std::span<const double> numbers, std::size_t draws) {
  std::vector<Implied> some(draws);
  base::NumberReader reader(numbers);
  for (Implied& one : some) {
    reader.one(one.value);
    reader.one(one.outside);
    reader.one(one.simulated);
    reader.list(one.invented);
  }
  return some;
}

Implied look_at(const Mdp& drawn, std::span<const double> simulated, const std::array<double, 2>& shown,
                const Horizon& horizon) {
  const Best best = horizon.best(drawn, true);
  Implied implied{best.value, 0, std::vector<double>(best.visits.size(), 0.0)};
  for (std::int32_t k = 0; k < drawn.pairs(); ++k) {
    const double r = drawn.reward()[k];
    implied.outside += r < shown[0] || r > shown[1];
    implied.invented[k] = best.visits[k] * (r - simulated[k]);
  }
  return implied;
}

Implied look_at_draw(const belief::Belief& belief, std::uint64_t seed, std::uint64_t draw,
                     const std::array<double, 2>& shown, const Horizon& horizon) {
  const Mdp drawn = belief.sample(seed, draw);
  const belief::Ensemble* ensemble = belief.ensemble();
  if (ensemble == nullptr) return look_at(drawn, belief.simulator().reward(), shown, horizon);
  const std::int32_t member = ensemble->member_of_draw(seed, draw);
  Implied implied = look_at(drawn, ensemble->members().reward(member), shown, horizon);
  implied.simulated = horizon.best(ensemble->members().model(member), false).value;
  return implied;
}

std::array<double, 2> shown_rewards(const belief::Belief& belief) {
  const auto [least, most] =
      std::minmax_element(belief.simulator().reward().begin(), belief.simulator().reward().end());
  std::array<double, 2> shown{*least, *most};
  const std::int32_t members = belief.ensemble() == nullptr ? 0 : belief.ensemble()->members().size();
  for (std::int32_t i = 0; i < members; ++i) {
    const auto [low, high] = std::ranges::minmax(belief.ensemble()->members().reward(i));
    shown = {std::min(shown[0], low), std::max(shown[1], high)};
  }
  for (const belief::SampleSummary& seen : belief.rewards_seen()) {
    if (seen.count == 0) continue;
    shown[0] = std::min(shown[0], seen.mean);
    shown[1] = std::max(shown[1], seen.mean);
  }
  return shown;
}

std::int64_t draws_for(const Mdp& mdp, const PriorImpliesOptions& options) {
  if (options.draws > 0) return options.draws;
  const double sweeps = options.steps > 0 ? static_cast<double>(options.steps) : 100;
  const double most = kWork / (sweeps * static_cast<double>(std::max<std::int64_t>(1, mdp.nonzeros())));
  return static_cast<std::int64_t>(std::clamp(most, 8.0, static_cast<double>(kImpliedDraws)));
}

// Linear between the order statistics.
double percentile(const std::vector<double>& sorted, double share) {
  const double at = share * static_cast<double>(sorted.size() - 1);
  const auto low = static_cast<std::size_t>(at);
  if (low + 1 == sorted.size()) return sorted.back();
  return sorted[low] + (at - static_cast<double>(low)) * (sorted[low + 1] - sorted[low]);
}

std::vector<InventedValue> largest(const std::vector<double>& invented) {
  std::vector<InventedValue> order;
  for (std::size_t k = 0; k < invented.size(); ++k) {
    if (invented[k] > 0) order.push_back({static_cast<std::int32_t>(k), invented[k]});
  }
  std::stable_sort(order.begin(), order.end(),
                   [](const auto& a, const auto& b) { return a.value > b.value; });
  order.resize(std::min(order.size(), kInventors));
  return order;
}

}  // namespace

PriorImplies prior_implies(const belief::Belief& belief, const PriorImpliesOptions& options) {
  base::check_range("prior_implies", "draws", static_cast<double>(options.draws), 0, 1e7);
  base::check_range("prior_implies", "steps", static_cast<double>(options.steps), 0, 1e7);
  const Mdp& simulator = belief.simulator();
  const Horizon horizon(simulator, options);
  std::vector<double> opposite(simulator.reward().begin(), simulator.reward().end());
  for (double& r : opposite) r = -r;
  PriorImplies result;
  result.steps = options.steps;
  result.simulator_best = horizon.best(simulator, false).value;
  result.simulator_worst = -horizon.best(simulator.with_reward(std::move(opposite)), false).value;
  result.shown = shown_rewards(belief);
  result.of_members = belief.ensemble() != nullptr;
  double simulated = 0;

  const base::Threads threads(options.run.threads);
  const std::int64_t draws = draws_for(simulator, options),
                     batch = std::max<std::int64_t>(8, threads.count());
  std::vector<double> values, invented(static_cast<std::size_t>(simulator.pairs()), 0.0);
  std::int64_t outside = 0;
  const auto look_at_some = [&](std::int64_t begin, std::int64_t end) {
    std::vector<Implied> some(static_cast<std::size_t>(end - begin));
    threads.for_each_chunk(end - begin, [&](std::int64_t i) {
      some[static_cast<std::size_t>(i)] =
          look_at_draw(belief, options.run.seed, kFirstDraw + static_cast<std::uint64_t>(begin + i),
                       result.shown, horizon);
    });
    return some;
  };
  const auto take = [&](const std::vector<Implied>& some) {
    for (const Implied& one : some) {
      values.push_back(one.value);
      outside += one.outside;
      simulated += one.simulated;
      base::check_size("prior_implies", "pairs of a drawn model", one.invented.size(), invented.size());
      for (std::size_t k = 0; k < invented.size(); ++k) invented[k] += one.invented[k];
    }
    result.draws += static_cast<std::int64_t>(some.size());
    return !options.run.listener.wants_to_stop();
  };
  if (base::are_shared()) {
    base::share(
        {"implied", 0, draws},
        [&](std::int64_t begin, std::int64_t end) { return numbers_of(look_at_some(begin, end)); },
        [&](std::int64_t begin, std::int64_t end, std::span<const double> numbers) {
          return take(implied_from(numbers, static_cast<std::size_t>(end - begin)));
        });
  } else {
    for (std::int64_t begin = 0; begin < draws; begin += batch) {
      if (!take(look_at_some(begin, std::min(begin + batch, draws)))) break;
    }
  }
  const auto n = static_cast<double>(result.draws);
  if (result.of_members) result.simulator_best = simulated / n;
  for (double& value : invented) value /= n;
  result.outside = static_cast<double>(outside) / (n * static_cast<double>(simulator.pairs()));
  result.invented = largest(invented);
  const Estimate value = estimate(values);
  result.mean = value.mean;
  result.standard_error = value.standard_error;
  std::sort(values.begin(), values.end());
  result.lower = percentile(values, .1);
  result.upper = percentile(values, .9);
  const double scale = std::max(std::abs(result.simulator_best),
                                kShareOfRange * (result.simulator_best - result.simulator_worst));
  result.too_good = result.mean - result.simulator_best > kHalfAgain * scale;
  return result;
}

}  // namespace mindgap::gap

#include "mindgap/design/occupancy.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "mindgap/base/check.h"
#include "mindgap/base/error.h"
#include "mindgap/mdp/evaluate.h"
#include "mindgap/mdp/finite_horizon.h"
#include "mindgap/mdp/solve.h"
#include "mindgap/mdp/start_value.h"

namespace mindgap::design {
namespace {

using mdp::Mdp;

double units_of(std::span<const double> positions) {
  return std::accumulate(positions.begin(), positions.end(), 0.0);
}

// The model with the positions, made a distribution, as its start.
Mdp started(const Mdp& mdp, std::span<const double> positions) {
  base::check_size("Occupancy", "positions", positions.size(), static_cast<std::size_t>(mdp.states()));
  base::check_nonnegative("Occupancy", "positions", positions);
  const double units = units_of(positions);
  base::check_positive("Occupancy", "number of units", units);
  std::vector<double> start(positions.begin(), positions.end());
  for (double& share : start) share /= units;
  return mdp.with_start(std::move(start));
}

class Finite : public Occupancy {
 public:
  Finite(const Mdp& mdp, std::vector<double> positions, std::int64_t steps, int threads)
      : Occupancy(started(mdp, positions).with_discount(1), positions, steps,
                  units_of(positions) * static_cast<double>(steps), true),
        threads_(threads) {}

  Corner best(std::span<const double> price) const override {
    const Mdp priced = mdp().with_reward(std::vector<double>(price.begin(), price.end()));
    mdp::FiniteHorizonSolution solution = mdp::solve_finite_horizon(priced, steps(), {.threads = threads_});
    Corner corner;
    corner.pair = std::move(solution.pair);
    follow(corner);
    corner.worth = dot(price, corner.counts);
    corner.bound = std::max(corner.worth, units_of(positions()) * solution.bounds[1]);
    return corner;
  }

  // V_t = step_price_t + max_a (price + p V_{t+1}): backward induction one step at a time.
  Corner best_at_steps(std::span<const double> price, std::span<const double> step_price) const override {
    const auto states = static_cast<std::size_t>(mdp().states());
    const auto last = static_cast<std::size_t>(steps());
    base::check_size("Occupancy::best_at_steps", "step_price", step_price.size(), last * states);
    const Mdp priced = mdp().with_reward(std::vector<double>(price.begin(), price.end()));
    const double unit = std::numeric_limits<double>::epsilon() / 2;
    Corner corner;
    corner.pair.resize(last * states);
    std::vector<double> value(states, 0.0);
    double error = 0;
    for (std::size_t step = last; step-- > 0;) {
      mdp::FiniteHorizonSolution one =
          mdp::solve_finite_horizon(priced, 1, {.terminal_value = value, .threads = threads_});
      std::copy(one.pair.begin(), one.pair.end(),
                corner.pair.begin() + static_cast<std::ptrdiff_t>(step * states));
      value = std::move(one.value);
      double largest = 0;
      for (std::size_t s = 0; s < states; ++s) {
        value[s] += step_price[step * states + s];
        largest = std::max(largest, std::abs(value[s]));
      }
      error = mdp().row_sum_max() * error + one.error_bound + unit * largest;
    }
    follow(corner);
    corner.worth = dot(price, corner.counts) + dot(step_price, step_visits(corner.pair));
    const mdp::StartValue start = mdp::start_value(mdp(), value, error);
    corner.bound = std::max(corner.worth, units_of(positions()) * (start.value + start.error));
    return corner;
  }

  std::vector<double> step_visits(std::span<const std::int32_t> pair) const override {
    const auto states = static_cast<std::size_t>(mdp().states());
    mdp::check_time_policy(mdp(), pair, steps());
    std::vector<double> visits(static_cast<std::size_t>(steps()) * states, 0.0),
        counts(mdp().reward().size());
    walk([&](std::int64_t step, std::size_t s, double here, std::span<double> next) {
      const std::size_t at = static_cast<std::size_t>(step) * states + s;
      visits[at] = here;
      take(pair[at], here, counts, next);
    });
    return visits;
  }

  std::vector<double> counts(std::span<const double> pi) const override {
    const auto pairs = static_cast<std::size_t>(mdp().pairs());
    base::check_size("Occupancy::counts", "pi", pi.size(), pairs * static_cast<std::size_t>(steps()));
    std::vector<double> result(pairs, 0.0);
    walk([&](std::int64_t step, std::size_t s, double here, std::span<double> next) {
      for (const std::int32_t k : mdp().pairs_of(static_cast<std::int32_t>(s))) {
        const double p = pi[static_cast<std::size_t>(step) * pairs + static_cast<std::size_t>(k)];
        if (p > 0) take(k, here * p, result, next);
      }
    });
    return result;
  }

 private:
  // The counts of the corner's policy.
  void follow(Corner& corner) const {
    corner.counts.assign(static_cast<std::size_t>(mdp().pairs()), 0.0);
    const auto states = static_cast<std::size_t>(mdp().states());
    walk([&](std::int64_t step, std::size_t s, double here, std::span<double> next) {
      take(corner.pair[static_cast<std::size_t>(step) * states + s], here, corner.counts, next);
    });
  }

  // visit(step, state, units there, units in each state at the next step)
  template <typename Visit>
  void walk(Visit visit) const {
    std::vector<double> now(positions().begin(), positions().end()), next(now.size());
    for (std::int64_t step = 0; step < steps(); ++step) {
      std::fill(next.begin(), next.end(), 0.0);
      for (std::size_t s = 0; s < now.size(); ++s) {
        if (now[s] > 0) visit(step, s, now[s], next);
      }
      std::swap(now, next);
    }
  }

  void take(std::int32_t k, double units, std::span<double> counts, std::span<double> next) const {
    counts[k] += units;
    for (const std::int64_t i : mdp().entries_of(k)) {
      next[mdp().next_state()[i]] += units * mdp().probability()[i];
    }
  }

  int threads_;
};

class Discounted : public Occupancy {
 public:
  Discounted(const Mdp& mdp, std::vector<double> positions, double budget, int threads, double tolerance)
      : Occupancy(started(mdp, positions), positions, 1, budget, false),
        threads_(threads),
        tolerance_(tolerance),
        linear_(mdp::Resolvent(this->mdp(), mdp::Policy::uniform(this->mdp())).method()) {}

  Corner best(std::span<const double> price) const override {
    const Mdp priced = mdp().with_reward(std::vector<double>(price.begin(), price.end()));
    const mdp::Solution solution =
        mdp::solve(priced, {.tolerance = tolerance_, .threads = threads_, .initial_value = last_value_});
    last_value_ = solution.value;
    Corner corner;
    corner.pair.assign(solution.policy.pair_of_state().begin(), solution.policy.pair_of_state().end());
    corner.counts = counts(solution.policy.probability_of_pair(mdp()));
    corner.worth = dot(price, corner.counts);
    corner.bound = std::max(corner.worth, budget() * (1 - mdp().discount()) * solution.bounds[1]);
    return corner;
  }

  std::vector<double> counts(std::span<const double> pi) const override {
    const mdp::Policy policy = mdp::Policy::stochastic(mdp(), std::vector<double>(pi.begin(), pi.end()));
    const std::vector<double> share = mdp::discounted_visitation(mdp(), policy, {.method = linear_}).share;
    std::vector<double> result(pi.begin(), pi.end());
    for (std::int32_t s = 0; s < mdp().states(); ++s) {
      for (const std::int32_t k : mdp().pairs_of(s)) {
        result[k] *= budget() * std::max(0.0, share[s]);
      }
    }
    return result;
  }

 private:
  int threads_;
  double tolerance_;
  mdp::LinearMethod linear_;
  mutable std::vector<double>
      last_value_;  // the first guess for the next price; never changes a result's bounds
};

}  // namespace

Occupancy::Occupancy(Mdp mdp, std::vector<double> positions, std::int64_t steps, double budget, bool finite)
    : mdp_(std::move(mdp)),
      positions_(std::move(positions)),
      steps_(steps),
      budget_(budget),
      finite_(finite) {
  base::check_positive("Occupancy", "steps", static_cast<double>(steps_));
  base::check_positive("Occupancy", "budget", budget_);
}

Corner Occupancy::best_at_steps(std::span<const double>, std::span<const double>) const {
  throw InvalidArgument("Occupancy::best_at_steps: only a finite pilot has steps");
}

std::vector<double> Occupancy::step_visits(std::span<const std::int32_t>) const {
  throw InvalidArgument("Occupancy::step_visits: only a finite pilot has steps");
}

std::unique_ptr<Occupancy> finite_occupancies(const Mdp& mdp, std::vector<double> positions,
                                              std::int64_t steps, int threads) {
  return std::make_unique<Finite>(mdp, std::move(positions), steps, threads);
}

std::unique_ptr<Occupancy> discounted_occupancies(const Mdp& mdp, std::vector<double> positions,
                                                  double budget, int threads, double tolerance) {
  if (mdp.discount() == 1)
    throw InvalidArgument("discounted_occupancies: discount is 1, but must be below 1");
  return std::make_unique<Discounted>(mdp, std::move(positions), budget, threads, tolerance);
}

}  // namespace mindgap::design

#include "mindgap/design/minimum.h"

#include <algorithm>
#include <numeric>

#include "mindgap/base/check.h"
#include "mindgap/mdp/graph.h"
#include "mindgap/mdp/solve.h"

namespace mindgap::design {

std::string_view to_string(MinimumStatus status) {
  switch (status) {
    case MinimumStatus::converged:
      return "converged";
    case MinimumStatus::iteration_limit:
      return "iteration_limit";
    case MinimumStatus::time_limit:
      return "time_limit";
    case MinimumStatus::precision_limit:
      return "precision_limit";
  }
  return "unknown";
}

Certificate::Certificate(const Objective& objective, const Occupancy& occupancies, int threads)
    : objective_(objective), occupancies_(occupancies), threads_(threads) {
  const mdp::Mdp& mdp = occupancies.mdp();
  base::check_size("Certificate", "objective", objective.size(), static_cast<std::size_t>(mdp.pairs()));
  reachable_ = mdp::reachable(mdp, mdp::start_states(mdp));
}

double Certificate::price(std::span<const double> n, std::span<double> price,
                          std::span<double> curvature) const {
  const double value = objective_.derivatives(n, price, curvature);
  const mdp::Mdp& mdp = occupancies_.mdp();
  for (std::int32_t s = 0; s < mdp.states(); ++s) {
    for (const std::int32_t k : mdp.pairs_of(s)) {
      price[k] = reachable_[s] ? -price[k] : 0;
    }
  }
  return value;
}

void Certificate::raise(std::span<const double> n, double accuracy, std::span<const double> value) {
  std::vector<double> price(n.size());
  const double f = this->price(n, price);
  const double worth = std::inner_product(price.begin(), price.end(), n.begin(), 0.0);
  const double most = best_worth(price, accuracy, value);
  // What rounding may have done to the sums.
  const double slack = 16 * std::numeric_limits<double>::epsilon() * (f + worth + most);
  lower_ = std::max(lower_, f + worth - most - slack);
}

double Certificate::best_worth(std::span<const double> price, double accuracy,
                               std::span<const double> value) const {
  if (occupancies_.is_finite()) return occupancies_.best(price).bound;
  const double largest = *std::max_element(price.begin(), price.end());
  if (!(largest > 0)) return 0;
  const mdp::Mdp priced = occupancies_.mdp().with_reward(std::vector<double>(price.begin(), price.end()));
  // budget (1-g) V is in units of f, and the tolerance a share of `largest` / (1-g).
  const double tolerance = std::clamp(accuracy / (occupancies_.budget() * largest), 1e-15, 1e-2);
  const mdp::Solution solution =
      mdp::solve(priced, {.tolerance = tolerance,
                          .threads = threads_,
                          .initial_value = std::vector<double>(value.begin(), value.end())});
  return occupancies_.budget() * (1 - priced.discount()) * solution.bounds[1];
}

double Certificate::gap(double value) const {
  return std::max(0.0, value - lower_);
}

double Certificate::relative_gap(double value) const {
  return value > 0 ? gap(value) / value : 0;
}

}  // namespace mindgap::design

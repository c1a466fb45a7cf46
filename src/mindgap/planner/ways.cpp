#include "mindgap/planner/ways.h"

#include <algorithm>
#include <cmath>

namespace mindgap::planner {
namespace {

constexpr double kAccuracy = 1e-6;
constexpr int kSweeps = 1000;  // a slow walk that is still changing then is close enough for an index

double expected(const mdp::Mdp& mdp, std::int32_t pair, const std::vector<double>& of_state) {
  double sum = 0;
  for (const std::int64_t i : mdp.entries_of(pair))
    sum += mdp.probability()[i] * of_state[mdp.next_state()[i]];
  return sum;
}

// States from which some way leads to the target, nearest first, without the target.
std::vector<std::int32_t> outwards(const mdp::Predecessors& predecessors, std::int32_t target,
                                   std::int32_t states) {
  std::vector<std::int32_t> order = {target};
  std::vector<bool> met(static_cast<std::size_t>(states));
  met[target] = true;
  for (std::size_t i = 0; i < order.size(); ++i) {
    for (const std::int32_t s : predecessors.of(order[i])) {
      if (met[s]) continue;
      met[s] = true;
      order.push_back(s);
    }
  }
  order.erase(order.begin());
  return order;
}

void find_discounts(const mdp::Mdp& mdp, std::span<const std::int32_t> order, Way& way) {
  for (int sweep = 0; sweep < kSweeps; ++sweep) {
    double change = 0;
    for (const std::int32_t s : order) {
      double best = -1;
      for (const std::int32_t k : mdp.pairs_of(s)) {
        const double d = mdp.discount() * expected(mdp, k, way.discount);
        if (d > best) best = d, way.pair_of_state[s] = k;
      }
      change = std::max(change, std::abs(best - way.discount[s]));
      way.discount[s] = best;
    }
    if (change <= kAccuracy) break;
  }
}

void find_rewards(const mdp::Mdp& mdp, std::span<const std::int32_t> order, Way& way) {
  for (int sweep = 0; sweep < kSweeps; ++sweep) {
    double change = 0, largest = 0;
    for (const std::int32_t s : order) {
      const std::int32_t k = way.pair_of_state[s];
      const double b = mdp.reward()[k] + mdp.discount() * expected(mdp, k, way.reward);
      change = std::max(change, std::abs(b - way.reward[s]));
      largest = std::max(largest, std::abs(b));
      way.reward[s] = b;
    }
    if (change <= kAccuracy * largest) break;
  }
}

}  // namespace

Way quickest_way(const mdp::Mdp& mdp, const mdp::Predecessors& predecessors, std::int32_t target,
                 std::span<const double> value_elsewhere) {
  const auto states = static_cast<std::size_t>(mdp.states());
  const std::vector<std::int32_t> order = outwards(predecessors, target, mdp.states());
  Way way{target,
          std::vector<double>(states),
          {value_elsewhere.begin(), value_elsewhere.end()},
          std::vector<std::int32_t>(states, -1)};
  for (const std::int32_t s : order) way.reward[s] = 0;
  way.discount[target] = 1;
  way.reward[target] = 0;
  find_discounts(mdp, order, way);
  find_rewards(mdp, order, way);
  return way;
}

}  // namespace mindgap::planner

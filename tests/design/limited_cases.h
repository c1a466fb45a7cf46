#pragma once

#include <algorithm>
#include <memory>
#include <random>
#include <vector>

#include "mdp/random_models.h"
#include "mindgap/design/column_generation.h"
#include "mindgap/design/constraints.h"
#include "mindgap/design/objective.h"
#include "mindgap/gap/pvv.h"
#include "mindgap/mdp/solve.h"

namespace mindgap::design {

/// A random pilot within a random limit that some pilot can keep to: a town of streets where moves may fail,
/// or a random model; 2 to 8 units; 6 to 18 steps; a share of a group, costs, a loss or a capacity.
struct LimitedCase {
  std::mt19937_64 bits;
  mdp::Mdp mdp;
  std::vector<std::int32_t> units;
  std::unique_ptr<Occupancy> pilot;
  Objective objective;
  Constraints constraints;
  ColumnGenerationResult optimum;

  explicit LimitedCase(std::uint64_t seed)
      : bits(seed),
        mdp(seed % 2 == 0
                ? town()
                : mdp::Mdp(grouped(mdp::random_arrays(
                      seed,
                      {.states = 10, .actions = 3, .successors = 2, .reward_low = 0, .all_actions = true})))),
        units(place()),
        pilot(occupancy()),
        objective(criterion()) {
    limit(seed / 2 % 5);
    optimum = minimise_by_columns(objective, *pilot, constraints, {.relative_gap = 1e-4});
  }

 private:
  double uniform() { return (static_cast<double>(bits() >> 11) + .5) * 0x1p-53; }
  std::int64_t whole(std::int64_t from, std::int64_t to) {
    return from + static_cast<std::int64_t>(uniform() * static_cast<double>(to - from + 1));
  }

  static mdp::MdpArrays grouped(mdp::MdpArrays arrays) {
    arrays.labels.groups = mdp::NameTable({"near", "far"});
    const std::size_t states = arrays.pair_begin.size() - 1;
    for (std::size_t s = 0; s < states; ++s) arrays.labels.group_of_state.push_back(s < states / 2 ? 0 : 1);
    return arrays;
  }

  // 4 x 3 places, by columns: go on or back in the street, change streets, stay; one move in ten fails.
  mdp::Mdp town() {
    mdp::MdpArrays arrays;
    arrays.discount = .9;
    arrays.actions = 5;
    arrays.pair_begin = {0};
    arrays.row_begin = {0};
    for (std::int32_t s = 0; s < 12; ++s) {
      const std::int32_t x = s / 3, y = s % 3;
      for (std::int32_t a = 0; a < 5; ++a) {
        const std::int32_t dx[] = {0, 1, -1, 0, 0}, dy[] = {0, 0, 0, 1, -1};
        const std::int32_t to = std::clamp(x + dx[a], 0, 3) * 3 + std::clamp(y + dy[a], 0, 2);
        arrays.pair_action.push_back(a);
        arrays.reward.push_back(uniform());
        arrays.next_state.push_back(to);
        arrays.probability.push_back(to == s ? 1 : .9);
        if (to != s) {
          arrays.next_state.push_back(s);
          arrays.probability.push_back(.1);
        }
        arrays.row_begin.push_back(static_cast<std::int64_t>(arrays.next_state.size()));
      }
      arrays.pair_begin.push_back(static_cast<std::int32_t>(arrays.pair_action.size()));
    }
    return mdp::Mdp(grouped(std::move(arrays)));
  }

  std::vector<std::int32_t> place() {
    std::vector<std::int32_t> states;
    for (std::int64_t u = whole(2, 8); u > 0; --u) states.push_back(static_cast<std::int32_t>(whole(0, 3)));
    return states;
  }

  std::unique_ptr<Occupancy> occupancy() {
    std::vector<double> positions(static_cast<std::size_t>(mdp.states()), 0.0);
    for (const std::int32_t s : units) positions[s] += 1;
    return finite_occupancies(mdp, positions, whole(6, 18), 1);
  }

  Objective criterion() {
    gap::PvvWeights weights;
    const double precision = std::exp(3 * uniform());  // 1 to 20 times the prior's
    const auto pairs = static_cast<std::size_t>(mdp.pairs());
    for (std::size_t k = 0; k < pairs; ++k) {
      weights.reward.push_back(-std::log(uniform()));
      weights.transition.push_back(-std::log(uniform()));
    }
    return Objective(weights, {std::vector<double>(pairs, 1.0), std::vector<double>(pairs, precision),
                               std::vector<double>(pairs, 5.0)});
  }

  // Bounds between what the freest pilot would have and what none can go below, nearer to the former.
  void limit(std::uint64_t kind) {
    const ColumnGenerationResult free = minimise_by_columns(objective, *pilot, {}, {.relative_gap = 1e-3});
    if (kind == 4) {
      // No more than half the units in the second state that they begin near, but those that begin there.
      const double there = pilot->positions()[5], all = static_cast<double>(units.size());
      constraints.capacity.push_back({5, std::max(there, std::ceil(all / 4))});
      return;
    }
    LinearConstraint row = kind == 0   ? maximum_share(*pilot, "far", 1)
                           : kind == 1 ? minimum_share(*pilot, "far", 0)
                           : kind == 2 ? cost_budget(*pilot, costs(), 0)
                                       : loss_limit(*pilot, mdp::solve(mdp).policy, 0);
    std::vector<double> price(static_cast<std::size_t>(mdp.pairs()), 0.0);
    for (std::size_t i = 0; i < row.pair.size(); ++i) price[row.pair[i]] -= row.coefficient[i];
    const double least = row.left(pilot->best(price).counts), usual = row.left(free.counts);
    row.bound = least + (.3 + .5 * uniform()) * (usual - least);
    constraints.linear.push_back(std::move(row));
  }

  std::vector<double> costs() {
    std::vector<double> cost;
    cost.reserve(static_cast<std::size_t>(mdp.pairs()));
    for (std::int32_t k = 0; k < mdp.pairs(); ++k) cost.push_back(uniform());
    return cost;
  }
};

}  // namespace mindgap::design

#pragma once

#include <cmath>
#include <cstdint>
#include <functional>
#include <vector>

#include "mindgap/design/constraints.h"
#include "mindgap/design/objective.h"
#include "mindgap/design/occupancy.h"

// Independent oracles for designs on models small enough to list every policy of.
namespace mindgap::design {

/// The counts and step visits of every time-dependent deterministic policy.
struct Enumerated {
  std::vector<std::vector<double>> counts, visits;
};

inline Enumerated enumerate_policies(const Occupancy& pilot) {
  const mdp::Mdp& mdp = pilot.mdp();
  const auto states = static_cast<std::size_t>(mdp.states());
  const std::size_t places = states * static_cast<std::size_t>(pilot.steps());
  std::vector<std::int32_t> pair(places);
  for (std::size_t i = 0; i < places; ++i) pair[i] = mdp.pair_begin()[i % states];
  Enumerated result;
  while (true) {
    std::vector<double> counts(mdp.reward().size(), 0.0), visits(places, 0.0);
    std::vector<double> now(pilot.positions().begin(), pilot.positions().end());
    for (std::size_t i = 0; i < places; i += states) {
      std::vector<double> next(states, 0.0);
      for (std::size_t s = 0; s < states; ++s) {
        const std::int32_t k = pair[i + s];
        visits[i + s] = now[s];
        counts[k] += now[s];
        for (std::int64_t e = mdp.row_begin()[k]; e < mdp.row_begin()[k + 1]; ++e) {
          next[mdp.next_state()[e]] += now[s] * mdp.probability()[e];
        }
      }
      now = next;
    }
    result.counts.push_back(counts);
    result.visits.push_back(visits);
    std::size_t i = 0;
    while (i < places && ++pair[i] == mdp.pair_begin()[i % states + 1]) {
      pair[i] = mdp.pair_begin()[i % states];
      ++i;
    }
    if (i == places) return result;
  }
}

/// One row per constraint (capacities: per step) and policy.
inline std::vector<std::vector<double>> rows_of(const Occupancy& pilot, const Enumerated& all,
                                                const Constraints& constraints, std::vector<double>& bounds) {
  std::vector<std::vector<double>> rows;
  for (const LinearConstraint& row : constraints.linear) {
    rows.emplace_back();
    bounds.push_back(row.bound);
    for (const auto& n : all.counts) {
      double sum = 0;
      for (std::size_t i = 0; i < row.pair.size(); ++i) sum += row.coefficient[i] * n[row.pair[i]];
      rows.back().push_back(sum);
    }
  }
  const auto states = static_cast<std::size_t>(pilot.mdp().states());
  for (const Capacity& capacity : constraints.capacity) {
    for (std::size_t step = 0; step < static_cast<std::size_t>(pilot.steps()); ++step) {
      rows.emplace_back();
      bounds.push_back(capacity.units);
      for (const auto& v : all.visits) {
        rows.back().push_back(v[step * states + static_cast<std::size_t>(capacity.state)]);
      }
    }
  }
  return rows;
}

/// A point mixture of policies and how far its value may be above the constrained minimum.
struct OracleResult {
  double value = 0;      // f of a mixture that may miss rows by `violation`
  double violation = 0;  // largest, in the rows' units
};

/// min f over the simplex of all policies, rows by the method of multipliers: the inner problem by
/// exponentiated gradient (entropic mirror descent) with backtracking, far from the code under test.
inline OracleResult oracle_minimum(const Objective& objective, const Enumerated& all,
                                   const std::vector<std::vector<double>>& rows,
                                   const std::vector<double>& bounds, int outer = 60, int inner = 4000) {
  const std::size_t policies = all.counts.size(), pairs = objective.size();
  std::vector<double> w(policies, 1.0 / static_cast<double>(policies)), l(rows.size(), 0.0);
  double penalty = 1, last_violation = 1e300;
  const auto mix = [&](const std::vector<double>& weights) {
    std::vector<double> n(pairs, 0.0);
    for (std::size_t j = 0; j < policies; ++j) {
      for (std::size_t k = 0; k < pairs; ++k) n[k] += weights[j] * all.counts[j][k];
    }
    return n;
  };
  const auto excess = [&](const std::vector<double>& weights, std::size_t i) {
    double sum = -bounds[i];
    for (std::size_t j = 0; j < policies; ++j) sum += weights[j] * rows[i][j];
    return sum;
  };
  const auto augmented = [&](const std::vector<double>& weights) {
    double value = objective.value(mix(weights));
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const double pull = std::max(0.0, l[i] + penalty * excess(weights, i));
      value += (pull * pull - l[i] * l[i]) / (2 * penalty);
    }
    return value;
  };
  OracleResult result;
  for (int round = 0; round < (rows.empty() ? 1 : outer); ++round) {
    double step = 1, value = augmented(w);
    for (int it = 0; it < inner; ++it) {
      std::vector<double> gradient(pairs), slope(policies, 0.0);
      objective.derivatives(mix(w), gradient);
      for (std::size_t j = 0; j < policies; ++j) {
        for (std::size_t k = 0; k < pairs; ++k) slope[j] += gradient[k] * all.counts[j][k];
      }
      for (std::size_t i = 0; i < rows.size(); ++i) {
        const double pull = std::max(0.0, l[i] + penalty * excess(w, i));
        for (std::size_t j = 0; j < policies; ++j) slope[j] += pull * rows[i][j];
      }
      double least = slope[0], mean = 0;
      for (const double g : slope) least = std::min(least, g);
      for (std::size_t j = 0; j < policies; ++j) mean += w[j] * slope[j];
      if (mean - least < 1e-9 * std::abs(value)) break;  // the Frank-Wolfe gap
      std::vector<double> trial(policies);
      for (step *= 2; step > 1e-300; step /= 2) {
        double sum = 0;
        for (std::size_t j = 0; j < policies; ++j)
          sum += trial[j] = w[j] * std::exp(-step * (slope[j] - least));
        for (double& x : trial) x /= sum;
        const double after = augmented(trial);
        if (after < value) {
          value = after;
          break;
        }
      }
      if (!(step > 1e-300)) break;
      w = trial;
    }
    result.violation = 0;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const double over = excess(w, i);
      l[i] = std::max(0.0, l[i] + penalty * over);
      result.violation = std::max(result.violation, over);
    }
    if (result.violation > .5 * last_violation) penalty *= 2;
    last_violation = result.violation;
  }
  result.value = objective.value(mix(w));
  return result;
}

}  // namespace mindgap::design

#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "paper/cases/hiv/belief.h"
#include "paper/cases/hiv/planners.h"

namespace mindgap::cases::hiv {

/// Teams go, by shortest paths, where an index of what a zone is worth to the team that has to go there is
/// highest, decided anew every day (best_pairs).
class IndexPlanner : public HivPlanner {
 public:
  explicit IndexPlanner(const Known& known) : known_(known) {}

  void decide(std::int64_t, std::span<const Zone> position, std::span<Zone> next) final {
    refresh();
    const std::size_t zones = known_.transmission.population.size();
    score_.resize(position.size() * zones);
    for (std::size_t team = 0; team < position.size(); ++team) {
      for (std::size_t j = 0; j < zones; ++j) {
        score_[team * zones + j] = score(position[team], static_cast<Zone>(j));
      }
    }
    Orders orders(position.size());
    orders.target = best_pairs(score_, position.size(), zones);
    orders.step(*known_.geography, position, next);
  }

 protected:
  /// Called before the scores of a day.
  virtual void refresh() = 0;
  virtual const WarmUp& warm_up() const = 0;
  /// Of a zone, where a team has `days` days of full yield left for it.
  virtual double worth(std::size_t zone, double days) const = 0;

  const Known known_;

 private:
  static constexpr std::int32_t kWindow = 60;  // days a team is thought to stay with its task

  // days = max(0, L - cold) + .2 min(cold, L), L = max(0, 60 - max(0, distance - 1)).
  double score(Zone from, Zone to) const {
    const std::int32_t distance = known_.geography->distance(from, to);
    if (distance < 0) return 0;
    const std::int32_t left = std::max(0, kWindow - std::max(0, distance - 1));
    const std::int32_t cold = warm_up().missing(to);
    return worth(static_cast<std::size_t>(to),
                 std::max(0, left - cold) + known_.cold_yield * std::min(cold, left));
  }

  std::vector<double> score_;
};

}  // namespace mindgap::cases::hiv

#include <algorithm>
#include <cmath>

#include "mindgap/cases/hiv/planners.h"

// The travel-aware index.
namespace mindgap::cases::hiv {
namespace {

constexpr std::int32_t kWindow = 60;  // days a team is thought to stay with its task

class TravelIndex : public HivPlanner {
 public:
  explicit TravelIndex(const Known& known) : known_(known), belief_(known, BeliefForm::corrected) {}

  void decide(std::int64_t, std::span<const Zone> position, std::span<Zone> next) override {
    const std::size_t zones = belief_.size();
    optimistic_.clear();
    for (std::size_t j = 0; j < zones; ++j) {
      const belief::BetaShape& shape = belief_.at(j);
      optimistic_.push_back(belief::mean(shape) + std::sqrt(belief::variance(shape)));
    }
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
  void observe(std::span<const TeamDay> tests) override { belief_.observe(tests); }

 private:
  // 8 (mu + sigma) (max(0, L - cold) + .2 min(cold, L)), L = max(0, 60 - max(0, distance - 1)).
  double score(Zone from, Zone to) const {
    const std::int32_t distance = known_.geography->distance(from, to);
    if (distance < 0) return 0;
    const std::int32_t left = std::max(0, kWindow - std::max(0, distance - 1));
    const std::int32_t cold = belief_.warm_up().missing(to);
    const double days = std::max(0, left - cold) + known_.cold_yield * std::min(cold, left);
    return known_.tests_per_day * optimistic_[static_cast<std::size_t>(to)] * days;
  }

  const Known known_;
  ZoneBelief belief_;
  std::vector<double> optimistic_, score_;
};

}  // namespace

std::vector<Zone> best_pairs(std::span<double> score, std::size_t teams, std::size_t zones) {
  std::vector<Zone> target(teams, -1);
  // The best zone of each team still without one; only teams whose zone was taken look again.
  std::vector<std::size_t> best(teams);
  const auto look = [&](std::size_t team) {
    const auto row = score.begin() + static_cast<std::ptrdiff_t>(team * zones);
    best[team] =
        static_cast<std::size_t>(std::max_element(row, row + static_cast<std::ptrdiff_t>(zones)) - row);
  };
  for (std::size_t team = 0; team < teams; ++team) look(team);
  for (std::size_t round = 0; round < teams; ++round) {
    std::size_t chosen = teams;
    double highest = 0;
    for (std::size_t team = 0; team < teams; ++team) {
      if (target[team] >= 0 || score[team * zones + best[team]] <= highest) continue;
      highest = score[team * zones + best[team]];
      chosen = team;
    }
    if (chosen == teams) break;
    const std::size_t zone = best[chosen];
    target[chosen] = static_cast<Zone>(zone);
    for (std::size_t team = 0; team < teams; ++team) {
      score[team * zones + zone] = -1;
      if (target[team] < 0 && best[team] == zone) look(team);
    }
  }
  return target;
}

std::unique_ptr<HivPlanner> make_tai(const Known& known) {
  return std::make_unique<TravelIndex>(known);
}

}  // namespace mindgap::cases::hiv

#include <algorithm>
#include <cmath>

#include "paper/cases/hiv/index_planner.h"

// The travel-aware index.
namespace mindgap::cases::hiv {
namespace {

// 8 (mu + sigma) days.
class TravelIndex final : public IndexPlanner {
 public:
  explicit TravelIndex(const Known& known) : IndexPlanner(known), belief_(known, BeliefForm::corrected) {}

  void observe(std::span<const TeamDay> tests) override { belief_.observe(tests); }

 private:
  void refresh() override {
    optimistic_.clear();
    for (std::size_t j = 0; j < belief_.size(); ++j) {
      const belief::BetaShape& shape = belief_.at(j);
      optimistic_.push_back(belief::mean(shape) + std::sqrt(belief::variance(shape)));
    }
  }
  const WarmUp& warm_up() const override { return belief_.warm_up(); }
  double worth(std::size_t zone, double days) const override {
    return known_.tests_per_day * optimistic_[zone] * days;
  }

  ZoneBelief belief_;
  std::vector<double> optimistic_;
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

#include <algorithm>
#include <cmath>

#include "mindgap/cases/hiv/dynamic_belief.h"
#include "mindgap/cases/hiv/planners.h"

// The travel-aware index with a belief that follows the dynamics. Nobody tells it whether found cases
// deplete: it keeps a belief for either world and weighs them by how well they predicted its own tests.
namespace mindgap::cases::hiv {
namespace {

constexpr std::int32_t kWindow = 60;  // as in the index that stands still

class DynamicIndex : public HivPlanner {
 public:
  explicit DynamicIndex(const Known& known)
      : known_(known),
        stays_(known, false),
        depletes_(known, true),
        in_stays_(stays_.size()),
        in_depletes_(stays_.size()) {}

  void decide(std::int64_t, std::span<const Zone> position, std::span<Zone> next) override {
    const std::size_t zones = stays_.size();
    for (std::size_t j = 0; j < zones; ++j) {
      in_stays_[j] = stays_.mean(j) + stays_.standard_deviation(j);
      in_depletes_[j] = depletes_.mean(j) + depletes_.standard_deviation(j);
    }
    // Even odds before the first test.
    weight_ = 1 / (1 + std::exp(stays_.log_evidence() - depletes_.log_evidence()));
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
  void observe(std::span<const TeamDay> tests) override {
    stays_.observe(tests);
    depletes_.observe(tests);
  }

 private:
  // Cases that a team may find in the window, in `days` days of full yield: 8 q days where cases stay;
  // where they deplete dU/dt = -8 q U/N for the U = N - D not found yet, so U (1 - exp(-8 q days / N)), which
  // is the former for N -> infinity. q = mu + sigma of either belief.
  double score(Zone from, Zone to) const {
    const std::int32_t distance = known_.geography->distance(from, to);
    if (distance < 0) return 0;
    const auto j = static_cast<std::size_t>(to);
    const std::int32_t left = std::max(0, kWindow - std::max(0, distance - 1));
    const std::int32_t cold = stays_.warm_up().missing(to);
    const double days = std::max(0, left - cold) + known_.cold_yield * std::min(cold, left);
    const double tests = known_.tests_per_day * days;
    const double people = known_.transmission.population[j];
    const double found = -depletes_.remaining(j) * std::expm1(-tests * in_depletes_[j] / people);
    return (1 - weight_) * tests * in_stays_[j] + weight_ * found;
  }

  const Known known_;
  DynamicBelief stays_, depletes_;
  double weight_ = .5;
  std::vector<double> in_stays_, in_depletes_, score_;
};

}  // namespace

std::unique_ptr<HivPlanner> make_tai_dynamic(const Known& known) {
  return std::make_unique<DynamicIndex>(known);
}

}  // namespace mindgap::cases::hiv

#include <cmath>

#include "paper/cases/hiv/dynamic_belief.h"
#include "paper/cases/hiv/index_planner.h"

// The travel-aware index with a belief that follows the dynamics. Nobody tells it whether found cases
// deplete: it keeps a belief for either world and weighs them by how well they predicted its own tests.
namespace mindgap::cases::hiv {
namespace {

class DynamicIndex final : public IndexPlanner {
 public:
  explicit DynamicIndex(const Known& known)
      : IndexPlanner(known),
        stays_(known, false),
        depletes_(known, true),
        in_stays_(stays_.size()),
        in_depletes_(stays_.size()) {}

  void observe(std::span<const TeamDay> tests) override {
    stays_.observe(tests);
    depletes_.observe(tests);
  }

 private:
  void refresh() override {
    for (std::size_t j = 0; j < stays_.size(); ++j) {
      in_stays_[j] = stays_.mean(j) + stays_.standard_deviation(j);
      in_depletes_[j] = depletes_.mean(j) + depletes_.standard_deviation(j);
    }
    // Even odds before the first test.
    weight_ = 1 / (1 + std::exp(stays_.log_evidence() - depletes_.log_evidence()));
  }
  const WarmUp& warm_up() const override { return stays_.warm_up(); }

  // Cases that a team may find in `days` days of full yield: 8 q days where cases stay; where they deplete
  // dU/dt = -8 q U/N for the U = N - D not found yet, so U (1 - exp(-8 q days / N)), which is the former for
  // N -> infinity. q = mu + sigma of either belief.
  double worth(std::size_t zone, double days) const override {
    const double tests = known_.tests_per_day * days;
    const double people = known_.transmission.population[zone];
    const double found = -depletes_.remaining(zone) * std::expm1(-tests * in_depletes_[zone] / people);
    return (1 - weight_) * tests * in_stays_[zone] + weight_ * found;
  }

  DynamicBelief stays_, depletes_;
  double weight_ = .5;
  std::vector<double> in_stays_, in_depletes_;
};

}  // namespace

std::unique_ptr<HivPlanner> make_tai_dynamic(const Known& known) {
  return std::make_unique<DynamicIndex>(known);
}

}  // namespace mindgap::cases::hiv

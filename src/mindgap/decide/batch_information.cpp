#include "mindgap/decide/batch_information.h"

#include <algorithm>

#include "mindgap/base/listener.h"
#include "mindgap/decide/local_value.h"

namespace mindgap::decide {
namespace {

// A policy of each model that is optimal with its price.
class BestPolicies {
 public:
  BestPolicies(mdp::ModelBatch& batch, std::span<const double> positions, std::int64_t steps, double discount)
      : batch_(batch), positions_(positions), steps_(steps), discount_(discount) {}

  void find(std::span<const double> price, std::span<const std::uint8_t> active) {
    base::interruption_point();
    batch_.finite_horizon(discount_, steps_, positions_, price, active, found_);
  }
  mdp::SideBySide::Point of(std::size_t m) const { return {found_.reward[m], found_.outside[m]}; }

 private:
  mdp::ModelBatch& batch_;
  std::span<const double> positions_;
  std::int64_t steps_;
  double discount_;
  mdp::ModelBatch::Point found_;
};

}  // namespace

std::vector<InformationSplit> split_batch(mdp::ModelBatch& batch, const mdp::Policy& deployed,
                                          std::span<const double> positions, std::int64_t steps,
                                          double discount, double threshold, double accuracy) {
  const mdp::ModelBatch::Followed now = batch.follow(deployed.pair_of_state(), positions, discount, steps);
  const std::vector<double> outside = batch.mark_outside(threshold);
  const auto models = static_cast<std::size_t>(batch.models());
  std::vector<double> price(models, 0.0);
  std::vector<std::uint8_t> active(models, 1);
  BestPolicies best(batch, positions, steps, discount);
  best.find(price, active);
  std::vector<LocalValue> local(models);
  std::vector<InformationSplit> splits(models);
  for (std::size_t m = 0; m < models; ++m) {
    local[m] = LocalValue(best.of(m), {now.reward[m], outside[m]}, now.total[m], accuracy);
    splits[m].deployed = now.reward[m];
    splits[m].optimal = not_below(best.of(m).value, now.reward[m]);
  }
  for (int i = 0; i < kMostChords; ++i) {
    bool any = false;
    for (std::size_t m = 0; m < models; ++m) {
      active[m] = local[m].searching() ? 1 : 0;
      if (active[m] == 0) continue;
      price[m] = local[m].lambda();
      any = true;
    }
    if (!any) break;
    best.find(price, active);
    for (std::size_t m = 0; m < models; ++m) {
      if (active[m] != 0) local[m].add(best.of(m));
    }
  }
  for (std::size_t m = 0; m < models; ++m) {
    InformationSplit& split = splits[m];
    split.local = not_below(std::min(split.optimal, local[m].value()), split.deployed);
    split.optimal = not_below(split.optimal, split.local);
  }
  return splits;
}

std::vector<InformationSplit> values_of_batch(mdp::ModelBatch& batch, const mdp::Policy& deployed,
                                              std::span<const double> positions, std::int64_t steps,
                                              double discount) {
  const mdp::ModelBatch::Followed now = batch.follow(deployed.pair_of_state(), positions, discount, steps);
  const auto models = static_cast<std::size_t>(batch.models());
  mdp::ModelBatch::Point best;
  batch.finite_horizon(discount, steps, positions, std::vector<double>(models, 0.0),
                       std::vector<std::uint8_t>(models, 1), best);
  std::vector<InformationSplit> splits(models);
  for (std::size_t m = 0; m < models; ++m) {
    splits[m].deployed = splits[m].local = now.reward[m];
    splits[m].optimal = not_below(best.reward[m], now.reward[m]);
  }
  return splits;
}

}  // namespace mindgap::decide

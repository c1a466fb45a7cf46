#include "mindgap/belief/running_model.h"

namespace mindgap::belief {

RunningModel::RunningModel(const Belief& belief) : RunningModel(belief, std::nullopt) {}

RunningModel::RunningModel(const Belief& belief, std::uint64_t seed, std::uint64_t draw)
    : RunningModel(belief, Draw{seed, draw}) {}

RunningModel::RunningModel(const Belief& belief, std::optional<Draw> draw)
    : draw_(draw), shape_(belief.simulator()) {
  take(belief);
}

void RunningModel::take(const Belief& belief) {
  shape_ = draw_ ? belief.sample(draw_->seed, draw_->number) : belief.mean();
  reward_.assign(shape_.reward().begin(), shape_.reward().end());
  probability_.assign(shape_.probability().begin(), shape_.probability().end());
}

// A belief that begins to doubt its rows has other transitions from then on.
void RunningModel::update(const Belief& belief, std::span<const std::int32_t> changed) {
  if (!belief.learns_row_by_row()) return take(belief);
  const std::span<double> all(probability_);
  for (const std::int32_t k : changed) {
    const std::span<double> row = base::part_of(all, shape_.entries_of(k));
    reward_[k] = draw_ ? belief.sample_row(k, draw_->seed, draw_->number, row) : belief.mean_row(k, row);
  }
}

}  // namespace mindgap::belief

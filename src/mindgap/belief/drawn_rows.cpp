#include "mindgap/belief/drawn_rows.h"

namespace mindgap::belief {

DrawnRows::DrawnRows(const Belief& belief, std::uint64_t seed, std::uint64_t draw)
    : belief_(&belief), seed_(seed), draw_(draw), shape_(belief.simulator()) {
  if (!belief.learns_row_by_row()) {
    whole_ = belief.sample(seed, draw);
    shape_ = *whole_;
    return;
  }
  is_drawn_.assign(static_cast<std::size_t>(shape_.pairs()), 0);
  reward_ = std::make_unique_for_overwrite<double[]>(is_drawn_.size());
  probability_ = std::make_unique_for_overwrite<double[]>(static_cast<std::size_t>(shape_.nonzeros()));
}

DrawnRows::Pair DrawnRows::of(std::int32_t pair) {
  if (whole_) return {whole_->row(pair), whole_->reward()[pair]};
  const auto entries = shape_.entries_of(pair);
  const std::span<double> row(probability_.get() + entries.first(), entries.size());
  if (!is_drawn_[pair]) {
    reward_[pair] = belief_->sample_row(pair, seed_, draw_, row);
    is_drawn_[pair] = 1;
  }
  return {{base::part_of(shape_.next_state(), entries), row}, reward_[pair]};
}

}  // namespace mindgap::belief

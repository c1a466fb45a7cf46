#include "mindgap/mdp/policy_rows.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <type_traits>
#include <utility>

#include "mindgap/mdp/sweep.h"

namespace mindgap::mdp {
namespace {

LargeVector<std::int32_t> ranks_of(std::span<const std::int32_t> order) {
  LargeVector<std::int32_t> rank(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) rank[order[i]] = static_cast<std::int32_t>(i);
  return rank;
}

}  // namespace

double scale_of_changes(const Mdp& mdp) {
  constexpr int kMost = 1000;  // so that the inverse is a normal number, too
  const double size = mdp.reward_magnitude();
  return size > 0 ? std::ldexp(1.0, std::clamp(std::ilogb(size), -kMost, kMost)) : 1;
}

template <typename Visit>
Residual PackedRows::visit_rows(Visit visit) const {
  return with_length(stride_, [&]<int length>(std::integral_constant<int, length>) {
    if constexpr (length > 0) {
      return visit(rows<FixedRows<length>>());
    } else {
      return visit(rows<VariableRows>());
    }
  });
}

PackedRows::PackedRows(const Mdp& mdp, int per_state, std::span<const std::int32_t> rank, bool with_rests)
    : mdp_(&mdp), rank_(rank) {
  const std::int32_t states = mdp.states();
  const auto longest = [&](std::int32_t s) {
    std::int64_t length = 0;
    for (std::int32_t k = mdp.pair_begin()[s]; k < mdp.pair_begin()[s + 1]; ++k) {
      length = std::max(length, mdp.row_begin()[k + 1] - mdp.row_begin()[k]);
    }
    return length;
  };
  for (std::int32_t s = 0; s < states; ++s) room_ += per_state * longest(s);
  const std::int64_t padded = std::int64_t{per_state} * mdp.row_length_max() * states;
  if (mdp.row_length_max() <= kLongestKnown && 2 * padded <= 3 * room_) {
    stride_ = mdp.row_length_max();
    model_equal_ = has_equal_rows(mdp);
    room_ = padded;
  } else {
    length_.resize(std::size_t{1} * per_state * states);
    begin_.resize(length_.size());
    for (std::int32_t s = 0; s < states; ++s) {
      const std::int64_t first = std::int64_t{per_state} * (rank_.empty() ? s : rank_[s]);
      std::fill_n(begin_.begin() + first, per_state, longest(s));
    }
    std::exclusive_scan(begin_.begin(), begin_.end(), begin_.begin(), std::int64_t{0});
  }
  // One piece of memory: the allocator keeps it for the next solve, as it does not with several.
  const std::size_t bytes = room_ * sizeof(Transition);
  memory_ = uninitialised_on_large_pages(bytes + (with_rests ? room_ * sizeof(float) : 0));
  transitions_ = reinterpret_cast<Transition*>(memory_.get());
  if (with_rests) rest_ = reinterpret_cast<float*>(memory_.get() + bytes);
}

void PackedRows::copy(std::int64_t i, std::int32_t at, std::int32_t k) {
  const std::int64_t from = model_equal_ ? std::int64_t{stride_} * k : mdp_->row_begin()[k];
  const std::int64_t n = model_equal_ ? stride_ : mdp_->row_begin()[k + 1] - from;
  const std::int32_t* next_state = mdp_->next_state().data() + from;
  const double* probability = mdp_->probability().data() + from;
  Transition* to = transitions_ + begin(i);
  const double g = mdp_->discount();
  for (std::int64_t j = 0; j < n; ++j) {
    to[j] = {rank_.empty() ? next_state[j] : rank_[next_state[j]], static_cast<float>(g * probability[j])};
  }
  for (std::int64_t j = n; j < stride_; ++j) to[j] = {at, 0};  // padding: nothing, from nowhere else
  if (rest_ != nullptr) {
    float* rest = rest_ + begin(i);
    for (std::int64_t j = 0; j < n; ++j)
      rest[j] = static_cast<float>(g * probability[j] - static_cast<double>(to[j].weight));
    for (std::int64_t j = n; j < stride_; ++j) rest[j] = 0;
  }
  if (stride_ == 0) length_[i] = static_cast<std::int32_t>(n);
}

double PackedRows::exact_sum(std::int64_t i, const double* v) const {
  const Transition* t = transitions_ + begin(i);
  const float* rest = rest_ + begin(i);
  return partial_sums(length(i), [=](std::int64_t j) { return whole_weight(t[j], rest[j]) * v[t[j].next]; });
}

std::pair<float, float> PackedRows::self_and_further(std::int64_t i, std::int32_t at) const {
  float self = 0, further = 0;
  const Transition* row = transitions_ + begin(i);
  for (std::int64_t j = 0; j < length(i); ++j) {  // no branches: any would be guessed wrong
    self += row[j].weight * static_cast<float>(row[j].next == at);
    further += row[j].weight * static_cast<float>(row[j].next > at);
  }
  return {self, further};
}

PolicyRows::PolicyRows(const Mdp& mdp)
    : mdp_(&mdp), rows_(mdp, 1, {}, true), pair_(mdp.states(), -1), reward_(mdp.states()) {}

Residual PolicyRows::sweep(const base::Threads& threads, std::span<const float> change,
                           std::span<const float> in, std::span<float> out) const {
  // Rows that do not stay in cache until the next sweep should not push values out of it.
  constexpr std::size_t kLarge = 4'000'000;  // bytes
  const bool large = rows_.transitions() * sizeof(Transition) > kLarge;
  return rows_.visit_rows([&](const auto& rows) {
    return over_states(threads, static_cast<std::int64_t>(pair_.size()),
                       [&](std::int64_t begin, std::int64_t end) {
                         Extremes<float> extremes;
                         const auto sweep = [&](auto fetch) {
                           for (std::int64_t i = begin; i < end; ++i) {
                             if constexpr (fetch) rows.fetch_ahead(i);
                             const float after = change[i] + rows(i, in.data());
                             extremes.add_change(after - in[i]);
                             out[i] = after;
                           }
                         };
                         large ? sweep(std::true_type()) : sweep(std::false_type());
                         return extremes;
                       });
  });
}

CandidateRows::CandidateRows(const Mdp& mdp, std::span<const std::int32_t> order, double anticipation)
    : anticipation_(static_cast<float>(anticipation)),
      per_scale_(1 / scale_of_changes(mdp)),
      rank_(ranks_of(order)),
      rows_(mdp, 2, rank_),
      pair_(2 * order.size(), -1),
      state_(order.size()) {}

void CandidateRows::replace(std::int32_t at, std::int32_t* pair, std::int32_t best, std::int32_t second) {
  const std::int64_t row = 2 * std::int64_t{at};
  if (pair[0] != best) rows_.copy(row, at, best);
  if (pair[1] != second) rows_.copy(row + 1, at, second);
  pair[0] = best;
  pair[1] = second;
  state_[at].relaxation = kUnknown;
}

float CandidateRows::relaxation_of(std::int64_t row, std::int32_t at) const {
  // Anticipating more than this share of what is not the state itself would overshoot more than it gains.
  constexpr float kMostFurther = 0.4F;
  // Of less single precision keeps too few digits, or none where a state hardly ever leaves itself and the
  // discount is within 3e-8 of 1.
  constexpr float kLeast = 0x1p-20F;
  const auto [self, further] = rows_.self_and_further(row, at);
  return 1 / std::max(kLeast, 1 - self - anticipation_ * std::min(further, kMostFurther * (1 - self)));
}

void CandidateRows::prepare(std::int64_t begin, std::int64_t end) {
  for (std::int64_t i = begin; i < end; ++i) {
    const auto at = static_cast<std::int32_t>(i);
    if (state_[i].relaxation == kUnknown)
      state_[i].relaxation = std::min(relaxation_of(2 * i, at), relaxation_of(2 * i + 1, at));
  }
}

void CandidateRows::set_anticipation(double anticipation) {
  anticipation_ = static_cast<float>(anticipation);
  for (State& state : state_) state.relaxation = kUnknown;
}

void CandidateRows::start(std::span<float> y) const {
  for (std::size_t i = 0; i < y.size(); ++i) y[i] = std::max(state_[i].change[0], state_[i].change[1]);
}

Residual CandidateRows::sweep_in_place(std::span<float> corrections, std::int64_t begin,
                                       std::int64_t end) const {
  return rows_.visit_rows([&](const auto& rows) {
    const State* state = state_.data();
    float* y = corrections.data();
    Extremes<float> extremes;
    for (std::int64_t i = begin; i < end; ++i) {
      const float one = state[i].change[0] + rows(2 * i, y), other = state[i].change[1] + rows(2 * i + 1, y);
      const float step = state[i].relaxation * (std::max(one, other) - y[i]);
      extremes.add_change(step);
      y[i] += step;
    }
    return extremes.residual();
  });
}

}  // namespace mindgap::mdp

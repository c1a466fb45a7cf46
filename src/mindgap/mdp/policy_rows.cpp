#include "mindgap/mdp/policy_rows.h"

#include <algorithm>
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

// Calls visit(rows) with the kind of rows these are.
template <typename Visit>
Residual PolicyRows::visit_rows(Visit visit) const {
  return with_length(stride_, [&]<int length>(std::integral_constant<int, length>) {
    if constexpr (length > 0) {
      return visit(rows<FixedRows<length>>());
    } else {
      return visit(rows<VariableRows>());
    }
  });
}

PolicyRows::PolicyRows(const Mdp& mdp, std::span<const std::int32_t> rank) : mdp_(&mdp), rank_(rank) {
  const std::int32_t states = mdp.states();
  pair_.assign(states, -1);
  reward_.resize(states);
  const auto longest = [&](std::int32_t s) {
    std::int64_t length = 0;
    for (std::int32_t k = mdp.pair_begin()[s]; k < mdp.pair_begin()[s + 1]; ++k) {
      length = std::max(length, mdp.row_begin()[k + 1] - mdp.row_begin()[k]);
    }
    return length;
  };
  std::int64_t room = 0;
  for (std::int32_t s = 0; s < states; ++s) room += longest(s);
  const std::int64_t padded = static_cast<std::int64_t>(mdp.row_length_max()) * states;
  if (mdp.row_length_max() <= kLongestKnown && 2 * padded <= 3 * room) {
    stride_ = mdp.row_length_max();
    model_equal_ = has_equal_rows(mdp);
    room = padded;
  } else {
    length_.resize(states);
    begin_.resize(states);
    for (std::int32_t s = 0; s < states; ++s) begin_[rank_.empty() ? s : rank_[s]] = longest(s);
    std::exclusive_scan(begin_.begin(), begin_.end(), begin_.begin(), std::int64_t{0});
  }
  resize_on_large_pages(next_, room);
  resize_on_large_pages(weight_, room);
}

void PolicyRows::copy(std::int32_t s, std::int32_t k) {
  const std::int32_t i = rank_.empty() ? s : rank_[s];
  const std::int64_t from = model_equal_ ? std::int64_t{stride_} * k : mdp_->row_begin()[k];
  const std::int64_t n = model_equal_ ? stride_ : mdp_->row_begin()[k + 1] - from;
  const std::int32_t* next_state = mdp_->next_state().data() + from;
  const double* probability = mdp_->probability().data() + from;
  std::int32_t* next = next_.data() + begin(i);
  double* weight = weight_.data() + begin(i);
  const double g = mdp_->discount();
  for (std::int64_t j = 0; j < n; ++j) {
    next[j] = rank_.empty() ? next_state[j] : rank_[next_state[j]];
    weight[j] = g * probability[j];
  }
  if (stride_ > 0) {
    for (std::int64_t j = n; j < stride_; ++j) {  // padding: nothing, from nowhere else
      next[j] = i;
      weight[j] = 0;
    }
  } else {
    length_[i] = static_cast<std::int32_t>(n);
  }
  reward_[i] = mdp_->reward()[k];
  pair_[s] = k;
}

std::pair<double, double> PolicyRows::self_and_further(std::int64_t i) const {
  double self = 0, further = 0;
  for (std::int64_t j = begin(i); j < begin(i) + length(i); ++j) {  // no branches: any would be guessed wrong
    self += weight_[j] * static_cast<double>(next_[j] == i);
    further += weight_[j] * static_cast<double>(next_[j] > i);
  }
  return {self, further};
}

double PolicyRows::backup(std::int64_t i, const double* v) const {
  return reward_[i] + gathered_sum(next_.data() + begin(i), weight_.data() + begin(i), length(i), v);
}

Residual PolicyRows::sweep(const base::Threads& threads, std::span<const double> in,
                           std::span<double> out) const {
  // Rows that do not stay in cache until the next sweep should not push values out of it.
  constexpr std::size_t kLarge = 4'000'000;  // bytes
  const bool large = next_.size() * (sizeof(double) + sizeof(std::int32_t)) > kLarge;
  return visit_rows([&](const auto& rows) {
    return over_states(threads, mdp_->states(), [&](std::int64_t begin, std::int64_t end) {
      Extremes extremes;
      const auto sweep = [&](auto fetch) {
        for (std::int64_t i = begin; i < end; ++i) {
          if constexpr (fetch) rows.fetch_ahead(i);
          const double after = rows(i, in.data());
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
    : anticipation_(anticipation),
      rank_(ranks_of(order)),
      one_(mdp, rank_),
      other_(mdp, rank_),
      relaxation_(order.size()) {}

double CandidateRows::relaxation_of(const PolicyRows& rows, std::int64_t i) const {
  // Anticipating more than this share of what is not the state itself would overshoot more than it gains.
  constexpr double kMostFurther = 0.4;
  const auto [self, further] = rows.self_and_further(i);
  return 1 / (1 - self - anticipation_ * std::min(further, kMostFurther * (1 - self)));
}

void CandidateRows::prepare(std::int64_t begin, std::int64_t end) {
  for (std::int64_t i = begin; i < end; ++i) {
    if (relaxation_[i] == kUnknown)
      relaxation_[i] = std::min(relaxation_of(one_, i), relaxation_of(other_, i));
  }
}

void CandidateRows::set_anticipation(double anticipation) {
  anticipation_ = anticipation;
  std::fill(relaxation_.begin(), relaxation_.end(), kUnknown);
}

Residual CandidateRows::sweep_in_place(std::span<double> values, std::int64_t begin, std::int64_t end) const {
  return one_.visit_rows([&]<typename Rows>(const Rows& one) {
    const Rows other = other_.rows<Rows>();  // the same kind: both have the model's shape
    const double* relaxation = relaxation_.data();
    double* x = values.data();
    Extremes extremes;
    for (std::int64_t i = begin; i < end; ++i) {
      const double change = relaxation[i] * (std::max(one(i, x), other(i, x)) - x[i]);
      extremes.add_change(change);
      x[i] += change;
    }
    return extremes.residual();
  });
}

}  // namespace mindgap::mdp

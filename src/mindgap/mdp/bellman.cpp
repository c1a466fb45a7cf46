#include "mindgap/mdp/bellman.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

#include "mindgap/mdp/sweep.h"
#include "mindgap/mdp/underflow.h"

namespace mindgap::mdp {
namespace {

struct Best {
  double value, second;
  std::int32_t pair, second_pair;
};

// Raw pointers into the model, so that the compiler keeps them in registers. With a `length` all rows have
// that length, which the compiler then knows.
template <int length>
struct View {
  explicit View(const Mdp& mdp)
      : pair_begin(mdp.pair_begin().data()),
        row_begin(mdp.row_begin().data()),
        next_state(mdp.next_state().data()),
        probability(mdp.probability().data()),
        reward(mdp.reward().data()),
        discount(mdp.discount()) {}

  std::int64_t row(std::int32_t k) const {
    if constexpr (length > 0) return std::int64_t{length} * k;
    return row_begin[k];
  }

  double action_value(std::int32_t k, const double* v) const {
    const std::int64_t begin = row(k);
    return reward[k] + discount * gathered_sum(next_state + begin, probability + begin,
                                               length > 0 ? length : row_begin[k + 1] - begin, v);
  }

  // Without branches on the values: which action is best is as good as random, and a wrong guess of the
  // processor would throw away the loads it has under way.
  Best best(std::int32_t s, const double* v) const {
    double value = -std::numeric_limits<double>::infinity();
    double second = value;
    std::int32_t pair = pair_begin[s], second_pair = pair;
    std::int64_t begin = row(pair_begin[s]);
    for (std::int32_t k = pair_begin[s]; k < pair_begin[s + 1]; ++k) {
      const std::int64_t end = row(k + 1);
      fetch_ahead(next_state, probability, begin);
      const double q = reward[k] + discount * gathered_sum(next_state + begin, probability + begin,
                                                           length > 0 ? length : end - begin, v);
      const std::int32_t loser = q > value ? pair : k;
      const double lost = std::min(value, q);
      second_pair = lost > second ? loser : second_pair;
      second = std::max(second, lost);
      pair = q > value ? k : pair;
      value = std::max(value, q);
      begin = end;
    }
    return {value, second, pair, second_pair};
  }

  const std::int32_t* pair_begin;
  const std::int64_t* row_begin;
  const std::int32_t* next_state;
  const double* probability;
  const double* reward;
  double discount;
};

// A float that is not above `gap`; infinite where there is no second action.
float rounded_down(double gap) {
  constexpr double kMost = std::numeric_limits<float>::max(), kLeast = std::numeric_limits<float>::min();
  if (gap == std::numeric_limits<double>::infinity()) return std::numeric_limits<float>::infinity();
  if (gap < kLeast) return 0;
  return static_cast<float>(std::min(gap * (1 - 1e-7), kMost));
}

}  // namespace

void ActionFilter::settle(double width) {
  for (std::size_t s = 0; s < gap.size(); ++s) {
    if (static_cast<double>(gap[s]) > width) decided[s] = 1;
  }
}

Residual Bellman::improve(std::span<const double> in, std::span<double> out, std::span<std::int32_t> pick,
                          const SweepKeeps& keeps) const {
  const bool equal = mdp_.nonzeros() == std::int64_t{mdp_.row_length_max()} * mdp_.pairs();
  return with_length(equal ? mdp_.row_length_max() : 0, [&]<int length>(std::integral_constant<int, length>) {
    return over_states(threads_, mdp_.states(), [&](std::int64_t begin, std::int64_t end) {
      const View<length> view(mdp_);  // local, so that no store can be taken to change it
      const SweepKeeps keep = keeps;
      const double* v = in.data();
      Extremes extremes;
      for (std::int64_t i = begin; i < end; ++i) {
        const auto s = static_cast<std::int32_t>(i);
        double value = 0;
        if (keep.filter && keep.filter->decided[s]) {
          value = keep.rows ? keep.rows->backup(s, v) : view.action_value(pick[s], v);
        } else {
          const Best best = view.best(s, v);
          value = best.value;
          pick[s] = best.pair;
          if (keep.filter) keep.filter->gap[s] = rounded_down(best.value - best.second);
          if (keep.rows) keep.rows->set(s, best.pair);  // the row is still in cache
          if (keep.candidates) keep.candidates->set(s, best.pair, best.second_pair);
        }
        extremes.add(v[s], value);
        out[s] = value;
      }
      return extremes;
    });
  });
}

// With row sums in [q, Q] instead of 1 the operator shrinks constants by g q .. g Q, so g/(1-g) becomes
// gq/(1-gq) or gQ/(1-gQ), whichever is on the safe side for the sign of d. Rounding, with u = 2^-53: a
// computed backup of a row of n terms is off by at most (n + 6) u (max|r| + max|V|), and so is d; the factor
// f/(1-f) itself is off by a share of u/(1-f). Below the normal numbers each operation may also lose the
// smallest number (underflow.h). See docs/math/bounds.md.
Bounds bounds_from(const ModelRange& model, const Residual& residual) {
  const double g = model.discount;
  const double unit = std::numeric_limits<double>::epsilon() / 2;
  const double slack = model.row_length_max * unit;  // of the row sums themselves
  const double low = g * (model.row_sum_min - slack), high = g * (model.row_sum_max + slack);
  if (!(high < 1)) {
    const double inf = std::numeric_limits<double>::infinity();
    return {-inf, inf, inf};
  }
  const double magnitude = model.reward_magnitude + residual.magnitude;
  const double off =
      (model.row_length_max + 6) * unit * magnitude + underflow(model.row_length_max + 6, magnitude);
  const auto tail = [&](double d, bool upper) {
    const double factor = (d >= 0) == upper ? high : low;
    return factor / (1 - factor) * d;
  };
  const double share = 2 * unit / (1 - high) + 4 * unit;
  const double lower = tail(residual.min - off, false), upper = tail(residual.max + off, true);
  Bounds bounds;
  const double lost = underflow(4, magnitude);
  bounds.lower = lower - share * std::abs(lower) - off - lost;
  bounds.upper = upper + share * std::abs(upper) + off + lost;
  bounds.floor = 2 * off / (1 - high) + share * (std::abs(lower) + std::abs(upper));
  return bounds;
}

Bounds bounds_from(const Mdp& mdp, const Residual& residual) {
  return bounds_from(ModelRange{mdp.discount(), mdp.row_sum_min(), mdp.row_sum_max(), mdp.reward_magnitude(),
                                mdp.row_length_max()},
                     residual);
}

}  // namespace mindgap::mdp

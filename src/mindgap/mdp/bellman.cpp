#include "mindgap/mdp/bellman.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <type_traits>

#include "mindgap/mdp/sweep.h"
#include "mindgap/mdp/underflow.h"

namespace mindgap::mdp {
namespace {

constexpr double kUnit = std::numeric_limits<double>::epsilon() / 2;  // of rounding

// What the sum of a row is rounded by, at most.
constexpr double slack_of_sums(std::int32_t row_length_max) {
  return row_length_max * kUnit;
}

struct Best {
  double value, second, held;  // of the best pair, the second best and the one held so far
  std::int32_t pair, second_pair;
};

// What a sweep learns of the actions beside which one is best: what was gained over the one held so far, and
// of the second best one how far it is behind, or all of it.
enum class Learns { best, turn, lead, candidate };

// Raw pointers into the model, so that the compiler keeps them in registers. With a `length` most rows have
// that length, which the compiler then knows, and all of them if `equal`.
template <int length, bool equal>
struct View {
  const std::int32_t* pair_begin;
  const std::int64_t* row_begin;
  const std::int32_t* next_state;
  const double* probability;
  const double* reward;
  double discount;

  explicit View(const Mdp& mdp)
      : pair_begin(mdp.pair_begin().data()),
        row_begin(mdp.row_begin().data()),
        next_state(mdp.next_state().data()),
        probability(mdp.probability().data()),
        reward(mdp.reward().data()),
        discount(mdp.discount()) {}

  std::int64_t row(std::int32_t k) const {
    if constexpr (equal) return std::int64_t{length} * k;
    return row_begin[k];
  }

  [[gnu::always_inline]] double action_value(std::int32_t k, const double* v) const {
    const std::int64_t begin = row(k), end = row(k + 1);
    if (equal || (length > 0 && end - begin == length)) return action_value<true>(k, begin, end, v);
    return action_value<false>(k, begin, end, v);
  }

  template <Learns learns, bool in_sequence>
  [[gnu::always_inline]] Best best(std::int32_t s, std::int32_t held, const double* v) const {
    const std::int32_t first = pair_begin[s], last = pair_begin[s + 1];
    // No row is longer: together they are as long as that only where each of them is.
    if (equal || (length > 0 && row(last) - row(first) == std::int64_t{length} * (last - first)))
      return best<learns, in_sequence, true>(first, last, held, v);
    return best<learns, in_sequence, false>(first, last, held, v);
  }

  // Asks for all rows of a state.
  [[gnu::always_inline]] void fetch(std::int32_t s) const {
    const std::int64_t begin = row(pair_begin[s]), end = row(pair_begin[s + 1]);
    for (std::int64_t i = begin; i < end; i += 8) __builtin_prefetch(probability + i, 0, 0);
    for (std::int64_t i = begin; i < end; i += 16) __builtin_prefetch(next_state + i, 0, 0);
  }

 private:
  // Of a row that is `full` the length is known.
  template <bool full>
  [[gnu::always_inline]] double action_value(std::int32_t k, std::int64_t begin, std::int64_t end,
                                             const double* v) const {
    const double mean = gathered_sum(next_state + begin, probability + begin, full ? length : end - begin, v);
    return reward[k] + discount * mean;
  }

  // Without branches on the values: which action is best is as good as random, and a wrong guess of the
  // processor would throw away the loads it has under way.
  template <Learns learns, bool in_sequence, bool full>
  [[gnu::always_inline]] Best best(std::int32_t first, std::int32_t last, [[maybe_unused]] std::int32_t held,
                                   const double* v) const {
    double value = -std::numeric_limits<double>::infinity();
    double second = value, held_value = value;
    std::int32_t pair = first, second_pair = first;
    std::int64_t begin = row(first);
    // Short rows share cache lines: asked for together. More at once would wait for each other.
    const bool together = length > 0 && length * (last - first) <= 48;
    if (in_sequence && together) fetch_ahead<kAheadInModel>(next_state, probability, begin, row(last));
    for (std::int32_t k = first; k < last; ++k) {
      const std::int64_t end = full ? begin + length : row_begin[k + 1];
      if (in_sequence && !together) fetch_ahead<kAheadInModel>(next_state, probability, begin, end);
      const double q = action_value<full>(k, begin, end, v);
      if constexpr (learns >= Learns::lead) {
        const std::int32_t loser = q > value ? pair : k;
        const double lost = std::min(value, q);
        second_pair = lost > second ? loser : second_pair;
        second = std::max(second, lost);
      }
      if constexpr (learns >= Learns::turn) held_value = k == held ? q : held_value;
      pair = q > value ? k : pair;
      value = std::max(value, q);
      begin = end;
    }
    return {value, second, held_value, pair, second_pair};
  }
};

// The part of a sweep over a few thousand states.
template <int length, bool equal, Learns learns>
class Piece {
 public:
  Piece(const Mdp& mdp, std::span<const double> in, std::span<double> out, std::span<std::int32_t> pick,
        const SweepKeeps& keeps)
      : view_(mdp), keep_(keeps), in_(in.data()), out_(out.data()), pick_(pick.data()) {
    if constexpr (length > 0) {
      fixed_ = keep_.rows && keep_.rows->rows().stride() == length;
      if (fixed_) rows_ = keep_.rows->rows().template rows<FixedRows<length>>();
    }
  }

  Extremes<double> compare_all(std::int64_t begin, std::int64_t end) const {
    const Piece piece = *this;  // a local, so that no store can be taken to change it
    Extremes<double> extremes;
    for (std::int64_t i = begin; i < end; ++i) {
      if constexpr (learns == Learns::candidate) {
        if (i + kAhead < end) piece.keep_.candidates->fetch(static_cast<std::int32_t>(i + kAhead));
      }
      piece.template compare<true>(static_cast<std::int32_t>(i), extremes);
    }
    return extremes;
  }

  // First the states whose best action leads by enough, then the others: what is read of the model is asked
  // for where it is needed, and only there.
  Extremes<double> compare_some(std::int64_t begin, std::int64_t end) const {
    const Piece piece = *this;
    Extremes<double> extremes;
    std::array<std::int32_t, kStatesOfPiece> others;
    std::int64_t count = 0;
    for (std::int64_t i = begin; i < end; ++i) {
      const auto s = static_cast<std::int32_t>(i);
      if constexpr (learns == Learns::candidate) {
        if (i + kAhead < end) piece.keep_.candidates->fetch(static_cast<std::int32_t>(i + kAhead));
      }
      if (piece.keep_.leads->kept(s)) {
        piece.keep(s, extremes);
      } else {
        others[count++] = s;
      }
    }
    for (std::int64_t j = 0; j < std::min(kAhead, count); ++j) piece.view_.fetch(others[j]);
    for (std::int64_t j = 0; j < count; ++j) {
      if (j + kAhead < count) piece.view_.fetch(others[j + kAhead]);
      piece.template compare<false>(others[j], extremes);
    }
    return extremes;
  }

 private:
  static constexpr std::int64_t kAhead = 16;  // states, in which what is asked for arrives

  // The best action is still the best.
  [[gnu::always_inline]] void keep(std::int32_t s, Extremes<double>& extremes) const {
    if (fixed_) {
      rows_.fetch_ahead_exact(s);
      return store(s, keep_.rows->reward(s) + rows_.exact(s, in_), extremes);
    }
    if (keep_.rows) return store(s, keep_.rows->backup(s, in_), extremes);
    const std::int32_t best = pick_[s];
    const double value = view_.action_value(best, in_);
    if constexpr (learns == Learns::candidate) {
      const std::int32_t other = keep_.candidates->other_than(s, best);
      keep_.candidates->set(s, best, other, value - in_[s], view_.action_value(other, in_) - in_[s]);
    }
    store(s, value, extremes);
  }

  template <bool in_sequence>
  [[gnu::always_inline]] void compare(std::int32_t s, Extremes<double>& extremes) const {
    const Best best = view_.template best<learns, in_sequence>(s, pick_[s], in_);
    pick_[s] = best.pair;
    if constexpr (learns >= Learns::turn) extremes.turned += best.value - best.held > keep_.noise;
    if constexpr (learns >= Learns::lead) {
      if (keep_.leads) keep_.leads->set(s, best.value - best.second);
    }
    if constexpr (learns == Learns::candidate) {
      const double other = best.second_pair == best.pair ? best.value : best.second;
      keep_.candidates->set(s, best.pair, best.second_pair, best.value - in_[s], other - in_[s]);
    }
    if (keep_.rows) keep_.rows->set(s, best.pair);  // the row is still in cache
    store(s, best.value, extremes);
  }

  [[gnu::always_inline]] void store(std::int32_t s, double value, Extremes<double>& extremes) const {
    extremes.add(in_[s], value);
    out_[s] = value;
  }

  View<length, equal> view_;
  SweepKeeps keep_;
  bool fixed_ = false;  // the rows of the policy are as long as most rows of the model
  FixedRows<length> rows_{};
  const double* in_;
  double* out_;
  std::int32_t* pick_;
};

}  // namespace

Leads::Leads(const Mdp& mdp)
    : discount_(mdp.discount()),
      row_sum_max_(mdp.row_sum_max()),
      row_sum_range_(mdp.row_sum_max() - mdp.row_sum_min() + 2 * slack_of_sums(mdp.row_length_max())),
      reward_magnitude_(mdp.reward_magnitude()),
      operations_(2.0 * (mdp.row_length_max() + 6)),
      rounding_(2 * operations_ * kUnit),
      per_scale_(1 / scale_of_changes(mdp)),
      lead_(mdp.states(), 0) {}

// Values that change by d in [low, high] change the difference of two actions, sum (p - p') d, by at most
// Q (high - low) + (Q - q) max|d| with row sums in [q, Q].
void Leads::moved(const Residual& change) {
  magnitude_ = std::max(magnitude_, change.magnitude);
  loss_ += (1 + 1e-9) * discount_ * (row_sum_max_ * change.span() + row_sum_range_ * change.norm());
}

void Leads::age(const base::Threads& threads) {
  // By this two computed backups are off now, and were when they were compared (see bounds_from()).
  const double off = rounding_ * (reward_magnitude_ + magnitude_) + underflow(operations_, magnitude_);
  const double loss = (loss_ + off) * per_scale_;
  const auto states = static_cast<std::int64_t>(lead_.size());
  const std::int64_t kept = base::parallel_reduce(
      threads, states, kStatesOfPiece, std::int64_t{0},
      [&](std::int64_t begin, std::int64_t end) {
        std::int64_t count = 0;
        for (std::int64_t s = begin; s < end; ++s) {
          if (lead_[s] > 0) lead_[s] = rounded_down(lead_[s] - loss);
          count += lead_[s] > 0;
        }
        return count;
      },
      std::plus<>());
  loss_ = 0;
  // Rows that lie apart take longer to read than rows in a sequence.
  worthwhile_ = 10 * kept >= 7 * states;
}

Residual Bellman::improve(std::span<const double> in, std::span<double> out, std::span<std::int32_t> pick,
                          const SweepKeeps& keeps) const {
  const std::int32_t longest = mdp_.row_length_max();
  const double padded = static_cast<double>(longest) * mdp_.pairs();
  const bool equal = has_equal_rows(mdp_);
  const bool nearly = static_cast<double>(mdp_.nonzeros()) > 0.8 * padded;
  const bool some = keeps.leads && keeps.leads->worthwhile();
  Residual residual = with_length(nearly ? longest : 0, [&]<int length>(std::integral_constant<int, length>) {
    const auto run = [&]<bool is_equal, Learns learns>() {
      return over_states(threads_, mdp_.states(), [&](std::int64_t begin, std::int64_t end) {
        const Piece<length, is_equal, learns> piece(mdp_, in, out, pick, keeps);
        return some ? piece.compare_some(begin, end) : piece.compare_all(begin, end);
      });
    };
    const auto run_equal = [&]<bool is_equal>() {
      if (keeps.candidates) return run.template operator()<is_equal, Learns::candidate>();
      if (keeps.leads) return run.template operator()<is_equal, Learns::lead>();
      if (keeps.rows) return run.template operator()<is_equal, Learns::turn>();
      return run.template operator()<is_equal, Learns::best>();
    };
    if constexpr (length > 0) {
      if (equal) return run_equal.template operator()<true>();
    }
    return run_equal.template operator()<false>();
  });
  if (some && keeps.rows) residual.weights_off = PackedRows::kOff;
  return residual;
}

double largest_factor(const ModelRange& model) {
  return model.discount * (model.row_sum_max + slack_of_sums(model.row_length_max));
}

// With row sums in [q, Q] instead of 1 the operator shrinks constants by g q .. g Q, so g/(1-g) becomes
// gq/(1-gq) or gQ/(1-gQ), whichever is on the safe side for the sign of d. Rounding, with u = 2^-53: a
// computed backup of a row of n terms is off by at most (n + 6) u (max|r| + max|V|), and so is d; the factor
// f/(1-f) itself is off by a share of u/(1-f). Weights that were off themselves add their share of g max|V|.
// Below the normal numbers each operation may also lose the smallest number (underflow.h). See
// docs/math/bounds.md.
Bounds bounds_from(const ModelRange& model, const Residual& residual) {
  const double g = model.discount;
  const double low = g * (model.row_sum_min - slack_of_sums(model.row_length_max));
  const double high = largest_factor(model);
  if (!(high < 1)) {
    const double inf = std::numeric_limits<double>::infinity();
    return {-inf, inf, inf};
  }
  const double magnitude = model.reward_magnitude + residual.magnitude;
  const double off = ((model.row_length_max + 6) * kUnit + residual.weights_off) * magnitude +
                     underflow(model.row_length_max + 6, magnitude);
  const auto tail = [&](double d, bool upper) {
    const double factor = (d >= 0) == upper ? high : low;
    return factor / (1 - factor) * d;
  };
  const double share = 2 * kUnit / (1 - high) + 4 * kUnit;
  const double lower = tail(residual.min - off, false), upper = tail(residual.max + off, true);
  Bounds bounds;
  const double lost = underflow(4, magnitude);
  bounds.lower = lower - share * std::abs(lower) - off - lost;
  bounds.upper = upper + share * std::abs(upper) + off + lost;
  bounds.floor = 2 * off / (1 - high) + share * (std::abs(lower) + std::abs(upper));
  return bounds;
}

ModelRange range_of(const Mdp& mdp) {
  return {mdp.discount(), mdp.row_sum_min(), mdp.row_sum_max(), mdp.reward_magnitude(), mdp.row_length_max()};
}

Bounds bounds_from(const Mdp& mdp, const Residual& residual) {
  return bounds_from(range_of(mdp), residual);
}

}  // namespace mindgap::mdp

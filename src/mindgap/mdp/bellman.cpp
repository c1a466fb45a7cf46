#include "mindgap/mdp/bellman.h"

#include <algorithm>
#include <cmath>
#include <limits>

// Compiled without tree vectorisation (see CMakeLists.txt): the rows are short and gathered, and packing the
// gathered values into vectors costs more than it saves.
namespace mindgap::mdp {
namespace {

// Enough states a chunk that starting it costs nothing against sweeping it.
constexpr std::int64_t kGrain = 2048;

// sum_i p[i] v[next[i]] with two partial sums: the additions of one row would otherwise wait for each other.
inline double expected(const std::int32_t* next, const double* p, std::int64_t n, const double* v) {
  double even = 0, odd = 0;
  std::int64_t i = 0;
  for (; i + 1 < n; i += 2) {
    even += p[i] * v[next[i]];
    odd += p[i + 1] * v[next[i + 1]];
  }
  if (i < n) even += p[i] * v[next[i]];
  return even + odd;
}

struct Best {
  double value;
  std::int32_t pair;
};

// Raw pointers into the model, so that the compiler keeps them in registers.
struct View {
  explicit View(const Mdp& mdp)
      : pair_begin(mdp.pair_begin().data()),
        row_begin(mdp.row_begin().data()),
        next_state(mdp.next_state().data()),
        probability(mdp.probability().data()),
        reward(mdp.reward().data()),
        discount(mdp.discount()) {}

  Best best(std::int32_t s, const double* v) const {
    Best result{-std::numeric_limits<double>::infinity(), -1};
    std::int64_t begin = row_begin[pair_begin[s]];
    for (std::int32_t k = pair_begin[s]; k < pair_begin[s + 1]; ++k) {
      const std::int64_t end = row_begin[k + 1];
      const double q =
          reward[k] + discount * expected(next_state + begin, probability + begin, end - begin, v);
      if (q > result.value) result = {q, k};
      begin = end;
    }
    return result;
  }

  const std::int32_t* pair_begin;
  const std::int64_t* row_begin;
  const std::int32_t* next_state;
  const double* probability;
  const double* reward;
  double discount;
};

// Collects a Residual one state at a time.
struct Extremes {
  double min = std::numeric_limits<double>::infinity();
  double max = -std::numeric_limits<double>::infinity();
  double magnitude = 0;

  void add_change(double change) {
    min = std::min(min, change);
    max = std::max(max, change);
  }
  void add(double before, double after) {
    add_change(after - before);
    magnitude = std::max(magnitude, std::max(std::abs(before), std::abs(after)));
  }
  static Extremes combine(const Extremes& a, const Extremes& b) {
    return {std::min(a.min, b.min), std::max(a.max, b.max), std::max(a.magnitude, b.magnitude)};
  }
  Residual residual() const { return {min, max, magnitude}; }
};

// Runs piece(begin, end) -> Extremes over the states.
template <typename Piece>
Residual over_states(const base::Threads& threads, std::int64_t states, Piece piece) {
  return base::parallel_reduce(threads, states, kGrain, Extremes{}, piece, Extremes::combine).residual();
}

// Raw pointers into the rows of a policy, likewise.
struct PolicyView {
  PolicyView(const PolicyRows& rows, double g)
      : begin(rows.begin().data()),
        length(rows.length().data()),
        next_state(rows.next_state().data()),
        probability(rows.probability().data()),
        reward(rows.reward().data()),
        discount(g) {}

  double backup(std::int64_t i, const double* v) const {
    return reward[i] + discount * expected(next_state + begin[i], probability + begin[i], length[i], v);
  }

  const std::int64_t* begin;
  const std::int32_t* length;
  const std::int32_t* next_state;
  const double* probability;
  const double* reward;
  double discount;
};

}  // namespace

PolicyRows::PolicyRows(const Mdp& mdp) : PolicyRows(mdp, {}) {}

PolicyRows::PolicyRows(const Mdp& mdp, std::span<const std::int32_t> order) : mdp_(&mdp), order_(order) {
  const std::int32_t states = mdp.states();
  pair_.assign(states, -1);
  begin_.resize(states);
  length_.resize(states);
  reward_.resize(states);
  if (!order.empty()) {
    rank_.resize(states);
    for (std::int32_t i = 0; i < states; ++i) rank_[order[i]] = i;
    solo_.resize(states);
    ahead_.resize(states);
  }
  std::int64_t room = 0;
  for (std::int32_t i = 0; i < states; ++i) {
    const std::int32_t s = order.empty() ? i : order[i];
    std::int64_t longest = 0;
    for (std::int32_t k = mdp.pair_begin()[s]; k < mdp.pair_begin()[s + 1]; ++k) {
      longest = std::max(longest, mdp.row_begin()[k + 1] - mdp.row_begin()[k]);
    }
    begin_[i] = room;
    room += longest;
  }
  next_state_.resize(room);
  probability_.resize(room);
}

void PolicyRows::copy(std::int32_t i, std::int32_t k) {
  const std::int64_t from = mdp_->row_begin()[k];
  const std::int64_t n = mdp_->row_begin()[k + 1] - from;
  std::copy_n(mdp_->next_state().data() + from, n, next_state_.data() + begin_[i]);
  std::copy_n(mdp_->probability().data() + from, n, probability_.data() + begin_[i]);
  length_[i] = static_cast<std::int32_t>(n);
  reward_[i] = mdp_->reward()[k];
  pair_[i] = k;
  if (!rank_.empty()) weigh(i);
}

void PolicyRows::weigh(std::int32_t i) {
  // Anticipating more than this share of what is not the state itself would overshoot more than it gains.
  constexpr double kMostAhead = 0.4;
  double self = 0, further = 0;
  for (std::int64_t j = begin_[i]; j < begin_[i] + length_[i]; ++j) {
    const std::int32_t rank = rank_[next_state_[j]];
    if (rank == i) self += probability_[j];
    if (rank > i) further += probability_[j];
  }
  const double g = mdp_->discount();
  solo_[i] = 1 / (1 - g * self);
  ahead_[i] = 1 / (1 - g * (self + std::min(further, kMostAhead * (1 - self))));
}

Residual Bellman::improve(std::span<const double> in, std::span<double> out, std::span<std::int32_t> pick,
                          PolicyRows* rows) const {
  const View view(mdp_);
  return over_states(threads_, mdp_.states(), [&](std::int64_t begin, std::int64_t end) {
    Extremes extremes;
    for (std::int64_t s = begin; s < end; ++s) {
      const Best best = view.best(static_cast<std::int32_t>(s), in.data());
      extremes.add(in[s], best.value);
      out[s] = best.value;
      pick[s] = best.pair;
      if (rows) rows->set(static_cast<std::int32_t>(s), best.pair);  // the row is still in cache
    }
    return extremes;
  });
}

Residual Bellman::evaluate(const PolicyRows& rows, std::span<const double> in, std::span<double> out) const {
  const PolicyView view(rows, mdp_.discount());
  return over_states(threads_, mdp_.states(), [&](std::int64_t begin, std::int64_t end) {
    Extremes extremes;
    for (std::int64_t s = begin; s < end; ++s) {
      const double after = view.backup(s, in.data());
      extremes.add_change(after - in[s]);
      out[s] = after;
    }
    return extremes;
  });
}

Residual Bellman::evaluate_in_place(const PolicyRows& rows, std::span<double> value, bool anticipate) const {
  const PolicyView view(rows, mdp_.discount());
  const double* weight = anticipate ? rows.ahead().data() : rows.solo().data();
  const std::int32_t* order = rows.order().data();
  double* v = value.data();
  Extremes extremes;
  for (std::int64_t i = 0; i < mdp_.states(); ++i) {
    const std::int32_t s = order[i];
    const double change = weight[i] * (view.backup(i, v) - v[s]);
    extremes.add_change(change);
    v[s] += change;
  }
  return extremes.residual();
}

// With row sums in [q, Q] instead of 1 the operator shrinks constants by g q .. g Q, so g/(1-g) becomes
// gq/(1-gq) or gQ/(1-gQ), whichever is on the safe side for the sign of d. Rounding, with u = 2^-53: a
// computed backup of a row of n terms is off by at most (n + 4) u (max|r| + max|V|), and so is d; the factor
// f/(1-f) itself is off by a share of u/(1-f). See docs/math/bounds.md.
Bounds bounds_from(const Mdp& mdp, const Residual& residual) {
  const double g = mdp.discount();
  const double unit = std::numeric_limits<double>::epsilon() / 2;
  const double slack = mdp.row_length_max() * unit;  // of the row sums themselves
  const double low = g * (mdp.row_sum_min() - slack), high = g * (mdp.row_sum_max() + slack);
  if (!(high < 1)) {
    const double inf = std::numeric_limits<double>::infinity();
    return {-inf, inf, inf};
  }
  const double off = (mdp.row_length_max() + 4) * unit * (mdp.reward_magnitude() + residual.magnitude);
  const auto tail = [&](double d, bool upper) {
    const double factor = (d >= 0) == upper ? high : low;
    return factor / (1 - factor) * d;
  };
  const double share = 2 * unit / (1 - high) + 4 * unit;
  const double lower = tail(residual.min - off, false), upper = tail(residual.max + off, true);
  Bounds bounds;
  bounds.lower = lower - share * std::abs(lower) - off;
  bounds.upper = upper + share * std::abs(upper) + off;
  bounds.floor = 2 * off / (1 - high) + share * (std::abs(lower) + std::abs(upper));
  return bounds;
}

}  // namespace mindgap::mdp

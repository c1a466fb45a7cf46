#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>

#include "mindgap/base/parallel.h"
#include "mindgap/mdp/policy_rows.h"

// Pieces of the sweeps in bellman.cpp and policy_rows.cpp. Not part of the library's interface. Both are
// compiled without tree vectorisation (see CMakeLists.txt): rows are short and gathered, and packing the
// gathered values into vectors costs more than it saves.
namespace mindgap::mdp {

// What runs for every state has to be inlined, however often it is instantiated: called, it would keep its
// results in memory.

/// The sum of term(0) .. term(n - 1), with four partial sums: the additions of one row would otherwise wait
/// for each other. Sums begin with a term, not with 0, which would be one addition more for each.
template <typename Term>
[[gnu::always_inline]] inline auto partial_sums(std::int64_t n, Term term) {
  if (n < 4) {
    decltype(term(0)) sum = 0;
    if (n > 0) sum = term(0);
    for (std::int64_t i = 1; i < n; ++i) sum += term(i);
    return sum;
  }
  auto a = term(0), b = term(1), c = term(2), d = term(3);
  std::int64_t i = 4;
  for (; i + 3 < n; i += 4) {
    a += term(i);
    b += term(i + 1);
    c += term(i + 2);
    d += term(i + 3);
  }
  for (; i < n; ++i) a += term(i);
  return (a + b) + (c + d);
}

/// sum_i p[i] v[next[i]]
[[gnu::always_inline]] inline double gathered_sum(const std::int32_t* next, const double* p, std::int64_t n,
                                                  const double* v) {
  return partial_sums(n, [=](std::int64_t i) { return p[i] * v[next[i]]; });
}

/// Asks for the entries `ahead` behind `begin` .. `end`. The rows are used once a sweep, the values at random
/// all the time: fetched like this the rows do not push the values out of the second-level cache. Past the
/// end it is a hint about nothing. Inlined always: a call of a function that only gives hints is left out by
/// the compiler.
template <std::int64_t ahead>
[[gnu::always_inline]] inline void fetch_ahead(const std::int32_t* next, const double* p, std::int64_t begin,
                                               std::int64_t end) {
  for (std::int64_t i = begin + ahead; i < end + ahead; i += 8) __builtin_prefetch(p + i, 0, 0);
  for (std::int64_t i = begin + ahead; i < end + ahead; i += 16) __builtin_prefetch(next + i, 0, 0);
}
template <std::int64_t ahead>
[[gnu::always_inline]] inline void fetch_ahead(const Transition* transitions, std::int64_t begin,
                                               std::int64_t end) {
  for (std::int64_t i = begin + ahead; i < end + ahead; i += 8) __builtin_prefetch(transitions + i, 0, 0);
}
template <std::int64_t ahead>
[[gnu::always_inline]] inline void fetch_ahead(const float* rest, std::int64_t begin, std::int64_t end) {
  for (std::int64_t i = begin + ahead; i < end + ahead; i += 16) __builtin_prefetch(rest + i, 0, 0);
}
constexpr std::int64_t kAheadInModel = 1024;  // entries: eight kilobytes cover the time that memory takes
constexpr std::int64_t kAheadInPolicy = 128;  // and one the time of the last cache, where a policy's rows are

/// All rows of the model have one length: where they begin follows from their number.
inline bool has_equal_rows(const Mdp& mdp) {
  return mdp.nonzeros() == std::int64_t{mdp.row_length_max()} * mdp.pairs();
}

/// A weight in double precision again, from its rest; see PackedRows::kOff.
[[gnu::always_inline]] inline double whole_weight(Transition transition, float rest) {
  return static_cast<double>(transition.weight) + static_cast<double>(rest);
}

/// Rows of a policy that all have one length, which the compiler knows: no bounds to load, the loop unrolled.
/// rows(i, y) = sum over row i of weight * y(next).
template <int length>
struct FixedRows {
  const Transition* transitions;
  const float* rest;

  [[gnu::always_inline]] void fetch_ahead(std::int64_t i) const {
    mdp::fetch_ahead<kAheadInPolicy>(transitions, i * length, (i + 1) * length);
  }
  [[gnu::always_inline]] void fetch_ahead_exact(std::int64_t i) const {
    fetch_ahead(i);
    mdp::fetch_ahead<kAheadInPolicy>(rest, i * length, (i + 1) * length);
  }
  [[gnu::always_inline]] double exact(std::int64_t i, const double* v) const {
    const Transition* t = transitions + i * length;
    const float* e = rest + i * length;
    double a = whole_weight(t[0], e[0]) * v[t[0].next], b = 0;
    if constexpr (length > 1) b = whole_weight(t[1], e[1]) * v[t[1].next];
    for (int j = 2; j + 1 < length; j += 2) {
      a += whole_weight(t[j], e[j]) * v[t[j].next];
      b += whole_weight(t[j + 1], e[j + 1]) * v[t[j + 1].next];
    }
    if constexpr (length > 1 && length % 2 == 1)
      a += whole_weight(t[length - 1], e[length - 1]) * v[t[length - 1].next];
    return a + b;
  }
  [[gnu::always_inline]] float operator()(std::int64_t i, const float* y) const {
    const Transition* t = transitions + i * length;
    float a = t[0].weight * y[t[0].next], b = 0;
    if constexpr (length > 1) b = t[1].weight * y[t[1].next];
    for (int j = 2; j + 1 < length; j += 2) {
      a += t[j].weight * y[t[j].next];
      b += t[j + 1].weight * y[t[j + 1].next];
    }
    if constexpr (length > 1 && length % 2 == 1) a += t[length - 1].weight * y[t[length - 1].next];
    return a + b;
  }
};

/// Rows of a policy, of any lengths.
struct VariableRows {
  const std::int64_t* begin;
  const std::int32_t* length;
  const Transition* transitions;

  [[gnu::always_inline]] void fetch_ahead(std::int64_t i) const {
    mdp::fetch_ahead<kAheadInPolicy>(transitions, begin[i], begin[i] + length[i]);
  }
  [[gnu::always_inline]] float operator()(std::int64_t i, const float* y) const {
    const Transition* t = transitions + begin[i];
    return partial_sums(length[i], [=](std::int64_t j) { return t[j].weight * y[t[j].next]; });
  }
};

/// Calls visit(length) with a length of rows as a constant, which the compiler then knows; with 0 where it is
/// 0 or above kLongestKnown.
constexpr int kLongestKnown = 12;
template <typename Visit>
Residual with_length(std::int32_t length, const Visit& visit) {
  Residual result;
  const auto visit_known = [&]<int... before>(std::integer_sequence<int, before...>) {
    return ((length == before + 1 && (result = visit(std::integral_constant<int, before + 1>()), true)) ||
            ...);
  };
  if (!visit_known(std::make_integer_sequence<int, kLongestKnown>{}))
    result = visit(std::integral_constant<int, 0>());
  return result;
}

/// Collects a Residual one state at a time.
template <typename Real>
struct Extremes {
  Real min = std::numeric_limits<Real>::infinity();
  Real max = -std::numeric_limits<Real>::infinity();
  Real magnitude = 0;
  std::int64_t turned = 0;

  [[gnu::always_inline]] void add_change(Real change) {
    min = std::min(min, change);
    max = std::max(max, change);
  }
  [[gnu::always_inline]] void add(Real before, Real after) {
    add_change(after - before);
    magnitude = std::max(magnitude, std::max(std::abs(before), std::abs(after)));
  }
  static Extremes combine(const Extremes& a, const Extremes& b) {
    return {std::min(a.min, b.min), std::max(a.max, b.max), std::max(a.magnitude, b.magnitude),
            a.turned + b.turned};
  }
  Residual residual() const { return {min, max, magnitude, turned}; }
};

/// Runs piece(begin, end) -> Extremes<Real> over the states, in pieces that make starting one cost nothing.
constexpr std::int64_t kStatesOfPiece = 2048;
template <typename Piece>
Residual over_states(const base::Threads& threads, std::int64_t states, Piece piece) {
  using Collected = std::invoke_result_t<Piece, std::int64_t, std::int64_t>;
  return base::parallel_reduce(threads, states, kStatesOfPiece, Collected{}, piece, Collected::combine)
      .residual();
}

template <typename Rows>
Rows PackedRows::rows() const {
  if constexpr (std::is_same_v<Rows, VariableRows>) {
    return {begin_.data(), length_.data(), transitions_};
  } else {
    return {transitions_, rest_};
  }
}

}  // namespace mindgap::mdp

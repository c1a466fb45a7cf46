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

/// sum_i p[i] v[next[i]] with four partial sums: the additions of one row would otherwise wait for each
/// other. Sums begin with a product, not with 0, which would be one addition more for each.
[[gnu::always_inline]] inline double gathered_sum(const std::int32_t* next, const double* p, std::int64_t n,
                                                  const double* v) {
  if (n < 4) {
    double sum = 0;
    if (n > 0) sum = p[0] * v[next[0]];
    for (std::int64_t i = 1; i < n; ++i) sum += p[i] * v[next[i]];
    return sum;
  }
  double a = p[0] * v[next[0]], b = p[1] * v[next[1]], c = p[2] * v[next[2]], d = p[3] * v[next[3]];
  std::int64_t i = 4;
  for (; i + 3 < n; i += 4) {
    a += p[i] * v[next[i]];
    b += p[i + 1] * v[next[i + 1]];
    c += p[i + 2] * v[next[i + 2]];
    d += p[i + 3] * v[next[i + 3]];
  }
  for (; i < n; ++i) a += p[i] * v[next[i]];
  return (a + b) + (c + d);
}

/// Asks for the entries `ahead` behind `begin` .. `end`. The rows are used once a sweep, the values at random
/// all the time: fetched like this the rows do not push the values out of the second-level cache. Past the
/// end it is a hint about nothing.
template <std::int64_t ahead>
void fetch_ahead(const std::int32_t* next, const double* p, std::int64_t begin, std::int64_t end) {
  for (std::int64_t i = begin + ahead; i < end + ahead; i += 8) __builtin_prefetch(p + i, 0, 0);
  for (std::int64_t i = begin + ahead; i < end + ahead; i += 16) __builtin_prefetch(next + i, 0, 0);
}
constexpr std::int64_t kAheadInModel = 1024;  // entries: eight kilobytes cover the time that memory takes
constexpr std::int64_t kAheadInPolicy = 128;  // and one the time of the last cache, where a policy's rows are

/// All rows of the model have one length: where they begin follows from their number.
inline bool has_equal_rows(const Mdp& mdp) {
  return mdp.nonzeros() == std::int64_t{mdp.row_length_max()} * mdp.pairs();
}

/// Rows of a policy that all have one length, which the compiler knows: no bounds to load, the loop unrolled.
template <int length>
struct FixedRows {
  const std::int32_t* next;
  const double* weight;
  const double* reward;

  void fetch_ahead(std::int64_t i) const {
    mdp::fetch_ahead<kAheadInPolicy>(next, weight, i * length, (i + 1) * length);
  }

  double operator()(std::int64_t i, const double* v) const {
    const std::int32_t* c = next + i * length;
    const double* w = weight + i * length;
    double a = reward[i], b = 0;
    for (int j = 0; j + 1 < length; j += 2) {
      a += w[j] * v[c[j]];
      b += w[j + 1] * v[c[j + 1]];
    }
    if constexpr (length % 2 == 1) a += w[length - 1] * v[c[length - 1]];
    return a + b;
  }
};

/// Rows of a policy, of any lengths.
struct VariableRows {
  const std::int64_t* begin;
  const std::int32_t* length;
  const std::int32_t* next;
  const double* weight;
  const double* reward;

  void fetch_ahead(std::int64_t i) const {
    mdp::fetch_ahead<kAheadInPolicy>(next, weight, begin[i], begin[i] + length[i]);
  }
  double operator()(std::int64_t i, const double* v) const {
    return reward[i] + gathered_sum(next + begin[i], weight + begin[i], length[i], v);
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
struct Extremes {
  double min = std::numeric_limits<double>::infinity();
  double max = -std::numeric_limits<double>::infinity();
  double magnitude = 0;
  std::int64_t turned = 0;

  [[gnu::always_inline]] void add_change(double change) {
    min = std::min(min, change);
    max = std::max(max, change);
  }
  [[gnu::always_inline]] void add(double before, double after) {
    add_change(after - before);
    magnitude = std::max(magnitude, std::max(std::abs(before), std::abs(after)));
  }
  static Extremes combine(const Extremes& a, const Extremes& b) {
    return {std::min(a.min, b.min), std::max(a.max, b.max), std::max(a.magnitude, b.magnitude),
            a.turned + b.turned};
  }
  Residual residual() const { return {min, max, magnitude, turned}; }
};

/// Runs piece(begin, end) -> Extremes over the states, in pieces that make starting one cost nothing.
constexpr std::int64_t kStatesOfPiece = 2048;
template <typename Piece>
Residual over_states(const base::Threads& threads, std::int64_t states, Piece piece) {
  return base::parallel_reduce(threads, states, kStatesOfPiece, Extremes{}, piece, Extremes::combine)
      .residual();
}

template <typename Rows>
Rows PolicyRows::rows() const {
  if constexpr (std::is_same_v<Rows, VariableRows>) {
    return {begin_.data(), length_.data(), next_.data(), weight_.data(), reward_.data()};
  } else {
    return {next_.data(), weight_.data(), reward_.data()};
  }
}

}  // namespace mindgap::mdp

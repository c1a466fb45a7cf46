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

/// sum_i p[i] v[next[i]] with four partial sums: the additions of one row would otherwise wait for each
/// other.
inline double gathered_sum(const std::int32_t* next, const double* p, std::int64_t n, const double* v) {
  double a = 0, b = 0, c = 0, d = 0;
  std::int64_t i = 0;
  for (; i + 3 < n; i += 4) {
    a += p[i] * v[next[i]];
    b += p[i + 1] * v[next[i + 1]];
    c += p[i + 2] * v[next[i + 2]];
    d += p[i + 3] * v[next[i + 3]];
  }
  for (; i < n; ++i) a += p[i] * v[next[i]];
  return (a + b) + (c + d);
}

/// The rows are used once a sweep, the values at random all the time: fetched like this the rows do not push
/// the values out of the second-level cache. A kilobyte ahead; past the end it is a hint about nothing.
inline void fetch_ahead(const std::int32_t* next, const double* p, std::int64_t entry) {
  __builtin_prefetch(p + entry + 128, 0, 0);
  __builtin_prefetch(p + entry + 136, 0, 0);
  __builtin_prefetch(next + entry + 256, 0, 0);
}

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

/// Runs piece(begin, end) -> Extremes over the states, in chunks that make starting one cost nothing.
template <typename Piece>
Residual over_states(const base::Threads& threads, std::int64_t states, Piece piece) {
  constexpr std::int64_t kGrain = 2048;
  return base::parallel_reduce(threads, states, kGrain, Extremes{}, piece, Extremes::combine).residual();
}

}  // namespace mindgap::mdp

#pragma once

#include <boost/multiprecision/cpp_bin_float.hpp>
#include <boost/multiprecision/cpp_int.hpp>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "mindgap/mdp/mdp.h"

// Solvers that share no code with the library: dense, slow and exact, or to 50 digits.
namespace mindgap::mdp::oracle {

using Rational = boost::multiprecision::cpp_rational;
using Digits50 = boost::multiprecision::cpp_bin_float_50;

/// The value of the policy that takes `pair[s]` in state s: Gauss-Jordan elimination of I - g P.
template <typename Number>
std::vector<Number> policy_value(const Mdp& mdp, const std::vector<std::int32_t>& pair) {
  const std::size_t n = pair.size();
  const Number g(mdp.discount());
  std::vector<std::vector<Number>> a(n, std::vector<Number>(n + 1, Number(0)));
  for (std::size_t s = 0; s < n; ++s) {
    a[s][s] = 1;
    a[s][n] = Number(mdp.reward()[pair[s]]);
    for (auto i = mdp.row_begin()[pair[s]]; i < mdp.row_begin()[pair[s] + 1]; ++i) {
      a[s][mdp.next_state()[i]] -= g * Number(mdp.probability()[i]);
    }
  }
  for (std::size_t column = 0; column < n;
       ++column) {  // I - g P is diagonally dominant: no pivoting is needed
    const Number pivot = a[column][column];
    for (std::size_t j = column; j <= n; ++j) a[column][j] /= pivot;
    for (std::size_t row = 0; row < n; ++row) {
      if (row == column || a[row][column] == 0) continue;
      const Number factor = a[row][column];
      for (std::size_t j = column; j <= n; ++j) a[row][j] -= factor * a[column][j];
    }
  }
  std::vector<Number> value(n);
  for (std::size_t s = 0; s < n; ++s) value[s] = a[s][n];
  return value;
}

template <typename Number>
Number action_value(const Mdp& mdp, std::int32_t pair, const std::vector<Number>& value) {
  Number q(mdp.reward()[pair]);
  for (auto i = mdp.row_begin()[pair]; i < mdp.row_begin()[pair + 1]; ++i) {
    q += Number(mdp.discount()) * Number(mdp.probability()[i]) * value[mdp.next_state()[i]];
  }
  return q;
}

/// The optimal value by Howard's policy iteration in exact (or 50-digit) arithmetic.
template <typename Number>
std::vector<Number> optimal_value(const Mdp& mdp) {
  std::vector<std::int32_t> pair(mdp.pair_begin().begin(), mdp.pair_begin().end() - 1);
  // Equal actions may differ in the last of 50 digits; fractions are exact.
  const Number slack(std::is_same_v<Number, Rational> ? 0 : 1e-40);
  for (;;) {
    std::vector<Number> value = policy_value<Number>(mdp, pair);
    bool changed = false;
    for (std::int32_t s = 0; s < mdp.states(); ++s) {
      Number best = action_value(mdp, pair[s], value);
      for (std::int32_t k = mdp.pair_begin()[s]; k < mdp.pair_begin()[s + 1]; ++k) {
        const Number q = action_value(mdp, k, value);
        if (q > best + slack) {
          best = q;
          pair[s] = k;
          changed = true;
        }
      }
    }
    if (!changed) return value;
  }
}

}  // namespace mindgap::mdp::oracle

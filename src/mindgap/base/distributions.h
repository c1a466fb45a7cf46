#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "mindgap/base/random.h"

// Random variates from the bits of a Stream. They are our own, with pinned outputs, because std::
// distributions differ between compilers. Those marked "one word" use exactly one word of the stream and, but
// for Categorical, are nondecreasing in it up to rounding: two planners that draw with other parameters still
// meet the same luck. The others reject and so use a variable number of words; what follows them in the same
// stream moves.
//
// Every function throws InvalidArgument, naming itself, the argument and its value, when an argument is
// outside the domain given with it; then it has used no word.
namespace mindgap::base {

/// (k + 1/2) 2^-52 with k the upper 52 bits of the word: an odd multiple of 2^-53, strictly inside (0, 1),
/// and the complement of the word's bits gives the complement to 1. (The usual 53 bits would not do: k + 1/2
/// is rounded for k >= 2^52, and the last one becomes 1.)
constexpr double to_unit_interval(std::uint64_t word) {
  return (static_cast<double>(word >> 12) + 0.5) * 0x1p-52;
}

/// Uniform strictly inside (0, 1). One word.
inline double uniform(Stream& stream) {
  return to_unit_interval(stream.next());
}

/// Uniform on 0, 1, ..., n-1 without bias, n >= 1. One word, and another with probability below n / 2^64.
std::int64_t uniform_index(Stream& stream, std::int64_t n);

/// i with probability p_i, from one word: the first i with u < p_0 + ... + p_i, among those with p_i > 0;
/// where rounding leaves none, the last such.
inline std::int32_t categorical(Stream& stream, std::span<const double> probability) {
  const double u = uniform(stream);
  double sum = 0;
  std::int32_t last = 0;
  for (std::size_t i = 0; i < probability.size(); ++i) {
    if (probability[i] <= 0) continue;
    sum += probability[i];
    last = static_cast<std::int32_t>(i);
    if (u < sum) break;
  }
  return last;
}

/// The z with P(Z <= z) = p for a standard normal Z; p in [0, 1], -infinity at 0 and infinity at 1.
double normal_quantile(double p);

/// Standard normal. One word.
double normal(Stream& stream);
/// What normal() makes of each word, for less; `out` is of the same size.
void to_normals(std::span<const std::uint64_t> words, std::span<double> out);

/// Exponential with mean 1. One word.
double exponential(Stream& stream);

/// Gamma with the given shape > 0 and scale 1. May underflow to 0 for shapes below about 0.05: use
/// log_gamma_draw where the variate is divided by or its log taken. Variable number of words.
double gamma(Stream& stream, double shape);

/// The log of such a variate, from the same words as gamma(): finite for every shape > 0. Not the function
/// lgamma. Variable number of words.
double log_gamma_draw(Stream& stream, double shape);

/// Beta(a, b), a > 0, b > 0; in [0, 1], where the ends are reached by rounding only. Variable number of
/// words.
double beta(Stream& stream, double a, double b);

/// Dirichlet(alpha) into `out`, of the same size: entries in [0, 1] that sum to 1 up to rounding. alpha[i] >=
/// 0, at least one positive; out[i] is exactly 0 where alpha[i] is. Does not allocate; `alpha` and `out` must
/// not overlap. Variable number of words.
void dirichlet(Stream& stream, std::span<const double> alpha, std::span<double> out);

/// Poisson with the given mean in [0, 1e15]. One word for means below 10, else a variable number.
std::int64_t poisson(Stream& stream, double mean);

/// Number of successes in n trials of probability p each; n in [0, 1e15], p in [0, 1]. One word (none if n =
/// 0, p = 0 or p = 1) where n min(p, 1-p) < 10, else a variable number.
std::int64_t binomial(Stream& stream, std::int64_t n, double p);

/// Draws i with probability weights[i] / sum of weights, in constant time. Not monotone in the word.
class Categorical {
 public:
  /// weights[i] >= 0 and finite, at least one positive.
  explicit Categorical(std::span<const double> weights);

  /// An entry of positive weight. One word.
  std::int64_t draw(Stream& stream) const { return at(stream.next()); }
  /// The entry that the word draws.
  std::int64_t at(std::uint64_t word) const {
    // With x the word, the high word of x n is the column and the low word / 2^64 the fraction. The column's
    // probability is off by less than 2^-64. Without a branch, which nobody could predict.
    __extension__ using Wide = unsigned __int128;
    const Wide product = static_cast<Wide>(word) * columns_.size();
    const auto index = static_cast<std::uint64_t>(product >> 64);
    const Column& column = columns_[index];
    const std::int64_t own = -static_cast<std::int64_t>(static_cast<std::uint64_t>(product) < column.keep);
    return (static_cast<std::int64_t>(index) & own) | (column.alias & ~own);
  }
  std::int64_t size() const { return static_cast<std::int64_t>(columns_.size()); }

  struct Column {
    std::uint64_t keep;  // the column's own entry is drawn when the fraction, times 2^64, is below this
    std::int64_t alias;  // else this one
  };
  std::span<const Column> columns() const { return columns_; }

 private:
  std::vector<Column> columns_;
};

}  // namespace mindgap::base

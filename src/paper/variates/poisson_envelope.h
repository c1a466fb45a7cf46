#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <vector>

#include "mindgap/base/distributions.h"

// Poisson counts of means that change from draw to draw, for little: where each of N ~ Poisson(M) things is
// kept with probability mean/M on its own, Poisson(mean) are kept. M is the next of a fixed row of means,
// whose laws are in tables.
namespace mindgap::variates {

struct PoissonEnvelope {
  explicit PoissonEnvelope(double mean);

  /// N from 32 random bits, as Categorical::at() has it from 64: each probability is off by less than 2^-32.
  std::int64_t count(std::uint32_t bits) const {
    const std::uint64_t product = std::uint64_t{bits} * columns.size();
    const std::uint64_t index = product >> 32;
    const Column& column = columns[index];
    const std::uint64_t own =
        0 - static_cast<std::uint64_t>(static_cast<std::uint32_t>(product) < column.keep);
    return static_cast<std::int64_t>((index & own) | (column.alias & ~own));
  }

  double mean, inverse;  // M, and 1/M rounded so that m * inverse <= 1 for every m <= M
  struct Column {
    std::uint32_t keep, alias;
  };
  std::vector<Column> columns;
};

/// M = 2^-6, 2^-5.75, ..., 2^9.
class PoissonEnvelopes {
 public:
  static constexpr double kLowest = 0x1p-6, kHighest = 0x1p9;

  /// The tables, made when they are asked for first.
  static const PoissonEnvelopes& get();

  /// The one with the smallest M >= mean, for mean in [0, kHighest]: M is at most 2^(1/4) mean, or kLowest.
  const PoissonEnvelope& above(double mean) const {
    if (!(mean > kLowest)) return all_.front();
    // mean = m 2^e, 1 <= m < 2, from the bits of the double: four for each e, and one more for each root that
    // m exceeds.
    const auto bits = std::bit_cast<std::uint64_t>(mean);
    const auto exponent = static_cast<std::size_t>((bits >> 52) - (1023 - 6));
    const double m = std::bit_cast<double>((bits & 0x000fffffffffffff) | 0x3ff0000000000000);
    std::size_t more = 0;
    for (const double root : kRoot) more += m > root ? 1 : 0;
    return all_[4 * exponent + more];
  }

 private:
  PoissonEnvelopes();

  // 2^(i/4)
  static constexpr std::array<double, 4> kRoot = {1, 1.189207115002721, 1.4142135623730951,
                                                  1.681792830507429};
  std::vector<PoissonEnvelope> all_;
};

}  // namespace mindgap::variates

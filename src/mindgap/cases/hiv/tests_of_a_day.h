#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "mindgap/base/random.h"

namespace mindgap::cases::hiv {

/// What a team's day brings: n = max(1, Poisson(mean)) tests, of which k ~ Binomial(n, chance) are positive.
/// The laws are base's and so is their way, by inversion with one word each; here with the Poisson law in a
/// table and (1 - chance)^n by multiplication, since this is most of the time of a trial. Means of 10 and
/// more, and of positives, are base's.
class TestsOfADay {
 public:
  /// mean in (0, 1e6].
  explicit TestsOfADay(double mean);

  struct Draw {
    std::int32_t tests, positives;
  };
  /// chance in [0, 1].
  Draw draw(base::Stream& stream, double chance) const;

 private:
  static constexpr std::size_t kGuide = 256;

  std::int64_t poisson(base::Stream& stream) const;

  double mean_;
  std::vector<double> cumulative_;             // P(n <= k); empty: not in a table
  std::array<std::uint16_t, kGuide> guide_{};  // the smallest k with P(n <= k) >= i / kGuide
};

}  // namespace mindgap::cases::hiv

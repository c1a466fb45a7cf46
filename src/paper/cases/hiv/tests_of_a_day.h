#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "mindgap/base/random.h"

namespace mindgap::cases::hiv {

/// What a team's day brings: n = max(1, Poisson(mean)) tests, of which k ~ Binomial(n, chance) are positive.
class TestsOfADay {
 public:
  /// mean in (0, 1e6].
  explicit TestsOfADay(double mean);

  /// Whether both counts come from one word, which is so for means below 10.
  bool one_word() const { return !words_.empty(); }
  /// The whole numbers n and k of each word, by inversion, if one_word(): the words are cut into an interval
  /// for each n, as long as it is probable; where the word lies within that is the uniform that k is drawn
  /// by. So n is a function of the word alone, and with n given k is nondecreasing in the word and in the
  /// chance. `chance` is in [0, 1]; all are of one size.
  void draw(std::span<const std::uint64_t> words, std::span<const double> chance, std::span<double> tests,
            std::span<double> positives) const;
  /// For any mean, by base's Poisson and binomial.
  void draw(base::Stream& stream, double chance, double& tests, double& positives) const;

 private:
  static constexpr std::size_t kGuideBits = 10;

  double mean_;
  struct Words {  // of one n
    std::uint64_t first, last;
    double shrink;  // 2 / how many those are
    double tests;   // n
  };
  std::vector<Words> words_;  // place i is for n = i + 1; empty: not in a table
  // The place of the first word with these first bits.
  std::array<std::uint8_t, std::size_t{1} << kGuideBits> guide_{};
};

}  // namespace mindgap::cases::hiv

#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "mindgap/base/random.h"

// A prevalence seen through tests that detect only a share of it.
namespace mindgap::belief {

/// p ~ Beta(a, b), and k ~ Binomial(n, phi p) positives among n tests, phi in (0, 1] the known share that
/// such a test detects. The posterior is exact: its density is proportional to
///   p^(a+K-1) (1-p)^(b+M-1) prod_j (1 - phi_j p)^(m_j),
/// K all positives, M the negatives of tests with phi = 1, m_j those of tests with phi_j < 1. The counts are
/// whole numbers, so the order of the observations changes no bit. With phi = 1 only, it is a Beta.
/// An observation costs O(number of distinct phi); what is asked of the posterior costs a few hundred
/// evaluations of the density, or a closed form where it is a Beta.
class BetaBinomial {
 public:
  /// Beta(positive, negative); both at least 1e-3: below, the prior is a coin between 0 and 1.
  BetaBinomial(double positive, double negative);

  /// `positives` of `tests` tests, each of which detects the share `detection` in (0, 1] of the prevalence.
  void observe(std::int64_t tests, std::int64_t positives, double detection = 1);

  double mean() const;
  double variance() const;
  /// p strictly inside (0, 1).
  double density(double p) const;
  /// P(prevalence <= p), p in [0, 1].
  double cdf(double p) const;
  /// The p with cdf(p) = probability, in [0, 1].
  double quantile(double probability) const;

  /// One draw: one word of the stream by inversion; while all tests had phi = 1 a variable number.
  double sample(base::Stream& stream) const;
  /// As many draws as `out` has room for, for the price of little more than one.
  void sample(base::Stream& stream, std::span<double> out) const;

  /// Negatives of tests that detect the share `detection` < 1.
  struct Missed {
    double detection;
    std::int64_t negatives;
    bool operator==(const Missed&) const = default;
  };
  double positive() const { return prior_positive_ + static_cast<double>(positives_); }  // a + K
  double negative() const { return prior_negative_ + static_cast<double>(negatives_); }  // b + M
  std::span<const Missed> missed() const { return missed_; }                             // by detection

  bool operator==(const BetaBinomial&) const = default;

 private:
  double prior_positive_, prior_negative_;
  std::int64_t positives_ = 0, negatives_ = 0;
  std::vector<Missed> missed_;
};

/// A Beta that stands in for the posterior above. The named approximations below keep the belief conjugate;
/// the tests show how far they are from the exact one.
struct BetaShape {
  double positive = 1, negative = 1;
  bool operator==(const BetaShape&) const = default;
};
double mean(const BetaShape& belief);
double variance(const BetaShape& belief);

/// a += k, b += n - k: what the paper does, as if every test detected everything. Biased towards phi p.
BetaShape conjugate_update(const BetaShape& belief, std::int64_t tests, std::int64_t positives);

/// a += k, b += max(0, phi n - k) (docs/math/beliefs.md): n tests that detect the share phi count as
/// phi n that detect all. Nearly unbiased, and close to the exact posterior while phi p is small.
BetaShape warmup_corrected_update(const BetaShape& belief, std::int64_t tests, std::int64_t positives,
                                  double detection);

}  // namespace mindgap::belief

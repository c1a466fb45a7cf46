#include "paper/variates/poisson_envelope.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/goodness_of_fit.h"
#include "mindgap/base/log_pmf.h"

namespace mindgap::variates {
namespace poisson_envelope_test {

TEST(PoissonEnvelope, IsTheNextMeanAbove) {
  const PoissonEnvelopes& envelopes = PoissonEnvelopes::get();
  for (const double mean : {1e-300, 1e-3, 0x1p-6, 0x1.0000000000001p-6, .3, 1.0, 1.1, 1.2, 1.5, 1.7, 1.99,
                            2.0, 17.3, 255.9, 256.0, 500.0, PoissonEnvelopes::kHighest}) {
    const PoissonEnvelope& envelope = envelopes.above(mean);
    EXPECT_GE(envelope.mean, mean);
    EXPECT_LE(envelope.mean, std::max(PoissonEnvelopes::kLowest, std::exp2(.25) * mean * (1 + 1e-15)))
        << mean;
    EXPECT_LE(mean * envelope.inverse, 1);
    EXPECT_NEAR(envelope.mean * envelope.inverse, 1, 1e-15);
  }
  EXPECT_EQ(envelopes.above(0).mean, PoissonEnvelopes::kLowest);
  EXPECT_EQ(envelopes.above(4).mean, 4);  // a mean of the row is its own envelope
}

// 20,000 counts, each of N things kept by a coin of its own, against Poisson(mean). A right sampler fails one
// of these with probability 1e-6.
TEST(PoissonEnvelope, WhatIsKeptIsPoisson) {
  constexpr int kDraws = 20'000;
  std::uint64_t trial = 0;
  for (const double mean : {1e-3, .01, .3, 1.0, 2.7, 17.3, 120.0, 512.0}) {
    base::Stream stream({.seed = 20240607, .purpose = base::Purpose::test, .trial = ++trial});
    const PoissonEnvelope& envelope = PoissonEnvelopes::get().above(mean);
    std::vector<double> counts(1024), expected(1024);
    for (int i = 0; i < kDraws; ++i) {
      std::size_t kept = 0;
      for (std::int64_t n = envelope.count(static_cast<std::uint32_t>(stream.next() >> 32)); n > 0; --n) {
        if (base::uniform(stream) < mean * envelope.inverse) ++kept;
      }
      ++counts.at(kept);
    }
    for (std::size_t k = 0; k < expected.size(); ++k) {
      expected[k] = kDraws * std::exp(base::poisson_log_pmf(static_cast<std::int64_t>(k), mean));
    }
    EXPECT_GT(base::chi_square_p_value(counts, expected), 1e-6) << mean;
  }
}

}  // namespace poisson_envelope_test
}  // namespace mindgap::variates

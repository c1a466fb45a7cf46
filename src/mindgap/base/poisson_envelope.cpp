#include "mindgap/base/poisson_envelope.h"

#include <cmath>

#include "mindgap/base/log_pmf.h"

namespace mindgap::base {
namespace {

constexpr int kLowestExponent = -6, kHighestExponent = 9;

std::vector<double> poisson_weights(double mean) {
  std::vector<double> weights;
  const double rarest = -64 * std::log(2.0);
  for (std::int64_t k = 0;; ++k) {
    const double log_pmf = poisson_log_pmf(k, mean);
    if (log_pmf<rarest&& static_cast<double>(k)> mean) return weights;
    weights.push_back(log_pmf < rarest ? 0 : std::exp(log_pmf));
  }
}

}  // namespace

PoissonEnvelopes::PoissonEnvelopes() {
  for (int exponent = kLowestExponent; exponent <= kHighestExponent; ++exponent) {
    for (const double root : kRoot) {
      if (exponent == kHighestExponent && root > 1) break;
      const double mean = std::ldexp(root, exponent);
      all_.push_back({mean, std::nextafter(1 / mean, 0), Categorical(poisson_weights(mean))});
    }
  }
}

const PoissonEnvelopes& PoissonEnvelopes::get() {
  static const PoissonEnvelopes all;
  return all;
}

}  // namespace mindgap::base

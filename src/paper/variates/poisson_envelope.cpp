#include "paper/variates/poisson_envelope.h"

#include <cmath>

#include "mindgap/base/log_pmf.h"

namespace mindgap::variates {
namespace {

constexpr int kLowestExponent = -6, kHighestExponent = 9;

std::vector<double> poisson_weights(double mean) {
  std::vector<double> weights;
  const double rarest = -64 * std::log(2.0);
  for (std::int64_t k = 0;; ++k) {
    const double log_pmf = base::poisson_log_pmf(k, mean);
    if (log_pmf<rarest&& static_cast<double>(k)> mean) return weights;
    weights.push_back(log_pmf < rarest ? 0 : std::exp(log_pmf));
  }
}

}  // namespace

PoissonEnvelope::PoissonEnvelope(double envelope_mean)
    : mean(envelope_mean), inverse(std::nextafter(1 / mean, 0)) {
  const base::Categorical law(poisson_weights(mean));
  for (const base::Categorical::Column& column : law.columns()) {
    columns.push_back(
        {static_cast<std::uint32_t>(column.keep >> 32), static_cast<std::uint32_t>(column.alias)});
  }
}

PoissonEnvelopes::PoissonEnvelopes() {
  for (int exponent = kLowestExponent; exponent <= kHighestExponent; ++exponent) {
    for (const double root : kRoot) {
      if (exponent == kHighestExponent && root > 1) break;
      all_.emplace_back(std::ldexp(root, exponent));
    }
  }
}

const PoissonEnvelopes& PoissonEnvelopes::get() {
  static const PoissonEnvelopes kAll;
  return kAll;
}

}  // namespace mindgap::variates

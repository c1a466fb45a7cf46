#pragma once

#include <cmath>
#include <cstdint>

// The random streams and the variates of mindgap/base (random.h, distributions.h) as functions that also run
// on a device: the same words, and the same variates up to the last digits of log and exp. Tests compare the
// two.
#ifdef __CUDACC__
#define MINDGAP_BOTH __host__ __device__ __forceinline__
#else
#define MINDGAP_BOTH inline
#endif

namespace mindgap::engine {

MINDGAP_BOTH std::uint64_t high_word(std::uint64_t a, std::uint64_t b) {
#ifdef __CUDA_ARCH__
  return __umul64hi(a, b);
#else
  __extension__ using Wide = unsigned __int128;
  return static_cast<std::uint64_t>((static_cast<Wide>(a) * b) >> 64);
#endif
}

// Philox4x64-10 (Salmon, Moraes, Dror, Shaw 2011) with key (seed, purpose) and counter (block, draw, unit,
// 0).
class Stream {
 public:
  MINDGAP_BOTH Stream(std::uint64_t seed, std::uint64_t purpose, std::uint64_t draw, std::uint64_t unit)
      : seed_(seed), purpose_(purpose), draw_(draw), unit_(unit) {}

  MINDGAP_BOTH std::uint64_t next() {
    if (used_ == 4) refill();
    const std::uint64_t word = used_ == 0 ? w0_ : used_ == 1 ? w1_ : used_ == 2 ? w2_ : w3_;
    ++used_;
    return word;
  }

  // (k + 1/2) 2^-52 of the upper 52 bits.
  MINDGAP_BOTH double uniform() { return (static_cast<double>(next() >> 12) + 0.5) * 0x1p-52; }

 private:
  MINDGAP_BOTH void refill() {
    constexpr std::uint64_t kM0 = 0xD2E7470EE14C6C93U, kM1 = 0xCA5A826395121157U;
    constexpr std::uint64_t kW0 = 0x9E3779B97F4A7C15U, kW1 = 0xBB67AE8584CAA73BU;
    std::uint64_t c0 = block_++, c1 = draw_, c2 = unit_, c3 = 0, k0 = seed_, k1 = purpose_;
    for (int round = 0; round < 10; ++round) {
      const std::uint64_t h0 = high_word(kM0, c0), l0 = kM0 * c0;
      const std::uint64_t h1 = high_word(kM1, c2), l1 = kM1 * c2;
      c0 = h1 ^ c1 ^ k0;
      c1 = l1;
      c2 = h0 ^ c3 ^ k1;
      c3 = l0;
      k0 += kW0;
      k1 += kW1;
    }
    w0_ = c0;
    w1_ = c1;
    w2_ = c2;
    w3_ = c3;
    used_ = 0;
  }

  std::uint64_t seed_, purpose_, draw_, unit_, block_ = 0;
  std::uint64_t w0_ = 0, w1_ = 0, w2_ = 0, w3_ = 0;
  int used_ = 4;
};

// Horner's rule from the last coefficient.
MINDGAP_BOTH double polynomial(double x, double c0, double c1, double c2, double c3, double c4, double c5,
                               double c6, double c7) {
  return ((((((c7 * x + c6) * x + c5) * x + c4) * x + c3) * x + c2) * x + c1) * x + c0;
}

// Wichura (1988), AS 241, PPND16.
MINDGAP_BOTH double normal_quantile(double p) {
  const double q = p - 0.5;
  if (std::fabs(q) <= 0.425) {
    const double r = 0.180625 - q * q;
    return q *
           polynomial(r, 3.3871328727963666080, 1.3314166789178437745e2, 1.9715909503065514427e3,
                      1.3731693765509461125e4, 4.5921953931549871457e4, 6.7265770927008700853e4,
                      3.3430575583588128105e4, 2.5090809287301226727e3) /
           polynomial(r, 1, 4.2313330701600911252e1, 6.8718700749205790830e2, 5.3941960214247511077e3,
                      2.1213794301586595867e4, 3.9307895800092710610e4, 2.8729085735721942674e4,
                      5.2264952788528545610e3);
  }
  double r = std::sqrt(-std::log(q < 0 ? p : 1 - p));
  double z = 0;
  if (r <= 5) {
    r -= 1.6;
    z = polynomial(r, 1.42343711074968357734, 4.63033784615654529590, 5.76949722146069140550,
                   3.64784832476320460504, 1.27045825245236838258, 2.41780725177450611770e-1,
                   2.27238449892691845833e-2, 7.74545014278341407640e-4) /
        polynomial(r, 1, 2.05319162663775882187, 1.67638483018380384940, 6.89767334985100004550e-1,
                   1.48103976427480074590e-1, 1.51986665636164571966e-2, 5.47593808499534494600e-4,
                   1.05075007164441684324e-9);
  } else {
    r -= 5;
    z = polynomial(r, 6.65790464350110377720, 5.46378491116411436990, 1.78482653991729133580,
                   2.96560571828504891230e-1, 2.65321895265761230930e-2, 1.24266094738807843860e-3,
                   2.71155556874348757815e-5, 2.01033439929228813265e-7) /
        polynomial(r, 1, 5.99832206555887937690e-1, 1.36929880922735805310e-1, 1.48753612908506148525e-2,
                   7.86869131145613259100e-4, 1.84631831751005468180e-5, 1.42151175831644588870e-7,
                   2.04426310338993978564e-15);
  }
  return q < 0 ? -z : z;
}

// log(1+t) - t + t^2/2 - t^3/3, by its series where the terms cancel.
MINDGAP_BOTH double log1p_remainder(double t) {
  if (std::fabs(t) > 0.1) return std::log1p(t) - t * (1 - t * (0.5 - t / 3));
  double sum = 0;
  for (int j = 18; j >= 4; --j) sum = 1.0 / j - t * sum;
  return -sum * (t * t) * (t * t);
}

// The log of a gamma variate (Marsaglia and Tsang 2000), finite for every shape > 0.
MINDGAP_BOTH double log_gamma_draw(Stream& stream, double shape) {
  const bool boost = shape < 1;
  const double d = (boost ? shape + 1 : shape) - 1.0 / 3;
  const double c = 1 / (3 * std::sqrt(d));
  double t = 0;
  for (;;) {
    const double z = normal_quantile(stream.uniform());
    const double u = stream.uniform();
    t = c * z;
    if (t <= -1) continue;
    if (u < 1 - 0.0331 * (z * z) * (z * z)) break;
    if (std::log(u) < 3 * d * log1p_remainder(t)) break;
  }
  const double log_variate = std::log(d) + 3 * std::log1p(t);
  if (!boost) return log_variate;
  const double boosted = log_variate + std::log(stream.uniform()) / shape;
  return boosted > -1.7976931348623157e308 ? boosted : -1.7976931348623157e308;
}

}  // namespace mindgap::engine

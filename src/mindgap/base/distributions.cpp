#include "mindgap/base/distributions.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "mindgap/base/check.h"
#include "mindgap/base/log1p_remainder.h"

namespace mindgap::base {
namespace {

// sum of c[i] x^i
template <std::size_t n>
double polynomial(const std::array<double, n>& c, double x) {
  double sum = c[n - 1];
  for (std::size_t i = n - 1; i-- > 0;) sum = sum * x + c[i];
  return sum;
}

// The three rational approximations of PPND16.
namespace ppnd16 {
constexpr std::array<double, 8> kA = {
    3.3871328727963666080,   1.3314166789178437745e2, 1.9715909503065514427e3, 1.3731693765509461125e4,
    4.5921953931549871457e4, 6.7265770927008700853e4, 3.3430575583588128105e4, 2.5090809287301226727e3};
constexpr std::array<double, 8> kB = {1,
                                      4.2313330701600911252e1,
                                      6.8718700749205790830e2,
                                      5.3941960214247511077e3,
                                      2.1213794301586595867e4,
                                      3.9307895800092710610e4,
                                      2.8729085735721942674e4,
                                      5.2264952788528545610e3};
constexpr std::array<double, 8> kC = {
    1.42343711074968357734, 4.63033784615654529590,    5.76949722146069140550,    3.64784832476320460504,
    1.27045825245236838258, 2.41780725177450611770e-1, 2.27238449892691845833e-2, 7.74545014278341407640e-4};
constexpr std::array<double, 8> kD = {1,
                                      2.05319162663775882187,
                                      1.67638483018380384940,
                                      6.89767334985100004550e-1,
                                      1.48103976427480074590e-1,
                                      1.51986665636164571966e-2,
                                      5.47593808499534494600e-4,
                                      1.05075007164441684324e-9};
constexpr std::array<double, 8> kE = {6.65790464350110377720,    5.46378491116411436990,
                                      1.78482653991729133580,    2.96560571828504891230e-1,
                                      2.65321895265761230930e-2, 1.24266094738807843860e-3,
                                      2.71155556874348757815e-5, 2.01033439929228813265e-7};
constexpr std::array<double, 8> kF = {1,
                                      5.99832206555887937690e-1,
                                      1.36929880922735805310e-1,
                                      1.48753612908506148525e-2,
                                      7.86869131145613259100e-4,
                                      1.84631831751005468180e-5,
                                      1.42151175831644588870e-7,
                                      2.04426310338993978564e-15};
}  // namespace ppnd16

// PPND16 for p in (0, 1), unchecked.
double inner_normal_quantile(double p) {
  const double q = p - 0.5;
  if (std::abs(q) <= 0.425) {
    const double r = 0.180625 - q * q;
    return q * polynomial(ppnd16::kA, r) / polynomial(ppnd16::kB, r);
  }
  const double r = std::sqrt(-std::log(q < 0 ? p : 1 - p));
  const double z = r <= 5 ? polynomial(ppnd16::kC, r - 1.6) / polynomial(ppnd16::kD, r - 1.6)
                          : polynomial(ppnd16::kE, r - 5) / polynomial(ppnd16::kF, r - 5);
  return q < 0 ? -z : z;
}

// A gamma variate of shape d + 1/3 >= 1 as d v, v = (1+t)^3.
struct CubedNormal {
  double d, t;
};

// Marsaglia and Tsang (2000), "A simple method for generating gamma variables": with z normal, t =
// z / sqrt(9 d) and u uniform, accept when t > -1 and log u < z^2/2 + d - d v + d log v; at once when
// u < 1 - 0.0331 z^4 (the squeeze, which changes nothing but the time). Departure: the right-hand side is
// computed as the equal 3 d [log(1+t) - t + t^2/2 - t^3/3], since z^2/2 = 9 d t^2/2, because as printed its
// terms, of size d, cancel.
CubedNormal draw_cubed_normal(Stream& stream, double shape) {
  const double d = shape - 1.0 / 3;
  const double c = 1 / (3 * std::sqrt(d));
  for (;;) {
    const double z = normal(stream);
    const double u = uniform(stream);
    const double t = c * z;
    if (t <= -1) continue;
    if (u < 1 - 0.0331 * (z * z) * (z * z)) return {d, t};
    if (std::log(u) < 3 * d * log1p_remainder(t)) return {d, t};
  }
}

// log_gamma_draw, unchecked. A shape so small that the log overflows gets the lowest number.
double unchecked_log_gamma_draw(Stream& stream, double shape) {
  const bool boost = shape < 1;
  const auto [d, t] = draw_cubed_normal(stream, boost ? shape + 1 : shape);
  const double log_variate = std::log(d) + 3 * std::log1p(t);
  if (!boost) return log_variate;
  return std::max(log_variate + std::log(uniform(stream)) / shape, std::numeric_limits<double>::lowest());
}

// Shapes whose largest is below 1e-200 are multiplied by this in beta and dirichlet, so that their log
// variates do not overflow. The law stays the same to within 1e-100: one entry is 1, entry i with probability
// alpha_i / sum.
double shape_scale(double largest) {
  return largest < 1e-200 ? 0x1p300 : 1;
}

// The high word of x n; the low one goes to `low`.
std::uint64_t multiply(std::uint64_t x, std::uint64_t n, std::uint64_t& low) {
  __extension__ using Wide = unsigned __int128;
  const Wide product = static_cast<Wide>(x) * n;
  low = static_cast<std::uint64_t>(product);
  return static_cast<std::uint64_t>(product >> 64);
}

}  // namespace

// Lemire (2019), "Fast random integer generation in an interval", algorithm 5: the high word of x n, where x
// is rejected when the low word is below 2^64 mod n.
std::int64_t uniform_index(Stream& stream, std::int64_t n) {
  check_positive("uniform_index", "n", static_cast<double>(n));
  const auto size = static_cast<std::uint64_t>(n);
  std::uint64_t low = 0;
  std::uint64_t index = multiply(stream.next(), size, low);
  if (low < size) {
    const std::uint64_t threshold = -size % size;  // 2^64 mod n
    while (low < threshold) index = multiply(stream.next(), size, low);
  }
  return static_cast<std::int64_t>(index);
}

// Wichura (1988), "Algorithm AS 241: the percentage points of the normal distribution", PPND16: relative
// error about 1e-16 for p from 1e-316, plus rounding. With q = p - 1/2: q A(r)/B(r), r = 0.425^2 - q^2, for
// |q| <= 0.425; else with r = sqrt(-log min(p, 1-p)), C(r-1.6)/D(r-1.6) for r <= 5 and E(r-5)/F(r-5) beyond.
double normal_quantile(double p) {
  check_probability("normal_quantile", "p", p);
  if (p == 0) return -std::numeric_limits<double>::infinity();
  if (p == 1) return std::numeric_limits<double>::infinity();
  return inner_normal_quantile(p);
}

// The quantile of a uniform: |z| < 8.3, and uniforms u and 1-u give z and -z exactly.
double normal(Stream& stream) {
  return inner_normal_quantile(uniform(stream));
}

// All as if in the middle, in lanes side by side, and then those of the tails once more.
void to_normals(std::span<const std::uint64_t> words, std::span<double> out) {
  check_size("to_normals", "out", out.size(), words.size());
  for (std::size_t i = 0; i < words.size(); ++i) out[i] = to_unit_interval(words[i]) - 0.5;
  for (double& z : out) {
    const double r = 0.180625 - z * z;
    z = z * polynomial(ppnd16::kA, r) / polynomial(ppnd16::kB, r);
  }
  for (std::size_t i = 0; i < words.size(); ++i) {
    const double p = to_unit_interval(words[i]);
    if (std::abs(p - 0.5) > 0.425) out[i] = inner_normal_quantile(p);
  }
}

// The quantile -log(1 - u) of a uniform.
double exponential(Stream& stream) {
  return -std::log1p(-uniform(stream));
}

// d v for shape >= 1 (Marsaglia and Tsang, above); for shape < 1 their X_a = X_{a+1} U^(1/a), in
// logs.
double gamma(Stream& stream, double shape) {
  check_positive("gamma", "shape", shape);
  if (shape < 1) return std::exp(unchecked_log_gamma_draw(stream, shape));
  const auto [d, t] = draw_cubed_normal(stream, shape);
  return d * ((1 + t) * (1 + t) * (1 + t));
}

// log X_a = log X_{a+1} + log(U)/a for shape a < 1, which is finite where X_a underflows to 0.
double log_gamma_draw(Stream& stream, double shape) {
  check_positive("log_gamma_draw", "shape", shape);
  return unchecked_log_gamma_draw(stream, shape);
}

// X / (X + Y) = 1 / (1 + exp(log Y - log X)) for gamma variates X, Y of shapes a, b. As a, b -> 0 this is 1
// with probability a / (a+b), else 0. exp may overflow to infinity, which gives 0 as it should.
double beta(Stream& stream, double a, double b) {
  check_positive("beta", "a", a);
  check_positive("beta", "b", b);
  const double scale = shape_scale(std::max(a, b));
  const double log_x = unchecked_log_gamma_draw(stream, a * scale);
  const double log_y = unchecked_log_gamma_draw(stream, b * scale);
  return 1 / (1 + std::exp(log_y - log_x));
}

// X_i / sum_j X_j for gamma variates X_i of shapes alpha_i, computed from log X_i - max_j log X_j, so that
// the sum is at least 1. As alpha -> 0 one entry becomes 1, entry i with probability alpha_i / sum_j alpha_j.
void dirichlet(Stream& stream, std::span<const double> alpha, std::span<double> out) {
  check_nonnegative("dirichlet", "alpha", alpha);
  check_size("dirichlet", "out", out.size(), alpha.size());
  const double largest = alpha.empty() ? 0 : *std::max_element(alpha.begin(), alpha.end());
  check_positive("dirichlet", "the largest of alpha", largest);
  const double scale = shape_scale(largest);
  double top = std::numeric_limits<double>::lowest();
  for (std::size_t i = 0; i < alpha.size(); ++i) {
    if (alpha[i] == 0) continue;
    out[i] = unchecked_log_gamma_draw(stream, alpha[i] * scale);
    top = std::max(top, out[i]);
  }
  double sum = 0;
  for (std::size_t i = 0; i < alpha.size(); ++i) {
    out[i] = alpha[i] == 0 ? 0 : std::exp(out[i] - top);
    sum += out[i];
  }
  for (double& entry : out) entry /= sum;
}

// The alias table of Walker (1977) as built by Vose (1991), "A linear algorithm for generating random numbers
// with a given distribution": with q_i = n w_i / sum w, a column of q < 1 is filled up to 1 by one entry of
// q > 1, which loses that much. Weights are first divided by the largest, so their sum cannot overflow.
// Rounding can leave columns over at the end: they keep their own entry, unless its weight is 0.
Categorical::Categorical(std::span<const double> weights) {
  check_nonnegative("Categorical", "weights", weights);
  const auto largest = weights.empty() ? weights.end() : std::max_element(weights.begin(), weights.end());
  check_positive("Categorical", "the largest of weights", weights.empty() ? 0 : *largest);
  const std::size_t n = weights.size();
  double sum = 0;
  for (const double weight : weights) sum += weight / *largest;

  const std::int64_t heaviest = largest - weights.begin();
  std::vector<double> fill(n);
  std::vector<std::int64_t> small, large;
  columns_.resize(n);
  for (std::size_t i = 0; i < n; ++i) {
    fill[i] = weights[i] / *largest / sum * static_cast<double>(n);
    const auto entry = static_cast<std::int64_t>(i);
    columns_[i] = {0, weights[i] > 0 ? entry : heaviest};
    (fill[i] < 1 ? small : large).push_back(entry);
  }
  while (!small.empty() && !large.empty()) {
    const auto less = static_cast<std::size_t>(small.back());
    const auto more = static_cast<std::size_t>(large.back());
    small.pop_back();
    columns_[less] = {static_cast<std::uint64_t>(fill[less] * 0x1p64), large.back()};
    fill[more] = (fill[more] + fill[less]) - 1;
    if (fill[more] < 1) {
      small.push_back(large.back());
      large.pop_back();
    }
  }
}

}  // namespace mindgap::base

#include <algorithm>
#include <cmath>

#include "mindgap/base/check.h"
#include "mindgap/base/distributions.h"
#include "mindgap/base/log_pmf.h"

// Poisson and binomial variates: by inversion while the mean is below 10, by transformed rejection above.
namespace mindgap::base {
namespace {

constexpr double kInversionMean = 10;
constexpr double kLargestCount = 1e15;  // whole numbers and halves are still exact doubles

// The smallest k with F(k) >= u, by adding up probabilities from f(0) = first, f(k) = f(k-1) ratio(k). Ends
// also where the next term no longer changes the sum: rounding can leave F below a u next to 1.
template <typename Ratio>
std::int64_t invert(double u, double first, Ratio ratio) {
  std::int64_t k = 0;
  double term = first;
  double sum = first;
  while (u > sum) {
    term *= ratio(static_cast<double>(k + 1));
    const double next = sum + term;
    if (next == sum) break;
    sum = next;
    ++k;
  }
  return k;
}

// The table-mountain hat of Hormann's transformed rejection: the proposal is floor((2 a/us + b) u + centre),
// us = 1/2 - |u|, u uniform on (-1/2, 1/2), and with v uniform on (0, 1) it is accepted at once where us >=
// 0.07 and v <= quick, else where v scale / (a/us^2 + b) <= f(k).
struct Hat {
  double a, b, centre, quick;
};

struct Proposal {
  double k;      // a whole number, maybe far outside the domain
  double hat;    // a/us^2 + b
  double v;      // the second uniform
  double us;     // distance of the first from its nearer end: at least 2^-53
  bool at_once;  // accepted by the squeeze
};

// The centre's whole part is added after the floor, so that no bits of the offset are lost for large means.
Proposal propose(Stream& stream, const Hat& hat) {
  const double u = uniform(stream) - 0.5;
  const double v = uniform(stream);
  const double us = 0.5 - std::abs(u);
  const double whole = std::floor(hat.centre);
  const double k = whole + std::floor((2 * hat.a / us + hat.b) * u + (hat.centre - whole));
  return {k, hat.a / (us * us) + hat.b, v, us, us >= 0.07 && v <= hat.quick};
}

// Hormann (1993), "The transformed rejection method for generating Poisson random variables", algorithm PTRS,
// for mean >= 10. Departure: log f(k) by Loader's form, not k log(mean) - mean - lgamma(k+1), which at a mean
// of 1e12 has lost all its digits.
std::int64_t poisson_by_rejection(Stream& stream, double mean) {
  const double b = 0.931 + 2.53 * std::sqrt(mean);
  const double a = -0.059 + 0.02483 * b;
  const double scale = 1.1239 + 1.1328 / (b - 3.4);
  const Hat hat = {a, b, mean + 0.43, 0.9277 - 3.6224 / (b - 2)};
  for (;;) {
    const Proposal proposal = propose(stream, hat);
    if (proposal.at_once) return static_cast<std::int64_t>(proposal.k);
    if (proposal.k < 0 || proposal.k > 2 * kLargestCount || (proposal.us < 0.013 && proposal.v > proposal.us))
      continue;
    const auto k = static_cast<std::int64_t>(proposal.k);
    if (std::log(proposal.v * scale / proposal.hat) <= poisson_log_pmf(k, mean)) return k;
  }
}

// Hormann (1993), "The generation of binomial random variates", algorithm BTRS, for n p >= 10, p <= 1/2:
// f(k) is relative to its value at the mode m. Departure: log f by Loader's form, as above.
std::int64_t binomial_by_rejection(Stream& stream, std::int64_t n, double p) {
  const auto size = static_cast<double>(n);
  const double sd = std::sqrt(size * p * (1 - p));
  const double b = 1.15 + 2.53 * sd;
  const double a = -0.0873 + 0.0248 * b + 0.01 * p;
  const double scale = (2.83 + 5.1 / b) * sd;
  const Hat hat = {a, b, size * p + 0.5, 0.92 - 4.2 / b};
  const auto mode = static_cast<std::int64_t>(std::floor((size + 1) * p));
  for (;;) {
    const Proposal proposal = propose(stream, hat);
    if (proposal.at_once) return static_cast<std::int64_t>(proposal.k);
    if (proposal.k < 0 || proposal.k > size) continue;
    const auto k = static_cast<std::int64_t>(proposal.k);
    const double log_ratio = binomial_log_pmf(k, n, p) - binomial_log_pmf(mode, n, p);
    if (std::log(proposal.v * scale / proposal.hat) <= log_ratio) return k;
  }
}

}  // namespace

// f(k) = mean^k e^-mean / k!. Inversion: f(k) = f(k-1) mean / k. Events rarer than 2^-53 do not occur there.
std::int64_t poisson(Stream& stream, double mean) {
  check_range("poisson", "mean", mean, 0, kLargestCount);
  if (mean >= kInversionMean) return poisson_by_rejection(stream, mean);
  return invert(uniform(stream), std::exp(-mean), [mean](double k) { return mean / k; });
}

// f(k) = C(n, k) p^k q^(n-k), q = 1-p. Inversion: f(0) = exp(n log(1-p)), f(k) = f(k-1) (n-k+1)/k p/q. For p
// > 1/2, n minus the failures, whose probability 1-p is exact in doubles; the word is then turned, u to 1-u,
// so that the result stays nondecreasing in it.
std::int64_t binomial(Stream& stream, std::int64_t n, double p) {
  check_range("binomial", "n", static_cast<double>(n), 0, kLargestCount);
  check_probability("binomial", "p", p);
  if (n == 0 || p == 0) return 0;
  if (p == 1) return n;
  const bool failures = p > 0.5;
  const double rare = failures ? 1 - p : p;
  const auto size = static_cast<double>(n);
  if (size * rare >= kInversionMean) {
    const std::int64_t count = binomial_by_rejection(stream, n, rare);
    return failures ? n - count : count;
  }
  const double u = uniform(stream);
  const double odds = rare / (1 - rare);
  const std::int64_t count = invert(failures ? 1 - u : u, std::exp(size * std::log1p(-rare)),
                                    [size, odds](double k) { return (size - k + 1) / k * odds; });
  return failures ? n - count : count;
}

}  // namespace mindgap::base

#include <algorithm>
#include <cmath>
#include <vector>

#include "mindgap/base/check.h"
#include "mindgap/base/error.h"
#include "mindgap/base/tails.h"
#include "mindgap/stats/paired.h"

namespace mindgap::stats {
namespace {

struct SignedRanks {
  std::vector<std::int64_t> doubled;  // twice the mid-rank of each nonzero difference, ascending
  std::int64_t doubled_positive = 0;  // their sum over the positive ones: 2 W+
  double ties = 0;                    // sum of t^3 - t over groups of t equal sizes
};

SignedRanks signed_ranks(std::span<const double> differences) {
  std::vector<double> nonzero;
  std::copy_if(differences.begin(), differences.end(), std::back_inserter(nonzero),
               [](double d) { return d != 0; });
  std::sort(nonzero.begin(), nonzero.end(), [](double a, double b) { return std::abs(a) < std::abs(b); });
  SignedRanks ranks;
  for (std::size_t begin = 0, end = 0; begin < nonzero.size(); begin = end) {
    std::int64_t positive = 0;
    for (end = begin; end < nonzero.size() && std::abs(nonzero[end]) == std::abs(nonzero[begin]); ++end) {
      if (nonzero[end] > 0) ++positive;
    }
    // Ranks begin + 1 .. end have the mean (begin + 1 + end) / 2.
    const auto doubled = static_cast<std::int64_t>(begin + 1 + end);
    ranks.doubled.insert(ranks.doubled.end(), end - begin, doubled);
    ranks.doubled_positive += positive * doubled;
    const auto group = static_cast<double>(end - begin);
    ranks.ties += group * (group * group - 1);
  }
  return ranks;
}

// P(2 W+ <= limit) where each rank counts with probability 1/2: after each rank r the law is
// P(s) <- (P(s) + P(s - r)) / 2, sums above the limit left out. No subtraction: the error is relative, below
// about n + limit roundings; the smallest term is 2^-n, far above underflow for n <= kExactWilcoxon.
double lower_tail(const std::vector<std::int64_t>& doubled_ranks, std::int64_t limit) {
  std::vector<double> law(static_cast<std::size_t>(limit + 1), 0.0);
  law[0] = 1;
  std::int64_t reached = 0;
  for (const std::int64_t rank : doubled_ranks) {
    reached = std::min(limit, reached + rank);
    for (std::int64_t sum = reached; sum >= 0; --sum) {
      double& p = law[static_cast<std::size_t>(sum)];
      p /= 2;
      if (sum >= rank) p += law[static_cast<std::size_t>(sum - rank)] / 2;
    }
  }
  double tail = 0;
  for (const double p : law) tail += p;
  return tail;
}

}  // namespace

// The law of W+ is symmetric about n(n+1)/4, so that P(W+ >= w) = P(W+ <= n(n+1)/2 - w), and the smaller tail
// is the lower one of the smaller of W+ and W-.
// Normal approximation: variance n(n+1)(2n+1)/24 - sum (t^3 - t)/48 (Lehmann 1975, Nonparametrics, section
// 3.2), |W+ - mean| less 1/2, and 1 where that is not positive.
Wilcoxon wilcoxon_signed_rank(std::span<const double> differences) {
  if (differences.empty()) throw InvalidArgument("wilcoxon_signed_rank: there are no differences");
  base::check_finite("wilcoxon_signed_rank", "differences", differences);
  const SignedRanks ranks = signed_ranks(differences);
  const auto nonzero = static_cast<std::int64_t>(ranks.doubled.size());
  Wilcoxon result{.statistic = static_cast<double>(ranks.doubled_positive) / 2, .nonzero = nonzero};
  const std::int64_t doubled_total = nonzero * (nonzero + 1);
  if (nonzero <= kExactWilcoxon) {
    const std::int64_t smaller = std::min(ranks.doubled_positive, doubled_total - ranks.doubled_positive);
    result.p_value = std::min(1.0, 2 * lower_tail(ranks.doubled, smaller));
    return result;
  }
  const auto n = static_cast<double>(nonzero);
  const double variance = n * (n + 1) * (2 * n + 1) / 24 - ranks.ties / 48;
  const double distance = std::abs(result.statistic - static_cast<double>(doubled_total) / 4);
  result.p_value = base::normal_two_sided(std::max(0.0, distance - .5) / std::sqrt(variance));
  result.method = "normal approximation";
  return result;
}

}  // namespace mindgap::stats

#include <algorithm>
#include <bit>
#include <vector>

#include "mindgap/base/check.h"
#include "mindgap/base/error.h"
#include "mindgap/stats/paired.h"

namespace mindgap::stats {
namespace {

constexpr std::uint64_t kSign = std::uint64_t{1} << 63;

// Whole numbers in the order of the doubles; -0 comes right before 0.
std::uint64_t place_of(double value) {
  const auto bits = std::bit_cast<std::uint64_t>(value);
  return (bits & kSign) != 0 ? ~bits : bits | kSign;
}
double value_at(std::uint64_t place) {
  return std::bit_cast<double>((place & kSign) != 0 ? place & ~kSign : ~place);
}

// The number of pairs i <= j with half[i] + half[j] <= limit, half ascending. A rounded sum is nondecreasing
// in both terms: the last j that counts moves down as i moves up.
std::int64_t pairs_up_to(const std::vector<double>& half, double limit) {
  std::int64_t count = 0;
  auto last = static_cast<std::int64_t>(half.size()) - 1;
  for (std::int64_t i = 0; i <= last; ++i) {
    const double first = half[static_cast<std::size_t>(i)];
    while (last >= i && first + half[static_cast<std::size_t>(last)] > limit) --last;
    count += std::max<std::int64_t>(0, last - i + 1);
  }
  return count;
}

// The rank-th smallest (from 1) of the pairs' sums: the smallest double that rank pairs do not exceed.
double pair_sum(const std::vector<double>& half, std::int64_t rank) {
  std::uint64_t lower = place_of(half.front() + half.front()), upper = place_of(half.back() + half.back());
  while (lower < upper) {
    const std::uint64_t middle = lower + (upper - lower) / 2;
    if (pairs_up_to(half, value_at(middle)) >= rank) {
      upper = middle;
    } else {
      lower = middle + 1;
    }
  }
  return value_at(lower) + 0.0;  // never -0
}

}  // namespace

// By bisection on the doubles: at most 64 passes over the sorted differences, no pair is stored. Each average
// is rounded once, as d_i/2 + d_j/2, which cannot overflow.
double hodges_lehmann(std::span<const double> differences) {
  if (differences.empty()) throw InvalidArgument("hodges_lehmann: there are no differences");
  base::check_finite("hodges_lehmann", "differences", differences);
  std::vector<double> half(differences.begin(), differences.end());
  for (double& d : half) d /= 2;
  std::sort(half.begin(), half.end());
  const auto size = static_cast<std::int64_t>(half.size());
  const std::int64_t pairs = size * (size + 1) / 2;
  const double lower = pair_sum(half, (pairs + 1) / 2);
  if (pairs % 2 == 1) return lower;
  return lower / 2 + pair_sum(half, pairs / 2 + 1) / 2;
}

}  // namespace mindgap::stats

#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "mindgap/stats/interval.h"

// Differences between two planners on the same trials.
namespace mindgap::stats {

struct PairedT {
  std::int64_t trials = 0;
  double mean = 0;
  std::optional<double> standard_error = {};  // none for a single difference
  std::optional<Interval> interval = {};
  /// Two-sided, of the mean being 0; 1 where every difference is 0, 0 where all are the same other number.
  std::optional<double> p_value = {};
};

/// Student's t interval and test of the mean difference.
PairedT paired_t(std::span<const double> differences, double level = .95);

struct Wilcoxon {
  double statistic = 0;      // W+: sum of the ranks of positive differences, mid-ranks for ties
  std::int64_t nonzero = 0;  // differences that are not 0; the others are left out (Wilcoxon's own way)
  double p_value = 1;        // two-sided
  std::string_view method = "exact";  // or "normal approximation"
};

constexpr std::int64_t kExactWilcoxon = 200;

/// The signed-rank test (Wilcoxon 1945). Exact up to kExactWilcoxon nonzero differences, ties included: the
/// law of W+ over all signs by dynamic programming on doubled mid-ranks (which are whole numbers); above that
/// the normal approximation with the tie correction and a continuity correction of 1/2.
Wilcoxon wilcoxon_signed_rank(std::span<const double> differences);

/// The median of all (d_i + d_j)/2, i <= j (Hodges and Lehmann 1963): the shift the signed-rank test is
/// about.
double hodges_lehmann(std::span<const double> differences);

}  // namespace mindgap::stats

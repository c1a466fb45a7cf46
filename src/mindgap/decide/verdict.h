#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "mindgap/decide/plan.h"
#include "mindgap/stats/interval.h"

// Which kind of plan is the one to choose, and whether the worlds seen so far say so beyond doubt.
namespace mindgap::decide {

/// A kind counts as tied with the best where its best plan is worth at least the best plan of any kind less
/// `indifference` times that plan's absolute value. The verdict is the simplest kind that is tied.
struct Verdict {
  Kind kind = Kind::deploy;  // by the means
  bool settled = false;      // and by the simultaneous intervals
  /// Where it is not settled: worlds after which it will be, if means and spreads stay as they are; infinite
  /// where a difference is exactly the indifference. Where it is, the number there are.
  double worlds_needed = 0;
};

/// Of plans' values, one vector per plan with one number per world (the same worlds, at least 2), and the
/// plans' kinds. `level` is of all the intervals of this look together: Student's t for each of the contrasts
///   D(p, q) = mean_p - mean_q + indifference |mean_q|
/// between plans p, q of different kinds, each at 1 - (1 - level)/contrasts (Bonferroni).
Verdict settle(std::span<const std::vector<double>> values, std::span<const Kind> kinds, double indifference,
               double level);

/// The level of the look-th look (from 1) so that all looks together keep `level`: the error is spent as
/// 6/(pi^2 look^2).
double level_of_look(double level, std::int64_t look);

/// The plan of highest mean among those of a kind; none where there is none of it.
std::optional<std::size_t> best_of_kind(std::span<const std::vector<double>> values,
                                        std::span<const Kind> kinds, Kind kind);
/// The plan of highest mean among those of other kinds; none where there is none.
std::optional<std::size_t> best_of_others(std::span<const std::vector<double>> values,
                                          std::span<const Kind> kinds, Kind kind);

}  // namespace mindgap::decide

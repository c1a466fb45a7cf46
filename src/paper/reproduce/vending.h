#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "mindgap/stats/paired.h"
#include "mindgap/trial/summary.h"
#include "mindgap/trial/sweep.h"
#include "paper/reproduce/artefact.h"

// What the artefacts of the vending case share.
namespace mindgap::reproduce::vending {

inline constexpr std::int64_t kTrials = 30;  // the paper's

/// The text leaves most of the world open; where a number does not come out this is why.
inline constexpr const char* kOpen =
    "the text leaves most parameters of the world open and no choice gives every row; see "
    "docs/math/departures.md";

/// A sweep on the case with the given errors of the simulator ("none", "confounding", "drift", "both"); the
/// oracle is added to the planners.
trial::Results run(const Options& options, const std::string& errors, std::vector<std::string> planners,
                   std::vector<std::int64_t> horizons);

/// The row of a planner at a horizon.
const trial::SummaryRow& row_of(const std::vector<trial::SummaryRow>& rows, std::string_view planner,
                                std::int64_t horizon);

/// Half of an interval's length; 0 where there is none.
double half_width(const std::optional<stats::Interval>& interval);

/// The p-value of "larger" from a two-sided signed-rank test, as the paper gives them: half of it where the
/// ranks of positive differences are the larger part, else 1 less that half.
double one_sided(const stats::Wilcoxon& test);

/// The same of a planner against another at a horizon, on the same trials.
double one_sided(const trial::Results& results, std::string_view planner, std::string_view reference,
                 std::int64_t horizon);

/// A published number with its half-width; where ours differs the cause is not known.
Line line_of(std::string what, double published, double published_half, double ours,
             const std::optional<stats::Interval>& interval);

/// 95 % around a percentage of independent trials.
stats::Interval share_interval(double percent, std::int64_t trials);

/// Name, title, unit and method.
Reproduction begin(const std::string& name, const std::string& unit, const std::string& method);

std::string method_of(const Options& options, const std::string& more = {});

Reproduction table(const Options& options);
Reproduction paired(const Options& options);
Reproduction ablation(const Options& options);
Reproduction conditional(const Options& options);
Reproduction log(const Options& options);
Reproduction crossover(const Options& options);
Reproduction gains(const Options& options);

}  // namespace mindgap::reproduce::vending

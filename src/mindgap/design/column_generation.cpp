#include "mindgap/design/column_generation.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>

#include "mindgap/base/check.h"
#include "mindgap/base/error.h"
#include "mindgap/base/listener.h"
#include "mindgap/design/column_master.h"

namespace mindgap::design {
namespace {

constexpr double kFeasible = 1e-9;  // a constraint is met where it is missed by less, in units of its row
constexpr std::size_t kYoung = 5;   // corners that stay although they have no weight yet

std::vector<double> negative(std::vector<double> v) {
  for (double& x : v) x = -x;
  return v;
}

// The smallest sum of violations of the elastic constraints over all corners, the hard ones kept; corners
// join `master`. Stops where it is 0 or proven to be above 0 by all it can be.
double least_violation(ColumnMaster& master, const ConstraintRows& rows,
                       std::span<const std::uint8_t> elastic, std::span<const std::uint8_t> hard) {
  const auto pairs = static_cast<std::size_t>(rows.pilot().mdp().pairs());
  while (true) {
    const double violation = master.relax(elastic, hard);
    if (violation <= kFeasible) return violation;
    // Dual value: -l'b - max <-A'l, n>, for l >= 0 whose sum over each elastic constraint's rows is at
    // most 1.
    std::vector<double> multiplier(master.multipliers().begin(), master.multipliers().end());
    std::vector<double> sums(rows.constraints(), 0.0);
    for (std::size_t i = 0; i < multiplier.size(); ++i) sums[rows.constraint_of(i)] += multiplier[i];
    double excess = 1;
    for (std::size_t c = 0; c < sums.size(); ++c) excess = std::max(excess, elastic[c] ? sums[c] : 0.0);
    for (double& l : multiplier) l /= excess;
    Corner corner = rows.best(std::vector<double>(pairs, 0.0), multiplier);
    const double proven = -dot(multiplier, rows.bounds()) - corner.bound;
    if (violation - proven <= kFeasible || !master.add(std::move(corner))) return violation;
  }
}

// Throws the message of a constraint that cannot be met: one that cannot by itself, or the first that cannot
// with those before it.
[[noreturn]] void refuse(ColumnMaster& master, const ConstraintRows& rows) {
  std::vector<std::uint8_t> elastic(rows.constraints(), 0), hard(rows.constraints(), 0);
  for (const bool others : {false, true}) {
    std::fill(hard.begin(), hard.end(), std::uint8_t{0});
    for (std::size_t c = 0; c < rows.constraints(); ++c) {
      elastic[c] = 1;
      const double violation = least_violation(master, rows, elastic, hard);
      if (violation > kFeasible) throw InvalidArgument(rows.refusal(c, violation, others));
      elastic[c] = 0;
      hard[c] = others;
    }
  }
  throw InvalidArgument("the constraints cannot be met together");
}

void make_feasible(ColumnMaster& master, const ConstraintRows& rows) {
  if (rows.constraints() == 0) return;
  const std::vector<std::uint8_t> all(rows.constraints(), 1), none(rows.constraints(), 0);
  if (least_violation(master, rows, all, none) > kFeasible) refuse(master, rows);
  master.settle();
}

class Columns {
 public:
  Columns(const Objective& objective, const Occupancy& pilot, const Constraints& constraints,
          const ColumnGenerationOptions& options)
      : objective_(objective),
        pilot_(pilot),
        constraints_(constraints),
        options_(options),
        rows_(pilot, constraints),
        gradient_(gradient_at_zero()),
        master_(rows_, objective.relevant()) {
    for (const Corner& corner : options.initial) {
      base::check_size("minimise_by_columns", "counts of an initial corner", corner.counts.size(),
                       objective.size());
      base::check_size("minimise_by_columns", "pairs of an initial corner", corner.pair.size(),
                       static_cast<std::size_t>(pilot.steps() * pilot.mdp().states()));
      master_.add(corner);
    }
    if (options.initial.empty()) master_.add(pilot.best(negative(gradient_)));
  }

  ColumnGenerationResult solve() {
    make_feasible(master_, rows_);
    double share = .02;  // of the gap, to which the master problem is solved
    while (true) {
      base::interruption_point();
      ++result_.iterations;
      const double wanted = options_.relative_gap * objective_.value(master_.counts());
      master_.minimise(objective_, share * std::min(wanted, last_gap_));
      Corner corner = price();
      if (options_.on_iteration) options_.on_iteration(result_.relative_gap, options_.relative_gap);
      if (over()) break;
      const bool fresh = master_.add(std::move(corner));
      if (!fresh && share < 1e-12) {
        result_.status = MinimumStatus::precision_limit;
        break;
      }
      share = fresh ? share : share * 1e-4;
      master_.drop_unused(kYoung);
    }
    return finish();
  }

 private:
  std::vector<double> gradient_at_zero() const {
    base::check_size("minimise_by_columns", "objective", objective_.size(),
                     static_cast<std::size_t>(pilot_.mdp().pairs()));
    std::vector<double> gradient(objective_.size());
    objective_.derivatives(std::vector<double>(objective_.size(), 0.0), gradient);
    return gradient;
  }

  // The best corner for the present prices, and the certificate that follows.
  Corner price() {
    result_.counts = master_.counts();
    result_.value = objective_.derivatives(result_.counts, gradient_);
    Corner corner = rows_.best(negative(gradient_), master_.multipliers());
    const double gap =
        dot(gradient_, result_.counts) + dot(master_.multipliers(), master_.bounds()) + corner.bound;
    lower_ = std::max(lower_, result_.value - gap);
    last_gap_ = std::max(0.0, gap);
    result_.gap = std::max(0.0, result_.value - lower_);
    result_.relative_gap = result_.value > 0 ? result_.gap / result_.value : 0;
    return corner;
  }

  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - started_).count();
  }

  bool over() {
    if (result_.gap <= options_.relative_gap * result_.value) {
      result_.status = MinimumStatus::converged;
    } else if (result_.iterations >= options_.max_iterations) {
      result_.status = MinimumStatus::iteration_limit;
    } else if (seconds() > options_.time_limit) {
      result_.status = MinimumStatus::time_limit;
    } else {
      return false;
    }
    return true;
  }

  ColumnGenerationResult finish() {
    for (std::size_t i = 0; i < rows_.rows(); ++i) {
      const double multiplier = master_.multipliers()[i] / rows_.scales()[i];
      if (!rows_.is_lazy(i)) {
        result_.multipliers.push_back(multiplier);
      } else {
        result_.capacity_multipliers.resize(constraints_.capacity.size(), 0.0);
        result_.capacity_multipliers[rows_.constraint_of(i) - constraints_.linear.size()] += multiplier;
      }
    }
    master_.shorten();
    result_.counts = master_.counts();
    result_.value = objective_.value(result_.counts);
    result_.gap = std::max(0.0, result_.value - lower_);
    result_.relative_gap = result_.value > 0 ? result_.gap / result_.value : 0;
    result_.weights.assign(master_.weights().begin(), master_.weights().end());
    result_.corners = master_.release();
    result_.seconds = seconds();
    return std::move(result_);
  }

  std::chrono::steady_clock::time_point started_ = std::chrono::steady_clock::now();
  const Objective& objective_;
  const Occupancy& pilot_;
  const Constraints& constraints_;
  const ColumnGenerationOptions& options_;
  ConstraintRows rows_;
  std::vector<double> gradient_;
  ColumnMaster master_;
  ColumnGenerationResult result_;
  double lower_ = -std::numeric_limits<double>::infinity();
  double last_gap_ = std::numeric_limits<double>::infinity();
};

}  // namespace

void ColumnGenerationOptions::validate() const {
  const char* function = "minimise_by_columns";
  base::check_positive(function, "relative_gap", relative_gap);
  if (!(time_limit >= 0)) base::check_nonnegative(function, "time_limit", time_limit);
  base::check_positive(function, "max_iterations", static_cast<double>(max_iterations));
}

ColumnGenerationResult minimise_by_columns(const Objective& objective, const Occupancy& pilot,
                                           const Constraints& constraints,
                                           const ColumnGenerationOptions& options) {
  options.validate();
  return Columns(objective, pilot, constraints, options).solve();
}

}  // namespace mindgap::design

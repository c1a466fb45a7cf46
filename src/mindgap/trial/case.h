#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "mindgap/base/run.h"

// Something that planners are compared on.
namespace mindgap::trial {

/// A planner as a case offers it.
struct PlannerName {
  std::string name;         // on the command line and in files
  std::string description;  // one line
};

struct OtherPlanner;  // open_case.h

/// Rows of the truth that lead where the simulator says that nobody can go.
struct ImpossibleRows {
  std::int64_t rows = 0, of = 0;
  double most = 0;  // the largest probability with which a row does so
};
/// The same of moves that were made.
struct ImpossibleMoves {
  std::int64_t moves = 0, of = 0;
};
/// States of the truth where no unit can ever come, by their names.
struct UnreachableStates {
  std::vector<std::string> names;
  std::int64_t of = 0;
};
/// What a user should know before trusting a comparison.
using CaseWarning = std::variant<ImpossibleRows, ImpossibleMoves, UnreachableStates>;

/// A truth, or a law that truths are drawn from trial by trial, together with the planners that can act in
/// it. Immutable; every call may come from any thread. What a run gives is a function of the case's options,
/// its seed, the trial's number and the planner alone; planners of one trial meet the same world and the same
/// luck (common random numbers).
class Case {
 public:
  virtual ~Case() = default;

  virtual std::string name() const = 0;
  /// What a value is, for headings: "cases found", "reward".
  virtual std::string unit() const = 0;
  /// What a horizon is: "steps", "days", "chain length".
  virtual std::string horizon_unit() const { return "steps"; }
  /// Every planner there is here, in the order of tables. One of them is "oracle", where somebody knows
  /// what is best.
  virtual std::vector<PlannerName> planners() const = 0;
  /// What is compared, where the user does not say; here everybody.
  virtual std::vector<std::string> default_planners() const;
  virtual std::vector<std::int64_t> default_horizons() const = 0;
  virtual std::int64_t default_trials() const = 0;
  /// Every option that numbers depend on, as name and value, defaults included: results of a folder belong
  /// together only where these are equal.
  virtual std::vector<std::pair<std::string, std::string>> settings() const = 0;

  /// Of the case itself, before any trial.
  virtual std::vector<CaseWarning> warnings() const { return {}; }
  /// Of what came to light while trials ran.
  virtual std::vector<CaseWarning> findings() const { return {}; }
  /// Trials that broke off: their values mean nothing. Ascending.
  virtual std::vector<std::uint64_t> failed_trials() const { return {}; }

  /// What the planner's units have gathered by each horizon (positive, ascending) of that trial. `planner` is
  /// one of planners().
  virtual std::vector<double> run(std::string_view planner, std::uint64_t trial,
                                  std::span<const std::int64_t> horizons) const = 0;

  /// Whether planners that it does not know can act in it, which are then run by run_other(), given what its
  /// own are given.
  virtual bool takes_others() const { return false; }
  virtual std::vector<double> run_other(const OtherPlanner& planner, std::uint64_t trial,
                                        std::span<const std::int64_t> horizons) const;
};

/// An option that a case has beside those that every case has.
struct CaseOption {
  std::string name;                       // "navigation": --navigation on the command line
  std::string meaning;                    // one line
  std::string standard;                   // its default, as one would write it
  std::vector<std::string> choices = {};  // empty: not a choice
};

/// What a user asks of a case.
struct CaseRequest {
  std::uint64_t seed = base::Run().seed;
  std::optional<std::int64_t> units = {};
  std::map<std::string, std::string> options = {};  // by CaseOption::name
};

/// The values of a case's options: those asked for, the defaults for the rest. Throws InvalidArgument where a
/// name is not one of `options` (nearest first), or a value is not a choice.
class OptionValues {
 public:
  OptionValues(std::string_view case_name, std::vector<CaseOption> options, const CaseRequest& request);

  const std::string& text(std::string_view name) const;
  /// Throws InvalidArgument where it is not a number, or not in [lower, upper].
  double number(std::string_view name, double lower, double upper) const;
  std::int64_t whole_number(std::string_view name, std::int64_t lower, std::int64_t upper) const;
  /// "yes" or "no".
  bool flag(std::string_view name) const;
  /// Numbers between commas.
  std::vector<double> numbers(std::string_view name) const;

  /// For Case::settings().
  std::vector<std::pair<std::string, std::string>> settings() const;

 private:
  std::string case_name_;
  std::vector<CaseOption> options_;
  std::vector<std::string> values_;  // as options_
};

}  // namespace mindgap::trial

#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "mindgap/decide/decide.h"

// How wrong must the simulator be before the verdict flips?
namespace mindgap::decide {

/// The verdict for one prior and one horizon.
struct TippingCell {
  double setting = 0;  // of the map's axis
  std::int64_t horizon = 0;
  std::optional<Kind> verdict;  // none: undecided
  Kind leaning = Kind::deploy;
  double gain = 0;                     // of the best plan of the leaning kind over the best of another kind
  stats::Interval gain_interval = {};  // at the level, for the plans chosen
};

enum class TippingAxis {
  prior_width,  // how many times wider than stated the prior is
  odds,         // the odds bound M
};
std::string_view name_of(TippingAxis axis);  // "prior width"

struct TippingMap {
  TippingAxis axis = TippingAxis::prior_width;
  double here = 1;                     // the setting that the decision itself is about
  std::vector<double> settings;        // ascending
  std::vector<std::int64_t> horizons;  // ascending
  std::vector<TippingCell> cells;      // [setting * horizons + horizon]
  std::int64_t horizon = 0;            // that the decision itself is about
  std::int64_t worlds = 0;             // that were followed, over all settings
  /// Settings that were asked for and not looked at, and settings whose undecided cells could have had more
  /// worlds: for lack of worlds that may be followed, or because of an interruption.
  std::vector<double> left_out = {}, cut_short = {};
};

/// For each second of DecideOptions::time_limit: what two cores do in it.
constexpr double kTippingWorkPerSecond = 2e9;

/// Where along the settings the leaning changes at the decision's own horizon: the nearest flip to either
/// side of `here`, between the last setting that leans as it does there and the first that does not.
struct TippingPoint {
  double setting = 0;  // the geometric mean of the two
  Kind to = Kind::deploy;
};
struct TippingPoints {
  Kind here = Kind::deploy;
  std::optional<TippingPoint> below, above;
  double lowest = 0, highest = 0;  // settings that were looked at
};
/// None where the map has no row for `here`, or not its horizon.
std::optional<TippingPoints> tipping_points(const TippingMap& map);

struct TippingOptions {
  std::int64_t worlds = 128;         // for each setting
  std::int64_t more_worlds = 1'024;  // where some horizon is undecided by then
  std::int64_t refinements = 2;      // rounds of settings put between two that differ in a verdict
  /// Nanoseconds of work.h that the map may take. A function of sizes alone, so that the same map comes from
  /// every machine; the two settings that are nearest are always there.
  double most_work = 60 * kTippingWorkPerSecond;
};

/// The knowledge that a setting stands for.
using KnowledgeAt = std::function<belief::Knowledge(double setting)>;

/// Verdicts over settings and horizons (from a tenth of the situation's to twice it). One setting is one
/// simulation as far as the longest horizon: plans ignore the horizon, so every shorter one
/// is on its way. Unless plans are given they are sop, asop and pilots whose lengths double, with all units,
/// the longer ones also with a quarter. Pilots that take more than two fifths of a horizon are no plans for
/// it while there is any other; a horizon before which no plan ends is left out. First the given settings
/// (the nearest to `here` first, should worlds run out), then, only where two neighbours lean to different
/// kinds at some horizon, the one between them (their geometric mean). What it may cost is counted, never
/// timed.
TippingMap tipping_map(const Situation& situation, const DecideOptions& options, TippingAxis axis,
                       std::vector<double> settings, double here, const KnowledgeAt& knowledge_at,
                       const TippingOptions& how = {});

/// The maps a decision is shown with: over the width of the prior and, where history's coverage is known,
/// over the odds. Both share the work of the options' time limit. `coverage`, `log` and `prior` are what the
/// situation's knowledge was gathered from.
std::vector<TippingMap> tipping_maps(const mdp::Model& model, const Situation& situation,
                                     const DecideOptions& options,
                                     const std::optional<std::vector<double>>& coverage,
                                     const std::optional<mdp::ObservationLog>& log,
                                     const belief::PriorOverrides& prior);

/// What is known, with the prior's standard deviations times `factor` and its pseudo-observations divided by
/// factor^2.
belief::Knowledge widened(const belief::Knowledge& knowledge, double factor);

}  // namespace mindgap::decide

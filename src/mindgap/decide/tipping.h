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

struct TippingMap {
  std::string axis;                    // "prior width" or "odds"
  std::string meaning;                 // of a setting, in words
  double here = 1;                     // the setting that the decision itself is about
  std::vector<double> settings;        // ascending
  std::vector<std::int64_t> horizons;  // ascending
  std::vector<TippingCell> cells;      // [setting * horizons + horizon]
};

struct TippingOptions {
  std::int64_t worlds = 128;         // for each setting
  std::int64_t more_worlds = 1'024;  // where some horizon is undecided by then
  std::int64_t refinements = 2;      // rounds of settings put between two that differ in a verdict
  double time_limit = 60;            // seconds; settings that no time is left for are not there
};

/// The knowledge that a setting stands for.
using KnowledgeAt = std::function<belief::Knowledge(double setting)>;

/// Verdicts over settings and horizons (from a tenth of the situation's to twice it). One setting is one
/// simulation as far as the longest horizon: plans do what they do whatever the horizon, so every shorter one
/// is on its way. Unless plans are given they are sop, asop and pilots whose lengths double, with all units,
/// the longer ones also with a quarter. Pilots that take more than two fifths of a horizon are no plans for
/// it while there is any other; a horizon before which no plan ends is left out. First the given settings
/// (the nearest to `here` first, should time run out), then, only where two neighbours lean to different
/// kinds at some horizon, the one between them (their geometric mean).
TippingMap tipping_map(const Situation& situation, const DecideOptions& options, std::string axis,
                       std::string meaning, std::vector<double> settings, double here,
                       const KnowledgeAt& knowledge_at, const TippingOptions& how = {});

/// The maps a decision is shown with: over the width of the prior and, where history's coverage is known,
/// over the odds. Both share the options' time limit. `coverage`, `log` and `prior` are what the situation's
/// knowledge was gathered from.
std::vector<TippingMap> tipping_maps(const mdp::Model& model, const Situation& situation,
                                     const DecideOptions& options,
                                     const std::optional<std::vector<double>>& coverage,
                                     const std::optional<mdp::ObservationLog>& log,
                                     const belief::PriorOverrides& prior);

/// What is known, with the prior's standard deviations times `factor` and its pseudo-observations divided by
/// factor^2.
belief::Knowledge widened(const belief::Knowledge& knowledge, double factor);

}  // namespace mindgap::decide

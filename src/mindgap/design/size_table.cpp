#include "mindgap/design/size_table.h"

#include <algorithm>
#include <memory>

#include "mindgap/base/error.h"

namespace mindgap::design {
namespace {

constexpr std::int64_t kUnitsTried = 64;  // times the design's, in the search for the smallest pilot

std::vector<std::int64_t> around(std::int64_t size) {
  std::vector<std::int64_t> grid{std::max<std::int64_t>(1, size / 4), std::max<std::int64_t>(1, size / 2),
                                 size, 2 * size, 4 * size};
  grid.erase(std::unique(grid.begin(), grid.end()), grid.end());
  return grid;
}

}  // namespace

SizeTable size_table(const belief::Knowledge& knowledge, const DesignOptions& options,
                     const SizeTableOptions& table) {
  if (options.target.kind == TargetKind::explorer)
    throw InvalidArgument("sizes need a target that does not depend on the pilot: not 'explorer'");
  const mdp::Mdp mean = knowledge.now.mean();
  options.validate(mean);
  const auto weights = options.weights
                           ? options.weights
                           : std::make_shared<const TargetWeights>(weights_of_target(knowledge, options));
  const gap::Precision precision = gap::precision_of(knowledge.now);
  PilotSizeSetup setup{mean, {}, {}, {}, options.finite, options.run.threads};
  setup.start.assign(mean.start().begin(), mean.start().end());
  if (!options.unit_state.empty()) {
    std::fill(setup.start.begin(), setup.start.end(), 0.0);
    for (const std::int32_t s : options.unit_state) setup.start[s] += 1. / static_cast<double>(options.units);
  }
  std::vector<double> elsewhere(mean.start().begin(), mean.start().end());
  if (!options.other_positions.empty()) {
    for (std::size_t s = 0; s < elsewhere.size(); ++s)
      elsewhere[s] =
          options.other_positions[s] / static_cast<double>(std::max<std::int64_t>(1, options.others));
  }
  setup.objective = [&, weights](std::int64_t units, std::int64_t steps) {
    std::vector<double> seen;
    const std::int64_t others = std::max<std::int64_t>(0, options.units + options.others - units);
    if (options.others > 0 && options.use_credit && others > 0 && steps > 0) {
      std::vector<double> positions = elsewhere;
      for (double& n : positions) n *= static_cast<double>(others);
      seen = credit(knowledge.now, positions, steps, options.run.threads);
    }
    return Objective(weights->weights, precision, options.block, seen);
  };
  setup.minimise = [&](const Objective& objective, const Occupancy& pilot) {
    return minimise_by_columns(objective, pilot, {}, {.relative_gap = table.relative_gap}).value;
  };
  SizeTable result;
  options.run.listener.tell("other sizes", 0, 1);
  const std::vector<std::int64_t> steps = table.steps.empty() ? around(options.steps) : table.steps;
  result.sizes = pilot_sizes(setup, table.units.empty() ? around(options.units) : table.units, steps);
  result.margins = pilot_margins(setup, options.units, options.steps);
  result.remove = table.remove;
  if (table.remove)
    result.smallest = smallest_pilot(setup, *table.remove, steps, kUnitsTried * options.units);
  return result;
}

}  // namespace mindgap::design

#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "mindgap/design/design.h"
#include "mindgap/design/pilot_size.h"

namespace mindgap::design {

struct SizeTableOptions {
  /// The grid, both ascending; empty: a quarter, half, once, twice and four times what the design has.
  std::vector<std::int64_t> units = {}, steps = {};
  /// The smallest pilot that removes this share of the variance is wanted too; in (0, 1).
  std::optional<double> remove = {};
  double relative_gap = 1e-2;
};

/// The least variance that pilots of other sizes leave.
struct SizeTable {
  PilotSizes sizes;
  PilotMargins margins;  // of the design's own size
  std::optional<double> remove = {};
  std::optional<SmallestPilot> smallest = {};
};

/// For fractions of units and without limits: what no pilot of that size can beat. Units outside the pilot
/// are those that `options` have, less or more those that the pilot takes. The target must not depend on the
/// pilot. Throws InvalidArgument.
SizeTable size_table(const belief::Knowledge& knowledge, const DesignOptions& options,
                     const SizeTableOptions& table);

}  // namespace mindgap::design

#pragma once

#include "mindgap/base/workers.h"
#include "mindgap/design/design.h"

namespace mindgap::decide {

/// A design as numbers, for whoever designs pilots for another process; its target only where `with_target`.
void write_design(const design::Design& design, bool with_target, base::NumberWriter& writer);
/// Reads it again, every bit of it; `target`, where it is not null, is the target that was left out.
design::Design read_design(base::NumberReader& reader, const design::TargetWeights* target);

}  // namespace mindgap::decide

#pragma once

#include "paper/reproduce/artefact.h"

namespace mindgap::reproduce {

/// Hidden treasure: the published shares of the oracle's reward, and planners on truths that nobody tuned
/// for.
Artefact treasure_artefact();

}  // namespace mindgap::reproduce

#pragma once

#include "paper/reproduce/artefact.h"

namespace mindgap::reproduce {

/// Figure schematic (figure 1): the local and the reachability gap on a four-state example.
Artefact schematic_artefact();

}  // namespace mindgap::reproduce

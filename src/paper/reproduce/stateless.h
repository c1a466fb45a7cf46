#pragma once

#include "paper/reproduce/artefact.h"

namespace mindgap::reproduce {

/// Figure threshold: whether and how much to experiment where there is no state.
Artefact stateless_artefact();

}  // namespace mindgap::reproduce

#pragma once

#include "paper/reproduce/artefact.h"

namespace mindgap::reproduce {

/// The table of the combination lock (tab. chain), the claims of the text around it, and the sweep over
/// chain length and number of errors behind fig. chain, as data.
Artefact lock_artefact();

}  // namespace mindgap::reproduce

#pragma once

#include "paper/reproduce/artefact.h"

namespace mindgap::reproduce {

/// The stochastic fork (app. chain-stochastic-fork): the paper has a conjecture and bounds for it and no
/// numbers; ours, with the bounds as claims.
Artefact fork_artefact();

}  // namespace mindgap::reproduce

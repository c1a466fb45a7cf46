#pragma once

#include "mindgap/mdp/engine_abi.h"

namespace mindgap::engine {

/// An engine that computes here (host_backend.h): slow, and right.
const MindgapEngine* host_engine();

}  // namespace mindgap::engine

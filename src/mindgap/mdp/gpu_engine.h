#pragma once

#include <string>

#include "mindgap/mdp/engine_abi.h"

namespace mindgap::mdp {

/// The engine in the library libmindgap_cuda.so, which is looked for where MINDGAP_CUDA_LIBRARY says, beside
/// the program or module, in its ../lib, and where the system looks; loaded once. Throws InvalidArgument that
/// says what is missing.
const MindgapEngine& gpu_engine();

/// The engine of a device: none for "cpu", gpu_engine() for "gpu". Throws InvalidArgument.
const MindgapEngine* engine_of(const std::string& device);

}  // namespace mindgap::mdp

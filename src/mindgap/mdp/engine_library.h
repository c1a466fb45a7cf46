#pragma once

#include <string>

namespace mindgap::mdp {

/// Opens a shared library with an engine: where the environment variable says, else beside the program or
/// module, in its ../lib, or where the system looks. Null where it cannot be loaded, with the reason in
/// `missing`.
void* open_engine_library(const char* library, const char* variable, std::string& missing);

}  // namespace mindgap::mdp

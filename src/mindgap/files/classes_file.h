#pragma once

#include <cstdint>
#include <filesystem>
#include <span>

#include "mindgap/mdp/mdp.h"

namespace mindgap::files {

/// Which states were lumped together, as CSV: `state,class`, where a class is called after its first state.
/// All or nothing. Throws StoreError.
void write_classes(const std::filesystem::path& path, const mdp::Mdp& mdp,
                   std::span<const std::int32_t> class_of_state, std::span<const std::int32_t> first_state);

}  // namespace mindgap::files

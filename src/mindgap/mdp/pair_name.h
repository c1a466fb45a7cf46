#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace mindgap::mdp {

class Mdp;

/// What a pair is called wherever people read of it: "zone-3 / stay", fit for a line. Either name is cut
/// where it is longer than `limit` bytes.
std::string pair_name(const Mdp& mdp, std::int32_t pair, std::size_t limit = 60);

}  // namespace mindgap::mdp

#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "mindgap/mdp/mdp.h"

// Units that follow a deterministic route, pair[step * states + state], from given positions (expected
// numbers per state, or a distribution).
namespace mindgap::design {

/// n per pair over `steps` steps. Where nobody can be at a step the route may say anything, -1 for instance.
std::vector<double> walk_counts(const mdp::Mdp& mdp, std::span<const std::int32_t> pair, std::int64_t steps,
                                std::span<const double> positions);

/// Expected number of units that are in one of `states` at some step 0 .. steps-1.
double entering(const mdp::Mdp& mdp, std::span<const std::int32_t> pair, std::int64_t steps,
                std::span<const double> positions, std::span<const std::int32_t> states);

/// Per state 1 where it can be reached from the positions in at most `moves` moves by allowed pairs
/// (`allowed` empty: all) without leaving a state of `closed` (empty: none; its states can be entered).
std::vector<std::uint8_t> states_within(const mdp::Mdp& mdp, std::span<const double> positions,
                                        std::int64_t moves, std::span<const std::uint8_t> allowed = {},
                                        std::span<const std::int32_t> closed = {});

}  // namespace mindgap::design

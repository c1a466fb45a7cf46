#pragma once

#include <cstdint>
#include <filesystem>
#include <span>

#include "mindgap/files/text_file.h"
#include "mindgap/mdp/policy.h"

// Policies as CSV: `state,action,probability`, with names as in the model (numbers where it has none).
namespace mindgap::files {

/// Pairs that are absent have probability 0; those of each state must sum to 1 within 1e-9. A policy that
/// gives one action of each state probability 1 is read as a deterministic one. Throws StoreError where the
/// file cannot be opened, InvalidModel with file and line where it is wrong.
mdp::Policy read_policy(const std::filesystem::path& path, const mdp::Mdp& mdp);
/// The same from a text in memory.
mdp::Policy parse_policy(const TextFile& file, const mdp::Mdp& mdp);

/// One line per state for a deterministic policy, else one per pair of positive probability. All or nothing.
void write_policy(const std::filesystem::path& path, const mdp::Mdp& mdp, const mdp::Policy& policy);

/// The same from the number of the action in each state, with names or, where there are none, numbers.
void write_actions(const std::filesystem::path& path, const mdp::Labels& names,
                   std::span<const std::int32_t> action_of_state);

/// A deterministic policy that changes over time, with a leading column `step` from 0:
/// pair_of_step_state[step * states + state] is the pair taken. All or nothing.
void write_time_policy(const std::filesystem::path& path, const mdp::Mdp& mdp, std::int32_t steps,
                       std::span<const std::int32_t> pair_of_step_state);

}  // namespace mindgap::files

#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "mindgap/files/text_file.h"
#include "mindgap/mdp/mdp.h"
#include "mindgap/mdp/units.h"

// The tables that say what a pilot may do. Names are as in the model (numbers where it has none). All throw
// StoreError where the file cannot be opened, InvalidModel with file and line where it is wrong.
namespace mindgap::files {

/// `unit,state`: where each unit is. Every unit once.
mdp::Units read_positions(const std::filesystem::path& path, const mdp::Mdp& mdp);
mdp::Units parse_positions(const TextFile& file, const mdp::Mdp& mdp);

/// `state,action`: pairs that may not be used; per pair 1 where it is listed.
std::vector<std::uint8_t> read_forbidden(const std::filesystem::path& path, const mdp::Mdp& mdp);
std::vector<std::uint8_t> parse_forbidden(const TextFile& file, const mdp::Mdp& mdp);

/// `state,per_step`: how many units may be in a state at the same step, zero or more; per state, infinite
/// where it is not listed.
std::vector<double> read_capacities(const std::filesystem::path& path, const mdp::Mdp& mdp);
std::vector<double> parse_capacities(const TextFile& file, const mdp::Mdp& mdp);

/// `state,action,cost`: what one use of a pair costs, zero or more; per pair, 0 where it is not listed.
std::vector<double> read_costs(const std::filesystem::path& path, const mdp::Mdp& mdp);
std::vector<double> parse_costs(const TextFile& file, const mdp::Mdp& mdp);

}  // namespace mindgap::files

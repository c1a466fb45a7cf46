#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>

#include "mindgap/mdp/distributed_solve.h"
#include "mindgap/mdp/model.h"

// A model as one HDF5 file.
//
// Attributes of the root group: `format` (mindgap-model/1) and `discount`; optionally `name`, `reward_max`,
// `reward_variance`, `odds`, `drift_sd`, `prior_reward_min`, `prior_reward_max`, `prior_rewards`, and
// `actions` (how many there are, where they have no names). Datasets: `state_of_row`, `action_of_row` (one
// row per available pair, rows of a state adjacent), `indptr`, `indices`, `data` (the rows as SciPy's CSR),
// `reward`; optionally `state_names`, `action_names`, `state_groups` (an empty string: none), `x`, `y`,
// `start`, `variance`, `coverage` (with the attribute `coverage_is_sampled` 1 where the counts are of samples
// of the simulator), and `reward_sd`, `transition_strength`: each per row, or one scalar for
// all. Integers and floats of any width are read, names of fixed or variable length. A model without names
// stays without names.
namespace mindgap::files {

/// Throws StoreError where the file cannot be opened as HDF5, InvalidModel where its content is no model.
mdp::Model read_model_hdf5(const std::filesystem::path& path);

/// The same with transitions, probabilities and rewards left in the file (mapped_file.h): memory is then
/// taken for 12 bytes a pair and 12 a state, not for transitions. They must lie in the file as they do in
/// memory: `indices` as 32-bit integers, `data` and `reward` as 64-bit floats, each in one uncompressed piece
/// at a multiple of its size, rows in the order of states and actions (as write_model_hdf5 writes them). A
/// file with rows that are not sorted, or with zeros, is copied into memory all the same. Whoever uses the
/// model must call check_mapped_files().
mdp::Model map_model_hdf5(const std::filesystem::path& path);

/// The part of a model that process `rank` of `ranks` has: states one behind the other, with about as many
/// pairs as every other. Nothing else is read of what is per pair or per transition. Rows must be in the
/// order of states and actions, as write_model_hdf5 writes them; an ensemble or a model with `restart` is
/// refused. The file must have passed probe_model_hdf5(), which is apart because it makes a copy of the
/// process.
mdp::ModelPart read_model_part(const std::filesystem::path& path, std::int32_t rank, std::int32_t ranks);
/// Names of states and actions of such a file; empty where it has none.
mdp::Labels read_model_names(const std::filesystem::path& path);
/// Throws StoreError where the file is none of HDF5's, or damaged so that the HDF5 library fails on it.
void probe_model_hdf5(const std::filesystem::path& path);

/// The same from the bytes of a file in memory, called `name` in messages.
mdp::Model parse_model_hdf5(std::span<const std::byte> bytes, const std::string& name);

/// When the program ends HDF5 tries to close what a damaged file left open, and complains on stderr. After
/// this call, which goes before any other use of HDF5, it does not. For programs that have HDF5 to
/// themselves.
void leave_hdf5_quietly();

/// All or nothing: the file appears under its name when it is complete.
void write_model_hdf5(const mdp::Model& model, const std::filesystem::path& path);

}  // namespace mindgap::files

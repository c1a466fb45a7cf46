#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <vector>

#include "mindgap/files/text_file.h"
#include "mindgap/mdp/observation_log.h"

namespace mindgap::files {

/// Throws StoreError where the file cannot be opened, InvalidModel with file and line where it names an
/// unknown state, action or pair, a step that is not a whole number from 0, or a reward that is not finite.
/// An empty reward or next state is missing; a row in which both are is refused.
/// A next state that the model calls impossible is accepted: it is a finding about the model.
mdp::ObservationLog read_log(const std::filesystem::path& path, const mdp::Mdp& mdp);
mdp::ObservationLog parse_log(const TextFile& file, const mdp::Mdp& mdp);

/// All or nothing. read_log() gives the same back.
void write_log(const std::filesystem::path& path, const mdp::Mdp& mdp, const mdp::ObservationLog& log);

/// The lines (from 1) of some rows (ascending), from a second reading; for messages.
std::vector<std::int64_t> lines_of_rows(const TextFile& file, std::span<const std::size_t> rows);

/// How often history saw each pair: a table `state,action,count` (pairs it lacks were seen 0 times), or an
/// observation log, whose rows are counted where neither reward nor next state is missing. Throws as
/// read_log.
std::vector<double> read_coverage(const std::filesystem::path& path, const mdp::Mdp& mdp);
std::vector<double> parse_coverage(const TextFile& file, const mdp::Mdp& mdp);

}  // namespace mindgap::files

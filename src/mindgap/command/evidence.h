#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "mindgap/belief/knowledge.h"
#include "mindgap/files/text_file.h"
#include "mindgap/mdp/model.h"
#include "mindgap/mdp/observation_log.h"

// What a user says is known beside the model; the same in every command that needs a belief.
namespace mindgap::command {

/// A table that a user gave: a file, or one in memory as the text of a file.
struct Source {
  files::TextFile file;
  bool table = false;  // in memory: then messages count its rows, not lines
};
/// Throws StoreError where the file cannot be opened.
Source open_source(const std::filesystem::path& path);
/// The same; none where `path` is empty.
std::optional<Source> source_of(const std::filesystem::path& path);

struct Evidence {
  std::optional<Source> coverage;  // how often history saw each pair
  std::optional<Source> log;       // what a pilot observed
  bool allow_new_states = false;   // that these name and the model does not have
  belief::PriorOverrides prior = {};
};

/// Evidence as read for a model.
struct Known {
  mdp::Model model;  // with the new states, where they are allowed
  std::optional<std::vector<double>> coverage;
  std::optional<mdp::ObservationLog> log;
  std::vector<std::string> warnings;

  belief::Knowledge knowledge(const belief::PriorOverrides& prior) const {
    return belief::gather_knowledge(model, coverage, log, prior);
  }
};
/// Throws InvalidModel with file and line.
Known read_evidence(mdp::Model model, const Evidence& evidence);

}  // namespace mindgap::command

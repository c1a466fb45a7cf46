#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "mindgap/belief/knowledge.h"
#include "mindgap/command/option.h"
#include "mindgap/mdp/observation_log.h"

// What a user says is known beside the model; the same in every command that needs a belief.
namespace mindgap::command {

struct Evidence {
  std::optional<Source> coverage;  // how often history saw each pair
  std::optional<Source> log;       // what a pilot observed
  bool allow_new_states = false;   // that these name and the model does not have
  belief::PriorOverrides prior = {};
};

/// What a user can say of the prior instead of the model, in the order of `--help`; all of PriorOverrides but
/// estimate_variance, which needs a log.
std::span<const Option<belief::PriorOverrides>> prior_options();

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

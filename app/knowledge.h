#pragma once

#include <optional>
#include <string>
#include <vector>

#include "command.h"
#include "mindgap/belief/knowledge.h"
#include "mindgap/mdp/observation_log.h"

// The options by which a user says what is known beside the model; the same in every command that needs a
// belief.
namespace mindgap::app {

struct KnowledgeOptions {
  std::string coverage, log;
  bool allow_new_states = false;
  belief::PriorOverrides prior;
};

/// --coverage, --odds, --drift-sd, --reward-sd, --reward-min, --reward-max, --rewards, --transition-strength.
void add_prior_options(CLI::App& cli, KnowledgeOptions& options);
/// Those, --log, --allow-new-states and --estimate-variance.
void add_knowledge_options(CLI::App& cli, KnowledgeOptions& options);

/// With --allow-new-states, the model grows by the states that log and coverage name and it does not have,
/// and a warning lists them.
void take_new_states(const KnowledgeOptions& options, mdp::Model& model, const CommonOptions& common);

/// GROUP=SHARE as in "B=0.3". Throws InvalidArgument where it is none, or the share is not in [0, 1].
std::pair<std::string, double> share_from(const std::string& text);

/// The file's counts, or those in the model; none where there are neither.
std::optional<std::vector<double>> read_coverage(const KnowledgeOptions& options, const mdp::Model& model);
std::optional<mdp::ObservationLog> read_log(const KnowledgeOptions& options, const mdp::Model& model);

}  // namespace mindgap::app

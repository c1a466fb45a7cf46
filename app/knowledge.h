#pragma once

#include <string>

#include "command.h"
#include "mindgap/command/evidence.h"

// The options by which a user says what is known beside the model; the same in every command that needs a
// belief.
namespace mindgap::app {

struct KnowledgeOptions {
  std::string coverage, log;
  bool allow_new_states = false;
  belief::PriorOverrides prior;

  /// Opens the files. Throws StoreError.
  command::Evidence evidence() const;
};

/// --coverage, --odds, --drift-sd, --reward-sd, --reward-min, --reward-max, --rewards, --transition-strength.
void add_prior_options(CLI::App& cli, KnowledgeOptions& options);
/// Those, --log, --allow-new-states and --estimate-variance.
void add_knowledge_options(CLI::App& cli, KnowledgeOptions& options);

}  // namespace mindgap::app

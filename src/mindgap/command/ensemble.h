#pragma once

#include <span>
#include <string>
#include <vector>

#include "mindgap/base/run.h"
#include "mindgap/belief/surprise.h"
#include "mindgap/command/evidence.h"
#include "mindgap/mdp/observation_log.h"
#include "mindgap/mdp/several_models.h"
#include "mindgap/view/json.h"

// Ensembles of models, which every command takes where it takes a model.
namespace mindgap::command {

/// One model of several. Prior, variance of one reward and name are the first member's. Throws as
/// mdp::Members and check_model() do.
mdp::Model ensemble_of(const std::vector<mdp::Model>& members, std::vector<double> weights,
                       const std::vector<std::string>& names, std::vector<mdp::Parameter> parameters);

/// The model with another start, which all members of an ensemble share. Throws as Mdp::with_start() does.
mdp::Model starting_from(mdp::Model model, std::vector<double> start);

struct WeighAnswer {
  mdp::Model model;  // with the weights after what was observed
  double effective_members = 0;
  belief::Surprise surprise;  // whether any member explains what was observed
  std::vector<std::string> warnings;
};

/// What a log says about the members of an ensemble. Throws InvalidArgument where the model is none.
WeighAnswer weigh(const mdp::Model& model, const Evidence& evidence, std::uint64_t seed = 42);
/// The same of observations that have weights, such as steps spread over the corners of a grid.
WeighAnswer weigh(const mdp::Model& model, std::span<const mdp::Observation> seen, std::uint64_t seed = 42);

enum class MembersObjective { average, robust };  // over the members by weight, or in the worst of them

/// One policy for all members of an ensemble, with the ensemble that it is for.
struct MembersPolicyAnswer {
  mdp::Model model;
  MembersObjective objective;
  mdp::SeveralModelsPolicy found;
  std::string policy_file = {};  // written, or ""

  std::string text() const;
  view::Json json() const;
  /// As CSV: state,action,probability. Throws StoreError.
  void write_policy(const std::string& path) const;
};

/// The best policy that was found for all members, with a bound on what any policy could earn. Throws
/// InvalidArgument where the model is no ensemble or its discount is 1.
MembersPolicyAnswer members_policy(const mdp::Model& model, MembersObjective objective,
                                   const base::Run& run = {});

}  // namespace mindgap::command

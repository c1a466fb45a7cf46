#include "mindgap/command/ensemble.h"

#include <optional>
#include <utility>

#include "mindgap/base/error.h"
#include "mindgap/files/policy_file.h"
#include "mindgap/mdp/evaluate.h"
#include "mindgap/view/members_policy.h"

namespace mindgap::command {

mdp::Model ensemble_of(const std::vector<mdp::Model>& members, std::vector<double> weights,
                       const std::vector<std::string>& names, std::vector<mdp::Parameter> parameters) {
  if (members.empty()) throw InvalidArgument("an ensemble needs at least one model");
  std::vector<mdp::Mdp> models;
  for (const mdp::Model& member : members) {
    if (member.members) throw InvalidArgument("a member cannot be an ensemble itself");
    models.push_back(member.mdp);
  }
  mdp::Members all(models, std::move(weights), names);
  mdp::Model model = members.front();
  model.mdp = all.mean();
  model.members = std::move(all);
  model.parameters = std::move(parameters);
  mdp::check_model(model);
  return model;
}

namespace {

WeighAnswer weighed(const mdp::Model& model, const belief::Ensemble& ensemble,
                    std::optional<std::uint64_t> tested, std::vector<std::string> warnings) {
  std::vector<mdp::Mdp> models;
  std::vector<std::string> names;
  for (std::int32_t i = 0; i < model.members->size(); ++i) {
    models.push_back(model.members->model(i));
    names.push_back(model.members->name(i));
  }
  WeighAnswer answer{
      .model = model,
      .effective_members = ensemble.effective_members(),
      .surprise = tested ? belief::surprise(ensemble, {.run = {.seed = *tested}}) : belief::Surprise{},
      .warnings = std::move(warnings)};
  answer.model.members.emplace(
      models, std::vector<double>(ensemble.weights().begin(), ensemble.weights().end()), names);
  answer.model.mdp = answer.model.members->mean();
  return answer;
}

void check_ensemble(const mdp::Model& model) {
  if (!model.members) throw InvalidArgument("weigh: the model is no ensemble");
}

}  // namespace

WeighAnswer weigh(const mdp::Model& model, const Evidence& evidence, std::optional<std::uint64_t> tested) {
  check_ensemble(model);
  const Known known = read_evidence(model, evidence);
  return weighed(model, *known.knowledge(evidence.prior).now.ensemble(), tested, known.warnings);
}

WeighAnswer weigh(const mdp::Model& model, std::span<const mdp::Observation> seen,
                  std::optional<std::uint64_t> tested) {
  check_ensemble(model);
  belief::Knowledge knowledge = belief::gather_knowledge(model, std::nullopt, std::nullopt);
  for (const mdp::Observation& one : seen) knowledge.now.observe(one);
  return weighed(model, *knowledge.now.ensemble(), tested, {});
}

MembersPolicyAnswer members_policy(const mdp::Model& model, MembersObjective objective,
                                   const base::Run& run) {
  if (!model.members)
    throw InvalidArgument("a policy for all members wants an ensemble, but this is one model");
  const std::span<const double> weights = model.members->weights();
  const auto model_of = [&](std::size_t i) { return model.members->model(static_cast<std::int32_t>(i)); };
  std::vector<mdp::Mdp> models;
  mdp::SeveralModelsOptions options;
  options.threads = run.threads;
  if (objective == MembersObjective::average) {
    for (std::size_t i = 0; i < weights.size(); ++i) models.push_back(model_of(i));
    return {model, objective, mdp::average_policy(models, weights, options)};
  }
  for (const std::size_t i : mdp::possible_models(weights)) models.push_back(model_of(i));
  mdp::SeveralModelsPolicy found = mdp::robust_policy(models, {.search = options});
  found.model_value.clear();  // of all members, also those that are ruled out
  for (std::size_t i = 0; i < weights.size(); ++i)
    found.model_value.push_back(mdp::evaluate(model_of(i), found.policy).value_at_start);
  return {model, objective, std::move(found)};
}

std::string MembersPolicyAnswer::text() const {
  return view::text_of({model, found, objective == MembersObjective::robust, policy_file});
}
view::Json MembersPolicyAnswer::json() const {
  return view::json_of({model, found, objective == MembersObjective::robust, policy_file});
}
void MembersPolicyAnswer::write_policy(const std::string& path) const {
  files::write_policy(path, model.mdp, found.policy);
}

}  // namespace mindgap::command

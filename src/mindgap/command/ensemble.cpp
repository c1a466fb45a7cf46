#include "mindgap/command/ensemble.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "mindgap/base/error.h"
#include "mindgap/files/policy_file.h"
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

std::vector<mdp::Mdp> models_of(const mdp::Members& members) {
  std::vector<mdp::Mdp> models;
  for (std::int32_t i = 0; i < members.size(); ++i) models.push_back(members.model(i));
  return models;
}

std::vector<std::string> names_of(const mdp::Members& members) {
  std::vector<std::string> names;
  for (std::int32_t i = 0; i < members.size(); ++i) names.push_back(members.name(i));
  return names;
}

WeighAnswer weighed(const mdp::Model& model, const belief::Ensemble& ensemble, std::uint64_t seed,
                    std::vector<std::string> warnings) {
  WeighAnswer answer{.model = model,
                     .effective_members = ensemble.effective_members(),
                     .surprise = belief::surprise(ensemble, {.seed = seed}),
                     .warnings = std::move(warnings)};
  answer.model.members.emplace(models_of(*model.members),
                               std::vector<double>(ensemble.weights().begin(), ensemble.weights().end()),
                               names_of(*model.members));
  answer.model.mdp = answer.model.members->mean();
  return answer;
}

void check_ensemble(const mdp::Model& model) {
  if (!model.members) throw InvalidArgument("weigh: the model is no ensemble");
}

}  // namespace

mdp::Model starting_from(mdp::Model model, std::vector<double> start) {
  model.mdp = model.mdp.with_start(std::move(start));
  if (!model.members || std::ranges::equal(model.members->mean().start(), model.mdp.start())) return model;
  const mdp::Members& before = *model.members;
  std::vector<mdp::Mdp> models = models_of(before);
  for (mdp::Mdp& one : models) one = one.with_start({model.mdp.start().begin(), model.mdp.start().end()});
  model.members =
      mdp::Members(models, {before.weights().begin(), before.weights().end()}, names_of(before));
  model.mdp = model.members->mean();
  return model;
}

WeighAnswer weigh(const mdp::Model& model, const Evidence& evidence, std::uint64_t seed) {
  check_ensemble(model);
  const Known known = read_evidence(model, evidence);
  return weighed(model, *known.knowledge(evidence.prior).now.ensemble(), seed, known.warnings);
}

WeighAnswer weigh(const mdp::Model& model, std::span<const mdp::Observation> seen, std::uint64_t seed) {
  check_ensemble(model);
  belief::Knowledge knowledge = belief::gather_knowledge(model, std::nullopt, std::nullopt);
  for (const mdp::Observation& one : seen) knowledge.now.observe(one);
  return weighed(model, *knowledge.now.ensemble(), seed, {});
}

MembersPolicyAnswer members_policy(const mdp::Model& model, MembersObjective objective,
                                   const base::Run& run) {
  if (!model.members)
    throw InvalidArgument("a policy for all members wants an ensemble, but this is one model");
  const std::vector<mdp::Mdp> models = models_of(*model.members);
  mdp::SeveralModelsOptions options;
  options.threads = run.threads;
  return {model, objective,
          objective == MembersObjective::average
              ? mdp::average_policy(models, model.members->weights(), options)
              : mdp::robust_policy(models, {.search = options})};
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

#include "mindgap/decide/members_policy.h"

#include <fmt/format.h>

#include <algorithm>

#include "mindgap/base/error.h"
#include "mindgap/belief/ensemble.h"
#include "mindgap/mdp/several_models.h"

namespace mindgap::decide {
namespace {

struct PossibleMembers {
  std::vector<mdp::Mdp> models;
  std::vector<double> weights;  // sum to 1
};

PossibleMembers possible_members(const belief::Ensemble& ensemble, std::span<const std::int32_t> unit_state) {
  PossibleMembers members;
  const std::span<const double> weights = ensemble.weights();
  double sum = 0;
  for (const std::size_t i : mdp::possible_models(weights)) {
    mdp::Mdp model = ensemble.member_mean(static_cast<std::int32_t>(i));
    if (!unit_state.empty()) {
      std::vector<double> start(static_cast<std::size_t>(model.states()), 0.0);
      for (const std::int32_t s : unit_state) start[s] += 1 / static_cast<double>(unit_state.size());
      model = model.with_start(std::move(start));
    }
    members.models.push_back(std::move(model));
    members.weights.push_back(weights[i]);
    sum += weights[i];
  }
  for (double& w : members.weights) w /= sum;
  return members;
}

}  // namespace

mdp::Policy members_policy(const Plan& plan, const belief::Belief& belief,
                           std::span<const std::int32_t> unit_state, int threads) {
  if (belief.ensemble() == nullptr) {
    throw InvalidArgument(
        fmt::format("the plan {} is for an ensemble of models, but this is one model: {}", plan.name,
                    plan.deployed == Deployed::average ? "its best policy is the plan sop"
                                                       : "there is no worst member to prepare for"));
  }
  const PossibleMembers members = possible_members(*belief.ensemble(), unit_state);
  mdp::SeveralModelsOptions search;
  search.first_policies = 5;
  search.max_evaluations = 200;
  search.threads = threads;
  if (plan.deployed == Deployed::average)
    return mdp::average_policy(members.models, members.weights, search).policy;
  return mdp::robust_policy(members.models, {.search = search, .rounds = 10}).policy;
}

double work_of_members_policy(const belief::Belief& belief) {
  const belief::Ensemble* ensemble = belief.ensemble();
  if (ensemble == nullptr) return 0;
  return static_cast<double>(ensemble->members().size()) * static_cast<double>(belief.simulator().nonzeros());
}

}  // namespace mindgap::decide

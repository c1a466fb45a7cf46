#include "mindgap/gap/member_models.h"

#include <cmath>
#include <numeric>

#include "mindgap/base/check.h"
#include "mindgap/base/parallel.h"
#include "mindgap/mdp/resolvent.h"

namespace mindgap::gap {

using mdp::Mdp;
using mdp::Policy;

MemberModels::MemberModels(const belief::Ensemble& ensemble)
    : weights_(ensemble.weights().begin(), ensemble.weights().end()) {
  for (std::int32_t i = 0; i < ensemble.members().size(); ++i) models_.push_back(ensemble.member_mean(i));
}

std::vector<double> MemberModels::load(std::span<const double> x) const {
  base::check_size("MemberModels::load", "x", x.size(), weights_.size());
  std::vector<double> load(x.size());
  double mean = 0;  // from the first member on, so that equal numbers differ by nothing
  for (std::size_t i = 0; i < x.size(); ++i) mean += weights_[i] * (x[i] - x[0]);
  for (std::size_t i = 0; i < x.size(); ++i) load[i] = std::sqrt(weights_[i]) * (x[i] - x[0] - mean);
  return load;
}

std::vector<std::vector<double>> MemberModels::reward_loads() const {
  std::vector<std::vector<double>> loads;
  std::vector<double> reward(models_.size());
  for (std::int32_t k = 0; k < models_.front().pairs(); ++k) {
    for (std::size_t i = 0; i < models_.size(); ++i) reward[i] = models_[i].reward()[k];
    loads.push_back(load(reward));
  }
  return loads;
}

std::vector<std::vector<double>> MemberModels::values(const Policy& policy, int threads) const {
  std::vector<std::vector<double>> value(models_.size());
  const base::Threads all(threads);
  all.for_each_chunk(size(), [&](std::int64_t i) {
    const Mdp& model = models_[static_cast<std::size_t>(i)];
    value[i].resize(static_cast<std::size_t>(model.states()));
    mdp::Resolvent resolvent(model, policy);
    resolvent.apply(resolvent.reward(), value[i]);
  });
  return value;
}

void add_member_loads(PvvWeights& weights, const MemberModels& members, const Mdp& mdp, const Policy& target,
                      int threads) {
  const auto pairs = static_cast<std::size_t>(mdp.pairs());
  for (const std::vector<double>& load : weights.loads)
    base::check_size("add_member_loads", "load", load.size(), pairs);
  base::check_size("add_member_loads", "mdp", pairs, members.model(0).reward().size());
  const std::vector<std::vector<double>> values = members.values(target, threads);
  std::vector<std::vector<double>> of_load(weights.loads.size(), std::vector<double>(values.size()));
  std::vector<double> reward(pairs);  // with which the mean model has the member's value
  for (std::size_t i = 0; i < values.size(); ++i) {
    for (std::int32_t k = 0; k < mdp.pairs(); ++k) {
      const mdp::Row row = mdp.row(k);
      double next = 0;
      for (std::size_t j = 0; j < row.size(); ++j) next += row.probability[j] * values[i][row.next_state[j]];
      reward[k] = values[i][mdp.state_of_pair(k)] - mdp.discount() * next;
    }
    for (std::size_t t = 0; t < of_load.size(); ++t)
      of_load[t][i] = std::inner_product(reward.begin(), reward.end(), weights.loads[t].begin(), 0.0);
  }
  weights.member_loads.clear();
  for (const std::vector<double>& x : of_load) weights.member_loads.push_back(members.load(x));
}

void add_member_loads(PvvWeights& weights, const belief::Ensemble& ensemble, const Policy& target,
                      int threads) {
  add_member_loads(weights, MemberModels(ensemble), ensemble.mean(), target, threads);
}

}  // namespace mindgap::gap

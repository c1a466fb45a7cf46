#include "mindgap/gap/horizon.h"

#include <limits>

namespace mindgap::gap {
namespace {

double ratio(double numerator, double denominator) {
  if (numerator == 0) return 0;
  return denominator == 0 ? std::numeric_limits<double>::infinity() : numerator / denominator;
}

}  // namespace

double crossover_horizon(const ModelError& error, double reward_max, double discount) {
  simulation_lemma_bound(error, reward_max, discount);  // checks the arguments
  return ratio(reward_max * error.transition / (1 - discount), error.reward);
}

HorizonContributions horizon_contributions(const ModelError& error, double reward_max, double discount,
                                           RewardSign sign) {
  HorizonContributions parts;
  parts.reward = simulation_lemma_bound({error.reward, 0}, reward_max, discount, sign);
  parts.transition = simulation_lemma_bound({0, error.transition}, reward_max, discount, sign);
  parts.ratio = ratio(parts.transition, parts.reward);
  return parts;
}

}  // namespace mindgap::gap

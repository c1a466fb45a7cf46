#include "mindgap/gap/simulation_lemma.h"

#include "mindgap/base/check.h"
#include "mindgap/base/error.h"

namespace mindgap::gap {
namespace {

void check(const char* function, const ModelError& error, double reward_max, double discount) {
  base::check_nonnegative(function, "error.reward", error.reward);
  base::check_range(function, "error.transition", error.transition, 0, 2 + 1e-9);
  base::check_nonnegative(function, "reward_max", reward_max);
  base::check_range(function, "discount", discount, 0, 1);
  if (discount == 1) throw InvalidArgument(std::string(function) + ": discount is 1, but must be below 1");
}

}  // namespace

double simulation_lemma_bound(const ModelError& error, double reward_max, double discount, RewardSign sign) {
  check("simulation_lemma_bound", error, reward_max, discount);
  const double range = (sign == RewardSign::any ? 2 : 1) * reward_max / (1 - discount);
  return (error.reward + discount * range * error.transition / 2) / (1 - discount);
}

double simulation_lemma_bound_paper(const ModelError& error, double reward_max, double discount) {
  check("simulation_lemma_bound_paper", error, reward_max, discount);
  const double horizon = 1 / (1 - discount);
  return 2 * horizon * (error.reward + discount * reward_max * horizon * error.transition);
}

}  // namespace mindgap::gap

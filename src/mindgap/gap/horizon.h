#pragma once

#include "mindgap/gap/simulation_lemma.h"

// How the two kinds of error grow with the horizon T_eff = 1/(1-g): reward errors like T_eff, transition
// errors like T_eff^2 (paper, remark "Horizon asymmetry"). Ratios of worst-case bounds, not estimates of
// which error dominates on a given model.
namespace mindgap::gap {

/// T_eff Rmax eps_p / eps_r, the paper's crossover diagnostic. Infinite where eps_r = 0 and the numerator is
/// positive; 0/0 counts as 0. Domain: errors >= 0, eps_p <= 2, reward_max >= 0, 0 <= discount < 1.
double crossover_horizon(const ModelError& error, double reward_max, double discount);

/// The two terms of simulation_lemma_bound().
struct HorizonContributions {
  double reward = 0;      // eps_r / (1-g)
  double transition = 0;  // g (V_max - V_min) eps_p / (2 (1-g))
  double ratio = 0;       // transition / reward; infinite where only reward is 0, 0 where both are
};
HorizonContributions horizon_contributions(const ModelError& error, double reward_max, double discount,
                                           RewardSign sign = RewardSign::nonnegative);

}  // namespace mindgap::gap

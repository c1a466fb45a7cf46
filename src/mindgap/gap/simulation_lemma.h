#pragma once

namespace mindgap::gap {

/// How far a simulator is from the truth: the largest errors over pairs.
struct ModelError {
  double reward = 0;      // max |r_sim - r|
  double transition = 0;  // max ||p_sim - p||_1, at most 2
};

/// How large rewards can be: [0, reward_max], or [-reward_max, reward_max].
enum class RewardSign { nonnegative, any };

/// A bound on |V_sim - V| at every state, for every policy (Kearns and Singh 2002):
///   eps_r / (1-g) + g (V_max - V_min) eps_p / (2 (1-g)),   V_max - V_min = Rmax/(1-g) or 2 Rmax/(1-g).
/// The second term: (p_sim - p)'V only sees V up to a constant, so half the range of V is enough. The paper's
/// bound is 2 times as large in the first term and 4 times in the second. Domain: errors >= 0, reward_max >=
/// 0, 0 <= discount < 1.
double simulation_lemma_bound(const ModelError& error, double reward_max, double discount,
                              RewardSign sign = RewardSign::nonnegative);

/// The paper's form, eq. (sim-lemma): 2 eps_r / (1-g) + 2 g Rmax eps_p / (1-g)^2. Valid, but never sharp.
double simulation_lemma_bound_paper(const ModelError& error, double reward_max, double discount);

}  // namespace mindgap::gap

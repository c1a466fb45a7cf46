#pragma once

#include <cstdint>
#include <vector>

#include "mindgap/base/run.h"
#include "mindgap/belief/ensemble.h"

namespace mindgap::belief {

struct SurpriseOptions {
  std::int64_t draws = 500;
  std::int64_t worst = 5;  // pairs to name; 0: none
  base::Run run = {};

  void validate() const;
};

/// How much worse a pair's data are explained than such data usually are.
struct PairSurprise {
  std::int32_t pair = 0;
  double shortfall = 0;  // expected less observed log density
  double share = 0;      // of drawn data sets of the pair that are explained no better
};

struct Surprise {
  double share = 1;  // of drawn data sets whose log density is at most that of what was seen
  double standard_error = 0;
  std::int64_t draws = 0;
  std::int64_t pairs = 0;           // with data that were compared
  std::vector<PairSurprise> worst;  // largest shortfall first
};
/// A share below this says that no member of the ensemble explains what was seen.
constexpr double kSurprising = .01;

/// Does any member explain what was seen? A prior predictive test (Box 1980, "Sampling and Bayes' inference
/// in scientific modelling and robustness", J. R. Stat. Soc. A 143:383): the share of data sets, drawn from
/// the ensemble before any data (a member by its prior weight, then its discrepancy, then as many rewards and
/// moves of each pair as were seen), that are no more probable than what was seen. If the ensemble is right,
/// a share below x has a probability of at most x. Where a move was seen that no member calls possible, the
/// share is 0.
///
/// Probable by what the data say about members: the density of the mean reward of each pair and of the
/// numbers of moves to each next state, log sum_i w_i prod_pairs f_i, with prior weights. That is the
/// evidence but for two things. The sum of squared deviations of rewards is left out: it has the same law in
/// every member, so it would add noise only (with many rewards far more than the signal) and ask another
/// question, whether the stated variance of one reward is right. And multinomial coefficients are put in:
/// what is judged is how often each next state came, not in which order; else the likeliest state every time,
/// the most probable of all sequences, could never be too good to be true.
///
/// Pairs with a censored reward take part with their moves only, since which rewards get censored is not
/// modelled. Moves that no member calls possible take no part; they need no test (Ensemble::off_support()).
/// Where weights make the moves of a row fractional, drawn ones are equal parts of whole moves
/// (MemberLaw::draw), an approximation. The standard error is that of a share of (k+1)/(draws+2): never 0.
///
/// `worst` compares the log density of each pair's data, with posterior weights, to its mean over data drawn
/// for that pair likewise: what those members that explain the data best explain worst.
Surprise surprise(const Ensemble& ensemble, const SurpriseOptions& options = {});

}  // namespace mindgap::belief

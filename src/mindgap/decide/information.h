#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "mindgap/decide/situation.h"
#include "mindgap/gap/evpi.h"
#include "mindgap/mdp/policy.h"
#include "mindgap/mdp/side_by_side.h"

namespace mindgap::decide {

/// Number of the first model that is drawn for it.
constexpr std::uint64_t kFirstInformationDraw = std::uint64_t{1} << 61;

/// What knowing the true model now would be worth to all units over the horizon, against deploying a policy:
/// E[V* - V^deployed] over models drawn from the belief, by the objective, both exact in each model (V* over
/// all policies, also those that change with time). And how it splits, as in gap::gap_decomposition but for a
/// finite horizon:
///   out = {s : visits(s) < threshold * all visits} under the deployed policy, eta = its visits of `out`,
///   local value = the best of a mixture of policies with no more visits of `out` than eta
///               = min over lambda >= 0 of  V*(r - lambda 1_out) + lambda eta,
/// local = local value - V^deployed: waiting can reveal it; reach = V* - local value: only going there can.
struct Information {
  std::int64_t draws = 0;
  gap::Estimate total, local, reach;
  std::vector<double> deployed, gain;  // per draw: V^deployed, and V* - V^deployed
};

/// One model. `local` is found up to `accuracy`, a share of optimal - deployed, from below.
struct InformationSplit {
  double deployed = 0, local = 0, optimal = 0;  // values
};
InformationSplit split_information(const mdp::Mdp& truth, const mdp::Policy& deployed,
                                   std::span<const double> positions, std::int64_t steps, double threshold,
                                   double accuracy = 0);
/// The same of several models at once, in their order.
std::vector<InformationSplit> split_information(const mdp::SideBySide& truths, const mdp::Policy& deployed,
                                                std::span<const double> positions, std::int64_t steps,
                                                double threshold, double accuracy = 0);

/// `draws` models, belief.sample(seed, 2^61), ...; of a large model fewer, where 64, 128, ... of them settle
/// it; and fewer where who listens wants to stop. Models in parallel.
Information value_of_information(const Situation& situation, const mdp::Policy& deployed, Objective objective,
                                 std::int64_t draws, const SimulationOptions& options);

/// More draws of `deployed` and `gain` alone, up to `draws` in all, which is much cheaper; the estimates stay
/// those of the first draws, so that they add up.
void add_draws(Information& known, const Situation& situation, const mdp::Policy& deployed,
               Objective objective, std::int64_t draws, const SimulationOptions& options);

/// Whether deploying is surely tied with every plan there may be: no plan earns more in a world than V*, so
/// it is where G <= indifference |V| for the gain G = E[V* - V^deployed] of any plan at most and the value V
/// of that plan, |V| >= |E V^deployed| - G. That is, (1 + indifference) G <= indifference |E V^deployed|: of
/// the draws' differences the upper end of Student's t interval at `level` is at most 0.
bool surely_not_worth_it(const Information& known, double indifference, double level);

}  // namespace mindgap::decide

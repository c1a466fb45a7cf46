#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "mindgap/planner/planner.h"

// Methods that others have published, for models whose rewards are known, written for the tests alone: dense
// counts and value iteration, nothing of the library's belief, solvers or planners.
namespace mindgap::decide {

/// All replan before every step, from Dirichlet counts that all units share.
struct RivalSpec {
  enum class Method {
    greedy,   // the optimal policy of the mean model
    epsilon,  // the same; with probability `number` a random action
    /// Posterior sampling (Strens 2000; Osband, Russo and Van Roy 2013): every unit holds a model of its own,
    /// drawn anew every `number` steps.
    psrl,
    /// Kolter and Ng 2009: the optimal policy of the mean model with number / (1 + alpha_0 + n(s,a)) added to
    /// each reward, alpha_0 + n being the strength of the row. None where a row has one successor.
    beb,
  } method = Method::greedy;
  double number = 0;
};

std::string name_of(const RivalSpec& spec);

/// `model` has the prior's mean rows and the known rewards, strength[k] the Dirichlet's sum of parameters of
/// pair k's row.
std::unique_ptr<planner::Planner> make_rival(const RivalSpec& spec, const mdp::Mdp& model,
                                             std::vector<double> strength, std::int64_t units,
                                             std::uint64_t seed, std::uint64_t trial);

}  // namespace mindgap::decide

#pragma once

#include <memory>

#include "mindgap/planner/planner.h"

// Random actions now and then. At step t a unit takes with probability eps_t one of its state's actions, each
// as likely, else the action of a policy; both draws are its own (seed, Purpose::planner, trial, unit, step).
namespace mindgap::planner {

/// Around the simulator-optimal policy, without learning (paper listing epsgreedy): eps_t = epsilon.
std::unique_ptr<Planner> make_epsilon(const Setting& setting);

/// Around the optimal policy of the posterior mean: eps_t = epsilon.
std::unique_ptr<Planner> make_learning_epsilon(const Setting& setting);

/// The same with eps_t = min(1, 2 epsilon decay^t), decay = epsilon_decay: with the defaults .2 * .95^t, the
/// schedule of the combination lock, where t counts units that go one after another; here
/// it counts steps. decay = 1 is a fixed 2 epsilon, decay = 0 explores at step 0 only.
std::unique_ptr<Planner> make_adaptive_epsilon(const Setting& setting);

}  // namespace mindgap::planner

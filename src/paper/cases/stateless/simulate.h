#pragma once

#include <cstdint>

#include "mindgap/gap/stateless.h"

// The stateless warm-up by simulation (gap/stateless.h has it in closed form; there are no planners to
// compare).
namespace mindgap::cases::stateless {

struct SimulatedValue {
  double mean = 0;  // of what the experiment gains against not experimenting
  double standard_error = 0;
};

/// Delta V(n_e) over `draws` >= 2 draws of the model: Delta ~ N(d0, s0^2), the estimate x ~ N(Delta, 4
/// s2/n_e) from n_e/2 units on either action, and a switch where the posterior mean is negative:
///   gain = - n_e Delta/2 - gamma n Delta [switched].
/// n_e in (0, n]; at n_e = 0 it is 0. Draw i uses the stream (seed, Purpose::world, i). The result does not
/// depend on `threads` (0: all cores).
SimulatedValue simulate_experiment(const gap::StatelessProblem& problem, double experiment_units,
                                   std::int64_t draws, std::uint64_t seed, int threads = 0);

}  // namespace mindgap::cases::stateless

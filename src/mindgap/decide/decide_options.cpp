#include <algorithm>

#include "mindgap/base/check.h"
#include "mindgap/base/error.h"
#include "mindgap/base/workers.h"
#include "mindgap/decide/decide.h"

namespace mindgap::decide {

void DecideOptions::validate() const {
  base::check_range("decide", "indifference", indifference, 0, 1);
  base::check_range("decide", "level", level, .5, .9999);
  base::check_range("decide", "worlds", static_cast<double>(worlds), 0, 1e7);
  base::check_positive("decide", "time_limit", time_limit);
  base::check_nonnegative("decide", "most_work", most_work);
  base::check_range("decide", "information_draws", static_cast<double>(information_draws), 0, 1e7);
  base::check_range("decide", "most_draws", static_cast<double>(most_draws), 0, 1e7);
  if (most_draws > 0 && most_worlds == 0)
    throw InvalidArgument("decide: a limit on draws needs a limit on sampled models");
  base::check_range("decide", "most_worlds", static_cast<double>(most_worlds), 0, 1e7);
  if (worlds > 0 && most_worlds > 0)
    throw InvalidArgument("decide: give either a number of sampled models or a limit on it, not both");
  if (most_worlds == 1)
    throw InvalidArgument("decide: one sampled model shows no spread; at least 2 are needed");
  base::check_range("decide", "tail of the objective", objective.tail, 1e-3, 1);
  if (worlds == 1) throw InvalidArgument("decide: one sampled model shows no spread; at least 2 are needed");
}

double DecideOptions::tolerance() const {
  return std::min(simulation.tolerance, std::max(kToleranceOfTie * indifference, kLeastTolerance));
}

SimulationOptions DecideOptions::simulation_options() const {
  SimulationOptions how = simulation;
  how.tolerance = tolerance();
  how.most_work = most_work > 0 ? most_work : kWorkPerSecond * std::min(time_limit, 60.0);
  // Following the plans must have most of the time.
  if (worlds == 0 && most_worlds == 0 && !base::are_shared())
    how.design_time = std::min(how.design_time, .25 * time_limit);
  return how;
}

}  // namespace mindgap::decide

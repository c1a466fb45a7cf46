#include "mindgap/mdp/start_value.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "mindgap/mdp/underflow.h"

namespace mindgap::mdp {

// Summed with the rounding of each addition carried along (Kahan and Babuska; Neumaier 1974): off by at most
// 2 u |sum| + u sum|terms| for the products, whatever the number of states. The start itself may sum to 1 +-
// 1e-9.
StartValue start_value(std::span<const double> start, std::span<const double> value, double half_width) {
  double sum = 0, carried = 0, magnitude = 0, mass = 0, largest = half_width, terms = 0;
  for (std::size_t s = 0; s < value.size(); ++s) {
    if (start[s] == 0) continue;
    const double term = start[s] * value[s];
    const double next = sum + term;
    carried += std::abs(sum) >= std::abs(term) ? (sum - next) + term : (term - next) + sum;
    sum = next;
    magnitude += std::abs(term);
    largest = std::max(largest, std::abs(value[s]));
    ++terms;
    mass += start[s];
  }
  const double unit = std::numeric_limits<double>::epsilon() / 2;
  return {sum + carried,
          half_width * mass * (1 + 1e-9) + 4 * unit * magnitude + underflow(terms + 4, largest)};
}

StartValue start_value(const Mdp& mdp, std::span<const double> value, double half_width) {
  return start_value(mdp.start(), value, half_width);
}

}  // namespace mindgap::mdp

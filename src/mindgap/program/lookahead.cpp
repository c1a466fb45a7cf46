#include "mindgap/program/lookahead.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "mindgap/base/check.h"
#include "mindgap/base/error.h"

namespace mindgap::program {
namespace {

double interpolated(std::span<const double> value, const Corners& corners) {
  double sum = 0;
  for (std::size_t i = 0; i < corners.size; ++i) sum += corners.weight[i] * value[corners.corner[i]];
  return sum;
}

void check_value(const char* function, const Grid& grid, std::span<const double> value) {
  if (value.size() < static_cast<std::size_t>(grid.corners()))
    throw InvalidArgument(fmt::format("{}: there are {} values, but the grid has {} corners", function,
                                      value.size(), grid.corners()));
}

}  // namespace

double value_at(const Grid& grid, std::span<const double> value, std::span<const double> state) {
  return values_at(grid, value, state).front();
}

std::vector<double> values_at(const Grid& grid, std::span<const double> value,
                              std::span<const double> states) {
  check_value("values_at", grid, value);
  const auto d = static_cast<std::size_t>(grid.dimension());
  if (states.empty() || states.size() % d != 0) base::check_size("values_at", "states", states.size(), d);
  std::vector<double> found;
  found.reserve(states.size() / d);
  Corners corners;
  for (std::size_t i = 0; i < states.size(); i += d) {
    grid.spread(states.subspan(i, d), corners);
    found.push_back(interpolated(value, corners));
  }
  return found;
}

std::vector<double> action_values_at(const Grid& grid, const mdp::Mdp& mdp, std::span<const double> value,
                                     std::span<const double> state) {
  base::check_size("action_values_at", "value", value.size(), static_cast<std::size_t>(mdp.states()));
  check_value("action_values_at", grid, value);
  Corners corners;
  grid.spread(state, corners);
  std::vector<double> found(static_cast<std::size_t>(mdp.actions()));
  std::vector<double> available(found.size());
  for (std::size_t i = 0; i < corners.size; ++i) {
    for (const std::int32_t pair : mdp.pairs_of(corners.corner[i])) {
      const mdp::Row row = mdp.row(pair);
      double next = 0;
      for (std::size_t e = 0; e < row.size(); ++e) next += row.probability[e] * value[row.next_state[e]];
      const std::int32_t action = mdp.pair_action()[pair];
      found[action] += corners.weight[i] * (mdp.reward()[pair] + mdp.discount() * next);
      available[action] += 1;
    }
  }
  for (std::size_t a = 0; a < found.size(); ++a)
    if (available[a] < static_cast<double>(corners.size)) found[a] = -std::numeric_limits<double>::infinity();
  return found;
}

std::vector<double> lookahead(const Grid& grid, std::span<const double> value, double discount,
                              const Ahead& ahead) {
  check_value("lookahead", grid, value);
  base::check_simplex("lookahead", "weight", ahead.weight);
  const auto d = static_cast<std::size_t>(grid.dimension());
  const std::size_t samples = ahead.weight.size(), actions = ahead.reward.size() / samples;
  base::check_size("lookahead", "reward", ahead.reward.size(), actions * samples);
  base::check_size("lookahead", "next_state", ahead.next_state.size(), actions * samples * d);
  if (!ahead.terminated.empty())
    base::check_size("lookahead", "terminated", ahead.terminated.size(), actions * samples);
  base::check_finite("lookahead", "reward", ahead.reward);
  std::vector<double> found(actions);
  Corners corners;
  for (std::size_t a = 0; a < actions; ++a) {
    for (std::size_t k = 0; k < samples; ++k) {
      const std::size_t i = a * samples + k;
      double next = 0;
      if (ahead.terminated.empty() || ahead.terminated[i] == 0) {
        grid.spread(ahead.next_state.subspan(i * d, d), corners);
        next = interpolated(value, corners);
      }
      found[a] += ahead.weight[k] * (ahead.reward[i] + discount * next);
    }
  }
  return found;
}

std::int32_t best_action(std::span<const double> action_values) {
  if (action_values.empty()) throw InvalidArgument("best_action: there are no actions");
  return static_cast<std::int32_t>(std::max_element(action_values.begin(), action_values.end()) -
                                   action_values.begin());
}

}  // namespace mindgap::program

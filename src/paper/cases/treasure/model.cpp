#include "paper/cases/treasure/model.h"

#include <fmt/format.h>

#include <array>

#include "mindgap/base/distributions.h"
#include "mindgap/base/random.h"
#include "mindgap/mdp/builder.h"
#include "mindgap/mdp/without_rows.h"

namespace mindgap::cases::treasure {

std::int32_t moved(std::int32_t state, std::int32_t action) {
  constexpr std::array<std::array<std::int32_t, 2>, kActions> kMoves{{{-1, 0}, {1, 0}, {0, -1}, {0, 1}}};
  const std::int32_t row = state / kColumns, column = state % kColumns;
  const std::int32_t to_row = row + kMoves[static_cast<std::size_t>(action)][0];
  const std::int32_t to_column = column + kMoves[static_cast<std::size_t>(action)][1];
  if (to_row < 0 || to_row >= kRows || to_column < 0 || to_column >= kColumns) return state;
  const std::int32_t to = to_row * kColumns + to_column;
  const bool wall = row != kCorridorRow && in_b(state) != in_b(to);
  return wall ? state : to;
}

mdp::Mdp grid(const std::vector<double>& reward_of_state) {
  mdp::MdpBuilder builder(.95);
  for (const char* action : {"up", "down", "left", "right"}) builder.add_action(action);
  for (std::int32_t s = 0; s < kStates; ++s) {
    mdp::StateOptions options;
    options.group = in_b(s) ? "B" : "A";
    options.x = s % kColumns;
    options.y = s / kColumns;
    if (s == 0) options.start = 1;
    builder.add_state(fmt::format("{},{}", s / kColumns, s % kColumns), options);
  }
  for (std::int32_t s = 0; s < kStates; ++s) {
    for (std::int32_t a = 0; a < kActions; ++a) {
      builder.set_reward(s, a, reward_of_state[s]);
      builder.add_transition(s, a, moved(s, a), .85);
      for (std::int32_t b = 0; b < kActions; ++b) builder.add_transition(s, a, moved(s, b), .15 / kActions);
    }
  }
  builder.set_reward_max(1);  // known of the domain: what optimists may hope for
  return builder.build();
}

std::vector<double> simulated_rewards() {
  std::vector<double> reward;
  reward.reserve(kStates);
  for (std::int32_t s = 0; s < kStates; ++s) reward.push_back(in_b(s) ? .1 : .3);
  return reward;
}

std::vector<double> true_rewards() {
  std::vector<double> reward = simulated_rewards();
  for (const std::int32_t s : {16, 17, 22}) reward[s] = .7;
  reward[23] = 1;
  return reward;
}

mdp::Mdp disturbed(const mdp::Mdp& mdp, double scale, bool support_only, std::uint64_t seed,
                   std::uint64_t trial) {
  if (scale == 0) return mdp;
  mdp::MdpArrays arrays = mdp::without_rows(mdp);
  for (std::int32_t k = 0; k < mdp.pairs(); ++k) {
    base::Stream stream(
        {seed, base::Purpose::world, trial, static_cast<std::uint64_t>(k), ~std::uint64_t{0}});
    std::vector<double> row(static_cast<std::size_t>(mdp.states()), 0.0);
    for (const std::int64_t i : mdp.entries_of(k)) row[mdp.next_state()[i]] = mdp.probability()[i];
    double sum = 0;
    for (double& p : row) {
      const double noise = scale * base::exponential(stream);
      if (!support_only || p > 0) p += noise;
      sum += p;
    }
    for (std::int32_t s = 0; s < mdp.states(); ++s) {
      if (row[s] == 0) continue;
      arrays.next_state.push_back(s);
      arrays.probability.push_back(row[s] / sum);
    }
    arrays.row_begin.push_back(static_cast<std::int64_t>(arrays.next_state.size()));
  }
  return mdp::Mdp(std::move(arrays));
}

}  // namespace mindgap::cases::treasure

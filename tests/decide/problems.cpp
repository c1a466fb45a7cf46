#include "decide/problems.h"

#include <array>
#include <cmath>

#include "decide/situations.h"
#include "mindgap/base/distributions.h"
#include "mindgap/base/random.h"

namespace mindgap::decide {
namespace {

// Numbers drawn one after another.
class Dice {
 public:
  Dice(std::uint64_t seed, std::uint64_t number, std::uint64_t list = 0)
      : stream_({seed, base::Purpose::test, number, list}) {}

  double between(double low, double high) { return low + (high - low) * base::uniform(stream_); }
  std::int32_t whole(std::int32_t low, std::int32_t high) {
    return low + static_cast<std::int32_t>(base::uniform_index(stream_, high - low + 1));
  }
  template <std::size_t n>
  double one_of(const std::array<double, n>& values) {
    return values[static_cast<std::size_t>(base::uniform_index(stream_, n))];
  }
  bool chance(double probability) { return base::uniform(stream_) < probability; }

 private:
  base::Stream stream_;
};

// Every action of every state leads to two or three states.
mdp::Mdp random_model(Dice& dice, std::int32_t most_states = 8) {
  const std::int32_t states = dice.whole(3, most_states), actions = dice.whole(2, 3);
  mdp::MdpBuilder builder(.95, states, actions);
  for (std::int32_t s = 0; s < states; ++s) {
    for (std::int32_t a = 0; a < actions; ++a) {
      builder.set_reward(s, a, dice.between(.2, 1.2));
      const double stay = dice.between(.1, .6);
      builder.add_transition(s, a, dice.whole(0, states - 1), 1 - stay);
      builder.add_transition(s, a, dice.whole(0, states - 1), stay / 2);
      builder.add_transition(s, a, s, stay / 2);
    }
  }
  return builder.build();
}

// Two regions of a grid with one opening between them: 4 moves, blocked ones stay, .1 of moves fail. The near
// region is worth more, by the simulator. `near` gets 1 for its pairs.
mdp::Mdp grid_model(Dice& dice, std::vector<bool>& near) {
  const std::int32_t rows = dice.whole(2, 3), columns = dice.whole(4, 5), wall = columns / 2;
  const std::int32_t opening = dice.whole(0, rows - 1);
  const double here = dice.between(.4, .8), there = dice.between(.2, .5);
  mdp::MdpBuilder builder(.95, rows * columns, 4);
  constexpr std::array<std::array<std::int32_t, 2>, 4> kMoves{{{-1, 0}, {1, 0}, {0, -1}, {0, 1}}};
  for (std::int32_t s = 0; s < rows * columns; ++s) {
    const std::int32_t row = s / columns, column = s % columns;
    for (std::int32_t a = 0; a < 4; ++a) {
      const std::int32_t to_row = row + kMoves[static_cast<std::size_t>(a)][0];
      const std::int32_t to_column = column + kMoves[static_cast<std::size_t>(a)][1];
      const bool outside = to_row < 0 || to_row >= rows || to_column < 0 || to_column >= columns;
      const bool blocked = row != opening && (column < wall) != (to_column < wall);
      const std::int32_t to = outside || blocked ? s : to_row * columns + to_column;
      builder.set_reward(s, a, column < wall ? here : there);
      builder.add_transition(s, a, to, .9);
      builder.add_transition(s, a, s, .1);
      near.push_back(column < wall);
    }
  }
  return builder.build();
}

mdp::Mdp bandit_model(Dice& dice) {
  std::vector<double> reward = {1};
  for (std::int32_t a = dice.whole(1, 3); a > 0; --a) reward.push_back(dice.between(.3, 1.1));
  return arms(reward, .95);
}

}  // namespace

Problem draw_problem(std::uint64_t seed, std::uint64_t number) {
  Dice dice(seed, number);
  const std::array<const char*, 3> families = {"random", "grid", "bandit"};
  const std::string family = families[number % 3];
  std::vector<bool> near;
  const mdp::Mdp mdp = family == "random" ? random_model(dice)
                       : family == "grid" ? grid_model(dice, near)
                                          : bandit_model(dice);
  const double noise = dice.one_of(std::array{.05, .25, 1.0});
  const double covered = dice.between(.2, 1);
  std::vector<double> count(static_cast<std::size_t>(mdp.pairs()), 0.0);
  for (std::size_t k = 0; k < count.size(); ++k) {
    const bool seen = family == "grid" ? near[k] : family == "bandit" ? k == 0 : dice.chance(covered);
    if (seen) count[k] = dice.one_of(std::array{5.0, 30.0, 200.0});
  }
  const double wide = dice.between(.1, 1), weak = dice.between(1, 10);
  const std::vector<double> variance(count.size(), noise);
  const belief::Prior prior = belief::prior_from_coverage(mdp, variance, count, even_prior(mdp, wide, weak));
  const auto units = static_cast<std::size_t>(dice.one_of(std::array{1.0, 2.0, 4.0, 8.0}));
  std::vector<std::int32_t> at(units, 0);
  for (std::int32_t& state : at) state = family == "grid" ? 0 : dice.whole(0, mdp.states() - 1);
  const std::int64_t horizon = dice.whole(5, 40);
  return {family, situation_of(mdp, prior, noise, at, horizon)};
}

Problem draw_long_problem(std::uint64_t seed, std::uint64_t number) {
  Dice dice(seed, number, 3);
  const mdp::Mdp mdp = random_model(dice, 12);
  const double noise = dice.one_of(std::array{.05, .25, 1.0}), covered = dice.between(0, 1);
  std::vector<double> count(static_cast<std::size_t>(mdp.pairs()), 0.0);
  for (double& one : count) {
    if (dice.chance(covered)) one = dice.one_of(std::array{5.0, 30.0, 200.0});
  }
  const belief::Prior wide = even_prior(mdp, dice.between(.1, 1), dice.between(1, 10));
  const belief::Prior prior =
      belief::prior_from_coverage(mdp, std::vector<double>(count.size(), noise), count, wide);
  std::vector<std::int32_t> at(static_cast<std::size_t>(dice.whole(1, 20)), 0);
  for (std::int32_t& state : at) state = dice.whole(0, mdp.states() - 1);
  return {"random", situation_of(mdp, prior, noise, at, dice.whole(20, 150))};
}

}  // namespace mindgap::decide

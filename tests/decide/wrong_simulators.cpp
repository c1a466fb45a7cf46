#include "decide/wrong_simulators.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "decide/situations.h"

namespace mindgap::decide {
namespace {

constexpr double kDiscount = .97;
constexpr std::array<std::int32_t, 4> kRow = {-1, 0, 1, 0}, kColumn = {0, 1, 0, -1};  // up, right, down, left

struct Grid {
  std::int32_t rows, columns;

  // One cell on, or the same where that is off the grid.
  std::int32_t moved(std::int32_t cell, std::int32_t direction) const {
    const auto d = static_cast<std::size_t>(direction);
    const std::int32_t row = cell / columns + kRow[d], column = cell % columns + kColumn[d];
    const bool inside = row >= 0 && row < rows && column >= 0 && column < columns;
    return inside ? row * columns + column : cell;
  }
};

mdp::Mdp cliff(double wind) {
  constexpr Grid kGrid{4, 12};
  constexpr std::int32_t kStart = 36, kGoal = 47, kDown = 2;
  mdp::MdpBuilder builder(kDiscount, 48, 4);
  for (std::int32_t s = 0; s < 48; ++s) {
    const bool fell = s > kStart && s < kGoal;
    for (std::int32_t a = 0; a < 4; ++a) {
      builder.set_reward(s, a, s == kGoal ? 20 : fell ? -100 : -1);
      if (s == kGoal || fell) {
        builder.add_transition(s, a, kStart, 1);
        continue;
      }
      const std::int32_t to = kGrid.moved(s, a);
      builder.add_transition(s, a, to, 1 - wind);
      builder.add_transition(s, a, kGrid.moved(to, kDown), wind);
    }
  }
  return builder.build();
}

mdp::Mdp lake(double slip) {
  constexpr Grid kGrid{8, 8};
  constexpr const char* kMap =
      "SFFFFFFF"
      "FFFFFFFF"
      "FFFHFFFF"
      "FFFFFHFF"
      "FFFHFFFF"
      "FHHFFFHF"
      "FHFFHFHF"
      "FFFHFFFG";
  mdp::MdpBuilder builder(kDiscount, 64, 4);
  for (std::int32_t s = 0; s < 64; ++s) {
    for (std::int32_t a = 0; a < 4; ++a) {
      builder.set_reward(s, a, kMap[s] == 'G' ? 1 : 0);
      if (kMap[s] == 'G' || kMap[s] == 'H') {
        builder.add_transition(s, a, 0, 1);
        continue;
      }
      builder.add_transition(s, a, kGrid.moved(s, a), 1 - slip);
      builder.add_transition(s, a, kGrid.moved(s, (a + 1) % 4), slip / 2);
      builder.add_transition(s, a, kGrid.moved(s, (a + 3) % 4), slip / 2);
    }
  }
  return builder.build();
}

// The wall is between columns 3 and 4; `openings` are the rows in which it can be crossed.
mdp::Mdp maze(const std::vector<std::int32_t>& openings) {
  constexpr Grid kGrid{7, 7};
  constexpr std::int32_t kStart = 7, kGoal = 13;  // the second row's ends
  mdp::MdpBuilder builder(kDiscount, 49, 4);
  for (std::int32_t s = 0; s < 49; ++s) {
    for (std::int32_t a = 0; a < 4; ++a) {
      std::int32_t to = kGrid.moved(s, a);
      const bool crosses = (s % 7 <= 3) != (to % 7 <= 3);
      if (crosses && std::find(openings.begin(), openings.end(), s / 7) == openings.end()) to = s;
      builder.set_reward(s, a, s == kGoal ? 10 : 0);
      builder.add_transition(s, a, s == kGoal ? kStart : to, 1);
    }
  }
  return builder.build();
}

using CartPole = std::array<double, 4>;

constexpr std::array<double, 4> kLimit = {2.4, 2, 12 * std::numbers::pi / 180, 2};

class CartPoleGrid {
 public:
  explicit CartPoleGrid(const CartPoleBins& bins)
      : count_{bins.position, bins.speed, bins.angle, bins.angular_speed}, frames_(bins.frames) {}

  std::int32_t fallen() const { return count_[0] * count_[1] * count_[2] * count_[3]; }

  std::int32_t cell_of(const CartPole& pole) const {
    if (std::abs(pole[0]) > kLimit[0] || std::abs(pole[2]) > kLimit[2]) return fallen();
    std::int32_t cell = 0;
    for (std::size_t i = 0; i < 4; ++i) {
      const double share = (pole[i] + kLimit[i]) / (2 * kLimit[i]);
      cell = cell * count_[i] + std::clamp(static_cast<std::int32_t>(share * count_[i]), 0, count_[i] - 1);
    }
    return cell;
  }

  // One of 16 points of a cell: each coordinate a quarter or three quarters of the way through it.
  CartPole point(std::int32_t cell, unsigned which) const {
    CartPole pole{};
    for (std::size_t i = 4; i-- > 0;) {
      const double place = cell % count_[i] + ((which >> i) % 2 == 0 ? .25 : .75);
      pole[i] = -kLimit[i] + 2 * kLimit[i] * place / count_[i];
      cell /= count_[i];
    }
    return pole;
  }

  mdp::Mdp model(double force) const {
    const std::int32_t start = cell_of({.01, .01, .01, .01});
    mdp::MdpBuilder builder(kDiscount, fallen() + 1, 2);
    for (std::int32_t s = 0; s <= fallen(); ++s) {
      for (std::int32_t a = 0; a < 2; ++a) {
        builder.set_reward(s, a, s == fallen() ? -20 : 1);
        if (s == fallen()) {
          builder.add_transition(s, a, start, 1);
          continue;
        }
        for (unsigned which = 0; which < 16; ++which) {
          CartPole pole = point(s, which);
          for (std::int32_t frame = 0; frame < frames_; ++frame)
            pole = cart_pole_frame(pole, a == 0 ? -force : force);
          builder.add_transition(s, a, cell_of(pole), 1.0 / 16);
        }
      }
    }
    return builder.build();
  }

 private:
  std::array<std::int32_t, 4> count_;
  std::int32_t frames_;
};

}  // namespace

// Gymnasium's equations, which are those of Florian (2007), "Correct equations for the dynamics of the
// cart-pole system", without friction.
std::array<double, 4> cart_pole_frame(std::array<double, 4> at, double force) {
  constexpr double kGravity = 9.8, kPoleMass = .1, kMass = 1.1, kHalfLength = .5, kFrame = .02;
  constexpr double kPoleMoment = kPoleMass * kHalfLength;
  const double sine = std::sin(at[2]), cosine = std::cos(at[2]);
  const double pushed = (force + kPoleMoment * at[3] * at[3] * sine) / kMass;
  const double turn =
      (kGravity * sine - cosine * pushed) / (kHalfLength * (4.0 / 3 - kPoleMass * cosine * cosine / kMass));
  const double acceleration = pushed - kPoleMoment * turn * cosine / kMass;
  return {at[0] + kFrame * at[1], at[1] + kFrame * acceleration, at[2] + kFrame * at[3],
          at[3] + kFrame * turn};
}

WrongSimulator windy_cliff(double wind) {
  return {"windy cliff", cliff(0), cliff(wind), std::vector<std::int32_t>(8, 36), 200};
}

WrongSimulator slippery_lake() {
  return {"slippery lake", lake(0), lake(2.0 / 3), std::vector<std::int32_t>(8, 0), 300};
}

WrongSimulator changed_maze() {
  return {"changed maze", maze({0, 6}), maze({3, 6}), std::vector<std::int32_t>(8, 7), 200};
}

WrongSimulator reversed_cart_pole(const CartPoleBins& bins) {
  const CartPoleGrid grid(bins);
  const std::int32_t start = grid.cell_of({.01, .01, .01, .01});
  return {"reversed cart pole", grid.model(10), grid.model(-10), std::vector<std::int32_t>(4, start), 1000};
}

mdp::Mdp spread_out(const mdp::Mdp& model, double share) {
  mdp::MdpBuilder builder(model.discount(), model.states(), model.actions());
  for (std::int32_t k = 0; k < model.pairs(); ++k) {
    const std::int32_t s = model.state_of_pair(k), a = model.pair_action()[static_cast<std::size_t>(k)];
    builder.set_reward(s, a, model.reward()[static_cast<std::size_t>(k)]);
    for (auto i = model.row_begin()[k]; i < model.row_begin()[k + 1]; ++i) {
      const auto place = static_cast<std::size_t>(i);
      builder.add_transition(s, a, model.next_state()[place], (1 - share) * model.probability()[place]);
    }
    for (std::int32_t next = 0; next < model.states(); ++next)
      builder.add_transition(s, a, next, share / model.states());
  }
  return builder.build();
}

Situation situation_of(const WrongSimulator& wrong, double strength) {
  return situation_of(wrong.simulator, even_prior(wrong.simulator, 0, strength), .01, wrong.unit_state,
                      wrong.horizon);
}

}  // namespace mindgap::decide

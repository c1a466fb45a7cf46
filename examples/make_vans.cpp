// Writes the model folder examples/vans: eight mobile testing vans' view of a city of 5 x 8 zones, as the
// programme's simulator sees it.
//   make_vans FOLDER
//
// Region A (the four columns on the left) and region B (on the right) are divided by a wall with one opening,
// in the middle row. A van moves to a neighbouring zone or stays, then tests eight people where it is; its
// reward is the number of cases it expects to find, 8 times the simulated prevalence of the zone it arrives
// in.
#include <fmt/format.h>

#include <array>
#include <cstdio>

#include "mindgap/base/error.h"
#include "mindgap/mdp/builder.h"
#include "mindgap/mdp/model.h"

namespace {

using namespace mindgap;

constexpr int kRows = 5, kColumns = 8, kWall = 4, kOpening = 2, kTeams = 8;
constexpr double kTests = 8, kPrevalenceA = 0.05, kPrevalenceB = 0.02;

struct Zone {
  int row, column;
};
constexpr std::array<Zone, 5> kMoves{{{0, 0}, {-1, 0}, {1, 0}, {0, -1}, {0, 1}}};
constexpr std::array<const char*, 5> kMoveNames{"stay", "up", "down", "left", "right"};

bool in_a(Zone zone) {
  return zone.column < kWall;
}
int number(Zone zone) {
  return zone.row * kColumns + zone.column;
}

bool open(Zone from, Zone to) {
  if (to.row < 0 || to.row >= kRows || to.column < 0 || to.column >= kColumns) return false;
  return in_a(from) == in_a(to) || (from.row == kOpening && to.row == kOpening);
}

mdp::Model vans() {
  mdp::MdpBuilder builder(0.95);
  std::vector<double> variance;
  for (int i = 0; i < kRows * kColumns; ++i) {
    const Zone zone{i / kColumns, i % kColumns};
    // The teams start on the first eight zones of A, row by row.
    const bool starts = in_a(zone) && zone.row * kWall + zone.column < kTeams;
    builder.add_state(fmt::format("zone-{}-{}", zone.row, zone.column),
                      {.group = in_a(zone) ? "A" : "B",
                       .x = zone.column,
                       .y = zone.row,
                       .start = starts ? 1.0 / kTeams : 0.0});
  }
  for (const char* name : kMoveNames) builder.add_action(name);
  builder.set_reward_max(kTests);  // nobody finds more cases than there are tests
  for (int i = 0; i < kRows * kColumns; ++i) {
    const Zone from{i / kColumns, i % kColumns};
    for (int move = 0; move < static_cast<int>(kMoves.size()); ++move) {
      const Zone to{from.row + kMoves[move].row, from.column + kMoves[move].column};
      if (!open(from, to)) continue;
      const double prevalence = in_a(to) ? kPrevalenceA : kPrevalenceB;
      builder.set_reward(i, move, kTests * prevalence);
      builder.add_transition(i, move, number(to), 1);
      variance.push_back(kTests * prevalence * (1 - prevalence));  // of a binomial count of cases
    }
  }
  mdp::Model model{.name = "Mobile testing vans", .mdp = builder.build(), .variance = std::move(variance)};
  model.prior = mdp::PriorSpec{.reward_sd = 1.0, .transition_strength = 5.0};
  return model;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: make_vans FOLDER\n");
    return 2;
  }
  try {
    mdp::write_model(vans(), argv[1]);
  } catch (const Error& error) {
    std::fprintf(stderr, "make_vans: %s\n", error.what());
    return 2;
  }
  return 0;
}

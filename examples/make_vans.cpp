// Writes the model folder examples/vans: eight mobile testing vans' view of a city of 5 x 8 zones, as the
// programme's simulator sees it, with what goes beside it: how often the programme's history saw each pair
// (coverage.csv: in region A alone) and what four vans saw on a pilot of 25 days (pilot.csv).
//   make_vans FOLDER
//
// Region A (the four columns on the left) and region B (on the right) are divided by a wall with one opening,
// in the middle row. A van moves to a neighbouring zone or stays, then tests eight people where it is; its
// reward is the number of cases it expects to find, 8 times the simulated prevalence of the zone it arrives
// in. In truth a part of region B has a prevalence that the simulator knows nothing of.
#include <fmt/format.h>

#include <array>
#include <cstdio>

#include "mindgap/base/distributions.h"
#include "mindgap/base/error.h"
#include "mindgap/base/random.h"
#include "mindgap/files/log_file.h"
#include "mindgap/files/model_file.h"
#include "mindgap/mdp/builder.h"
#include "mindgap/mdp/model.h"
#include "mindgap/mdp/observation_log.h"

namespace {

using namespace mindgap;

constexpr int kRows = 5, kColumns = 8, kWall = 4, kOpening = 2, kTeams = 8;
constexpr double kTests = 8, kPrevalenceA = 0.05, kPrevalenceB = 0.02;
constexpr double kHiddenPrevalence = 0.3;  // of the zones in hidden_cluster()
constexpr double kVisitsPerPair = 40;      // of history, in A
constexpr int kPilotVans = 4, kPilotDays = 25;

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

bool hidden_cluster(Zone zone) {
  return zone.row >= 1 && zone.row <= 3 && zone.column >= 5;
}

mdp::Model vans() {
  mdp::MdpBuilder builder(0.95);
  std::vector<double> variance, coverage;
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
      coverage.push_back(in_a(from) && in_a(to) ? kVisitsPerPair : 0);
    }
  }
  mdp::Model model{.name = "Mobile testing vans",
                   .mdp = builder.build(),
                   .variance = std::move(variance),
                   .coverage = std::move(coverage)};
  model.prior = mdp::PriorSpec{.reward_sd = 1.0, .transition_strength = 5.0};
  return model;
}

// Van i starts in its zone of the top row, drives to the opening and through it, and then wanders about B:
// every available move is equally likely, whatever is found.
mdp::ObservationLog pilot(const mdp::Mdp& mdp) {
  mdp::ObservationLog log;
  for (int van = 0; van < kPilotVans; ++van) {
    Zone at{0, van};
    log.units.add(fmt::format("van-{}", van + 1));
    base::Stream stream(
        {.seed = 1, .purpose = base::Purpose::world, .unit = static_cast<std::uint64_t>(van)});
    for (int day = 0; day < kPilotDays; ++day) {
      const std::int32_t state = number(at);
      const auto pairs = mdp.pairs_of(state);
      std::int32_t pair = pairs.first() + static_cast<std::int32_t>(base::uniform_index(
                                              stream, static_cast<std::int64_t>(pairs.size())));
      if (at.row < kOpening && at.column <= kWall)
        pair = mdp.find_pair(state, 2);  // down
      else if (at.column <= kWall)
        pair = mdp.find_pair(state, 4);  // right
      const std::int32_t next = mdp.next_state()[mdp.row_begin()[pair]];
      at = {next / kColumns, next % kColumns};
      const double prevalence = in_a(at)             ? kPrevalenceA
                                : hidden_cluster(at) ? kHiddenPrevalence
                                                     : kPrevalenceB;
      log.unit.push_back(van);
      log.step.push_back(day);
      log.pair.push_back(pair);
      log.reward.push_back(
          static_cast<double>(base::binomial(stream, static_cast<std::int64_t>(kTests), prevalence)));
      log.next_state.push_back(next);
    }
  }
  return log;
}

mdp::About about_vans() {
  mdp::About about;
  about.reward_unit = "positive tests";
  about.step_unit = "day";
  about.unit = "van";
  about.perspective = "the health department: tests that find somebody count the same wherever they are made";
  about.population = "people in the 40 zones of a city who would be tested by a van";
  about.decision_maker = "the head of mobile testing";
  about.sources = "an invented example after the mobile testing case of the paper; history is coverage.csv";
  about.funding = "none: an example";
  about.contact = "the issue tracker of mindgap";
  return about;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: make_vans FOLDER\n");
    return 2;
  }
  try {
    mdp::Model model = vans();
    model.about = about_vans();
    files::write_model(model, argv[1]);
    files::write_log(std::filesystem::path(argv[1]) / "pilot.csv", model.mdp, pilot(model.mdp));
  } catch (const Error& error) {
    std::fprintf(stderr, "make_vans: %s\n", error.what());
    return 2;
  }
  return 0;
}

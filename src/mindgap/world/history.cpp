#include "mindgap/world/history.h"

#include <fmt/format.h>

#include <limits>

#include "mindgap/base/error.h"
#include "mindgap/world/draw.h"

namespace mindgap::world {
namespace {

constexpr std::uint64_t kHistoryTrial = std::numeric_limits<std::uint64_t>::max();

void check_count(const char* name, std::int64_t count) {
  if (count < 0) {
    throw InvalidArgument(fmt::format("sample_history: {} is {}, but must be 0 or more", name, count));
  }
}

// A pair of the state from behaviour(.|state, hidden), by inverse distribution function. One word.
std::int32_t draw_pair(base::Stream& stream, const HiddenModel& world, std::int32_t state,
                       std::int32_t hidden, std::vector<double>& scratch) {
  const auto pairs = world.pairs_of(state);
  scratch.clear();
  for (const std::int32_t k : pairs) {
    scratch.push_back(world.behaviour()[world.cell(k, hidden)]);
  }
  return pairs.first() + base::categorical(stream, scratch);
}

void reserve(History& history, std::size_t rows) {
  history.unit.reserve(rows);
  history.step.reserve(rows);
  history.state.reserve(rows);
  history.pair.reserve(rows);
  history.reward.reserve(rows);
  history.next_state.reserve(rows);
}

}  // namespace

History sample_history(const HiddenModel& world, std::uint64_t seed, std::int64_t units, std::int64_t steps,
                       HistoryHidden hidden) {
  check_count("units", units);
  check_count("steps", steps);
  History history;
  reserve(history, static_cast<std::size_t>(units) * static_cast<std::size_t>(steps));
  const Cumulative start_law(world.start());
  std::vector<double> scratch;
  for (std::int64_t unit = 0; unit < units; ++unit) {
    base::StreamKey key{.seed = seed,
                        .purpose = base::Purpose::world,
                        .trial = kHistoryTrial,
                        .unit = static_cast<std::uint64_t>(unit)};
    base::Stream start(key);
    std::int32_t s = start_law.draw(start);
    std::int32_t h = base::categorical(start, hidden_law(world, world.calibration(), s));
    for (std::int64_t step = 0; step < steps; ++step) {
      key.step = static_cast<std::uint64_t>(step) + 1;
      base::Stream stream(key);
      const std::int32_t pair = draw_pair(stream, world, s, h, scratch);
      const Draw drawn = draw_step(stream, world, pair, h);
      history.unit.push_back(unit);
      history.step.push_back(step);
      history.state.push_back(s);
      history.pair.push_back(pair);
      history.reward.push_back(drawn.reward);
      history.next_state.push_back(drawn.next_state);
      s = drawn.next_state;
      h = hidden == HistoryHidden::kernel
              ? drawn.next_hidden
              : base::categorical(stream, hidden_law(world, world.calibration(), s));
    }
  }
  return history;
}

}  // namespace mindgap::world

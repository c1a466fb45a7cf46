#include "mindgap/program/tabulate.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "mindgap/base/check.h"
#include "mindgap/base/error.h"
#include "mindgap/base/listener.h"
#include "mindgap/base/parallel.h"
#include "mindgap/program/assembly.h"

namespace mindgap::program {
namespace {

// Makes rows out of steps, one pair after the other.
class RowMaker {
 public:
  RowMaker(const Grid& grid, const TabulateOptions& options, std::int64_t pairs)
      : grid_(grid), options_(options), departures_(grid) {
    rows_.next_state.reserve(static_cast<std::size_t>(pairs) << std::min(grid.dimension(), 4));
    rows_.probability.reserve(rows_.next_state.capacity());
    rows_.length.reserve(static_cast<std::size_t>(pairs));
    rows_.reward.reserve(static_cast<std::size_t>(pairs));
  }

  void add(std::int32_t corner, std::int32_t action, std::span<const double> next_state,
           const Outcome& outcome) {
    if (!std::isfinite(outcome.reward)) fail(corner, action, "reward", outcome.reward);
    reward_ += outcome.reward;
    const double share = 1.0 / options_.samples;
    if (outcome.terminated) {
      ++departures_.ended;
      entries_.emplace_back(grid_.corners(), share);
      return;
    }
    for (std::int32_t a = 0; a < grid_.dimension(); ++a) {
      if (!std::isfinite(next_state[a]))
        fail(corner, action, fmt::format("next state's {}", grid_.axes()[a].name), next_state[a]);
    }
    departures_.count(grid_.spread(next_state, corners_));
    for (std::size_t i = 0; i < corners_.size; ++i)
      entries_.emplace_back(corners_.corner[i], corners_.weight[i] * share);
  }

  void end_row() {
    rows_.add(entries_, reward_ / options_.samples);
    entries_.clear();
    reward_ = 0;
  }

  Rows take() { return std::move(rows_); }
  const Departures& departures() const { return departures_; }

 private:
  [[noreturn]] void fail(std::int32_t corner, std::int32_t action, const std::string& what,
                         double value) const {
    throw InvalidArgument(fmt::format(
        "the step from state {} with action '{}' gave a {} of {}, which is not finite", grid_.name_of(corner),
        base::printable(options_.actions[static_cast<std::size_t>(action)]), what, value));
  }

  const Grid& grid_;
  const TabulateOptions& options_;
  Rows rows_;
  Departures departures_;
  Corners corners_;
  Entries entries_;
  double reward_ = 0;
};

// The table of all corners. `make` makes the row of one pair.
template <typename Make>
Tabulated table_of(const Grid& grid, const TabulateOptions& options, const Make& make) {
  const auto actions = static_cast<std::int32_t>(options.actions.size());
  const std::int64_t chunks = (grid.corners() + kCornersOfChunk - 1) / kCornersOfChunk;
  std::vector<Rows> parts(static_cast<std::size_t>(chunks));
  std::vector<Departures> departures(parts.size(), Departures(grid));
  const base::Threads threads(options.run.threads);
  threads.for_each_chunk(chunks, [&](std::int64_t chunk) {
    const base::Range range = base::chunk_range(grid.corners(), chunks, chunk);
    RowMaker maker(grid, options, (range.end - range.begin) * actions);
    for (auto corner = static_cast<std::int32_t>(range.begin); corner < range.end; ++corner) {
      base::interruption_point();
      for (std::int32_t action = 0; action < actions; ++action) {
        make(corner, action, maker);
        maker.end_row();
      }
    }
    parts[static_cast<std::size_t>(chunk)] = maker.take();
    departures[static_cast<std::size_t>(chunk)] = maker.departures();
  });
  Departures all(grid);
  for (const Departures& part : departures) all += part;
  const double steps = static_cast<double>(grid.corners()) * actions * options.samples;
  return assembled(grid, std::move(parts), options.always_end || all.ended > 0, all.left(grid, steps),
                   options);
}

void check_options(const Grid& grid, const TabulateOptions& options) {
  check_table_options("tabulate", grid, options);
  base::check_range("tabulate", "samples", options.samples, 1, 1e9);
}

}  // namespace

Tabulated tabulate(const Grid& grid, const StepFunction& step, std::span<const double> theta,
                   const TabulateOptions& options) {
  check_options(grid, options);
  const auto d = static_cast<std::size_t>(grid.dimension());
  return table_of(grid, options, [&](std::int32_t corner, std::int32_t action, RowMaker& maker) {
    double state[kMostAxes], next[kMostAxes];
    grid.state_of(corner, {state, d});
    for (std::int32_t k = 0; k < options.samples; ++k) {
      base::Stream random({.seed = options.run.seed,
                           .purpose = base::Purpose::world,
                           .trial = static_cast<std::uint64_t>(k),
                           .unit = static_cast<std::uint64_t>(corner)});
      std::fill_n(next, d, std::numeric_limits<double>::quiet_NaN());
      const Outcome outcome = step({state, d}, action, theta, random, {next, d});
      maker.add(corner, action, {next, d}, outcome);
    }
  });
}

Tabulated tabulate(const Grid& grid, const Steps& steps, const TabulateOptions& options) {
  check_options(grid, options);
  const auto d = static_cast<std::size_t>(grid.dimension()),
             samples = static_cast<std::size_t>(options.samples);
  const std::size_t all = static_cast<std::size_t>(grid.corners()) * options.actions.size() * samples;
  base::check_size("tabulate", "next_state", steps.next_state.size(), all * d);
  base::check_size("tabulate", "reward", steps.reward.size(), all);
  if (!steps.terminated.empty()) base::check_size("tabulate", "terminated", steps.terminated.size(), all);
  return table_of(grid, options, [&](std::int32_t corner, std::int32_t action, RowMaker& maker) {
    const std::size_t pair =
        static_cast<std::size_t>(corner) * options.actions.size() + static_cast<std::size_t>(action);
    for (std::size_t i = pair * samples; i < (pair + 1) * samples; ++i) {
      const bool over = !steps.terminated.empty() && steps.terminated[i] != 0;
      maker.add(corner, action, steps.next_state.subspan(i * d, d), {steps.reward[i], over});
    }
  });
}

}  // namespace mindgap::program

#include "mindgap/program/sampled.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "mindgap/base/check.h"
#include "mindgap/base/error.h"
#include "mindgap/base/listener.h"
#include "mindgap/base/parallel.h"
#include "mindgap/program/assembly.h"

namespace mindgap::program {
namespace {

constexpr std::size_t kMostEntries = 8192;  // of a row before they are merged
constexpr std::int64_t kStepsOfLook = 4096;

bool ends(const SeenSteps& steps, std::size_t step) {
  return !steps.terminated.empty() && steps.terminated[step] != 0;
}

void check_steps(const Grid& grid, const SeenSteps& steps, const TabulateOptions& options) {
  check_table_options("sampled", grid, options);
  const std::size_t size = steps.action.size(), d = static_cast<std::size_t>(grid.dimension());
  if (size == 0) throw InvalidArgument("sampled: there are no steps");
  base::check_range("sampled", "number of steps", static_cast<double>(size), 1,
                    std::numeric_limits<std::uint32_t>::max());
  base::check_size("sampled", "state", steps.state.size(), size * d);
  base::check_size("sampled", "reward", steps.reward.size(), size);
  base::check_size("sampled", "next_state", steps.next_state.size(), size * d);
  if (!steps.terminated.empty()) base::check_size("sampled", "terminated", steps.terminated.size(), size);
  base::check_finite("sampled", "state", steps.state);
  base::check_finite("sampled", "reward", steps.reward);
  for (std::size_t i = 0; i < size; ++i) {
    base::check_range("sampled", "action", steps.action[i], 0,
                      static_cast<double>(options.actions.size()) - 1);
    if (!ends(steps, i)) base::check_finite("sampled", "next_state", steps.next_state.subspan(i * d, d));
  }
}

// The steps that each pair takes part in, with their weights: those of pair k are begin[k] to begin[k+1] - 1.
struct Parts {
  std::vector<std::int64_t> begin;
  std::vector<std::uint32_t> step;
  std::vector<double> weight;
};

Parts parts_of(const Grid& grid, const SeenSteps& steps, std::size_t actions) {
  const auto d = static_cast<std::size_t>(grid.dimension());
  Corners corners;
  const auto for_each = [&](const auto& visit) {
    for (std::size_t i = 0; i < steps.action.size(); ++i) {
      if (i % kStepsOfLook == 0) base::interruption_point();
      grid.spread(steps.state.subspan(i * d, d), corners);
      for (std::size_t k = 0; k < corners.size; ++k)
        visit(
            i,
            static_cast<std::size_t>(corners.corner[k]) * actions + static_cast<std::size_t>(steps.action[i]),
            corners.weight[k]);
    }
  };
  Parts parts;
  parts.begin.resize(static_cast<std::size_t>(grid.corners()) * actions + 1);
  for_each([&](std::size_t, std::size_t pair, double) { ++parts.begin[pair + 1]; });
  for (std::size_t k = 1; k < parts.begin.size(); ++k) parts.begin[k] += parts.begin[k - 1];
  parts.step.resize(static_cast<std::size_t>(parts.begin.back()));
  parts.weight.resize(parts.step.size());
  std::vector<std::int64_t> at(parts.begin.begin(), parts.begin.end() - 1);
  for_each([&](std::size_t i, std::size_t pair, double weight) {
    const auto to = static_cast<std::size_t>(at[pair]++);
    parts.step[to] = static_cast<std::uint32_t>(i);
    parts.weight[to] = weight;
  });
  return parts;
}

// What the rewards of a pair show.
struct Rewards {
  double total = 0;  // of the weights
  double mean = 0;
  double squares = 0;  // weighted sum of squared deviations from the mean
  double freedom = 0;  // weighted degrees of freedom: n - 1 for n whole steps
};

class PairMaker {
 public:
  PairMaker(const Grid& grid, const SeenSteps& steps, const Parts& parts)
      : grid_(grid), steps_(steps), parts_(parts) {}

  Rewards rewards(std::size_t pair) const {
    Rewards found;
    double square_weights = 0;
    for (auto k = first(pair); k < last(pair); ++k) {
      const double weight = parts_.weight[k];
      found.total += weight;
      square_weights += weight * weight;
      const double off = steps_.reward[parts_.step[k]] - found.mean;
      found.mean += off * weight / found.total;
      found.squares += weight * off * (steps_.reward[parts_.step[k]] - found.mean);
    }
    if (found.total > 0) found.freedom = std::max(0.0, found.total - square_weights / found.total);
    return found;
  }

  // Where the steps of a pair lead from its corner.
  void entries(std::size_t pair, std::int32_t corner, double total, Entries& found) {
    const auto d = static_cast<std::size_t>(grid_.dimension());
    double from[kMostAxes], next[kMostAxes];
    grid_.state_of(corner, {from, d});
    found.clear();
    std::size_t merged = 0;
    for (auto k = first(pair); k < last(pair); ++k) {
      const std::size_t step = parts_.step[k];
      const double share = parts_.weight[k] / total;
      if (ends(steps_, step)) {
        found.emplace_back(grid_.corners(), share);
        continue;
      }
      for (std::size_t a = 0; a < d; ++a)
        next[a] = from[a] +
                  move_between(grid_.axes()[a], steps_.state[step * d + a], steps_.next_state[step * d + a]);
      grid_.spread({next, d}, corners_);
      for (std::size_t i = 0; i < corners_.size; ++i)
        found.emplace_back(corners_.corner[i], corners_.weight[i] * share);
      if (found.size() > kMostEntries && found.size() > 2 * merged) {
        merge(found);
        merged = found.size();
      }
    }
  }

 private:
  std::size_t first(std::size_t pair) const { return static_cast<std::size_t>(parts_.begin[pair]); }
  std::size_t last(std::size_t pair) const { return static_cast<std::size_t>(parts_.begin[pair + 1]); }

  const Grid& grid_;
  const SeenSteps& steps_;
  const Parts& parts_;
  Corners corners_;
};

Departures departures_of(const Grid& grid, const SeenSteps& steps) {
  const auto d = static_cast<std::size_t>(grid.dimension());
  Departures found(grid);
  for (std::size_t i = 0; i < steps.action.size(); ++i) {
    if (ends(steps, i)) {
      ++found.ended;
    } else {
      found.count(grid.locate(steps.next_state.subspan(i * d, d)));
    }
  }
  return found;
}

std::vector<double> variances(const std::vector<Rewards>& rewards) {
  double squares = 0, freedom = 0;
  for (const Rewards& one : rewards) {
    squares += one.squares;
    freedom += one.freedom;
  }
  if (freedom <= 0) return {};
  const double common = squares / freedom;
  std::vector<double> found;
  found.reserve(rewards.size() + 1);
  for (const Rewards& one : rewards)
    found.push_back(one.total < kLeastCoverage ? common : (one.squares + common) / (one.freedom + 1));
  return found;
}

}  // namespace

Sampled sampled(const Grid& grid, const SeenSteps& steps, const TabulateOptions& options) {
  check_steps(grid, steps, options);
  const std::size_t actions = options.actions.size();
  const Departures departures = departures_of(grid, steps);
  LeftGrid left = departures.left(grid, static_cast<double>(steps.action.size()));
  const bool end = options.always_end || departures.ended > 0;
  double lowest = *std::min_element(steps.reward.begin(), steps.reward.end());
  if (departures.ended > 0) lowest = std::min(lowest, 0.0);

  const Parts parts = parts_of(grid, steps, actions);
  const std::int64_t chunks = (grid.corners() + kCornersOfChunk - 1) / kCornersOfChunk;
  std::vector<Rows> rows(static_cast<std::size_t>(chunks));
  std::vector<Rewards> rewards(static_cast<std::size_t>(grid.corners()) * actions);
  const base::Threads threads(options.run.threads);
  threads.for_each_chunk(chunks, [&](std::int64_t chunk) {
    const base::Range range = base::chunk_range(grid.corners(), chunks, chunk);
    PairMaker maker(grid, steps, parts);
    Entries entries;
    for (auto corner = static_cast<std::int32_t>(range.begin); corner < range.end; ++corner) {
      base::interruption_point();
      for (std::size_t action = 0; action < actions; ++action) {
        const std::size_t pair = static_cast<std::size_t>(corner) * actions + action;
        const Rewards seen = rewards[pair] = maker.rewards(pair);
        const bool tried = seen.total >= kLeastCoverage;
        if (tried) {
          maker.entries(pair, corner, seen.total, entries);
        } else {
          entries.assign(1, {corner, 1.0});
        }
        rows[static_cast<std::size_t>(chunk)].add(entries, tried ? seen.mean : lowest);
      }
    }
  });

  Sampled found{assembled(grid, std::move(rows), end, std::move(left), options)};
  found.lowest = lowest;
  found.variance = variances(rewards);
  for (const Rewards& one : rewards) {
    const bool tried = one.total >= kLeastCoverage;
    found.coverage.push_back(tried ? one.total : 0);
    found.untried += tried ? 0 : 1;
  }
  if (end) {  // which is known: as often covered as it was reached, without variance
    found.coverage.push_back(std::max(1.0, static_cast<double>(departures.ended)));
    if (!found.variance.empty()) found.variance.push_back(0);
  }
  return found;
}

}  // namespace mindgap::program

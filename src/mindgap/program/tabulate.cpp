#include "mindgap/program/tabulate.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "mindgap/base/check.h"
#include "mindgap/base/error.h"
#include "mindgap/base/interruption.h"
#include "mindgap/base/parallel.h"

namespace mindgap::program {
namespace {

constexpr std::int64_t kCornersOfChunk = 512;
constexpr const char* kEnd = "end";

// The rows of some adjacent corners.
struct Rows {
  std::vector<std::int32_t> next_state;
  std::vector<double> probability;
  std::vector<std::int32_t> length;
  std::vector<double> reward;
  std::vector<std::int64_t> below, above;  // per axis
  std::int64_t outside = 0, ended = 0;
};

// Makes rows out of steps, one pair after the other.
class RowMaker {
 public:
  RowMaker(const Grid& grid, const TabulateOptions& options, std::int64_t pairs)
      : grid_(grid), options_(options) {
    rows_.below.resize(static_cast<std::size_t>(grid.dimension()));
    rows_.above.resize(rows_.below.size());
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
      ++rows_.ended;
      entries_.emplace_back(grid_.corners(), share);
      return;
    }
    for (std::int32_t a = 0; a < grid_.dimension(); ++a) {
      if (!std::isfinite(next_state[a]))
        fail(corner, action, fmt::format("next state's {}", grid_.axes()[a].name), next_state[a]);
    }
    const Location location = grid_.spread(next_state, corners_);
    if (location.outside()) count(location);
    for (std::size_t i = 0; i < corners_.size; ++i)
      entries_.emplace_back(corners_.corner[i], corners_.weight[i] * share);
  }

  void end_row() {
    sort_entries();
    std::size_t length = 0;
    for (const auto& [state, probability] : entries_) {
      if (length > 0 && rows_.next_state.back() == state) {
        rows_.probability.back() += probability;
      } else {
        rows_.next_state.push_back(state);
        rows_.probability.push_back(probability);
        ++length;
      }
    }
    rows_.length.push_back(static_cast<std::int32_t>(length));
    rows_.reward.push_back(reward_ / options_.samples);
    entries_.clear();
    reward_ = 0;
  }

  Rows take() { return std::move(rows_); }

 private:
  [[noreturn]] void fail(std::int32_t corner, std::int32_t action, const std::string& what,
                         double value) const {
    throw InvalidArgument(fmt::format(
        "the step from state {} with action '{}' gave a {} of {}, which is not finite", grid_.name_of(corner),
        base::printable(options_.actions[static_cast<std::size_t>(action)]), what, value));
  }

  // Stable. Rows of one sample are short and nearly in order.
  void sort_entries() {
    constexpr std::size_t kShort = 32;
    const auto before = [](const auto& a, const auto& b) { return a.first < b.first; };
    if (entries_.size() > kShort) return std::stable_sort(entries_.begin(), entries_.end(), before);
    for (std::size_t i = 1; i < entries_.size(); ++i)
      for (std::size_t k = i; k > 0 && before(entries_[k], entries_[k - 1]); --k)
        std::swap(entries_[k], entries_[k - 1]);
  }

  void count(const Location& location) {
    ++rows_.outside;
    for (std::size_t a = 0; a < rows_.below.size(); ++a) {
      rows_.below[a] += (location.below >> a) & 1U;
      rows_.above[a] += (location.above >> a) & 1U;
    }
  }

  const Grid& grid_;
  const TabulateOptions& options_;
  Rows rows_;
  Corners corners_;
  std::vector<std::pair<std::int32_t, double>> entries_;
  double reward_ = 0;
};

void check_places(const Grid& grid, std::span<const std::int32_t> axes) {
  if (axes.empty()) return;
  for (const std::int32_t a : axes) base::check_range("tabulate", "places", a, 0, grid.dimension() - 1);
  if (axes.size() > 2 || (axes.size() == 2 && axes[0] == axes[1]))
    throw InvalidArgument("tabulate: places are one axis or two different ones");
}

void check_options(const Grid& grid, const TabulateOptions& options) {
  base::check_range("tabulate", "discount", options.discount, 0, 1);
  if (options.actions.empty()) throw InvalidArgument("tabulate: there are no actions");
  base::check_range("tabulate", "samples", options.samples, 1, 1e9);
  check_places(grid, options.places);
  const double pairs = static_cast<double>(grid.corners()) * static_cast<double>(options.actions.size());
  if (pairs >= std::numeric_limits<std::int32_t>::max())
    throw InvalidArgument(
        fmt::format("tabulate: {} corners with {} actions are {:.3g} pairs, more than a model takes",
                    grid.corners(), options.actions.size(), pairs));
}

// The rows of all corners, in their order. `make` makes those of one pair.
template <typename Make>
std::vector<Rows> rows_of(const Grid& grid, const TabulateOptions& options, const Make& make) {
  const auto actions = static_cast<std::int32_t>(options.actions.size());
  const std::int64_t chunks = (grid.corners() + kCornersOfChunk - 1) / kCornersOfChunk;
  std::vector<Rows> parts(static_cast<std::size_t>(chunks));
  const base::Threads threads(options.threads);
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
  });
  return parts;
}

LeftGrid left_of(const Grid& grid, const std::vector<Rows>& parts, double steps) {
  LeftGrid left{.below = std::vector<double>(static_cast<std::size_t>(grid.dimension())),
                .above = std::vector<double>(static_cast<std::size_t>(grid.dimension()))};
  double outside = 0, ended = 0;
  for (const Rows& part : parts) {
    outside += static_cast<double>(part.outside);
    ended += static_cast<double>(part.ended);
    for (std::size_t a = 0; a < left.below.size(); ++a) {
      left.below[a] += static_cast<double>(part.below[a]) / steps;
      left.above[a] += static_cast<double>(part.above[a]) / steps;
    }
  }
  left.any = outside / steps;
  if (outside > 0 && outside + ended == steps) {
    std::string said = "every step leaves the grid";
    for (const std::string& line : left.in_words(grid)) said += "; " + line;
    throw InvalidArgument(said +
                          ". Do the grid and the program use the same order of axes and the same units?");
  }
  return left;
}

// Places of corners for pictures; the end lies one cell outside.
void add_places(const Grid& grid, std::vector<std::int32_t> axes, bool end, mdp::Labels& labels) {
  if (axes.empty() && grid.dimension() <= 2)
    axes = grid.dimension() == 1 ? std::vector<std::int32_t>{0} : std::vector<std::int32_t>{0, 1};
  if (axes.empty()) return;
  std::vector<double> state(static_cast<std::size_t>(grid.dimension()));
  const bool flat = axes.size() == 1;
  for (std::int32_t c = 0; c < grid.corners(); ++c) {
    grid.state_of(c, state);
    labels.x.push_back(state[axes[0]]);
    labels.y.push_back(flat ? 0 : state[axes[1]]);
  }
  if (!end) return;
  const auto outside = [&](std::int32_t axis) {
    const std::vector<double>& points = grid.axes()[axis].points;
    return 2 * points[0] - points[1];
  };
  labels.x.push_back(outside(axes[0]));
  labels.y.push_back(flat ? 0 : outside(axes[1]));
}

mdp::Labels labels_for(const Grid& grid, const TabulateOptions& options, bool end) {
  mdp::Labels labels;
  const auto size = static_cast<std::size_t>(grid.corners()) + 1;
  labels.states.reserve(size, size * grid.name_of(grid.corners() - 1).size());
  for (std::int32_t c = 0; c < grid.corners(); ++c) labels.states.add(grid.name_of(c));
  if (end) labels.states.add(kEnd);
  labels.actions = mdp::NameTable(options.actions);
  add_places(grid, options.places, end, labels);
  return labels;
}

// The last state: one action that stays there and pays nothing.
void add_end(mdp::MdpArrays& arrays, std::int32_t state) {
  arrays.next_state.push_back(state);
  arrays.probability.push_back(1);
  arrays.reward.push_back(0);
  arrays.pair_action.push_back(0);
  arrays.row_begin.push_back(arrays.row_begin.back() + 1);
  arrays.pair_begin.push_back(arrays.pair_begin.back() + 1);
}

Tabulated joined(const Grid& grid, std::vector<Rows> parts, const TabulateOptions& options) {
  const auto actions = static_cast<std::int32_t>(options.actions.size());
  const double steps = static_cast<double>(grid.corners()) * actions * options.samples;
  LeftGrid left = left_of(grid, parts, steps);
  const bool end = options.always_end ||
                   std::any_of(parts.begin(), parts.end(), [](const Rows& part) { return part.ended > 0; });
  mdp::MdpArrays arrays;
  arrays.discount = options.discount;
  arrays.actions = actions;
  std::size_t entries = 0;
  for (const Rows& part : parts) entries += part.next_state.size();
  arrays.next_state.reserve(entries + 1);
  arrays.probability.reserve(entries + 1);
  arrays.row_begin.push_back(0);
  for (Rows& part : parts) {
    const Rows rows = std::move(part);  // and its memory goes with it
    arrays.next_state.insert(arrays.next_state.end(), rows.next_state.begin(), rows.next_state.end());
    arrays.probability.insert(arrays.probability.end(), rows.probability.begin(), rows.probability.end());
    arrays.reward.insert(arrays.reward.end(), rows.reward.begin(), rows.reward.end());
    for (const std::int32_t length : rows.length)
      arrays.row_begin.push_back(arrays.row_begin.back() + length);
  }
  for (std::int32_t c = 0; c <= grid.corners(); ++c) arrays.pair_begin.push_back(c * actions);
  for (std::int32_t c = 0; c < grid.corners(); ++c)
    for (std::int32_t a = 0; a < actions; ++a) arrays.pair_action.push_back(a);
  if (end) add_end(arrays, grid.corners());
  const std::int32_t states = grid.corners() + (end ? 1 : 0);
  if (options.starts.empty()) {
    arrays.start.assign(static_cast<std::size_t>(states), 0);
    std::fill_n(arrays.start.begin(), grid.corners(), 1.0 / grid.corners());
  } else {
    arrays.start = start_at(grid, options.starts, states);
  }
  arrays.labels = labels_for(grid, options, end);
  return {mdp::Mdp(std::move(arrays)), end, std::move(left)};
}

}  // namespace

std::vector<std::string> LeftGrid::in_words(const Grid& grid) const {
  std::vector<std::string> lines;
  for (std::size_t a = 0; a < below.size(); ++a) {
    for (const bool upper : {false, true}) {
      const double share = upper ? above[a] : below[a];
      if (share > 0)
        lines.push_back(fmt::format("{:.2g} % of steps leave the grid on axis {}, {} side", 100 * share,
                                    grid.axes()[a].name, upper ? "upper" : "lower"));
    }
  }
  return lines;
}

Tabulated tabulate(const Grid& grid, const StepFunction& step, std::span<const double> theta,
                   const TabulateOptions& options) {
  check_options(grid, options);
  const auto d = static_cast<std::size_t>(grid.dimension());
  return joined(grid,
                rows_of(grid, options,
                        [&](std::int32_t corner, std::int32_t action, RowMaker& maker) {
                          double state[kMostAxes], next[kMostAxes];
                          grid.state_of(corner, {state, d});
                          for (std::int32_t k = 0; k < options.samples; ++k) {
                            base::Stream random({.seed = options.seed,
                                                 .purpose = base::Purpose::world,
                                                 .trial = static_cast<std::uint64_t>(k),
                                                 .unit = static_cast<std::uint64_t>(corner)});
                            std::fill_n(next, d, std::numeric_limits<double>::quiet_NaN());
                            const Outcome outcome = step({state, d}, action, theta, random, {next, d});
                            maker.add(corner, action, {next, d}, outcome);
                          }
                        }),
                options);
}

Tabulated tabulate(const Grid& grid, const Steps& steps, const TabulateOptions& options) {
  check_options(grid, options);
  const auto d = static_cast<std::size_t>(grid.dimension()),
             samples = static_cast<std::size_t>(options.samples);
  const std::size_t all = static_cast<std::size_t>(grid.corners()) * options.actions.size() * samples;
  base::check_size("tabulate", "next_state", steps.next_state.size(), all * d);
  base::check_size("tabulate", "reward", steps.reward.size(), all);
  if (!steps.terminated.empty()) base::check_size("tabulate", "terminated", steps.terminated.size(), all);
  return joined(
      grid,
      rows_of(grid, options,
              [&](std::int32_t corner, std::int32_t action, RowMaker& maker) {
                const std::size_t pair = static_cast<std::size_t>(corner) * options.actions.size() +
                                         static_cast<std::size_t>(action);
                for (std::size_t i = pair * samples; i < (pair + 1) * samples; ++i) {
                  const bool over = !steps.terminated.empty() && steps.terminated[i] != 0;
                  maker.add(corner, action, steps.next_state.subspan(i * d, d), {steps.reward[i], over});
                }
              }),
      options);
}

Tabulated with_end(const Tabulated& table) {
  if (table.has_end) return table;
  const mdp::Mdp& mdp = table.mdp;
  const auto copy = [](auto values) { return std::vector(values.begin(), values.end()); };
  mdp::MdpArrays arrays;
  arrays.discount = mdp.discount();
  arrays.actions = mdp.actions();
  arrays.pair_begin = copy(mdp.pair_begin());
  arrays.pair_action = copy(mdp.pair_action());
  arrays.row_begin = copy(mdp.row_begin());
  arrays.next_state = copy(mdp.next_state());
  arrays.probability = copy(mdp.probability());
  arrays.reward = copy(mdp.reward());
  arrays.start = copy(mdp.start());
  arrays.start.push_back(0);
  add_end(arrays, mdp.states());
  arrays.labels = mdp.labels();
  arrays.labels.states.add(kEnd);
  if (!arrays.labels.x.empty()) {
    const auto outside = [](const std::vector<double>& places) {
      const auto [low, high] = std::minmax_element(places.begin(), places.end());
      return *low - (*high - *low) / 10;
    };
    const double x = outside(arrays.labels.x), y = outside(arrays.labels.y);
    arrays.labels.x.push_back(x);
    arrays.labels.y.push_back(y);
  }
  return {mdp::Mdp(std::move(arrays)), true, table.left};
}

std::vector<double> start_at(const Grid& grid, std::span<const double> states, std::int32_t size) {
  const auto d = static_cast<std::size_t>(grid.dimension());
  if (states.empty() || states.size() % d != 0)
    throw InvalidArgument(
        fmt::format("start_at: there are {} numbers, but {} for each state are wanted", states.size(), d));
  std::vector<double> start(static_cast<std::size_t>(size));
  Corners corners;
  const double share = static_cast<double>(d) / static_cast<double>(states.size());
  for (std::size_t i = 0; i < states.size(); i += d) {
    grid.spread(states.subspan(i, d), corners);
    for (std::size_t k = 0; k < corners.size; ++k) start[corners.corner[k]] += corners.weight[k];
  }
  for (double& probability : start) probability *= share;
  return start;
}

}  // namespace mindgap::program

#include "mindgap/program/assembly.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "mindgap/base/check.h"
#include "mindgap/base/error.h"
#include "mindgap/base/readable.h"

namespace mindgap::program {
namespace {

constexpr const char* kEnd = "end";

void check_places(const char* function, const Grid& grid, std::span<const std::int32_t> axes) {
  if (axes.empty()) return;
  for (const std::int32_t a : axes) base::check_range(function, "places", a, 0, grid.dimension() - 1);
  if (axes.size() > 2 || (axes.size() == 2 && axes[0] == axes[1]))
    throw InvalidArgument(fmt::format("{}: places are one axis or two different ones", function));
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

// Stable. Rows of one step are short and nearly in order.
void sort_by_state(Entries& entries) {
  constexpr std::size_t kShort = 32;
  const auto before = [](const auto& a, const auto& b) { return a.first < b.first; };
  if (entries.size() > kShort) return std::stable_sort(entries.begin(), entries.end(), before);
  for (std::size_t i = 1; i < entries.size(); ++i)
    for (std::size_t k = i; k > 0 && before(entries[k], entries[k - 1]); --k)
      std::swap(entries[k], entries[k - 1]);
}

}  // namespace

void merge(Entries& entries) {
  sort_by_state(entries);
  std::size_t size = 0;
  for (const auto& entry : entries) {
    if (size > 0 && entries[size - 1].first == entry.first) {
      entries[size - 1].second += entry.second;
    } else {
      entries[size++] = entry;
    }
  }
  entries.resize(size);
}

void Rows::add(Entries& entries, double mean_reward) {
  merge(entries);
  for (const auto& [state, chance] : entries) {
    next_state.push_back(state);
    probability.push_back(chance);
  }
  length.push_back(static_cast<std::int32_t>(entries.size()));
  reward.push_back(mean_reward);
}

void Departures::count(const Location& location) {
  if (!location.outside()) return;
  ++outside;
  for (std::size_t a = 0; a < below.size(); ++a) {
    below[a] += (location.below >> a) & 1U;
    above[a] += (location.above >> a) & 1U;
  }
}

Departures& Departures::operator+=(const Departures& other) {
  for (std::size_t a = 0; a < below.size(); ++a) {
    below[a] += other.below[a];
    above[a] += other.above[a];
  }
  outside += other.outside;
  ended += other.ended;
  return *this;
}

LeftGrid Departures::left(const Grid& grid, double steps) const {
  LeftGrid shares{.below = std::vector<double>(below.size()), .above = std::vector<double>(below.size())};
  for (std::size_t a = 0; a < below.size(); ++a) {
    shares.below[a] = static_cast<double>(below[a]) / steps;
    shares.above[a] = static_cast<double>(above[a]) / steps;
  }
  shares.any = static_cast<double>(outside) / steps;
  if (outside > 0 && static_cast<double>(outside + ended) == steps) {
    std::string sides;  // "3.1 % of steps on axis speed, upper side"
    for (std::size_t a = 0; a < below.size(); ++a) {
      for (const auto& [share, side] : {std::pair(shares.below[a], "lower"), {shares.above[a], "upper"}})
        if (share > 0)
          sides += fmt::format("; {} % of steps on axis {}, {} side", base::number(100 * share, 2),
                               grid.axes()[a].name, side);
    }
    throw InvalidArgument(
        fmt::format("every step leaves the grid{}. Do the grid and the program use the "
                    "same order of axes and the same units?",
                    sides));
  }
  return shares;
}

void check_table_options(const char* function, const Grid& grid, const TabulateOptions& options) {
  base::check_range(function, "discount", options.discount, 0, 1);
  if (options.actions.empty()) throw InvalidArgument(fmt::format("{}: there are no actions", function));
  check_places(function, grid, options.places);
  const double pairs = static_cast<double>(grid.corners()) * static_cast<double>(options.actions.size());
  if (pairs >= std::numeric_limits<std::int32_t>::max())
    throw InvalidArgument(fmt::format("{}: {} corners with {} actions are {} pairs, more than a model takes",
                                      function, grid.corners(), options.actions.size(),
                                      base::number(pairs, 3)));
}

Tabulated assembled(const Grid& grid, std::vector<Rows>&& parts, bool end, LeftGrid left,
                    const TabulateOptions& options) {
  const auto actions = static_cast<std::int32_t>(options.actions.size());
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
        fmt::format("start_at: there are {} numbers, expected {} for each state", states.size(), d));
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

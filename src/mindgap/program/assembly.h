#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "mindgap/program/tabulate.h"

// Rows put together into a table: what tabulate() and sampled() have in common.
namespace mindgap::program {

/// Corners whose rows are made by one thread at a time.
constexpr std::int64_t kCornersOfChunk = 512;

/// Next states with their probabilities, in any order, perhaps several times each.
using Entries = std::vector<std::pair<std::int32_t, double>>;
/// By state, each once. The order in which probabilities of one state are added is that of the entries.
void merge(Entries& entries);

/// The rows of some adjacent corners, one pair after the other.
struct Rows {
  std::vector<std::int32_t> next_state;
  std::vector<double> probability;
  std::vector<std::int32_t> length;
  std::vector<double> reward;

  /// Merges the entries.
  void add(Entries& entries, double mean_reward);
};

/// How many steps left the grid, per axis and side, and how many ended.
struct Departures {
  std::vector<std::int64_t> below, above;  // per axis
  std::int64_t outside = 0, ended = 0;

  explicit Departures(const Grid& grid)
      : below(static_cast<std::size_t>(grid.dimension())), above(below.size()) {}
  void count(const Location& location);
  Departures& operator+=(const Departures& other);
  /// As shares of `steps`. Throws InvalidArgument where all that did not end left it.
  LeftGrid left(const Grid& grid, double steps) const;
};

/// Throws InvalidArgument where options that both kinds of tables have are wrong.
void check_table_options(const char* function, const Grid& grid, const TabulateOptions& options);

/// The table of the rows of all corners with all actions, in their order; rows into the end lead to the state
/// behind the corners. Takes the rows.
Tabulated assembled(const Grid& grid, std::vector<Rows>&& parts, bool end, LeftGrid left,
                    const TabulateOptions& options);

}  // namespace mindgap::program

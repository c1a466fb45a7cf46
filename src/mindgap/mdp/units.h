#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "mindgap/mdp/mdp.h"
#include "mindgap/mdp/observation_log.h"

namespace mindgap::mdp {

/// Who acts: what the units are called and where each is.
struct Units {
  std::vector<std::string> names;
  std::vector<std::int32_t> state;

  std::size_t size() const { return state.size(); }
};

constexpr std::int64_t kMostUnits = 10'000'000;
/// `units` units, named 1, 2, ..., spread as the model's start says; from 1 to kMostUnits, else throws
/// InvalidArgument.
Units units_at_start(const Mdp& mdp, std::int64_t units);
/// Where the log leaves its units; none where they are not as many as `units`, or it does not say where one
/// went last.
std::optional<Units> units_after(const ObservationLog& log, std::int64_t units);

/// Whole units over a start distribution: floors, then the largest remainders, ties to the lower state; in
/// the order of the states.
std::vector<std::int32_t> spread_units(std::span<const double> start, std::int64_t units);

/// The share of the units that is in each state: what their value counts from.
std::vector<double> shares_of(std::span<const std::int32_t> unit_state, std::int32_t states);

}  // namespace mindgap::mdp

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "mindgap/files/pilot_tables.h"
#include "mindgap/mdp/observation_log.h"

namespace mindgap::decide {

/// Where the units are, and what they are called.
struct Places {
  std::vector<std::int32_t> state;
  std::vector<std::string> names;
};

/// Throws InvalidArgument unless there are `units` of them; `file` is what they are called there.
Places places_at(const files::Positions& positions, std::int64_t units, const std::string& file);
/// Where the log leaves its units; none where they are not as many as `units`, or where the last
/// row of one of them has no next state.
std::optional<Places> places_after(const mdp::ObservationLog& log, std::int64_t units);
/// `units` units, named 1, 2, ..., spread as the model's start says; from 1 to kMostUnits, else throws
/// InvalidArgument.
constexpr std::int64_t kMostUnits = 10'000'000;
Places places_at_start(const mdp::Mdp& mdp, std::int64_t units);

/// The model as it starts from where the units are.
mdp::Mdp starting_at(const mdp::Mdp& mdp, const Places& places);

}  // namespace mindgap::decide

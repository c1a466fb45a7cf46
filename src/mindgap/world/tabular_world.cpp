#include "mindgap/world/tabular_world.h"

#include <fmt/format.h>

#include "mindgap/base/error.h"

namespace mindgap::world {

TabularWorld::TabularWorld(HiddenModel model, std::uint64_t seed, std::uint64_t trial, std::int64_t units)
    : model_(std::move(model)), start_(model_.start()), seed_(seed), trial_(trial) {
  if (units < 0)
    throw InvalidArgument(fmt::format("TabularWorld: units is {}, but must be 0 or more", units));
  unit_.resize(static_cast<std::size_t>(units));
  for (std::int64_t unit = 0; unit < units; ++unit) reset(unit);
}

base::Stream TabularWorld::stream(std::int64_t unit, std::uint64_t step) const {
  return base::Stream({.seed = seed_,
                       .purpose = base::Purpose::world,
                       .trial = trial_,
                       .unit = static_cast<std::uint64_t>(unit),
                       .step = step});
}

void TabularWorld::check_unit(const char* function, std::int64_t unit) const {
  if (unit >= 0 && unit < units()) return;
  throw InvalidArgument(fmt::format("{}: unit is {}, but must be from 0 to {}", function, unit, units() - 1));
}

std::int32_t TabularWorld::reset(std::int64_t unit) {
  check_unit("reset", unit);
  base::Stream words = stream(unit, 0);
  Unit& place = unit_[static_cast<std::size_t>(unit)];
  place.state = start_.draw(words);
  place.hidden = base::categorical(words, hidden_law(model_, model_.deployment(), place.state));
  place.steps = 0;
  return place.state;
}

std::int32_t TabularWorld::state(std::int64_t unit) const {
  check_unit("state", unit);
  return unit_[static_cast<std::size_t>(unit)].state;
}

Observation TabularWorld::step(std::int64_t unit, std::int32_t pair) {
  check_unit("step", unit);
  Unit& place = unit_[static_cast<std::size_t>(unit)];
  if (!model_.pairs_of(place.state).contains(pair)) {
    throw InvalidArgument(fmt::format("step: pair {} is not one of state '{}', where unit {} is", pair,
                                      model_.state_name(place.state), unit));
  }
  base::Stream words = stream(unit, ++place.steps);
  const Draw drawn = draw_step(words, model_, pair, place.hidden);
  place.state = drawn.next_state;
  place.hidden = drawn.next_hidden;
  return {drawn.reward, drawn.next_state};
}

}  // namespace mindgap::world

#include "mindgap/view/places.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "mindgap/base/error.h"
#include "mindgap/view/number.h"

namespace mindgap::view {
namespace {

constexpr std::size_t kMostDrawn = 3'000;

struct Place {
  std::int32_t first = 0;  // state
  std::int32_t states = 0;
  double value = 0;
};

// In the order of their first states.
std::vector<Place> places_of(const mdp::Mdp& mdp, std::span<const double> value) {
  std::map<std::pair<double, double>, std::size_t> known;
  std::vector<Place> places;
  for (std::int32_t s = 0; s < mdp.states(); ++s) {
    const auto [at, added] = known.emplace(std::pair(mdp.labels().x[s], mdp.labels().y[s]), places.size());
    if (added) places.push_back({.first = s});
    Place& place = places[at->second];
    ++place.states;
    if (!value.empty()) place.value += value[s];
  }
  return places;
}

std::string name_of(const mdp::Mdp& mdp, const Place& place) {
  const std::string name = base::printable(mdp.state_name(place.first), 80);
  return place.states == 1 ? name : fmt::format("{} and {} more there", name, place.states - 1);
}

}  // namespace

bool has_places(const mdp::Mdp& mdp) {
  return !mdp.labels().x.empty() && places_of(mdp, {}).size() <= kMostDrawn;
}

report::Table places_table(const mdp::Mdp& mdp, const std::string& what, std::span<const double> value) {
  report::Table table{"", {"state", "x", "y", what}, {}};
  for (const Place& place : places_of(mdp, value)) {
    table.rows.push_back({name_of(mdp, place), number(mdp.labels().x[place.first], 6),
                          number(mdp.labels().y[place.first], 6), number(place.value, 6)});
  }
  return table;
}

std::string largest_place(const mdp::Mdp& mdp, std::span<const double> value) {
  const std::vector<Place> places = places_of(mdp, value);
  const Place& most = *std::ranges::max_element(places, {}, &Place::value);
  return fmt::format("{} with {}", name_of(mdp, most), number(most.value, 3));
}

std::string in_words(const mdp::Mdp& mdp, std::span<const design::Leg> way) {
  std::string text;
  std::size_t runs = 0;
  for (std::size_t i = 0; i < way.size();) {
    std::size_t end = i;
    while (end < way.size() && way[end].action == way[i].action) ++end;
    if (++runs > 12) return text + ", ...";
    text += fmt::format("{}{}", i == 0 ? "" : ", ", base::printable(mdp.action_name(way[i].action)));
    if (end - i > 1) text += fmt::format(" x{}", end - i);
    i = end;
  }
  return text;
}

}  // namespace mindgap::view

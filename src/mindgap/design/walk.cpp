#include "mindgap/design/walk.h"

#include <algorithm>

#include "mindgap/base/check.h"
#include "mindgap/mdp/evaluate.h"

namespace mindgap::design {
namespace {

using mdp::Mdp;

void check(const char* function, const Mdp& mdp, std::span<const double> positions) {
  base::check_size(function, "positions", positions.size(), static_cast<std::size_t>(mdp.states()));
  base::check_nonnegative(function, "positions", positions);
}

void move_on(const Mdp& mdp, std::int32_t k, double units, std::span<double> next) {
  for (const std::int64_t i : mdp.entries_of(k)) {
    next[mdp.next_state()[i]] += units * mdp.probability()[i];
  }
}

std::vector<std::uint8_t> marks(const Mdp& mdp, std::span<const std::int32_t> states) {
  std::vector<std::uint8_t> mark(static_cast<std::size_t>(mdp.states()));
  for (const std::int32_t s : states) {
    base::check_range("walk", "state", s, 0, mdp.states() - 1);
    mark[s] = 1;
  }
  return mark;
}

}  // namespace

std::vector<double> walk_counts(const Mdp& mdp, std::span<const std::int32_t> pair, std::int64_t steps,
                                std::span<const double> positions) {
  check("walk_counts", mdp, positions);
  base::check_size(
      "walk_counts", "pair", pair.size(),
      static_cast<std::size_t>(mdp.states()) * static_cast<std::size_t>(std::max<std::int64_t>(0, steps)));
  std::vector<double> counts(static_cast<std::size_t>(mdp.pairs()));
  std::vector<double> now(positions.begin(), positions.end()), next(now.size());
  for (std::int64_t step = 0; step < steps; ++step) {
    std::fill(next.begin(), next.end(), 0.0);
    const auto here = pair.subspan(static_cast<std::size_t>(step) * now.size(), now.size());
    for (std::size_t s = 0; s < now.size(); ++s) {
      if (now[s] == 0) continue;
      const auto pairs = mdp.pairs_of(static_cast<std::int32_t>(s));
      base::check_range("walk_counts", "the pair of a state that is visited", here[s], pairs.first(),
                        pairs.last() - 1);
      counts[here[s]] += now[s];
      move_on(mdp, here[s], now[s], next);
    }
    std::swap(now, next);
  }
  return counts;
}

double entering(const Mdp& mdp, std::span<const std::int32_t> pair, std::int64_t steps,
                std::span<const double> positions, std::span<const std::int32_t> states) {
  check("entering", mdp, positions);
  mdp::check_time_policy(mdp, pair, steps);
  const std::vector<std::uint8_t> wanted = marks(mdp, states);
  std::vector<double> now(positions.begin(), positions.end()), next(now.size());
  double entered = 0;
  for (std::int64_t step = 0; step < steps; ++step) {
    std::fill(next.begin(), next.end(), 0.0);
    const auto here = pair.subspan(static_cast<std::size_t>(step) * now.size(), now.size());
    for (std::size_t s = 0; s < now.size(); ++s) {
      if (now[s] == 0) continue;
      if (wanted[s] != 0) {
        entered += now[s];
      } else {
        move_on(mdp, here[s], now[s], next);
      }
    }
    std::swap(now, next);
  }
  return entered;
}

std::vector<std::uint8_t> states_within(const Mdp& mdp, std::span<const double> positions, std::int64_t moves,
                                        std::span<const std::uint8_t> allowed,
                                        std::span<const std::int32_t> closed) {
  check("states_within", mdp, positions);
  const std::vector<std::uint8_t> shut = marks(mdp, closed);
  std::vector<std::uint8_t> reached(positions.size());
  std::vector<std::int32_t> front, next;
  for (std::int32_t s = 0; s < mdp.states(); ++s) {
    if (positions[s] > 0) front.push_back(s);
    reached[s] = positions[s] > 0;
  }
  for (std::int64_t move = 0; move < moves && !front.empty(); ++move) {
    next.clear();
    for (const std::int32_t s : front) {
      if (shut[s] != 0) continue;
      for (const std::int32_t k : mdp.pairs_of(s)) {
        if (!allowed.empty() && allowed[k] == 0) continue;
        for (const std::int64_t i : mdp.entries_of(k)) {
          const std::int32_t to = mdp.next_state()[i];
          if (reached[to] == 0) next.push_back(to);
          reached[to] = 1;
        }
      }
    }
    std::swap(front, next);
  }
  return reached;
}

}  // namespace mindgap::design

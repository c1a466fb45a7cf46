#include "mindgap/design/route_builder.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace mindgap::design {
namespace {

constexpr double kAboveCap = .01;  // of what a worth is above the cap

// Far enough to get anywhere and back.
std::int64_t horizon_of(const mdp::Mdp& mdp) {
  return 2 * std::int64_t{mdp.states()};
}

}  // namespace

Lookahead::Lookahead(const mdp::Mdp& mdp, std::int32_t start, std::int64_t steps)
    : mdp_(mdp), now_(static_cast<std::size_t>(mdp.states())), after_(now_.size()), best_(now_.size()) {
  std::vector<std::uint8_t> met(now_.size(), 0);
  near_.push_back(start);
  met[start] = 1;
  for (std::size_t i = 0; static_cast<std::int64_t>(within_.size()) < steps;) {
    within_.push_back(near_.size());
    for (const std::size_t end = near_.size(); i < end; ++i) {
      for (const std::int64_t j : mdp.entries_of_state(near_[i])) {
        const std::int32_t next = mdp.next_state()[j];
        if (met[next] != 0) continue;
        met[next] = 1;
        near_.push_back(next);
      }
    }
  }
}

std::span<const std::int32_t> Lookahead::best(std::span<const double> price, std::int64_t gone,
                                              std::int64_t steps, std::span<const double> toll) {
  // By pointer: most of a design is spent here.
  const std::int32_t *pair_begin = mdp_.pair_begin().data(), *next_state = mdp_.next_state().data();
  const std::int64_t* row_begin = mdp_.row_begin().data();
  const double* probability = mdp_.probability().data();
  for (const std::int32_t s : near_) after_[s] = 0;
  for (std::int64_t t = gone + steps - 1; t >= gone; --t) {
    const std::size_t at = static_cast<std::size_t>(t) * now_.size();
    const double* after = after_.data();
    for (const std::int32_t s : std::span(near_).first(within_[static_cast<std::size_t>(t)])) {
      double most = -std::numeric_limits<double>::infinity();
      for (std::int32_t k = pair_begin[s]; k < pair_begin[s + 1]; ++k) {
        double q = price[k];  // -infinity where it is not allowed
        for (std::int64_t i = row_begin[k]; i < row_begin[k + 1]; ++i)
          q += probability[i] * after[next_state[i]];
        best_[s] = q > most ? k : best_[s];
        most = std::max(most, q);
      }
      now_[s] = most - (toll.empty() ? 0 : toll[at + static_cast<std::size_t>(s)]);
    }
    std::swap(now_, after_);
  }
  return best_;
}

std::vector<std::int32_t> build_route(const Objective& objective, const Occupancy& pilot,
                                      const RouteWish& wish) {
  const mdp::Mdp& mdp = pilot.mdp();
  const auto states = static_cast<std::size_t>(mdp.states());
  std::vector<std::int32_t> route(states * static_cast<std::size_t>(pilot.steps()), -1);
  std::vector<double> counts(wish.others.begin(), wish.others.end()), price(counts.size());
  std::vector<double> now(states, 0.0), next(states);
  now[wish.state] = 1;
  Lookahead lookahead(mdp, wish.state, pilot.steps());
  for (std::int64_t t = 0; t < pilot.steps(); ++t) {
    const std::size_t at = static_cast<std::size_t>(t) * states;
    std::span<const std::int32_t> best;
    if (t < wish.keep) {
      best = wish.prefix.subspan(at, states);
    } else {
      objective.worth_of_one_more(counts, price);
      for (std::size_t k = 0; k < wish.factor.size(); ++k) price[k] *= wish.factor[k];
      if (std::isfinite(wish.cap)) {
        for (double& p : price) p = std::min(p, wish.cap) + kAboveCap * p;
      }
      for (std::size_t k = 0; k < wish.pair_toll.size(); ++k) price[k] -= wish.pair_toll[k];
      for (std::size_t k = 0; k < wish.forbidden.size(); ++k) {
        if (wish.forbidden[k] != 0) price[k] = -std::numeric_limits<double>::infinity();
      }
      best = lookahead.best(price, t, std::min(pilot.steps() - t, horizon_of(mdp)), wish.step_toll);
    }
    std::fill(next.begin(), next.end(), 0.0);
    for (std::size_t s = 0; s < states; ++s) {
      if (now[s] == 0) continue;
      const bool told =
          t == wish.keep && wish.first >= 0 && mdp.state_of_pair(wish.first) == static_cast<std::int32_t>(s);
      const std::int32_t k = told ? wish.first : best[s];
      route[at + s] = k;
      counts[k] += now[s];
      for (const std::int64_t i : mdp.entries_of(k)) {
        next[mdp.next_state()[i]] += now[s] * mdp.probability()[i];
      }
    }
    std::swap(now, next);
  }
  return route;
}

double work_of_route(const Occupancy& pilot) {
  const double ahead = static_cast<double>(std::min(pilot.steps(), horizon_of(pilot.mdp())));
  return static_cast<double>(pilot.steps()) * ahead * static_cast<double>(pilot.mdp().nonzeros());
}

}  // namespace mindgap::design

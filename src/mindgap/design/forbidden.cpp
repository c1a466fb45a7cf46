#include "mindgap/design/forbidden.h"

#include <fmt/format.h>

#include "mindgap/base/check.h"
#include "mindgap/base/error.h"

namespace mindgap::design {
namespace {

using mdp::Mdp;

// The pairs that can lead to each state, as one list with where each state's part begins.
struct Predecessors {
  std::vector<std::int64_t> begin;
  std::vector<std::int32_t> pair;
};

Predecessors predecessors(const Mdp& mdp) {
  Predecessors result;
  result.begin.assign(static_cast<std::size_t>(mdp.states()) + 1, 0);
  for (const std::int32_t s : mdp.next_state()) ++result.begin[static_cast<std::size_t>(s) + 1];
  for (std::size_t s = 1; s < result.begin.size(); ++s) result.begin[s] += result.begin[s - 1];
  result.pair.resize(static_cast<std::size_t>(mdp.nonzeros()));
  std::vector<std::int64_t> at(result.begin.begin(), result.begin.end() - 1);
  for (std::int32_t k = 0; k < mdp.pairs(); ++k) {
    for (const std::int64_t i : mdp.entries_of(k)) {
      result.pair[at[mdp.next_state()[i]]++] = k;
    }
  }
  return result;
}

struct Removal {
  std::vector<std::uint8_t> removed;  // per pair
  std::vector<std::uint8_t> dead;     // per state
};

Removal remove(const Mdp& mdp, std::span<const std::int32_t> forbidden) {
  Removal result{std::vector<std::uint8_t>(static_cast<std::size_t>(mdp.pairs())),
                 std::vector<std::uint8_t>(static_cast<std::size_t>(mdp.states()))};
  std::vector<std::int32_t> left(result.dead.size()), fallen;
  for (std::int32_t s = 0; s < mdp.states(); ++s) left[s] = static_cast<std::int32_t>(mdp.pairs_of(s).size());
  const auto take_out = [&](std::int32_t k) {
    if (result.removed[k]) return;
    result.removed[k] = 1;
    const std::int32_t s = mdp.state_of_pair(k);
    if (--left[s] > 0) return;
    result.dead[s] = 1;
    fallen.push_back(s);
  };
  for (const std::int32_t k : forbidden) {
    base::check_range("without_pairs", "forbidden pair", k, 0, mdp.pairs() - 1);
    take_out(k);
  }
  if (fallen.empty()) return result;
  const Predecessors before = predecessors(mdp);
  while (!fallen.empty()) {
    const std::int32_t s = fallen.back();
    fallen.pop_back();
    for (std::int64_t i = before.begin[s]; i < before.begin[s + 1]; ++i) take_out(before.pair[i]);
  }
  return result;
}

void check_occupied(const Mdp& mdp, const Removal& removal, std::span<const std::int32_t> occupied) {
  for (const std::int32_t s : occupied) {
    base::check_range("without_pairs", "occupied state", s, 0, mdp.states() - 1);
    if (!removal.dead[s]) continue;
    throw InvalidArgument(fmt::format(
        "all pairs forbidden: state '{}', where units begin, has no action left that avoids them for good",
        base::printable(mdp.state_name(s))));
  }
}

// Appends pair k of `mdp`, or a loop on its state in its place.
void keep(const Mdp& mdp, std::int32_t s, std::int32_t k, bool loop, mdp::MdpArrays& arrays) {
  arrays.pair_action.push_back(mdp.pair_action()[k]);
  arrays.reward.push_back(mdp.reward()[k]);
  if (loop) {
    arrays.next_state.push_back(s);
    arrays.probability.push_back(1);
  } else {
    for (const std::int64_t i : mdp.entries_of(k)) {
      arrays.next_state.push_back(mdp.next_state()[i]);
      arrays.probability.push_back(mdp.probability()[i]);
    }
  }
  arrays.row_begin.push_back(static_cast<std::int64_t>(arrays.next_state.size()));
}

std::vector<std::int32_t> occupied_states(std::span<const double> positions) {
  std::vector<std::int32_t> result;
  for (std::size_t s = 0; s < positions.size(); ++s) {
    if (positions[s] > 0) result.push_back(static_cast<std::int32_t>(s));
  }
  return result;
}

// The occupancies of a restricted model in the numbers of the full one.
class Translated : public Occupancy {
 public:
  Translated(const Mdp& full, RestrictedMdp restricted, std::unique_ptr<Occupancy> inner)
      : Occupancy(
            full.with_start(std::vector<double>(inner->mdp().start().begin(), inner->mdp().start().end()))
                .with_discount(inner->mdp().discount()),
            std::vector<double>(inner->positions().begin(), inner->positions().end()), inner->steps(),
            inner->budget(), inner->is_finite()),
        restricted_(std::move(restricted)),
        inner_(std::move(inner)) {}

  Corner best(std::span<const double> price) const override { return outward(inner_->best(inward(price))); }
  Corner best_at_steps(std::span<const double> price, std::span<const double> step_price) const override {
    return outward(inner_->best_at_steps(inward(price), step_price));
  }
  std::vector<double> step_visits(std::span<const std::int32_t> pair) const override {
    std::vector<std::int32_t> inner(pair.size());
    for (std::size_t i = 0; i < pair.size(); ++i) {
      base::check_range("Occupancy::step_visits", "pair", pair[i], 0, mdp().pairs() - 1);
      inner[i] = restricted_.new_of_old[pair[i]];
      const auto s = static_cast<std::int32_t>(i % static_cast<std::size_t>(mdp().states()));
      if (inner[i] < 0 && restricted_.unenterable[s]) inner[i] = restricted_.mdp.pair_begin()[s];
      if (inner[i] < 0) refuse(pair[i]);
    }
    return inner_->step_visits(inner);
  }
  std::vector<double> counts(std::span<const double> pi) const override {
    const auto pairs = static_cast<std::size_t>(mdp().pairs()), fewer = restricted_.old_of_new.size();
    base::check_size("Occupancy::counts", "pi", pi.size(), pairs * static_cast<std::size_t>(steps()));
    std::vector<double> inner(fewer * static_cast<std::size_t>(steps()), 0.0);
    for (std::size_t step = 0; step < static_cast<std::size_t>(steps()); ++step) {
      for (std::int32_t s = 0; s < mdp().states(); ++s) {
        if (restricted_.unenterable[s]) {
          inner[step * fewer + static_cast<std::size_t>(restricted_.mdp.pair_begin()[s])] = 1;
          continue;
        }
        for (const std::int32_t k : mdp().pairs_of(s)) {
          const double p = pi[step * pairs + static_cast<std::size_t>(k)];
          const std::int32_t to = restricted_.new_of_old[k];
          if (to >= 0) {
            inner[step * fewer + static_cast<std::size_t>(to)] = p;
          } else if (p > 0) {
            refuse(k);
          }
        }
      }
    }
    return outward_counts(inner_->counts(inner));
  }

 private:
  [[noreturn]] void refuse(std::int32_t k) const {
    throw InvalidArgument(fmt::format("the policy takes '{}' in state '{}', which is forbidden",
                                      base::printable(mdp().action_name_of_pair(k)),
                                      base::printable(mdp().state_name(mdp().state_of_pair(k)))));
  }
  std::vector<double> inward(std::span<const double> price) const {
    base::check_size("Occupancy::best", "price", price.size(), static_cast<std::size_t>(mdp().pairs()));
    std::vector<double> result(restricted_.old_of_new.size());
    for (std::size_t k = 0; k < result.size(); ++k) result[k] = price[restricted_.old_of_new[k]];
    return result;
  }
  std::vector<double> outward_counts(const std::vector<double>& counts) const {
    std::vector<double> result(static_cast<std::size_t>(mdp().pairs()), 0.0);
    for (std::size_t k = 0; k < counts.size(); ++k) result[restricted_.old_of_new[k]] = counts[k];
    return result;
  }
  Corner outward(Corner corner) const {
    for (std::int32_t& k : corner.pair) k = restricted_.old_of_new[k];
    corner.counts = outward_counts(corner.counts);
    return corner;
  }

  RestrictedMdp restricted_;
  std::unique_ptr<Occupancy> inner_;
};

RestrictedMdp restricted_at(const Mdp& mdp, std::span<const double> positions,
                            std::span<const std::int32_t> forbidden) {
  base::check_size("Occupancy", "positions", positions.size(), static_cast<std::size_t>(mdp.states()));
  return without_pairs(mdp, forbidden, occupied_states(positions));
}

}  // namespace

RestrictedMdp without_pairs(const Mdp& mdp, std::span<const std::int32_t> forbidden,
                            std::span<const std::int32_t> occupied) {
  const Removal removal = remove(mdp, forbidden);
  check_occupied(mdp, removal, occupied);
  mdp::MdpArrays arrays;
  arrays.discount = mdp.discount();
  arrays.reward_max = mdp.reward_max();
  arrays.actions = mdp.actions();
  arrays.labels = mdp.labels();
  arrays.pair_begin = {0};
  arrays.row_begin = {0};
  std::vector<std::int32_t> new_of_old(removal.removed.size(), -1), old_of_new;
  for (std::int32_t s = 0; s < mdp.states(); ++s) {
    for (const std::int32_t k : mdp.pairs_of(s)) {
      const bool loop = removal.dead[s] && k == mdp.pair_begin()[s];
      if (removal.removed[k] && !loop) continue;
      if (!loop) new_of_old[k] = static_cast<std::int32_t>(old_of_new.size());
      old_of_new.push_back(k);
      keep(mdp, s, k, loop, arrays);
    }
    arrays.pair_begin.push_back(static_cast<std::int32_t>(old_of_new.size()));
  }
  arrays.start.assign(mdp.start().begin(), mdp.start().end());
  for (std::size_t s = 0; s < arrays.start.size(); ++s) {
    if (!removal.dead[s] || arrays.start[s] == 0 || occupied.empty()) continue;
    std::fill(arrays.start.begin(), arrays.start.end(), 0.0);
    for (const std::int32_t o : occupied) arrays.start[o] += 1.0 / static_cast<double>(occupied.size());
    break;
  }
  return {Mdp(std::move(arrays)), std::move(new_of_old), std::move(old_of_new), removal.dead};
}

std::unique_ptr<Occupancy> finite_occupancies_without(const Mdp& mdp, std::vector<double> positions,
                                                      std::int64_t steps,
                                                      std::span<const std::int32_t> forbidden, int threads) {
  RestrictedMdp restricted = restricted_at(mdp, positions, forbidden);
  auto inner = finite_occupancies(restricted.mdp, std::move(positions), steps, threads);
  return std::make_unique<Translated>(mdp, std::move(restricted), std::move(inner));
}

std::unique_ptr<Occupancy> discounted_occupancies_without(const Mdp& mdp, std::vector<double> positions,
                                                          double budget,
                                                          std::span<const std::int32_t> forbidden,
                                                          int threads, double tolerance) {
  RestrictedMdp restricted = restricted_at(mdp, positions, forbidden);
  auto inner = discounted_occupancies(restricted.mdp, std::move(positions), budget, threads, tolerance);
  return std::make_unique<Translated>(mdp, std::move(restricted), std::move(inner));
}

}  // namespace mindgap::design

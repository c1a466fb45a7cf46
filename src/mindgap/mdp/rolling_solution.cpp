#include "mindgap/mdp/rolling_solution.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>

#include "mindgap/base/check.h"
#include "mindgap/base/error.h"
#include "mindgap/mdp/sweep.h"

namespace mindgap::mdp {
namespace {

// Backups per state, about as much work as solving anew.
constexpr std::int64_t kMostBackups = 150;
// Cycles are solved for with a policy that may have been overtaken, which can undo what backups gained.
// Sweeps of backups alone converge for sure, so after a while there are only those.
constexpr int kSweepsWithCycles = 50;
constexpr int kFirstJump = 8;  // the sweep before which values are extrapolated first; then at 16, 32, ...

// Calls visit(i) for every i whose flag is set, also those set on the way further up. Flags are bytes, eight
// at a time.
template <typename Visit>
void for_each_set(std::vector<std::uint8_t>& flags, const Visit& visit) {
  const std::size_t whole = flags.size() / 8 * 8;
  for (std::size_t i = 0; i < whole; i += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, flags.data() + i, 8);
    if (word == 0) continue;
    for (std::size_t j = i; j < i + 8; ++j) {
      if (flags[j]) visit(j);
    }
  }
  for (std::size_t j = whole; j < flags.size(); ++j) {
    if (flags[j]) visit(j);
  }
}

}  // namespace

// Where things lie, so that the compiler keeps it in registers.
struct RollingSolution::View {
  explicit View(const RollingSolution& rolling)
      : pair_begin(rolling.shape_.pair_begin().data()),
        row_begin(rolling.shape_.row_begin().data()),
        next_state(rolling.shape_.next_state().data()),
        probability(rolling.probability_.data()),
        reward(rolling.reward_.data()),
        value(rolling.value_.data()),
        discount(rolling.shape_.discount()) {}

  double action_value(std::int32_t pair) const {
    const std::int64_t begin = row_begin[pair];
    return reward[pair] + discount * gathered_sum(next_state + begin, probability + begin,
                                                  row_begin[pair + 1] - begin, value);
  }

  const std::int32_t* pair_begin;
  const std::int64_t* row_begin;
  const std::int32_t* next_state;
  const double *probability, *reward, *value;
  double discount;
};

RollingSolution::RollingSolution(const Mdp& model, std::vector<double> value, const RollingOptions& options)
    : shape_(model),
      options_(options),
      reward_(model.reward().begin(), model.reward().end()),
      probability_(model.probability().begin(), model.probability().end()),
      least_reward_(std::ranges::min(reward_)),
      most_reward_(std::ranges::max(reward_)),
      value_(std::move(value)),
      pick_(model.pair_begin().begin(), model.pair_begin().end() - 1) {
  base::check_positive("RollingSolution", "threshold", options.threshold);
  base::check_size("RollingSolution", "value", value_.size(), pick_.size());
  if (auto plan = plan_elimination(model, options.direct_work)) {
    elimination_.emplace(std::move(plan));
    return;
  }
  predecessors_ = std::make_shared<const Predecessors>(model);
  order_.resize(pick_.size());
  place_.resize(pick_.size());
  for (std::int32_t s = 0; s < model.states(); ++s) order_[s] = place_[s] = s;
  restart(std::vector(value_));
}

bool RollingSolution::fits(const Mdp& model) const {
  if (model.discount() != shape_.discount()) return false;
  if (model.next_state().data() == shape_.next_state().data()) return true;
  return std::ranges::equal(model.pair_begin(), shape_.pair_begin()) &&
         std::ranges::equal(model.row_begin(), shape_.row_begin()) &&
         std::ranges::equal(model.next_state(), shape_.next_state());
}

void RollingSolution::restart(std::span<const double> value) {
  std::ranges::copy(value, value_.begin());
  if (elimination_) return;
  told_ = value_;
  open_.assign(pick_.size(), 1);
  lead_.assign(pick_.size(), 0);
}

double RollingSolution::loss_bound() const {
  return (4 * shape_.discount() + 1) * options_.threshold / (1 - shape_.discount());
}

// Rows that did not change are the same bits: models are functions of what was observed. Rewards may all be a
// little other ones (bonuses on top of them are): those that moved by no more than half a threshold stay.
void RollingSolution::set(const Numbers& model) {
  if (elimination_) {
    std::ranges::copy(model.probability, probability_.begin());
    for (std::int32_t k = 0; k < shape_.pairs(); ++k) copy_reward(model, k);
    return;
  }
  for (std::int32_t s = 0; s < shape_.states(); ++s) {
    set_probabilities(model, s, shape_.entries_of_state(s));
    set_rewards(model, s);
  }
}

void RollingSolution::set(const Numbers& model, std::span<const std::int32_t> changed, bool all_rewards) {
  for (const std::int32_t k : changed) {
    const auto entries = shape_.entries_of(k);
    if (elimination_) {
      std::copy_n(model.probability.begin() + entries.first(), entries.size(),
                  probability_.begin() + entries.first());
      copy_reward(model, k);
    } else {
      const std::int32_t s = shape_.state_of_pair(k);
      set_probabilities(model, s, entries);
      if (!all_rewards) set_rewards(model, s);
    }
  }
  if (!all_rewards) return;
  if (elimination_) {
    for (std::int32_t k = 0; k < shape_.pairs(); ++k) copy_reward(model, k);
  } else {
    for (std::int32_t s = 0; s < shape_.states(); ++s) set_rewards(model, s);
  }
}

void RollingSolution::copy_reward(const Numbers& model, std::int32_t pair) {
  reward_[pair] = model.reward[pair];
  least_reward_ = std::min(least_reward_, reward_[pair]);
  most_reward_ = std::max(most_reward_, reward_[pair]);
}

void RollingSolution::set_probabilities(const Numbers& model, std::int32_t state,
                                        base::IndexRange<std::int64_t> entries) {
  const double* p = model.probability.data();
  if (std::memcmp(p + entries.first(), &probability_[entries.first()], sizeof(double) * entries.size()) == 0)
    return;
  std::copy(p + entries.first(), p + entries.last(), probability_.begin() + entries.first());
  lead_[state] = 0;
  mark(state);
}

void RollingSolution::set_rewards(const Numbers& model, std::int32_t state) {
  const double* r = model.reward.data();
  double moved = 0;
  for (const std::int32_t k : shape_.pairs_of(state)) moved = std::max(moved, std::abs(r[k] - reward_[k]));
  if (moved <= options_.threshold / 2) return;
  for (const std::int32_t k : shape_.pairs_of(state)) copy_reward(model, k);
  lead_[state] -= 2 * moved;
  mark(state);
}

// Whether values are finite and I - g P is well away from singular, with room to spare.
bool RollingSolution::is_tame() const {
  const double room = 1 - shape_.discount() * (1 + kSumTolerance);
  const double most = std::max(std::abs(least_reward_), std::abs(most_reward_));
  return room > 1e-6 && most / room < 1e200;
}

bool RollingSolution::update() {
  if (!is_tame()) return false;
  return elimination_ ? iterate_policies() : sweep();
}

// pick = the greedy pairs, the first of equals; says whether any beats the one it replaces by more than
// `margin`.
bool RollingSolution::improve(const View& view, double margin) {
  bool better = false;
  for (std::int32_t s = 0; s < shape_.states(); ++s) {
    const auto pairs = shape_.pairs_of(s);
    std::int32_t best = pairs.first();
    double most = view.action_value(best), held = most;
    for (std::int32_t k = best + 1; k < pairs.last(); ++k) {
      const double q = view.action_value(k);
      held = k == pick_[s] ? q : held;
      best = q > most ? k : best;
      most = std::max(most, q);
    }
    better = better || most > held + margin;
    pick_[s] = best;
  }
  return better;
}

// A value is off by about 1e-16 max|V| / (1-g) and so is a difference of action values; below ten times that
// actions count as equal, so that rounding cannot make policies go round.
bool RollingSolution::iterate_policies() {
  double most = 0;
  for (const double r : reward_) most = std::max(most, std::abs(r));
  const double room = 1 - shape_.discount(), margin = 1e-15 * most / (room * room);
  constexpr int kLimit = 1000;  // far beyond what policy iteration ever needs
  const View view(*this);
  improve(view, 0);
  for (int i = 0; i < kLimit; ++i) {
    elimination_->evaluate(numbers(), pick_, value_);
    if (!improve(view, margin)) return true;
  }
  return false;
}

// A new order of all states: the cycles of s -> its likeliest successor, then everybody else by their
// distance from one.
void RollingSolution::find_order() {
  const std::int32_t states = shape_.states();
  std::vector<std::uint8_t> open(open_.size());
  for (std::int32_t s = 0; s < states; ++s) open[s] = open_[place_[s]];
  std::vector<std::int32_t> next(open_.size()), begin(open_.size() + 1), before(open_.size());
  for (std::int32_t s = 0; s < states; ++s) {
    const auto entries = shape_.entries_of(pick_[s]);
    const double* row = probability_.data();
    next[s] = shape_.next_state()[std::max_element(row + entries.first(), row + entries.last()) - row];
    ++begin[next[s] + 1];
  }
  for (std::int32_t s = 0; s < states; ++s) begin[s + 1] += begin[s];
  for (std::int32_t s = states; s-- > 0;) before[--begin[next[s] + 1]] = s;  // begin[s + 1] is s's begin now
  std::vector<std::int32_t> path(open_.size(), -1);  // the walk that first met a state; then its cycle's
  order_.clear();
  basin_.resize(open_.size());
  cycle_begin_.assign(1, 0);
  for (std::int32_t first = 0; first < states; ++first) {
    std::int32_t s = first;
    while (path[s] < 0) path[s] = first, s = next[s];
    if (path[s] != first) continue;  // it ran into an earlier walk
    const std::int32_t entry = s;
    do {
      order_.push_back(s);
      path[s] = states;  // on a cycle; no walk has this number
      s = next[s];
    } while (s != entry);
    for (auto i = static_cast<std::size_t>(cycle_begin_.back()); i < order_.size(); ++i)
      basin_[order_[i]] = static_cast<std::int32_t>(cycle_begin_.size()) - 1;
    cycle_begin_.push_back(static_cast<std::int32_t>(order_.size()));
  }
  for (std::size_t i = 0; i < order_.size(); ++i) {
    const std::int32_t s = order_[i];
    const std::int32_t end = s + 1 < states ? begin[s + 2] : states;
    for (std::int32_t j = begin[s + 1]; j < end; ++j) {
      if (path[before[j]] == states) continue;
      basin_[before[j]] = basin_[s];
      order_.push_back(before[j]);
    }
  }
  for (std::int32_t i = 0; i < states; ++i) {
    place_[order_[i]] = i;
    open_[i] = open[order_[i]];
  }
  changed_picks_ = 0;
}

// Where one value moves, the worth of an action changes by g p times that, p the probability to go there, so
// the lead of one action over another by no more than g |p - p'| times that, which is less than all of it.
void RollingSolution::set_value(std::int32_t state, double value) {
  value_[state] = value;
  const double moved = std::abs(value - told_[state]);
  if (moved <= options_.threshold) return;
  told_[state] = value;
  for (const std::int32_t s : predecessors_->of(state)) {
    lead_[s] -= moved;
    mark(s);
  }
}

// x_i = b_i + g_i x_{i+1} around the cycle, with b_i what does not come from the next state on it.
void RollingSolution::solve_cycle(std::span<const std::int32_t> cycle) {
  const std::int32_t* next = shape_.next_state().data();
  const double* probability = probability_.data();
  const auto parts = [&](std::size_t i) {
    const std::int32_t pair = pick_[cycle[i]], to = cycle[i + 1 < cycle.size() ? i + 1 : 0];
    double rest = 0, along = 0;
    for (const std::int64_t j : shape_.entries_of(pair)) {
      const bool on = next[j] == to;
      rest += on ? 0 : probability[j] * value_[next[j]];
      along += on ? probability[j] : 0;
    }
    return std::pair(reward_[pair] + shape_.discount() * rest, shape_.discount() * along);
  };
  double sum = 0, carry = 1;
  for (std::size_t i = 0; i < cycle.size(); ++i) {
    const auto [rest, along] = parts(i);
    sum += carry * rest;
    carry *= along;
  }
  const double first = sum / (1 - carry);
  if (std::abs(first - value_[cycle.front()]) <= options_.threshold) return;
  const auto assign = [&](std::int32_t s, double value) {
    set_value(s, value);
    mark(s);  // not a backup
  };
  double x = first;
  for (std::size_t i = cycle.size(); i-- > 1;) {
    const auto [rest, along] = parts(i);
    x = rest + along * x;
    assign(cycle[i], x);
  }
  assign(cycle.front(), first);
}

inline void RollingSolution::back_up(const View& view, std::int32_t state) {
  ++backups_;
  // Values may have moved by 2 thresholds since the lead was found without anybody being told, and rewards by
  // a half.
  if (lead_[state] > 5 * options_.threshold) return set_value(state, view.action_value(pick_[state]));
  double most = -std::numeric_limits<double>::infinity(), second = most;
  std::int32_t best = view.pair_begin[state];
  for (std::int32_t k = best; k < view.pair_begin[state + 1]; ++k) {
    const double q = view.action_value(k);
    best = q > most ? k : best;
    second = std::max(second, std::min(most, q));
    most = std::max(most, q);
  }
  changed_picks_ += best != pick_[state];
  pick_[state] = best;
  lead_[state] = most - second;
  set_value(state, most);
}

// Where moves hardly lead out of a basin, the states from which one ends up in the same cycle, what its
// values have in common settles by a share of about 1 - g a sweep: the changes d of one sweep are those of
// the sweep before times some l < 1. They are then summed up at once, d (l + l^2 + ...) (Aitken
// extrapolation, basin by basin). `two` and `one` are the values of two sweeps and of one sweep ago.
void RollingSolution::extrapolate(std::span<const double> two, std::span<const double> one) {
  const double room = 1 - shape_.discount();
  const double least = least_reward_ / room, most = most_reward_ / room;  // no value lies beyond
  std::vector<double> products(cycle_begin_.size()), squares(cycle_begin_.size());
  for (std::int32_t s = 0; s < shape_.states(); ++s) {
    const double before = one[s] - two[s];
    products[basin_[s]] += (value_[s] - one[s]) * before;
    squares[basin_[s]] += before * before;
  }
  for (std::int32_t s = 0; s < shape_.states(); ++s) {
    const std::int32_t b = basin_[s];
    if (!(products[b] > 0)) continue;
    const double shrinks = std::min(products[b] / squares[b], shape_.discount());
    const double more = (value_[s] - one[s]) * shrinks / (1 - shrinks);
    if (std::abs(more) <= options_.threshold) continue;
    set_value(s, std::clamp(value_[s] + more, least, most));
    mark(s);  // not a backup
  }
}

bool RollingSolution::sweep() {
  const View view(*this);
  int next_order = 0, next_jump = kFirstJump;
  std::vector<double> two, one;  // values of two sweeps and one sweep ago, before a jump
  const std::int64_t most = backups_ + kMostBackups * shape_.states();
  for (int round = 0; backups_ < most; ++round) {
    // An order that is a little old only costs a few more sweeps, and a new one as much as a sweep of all
    // states.
    if (round >= next_order && changed_picks_ > shape_.states() / (round == 0 ? 100 : 1000)) {
      find_order();
      next_order = 4 * (round + 1);
    }
    for (std::size_t c = 0; c + 1 < cycle_begin_.size() && round < kSweepsWithCycles; ++c) {
      const std::span<const std::int32_t> cycle(order_.data() + cycle_begin_[c],
                                                order_.data() + cycle_begin_[c + 1]);
      const bool open = std::any_of(open_.begin() + cycle_begin_[c], open_.begin() + cycle_begin_[c + 1],
                                    [](std::uint8_t flag) { return flag != 0; });
      if (open) solve_cycle(cycle);
    }
    if (round + 2 == next_jump) two = value_;
    if (round + 1 == next_jump) one = value_;
    if (round == next_jump) {
      if (!basin_.empty()) extrapolate(two, one);
      next_jump *= 2;
    }
    bool any = false;
    for_each_set(open_, [&](std::size_t i) {
      open_[i] = 0;
      back_up(view, order_[i]);
      any = true;
    });
    if (!any) return true;
  }
  return false;
}

}  // namespace mindgap::mdp

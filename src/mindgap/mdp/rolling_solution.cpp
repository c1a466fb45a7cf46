#include "mindgap/mdp/rolling_solution.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
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
// Shares of what comes back that are anticipated on cycles and elsewhere, and the sweeps in which they are:
// with all of it, values that differ from state to state would be amplified. Smaller steps than so many
// thresholds are not worth the second look that they take.
constexpr double kOnCycles = .95, kOffCycles = .9, kWorthIt = 4;
constexpr double kMostLater = .4;  // above, the pick leads elsewhere than when the order was found
constexpr int kHurriedSweeps = 12;
// Thresholds, as a share of the largest reward, that make the least product of a path that counts: 3e-5 for a
// tolerance of 1e-4. Gains of plans in sampled models (900 cells, 96 models) then move by at most .024
// standard errors; with 3e-4 they move by up to a quarter of one.
constexpr double kThresholdsOfPath = 1.5;
// Thresholds by which V of states that do not count rises beyond TV: where it only just rose as far as it had
// to, every small rise would be passed on.
constexpr double kSlack = 100;
// They are raised in no good order, and cycles are not solved for. Where that takes long all states count.
constexpr int kMostRises = 100;

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
  all_.resize(pick_.size());
  std::iota(all_.begin(), all_.end(), 0);
  restart(std::vector(value_));
}

bool RollingSolution::fits(const Mdp& model) const {
  if (model.discount() != shape_.discount()) return false;
  if (model.next_state().data() == shape_.next_state().data()) return true;
  return std::ranges::equal(model.pair_begin(), shape_.pair_begin()) &&
         std::ranges::equal(model.row_begin(), shape_.row_begin()) &&
         std::ranges::equal(model.next_state(), shape_.next_state());
}

void RollingSolution::restart(std::span<const double> value, std::optional<double> threshold) {
  if (threshold) {
    base::check_positive("RollingSolution", "threshold", *threshold);
    options_.threshold = *threshold;
  }
  std::ranges::copy(value, value_.begin());
  if (elimination_) return;
  told_ = value_;
  lead_.assign(pick_.size(), 0);
  high_.assign(pick_.size(), 0);
  rises_.assign(pick_.size(), 0);
  rising_.clear();
  order_.find(all_, numbers(), pick_);
  open_.assign(pick_.size(), 1);
  restarted_ = true;
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

bool RollingSolution::update(std::span<const std::int32_t> from) {
  if (!is_tame()) return false;
  return elimination_ ? iterate_policies() : roll(from);
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

// The least product of a path that counts.
double RollingSolution::least_path() const {
  const double most = std::max(std::abs(least_reward_), std::abs(most_reward_));
  return most > 0 ? std::min(kThresholdsOfPath * options_.threshold / most, 1.0) : 1.0;
}

// A new order of the states that count. What was open stays so, and what is old is open.
void RollingSolution::find_order(std::span<const std::int32_t> from) {
  const std::size_t counted = order_.size();
  risen_.clear();
  for_each_set(open_, [&](std::size_t i) { risen_.push_back(order_.states()[i]); });
  if (!from.empty()) ahead_.find(from, numbers(), pick_, least_path());
  order_.find(from.empty() ? all_ : ahead_.states(), numbers(), pick_);
  open_.assign(order_.size(), 0);
  if (counted == all_.size() && order_.size() < counted) lift_others();
  for (const std::int32_t s : risen_) mark(s);
  for (std::size_t i = 0; i < order_.size(); ++i) {
    const std::int32_t s = order_.states()[i];
    if (high_[s] != 0 || rises_[s] != 0) open_[i] = 1;
    high_[s] = rises_[s] = 0;
  }
  std::erase_if(rising_, [&](std::int32_t s) { return order_.place(s) >= 0; });
  changed_picks_ = 0;
}

// When states cease to count: V rises by the same everywhere else, so that V > TV by kSlack thresholds there,
// and a value that rises a little need not be passed on.
void RollingSolution::lift_others() {
  const double lift = kSlack * options_.threshold / (1 - shape_.discount());
  for (const std::int32_t s : all_) {
    if (order_.place(s) >= 0) continue;
    value_[s] += lift;
    told_[s] += lift;
    high_[s] = 1;
  }
  // Actions differ in how much of that they see only where they lead to states that count, and to others.
  for (const std::int32_t s : order_.states()) {
    for (const std::int32_t before : predecessors_->of(s)) {
      lead_[before] -= lift;
      mark(before);
    }
    lead_[s] -= lift;
    mark(s);
  }
}

inline void RollingSolution::mark(std::int32_t state) {
  const std::int32_t place = order_.place(state);
  if (place >= 0) {
    open_[place] = 1;
  } else if (!rises_[state]) {
    rises_[state] = 1;
    rising_.push_back(state);
  }
}

// Where one value moves, the worth of an action changes by g p times that, p the probability to go there, so
// the lead of one action over another by no more than g |p - p'| times that, which is less than all of it.
inline void RollingSolution::set_value(std::int32_t state, double value) {
  value_[state] = value;
  const double rise = value - told_[state], moved = std::abs(rise);
  if (moved <= options_.threshold) return;
  told_[state] = value;
  for (const std::int32_t s : predecessors_->of(state)) {
    lead_[s] -= moved;
    if (rise > 0 || order_.place(s) >= 0) {
      mark(s);
    } else {
      high_[s] = 1;
    }
  }
}

// No value lies beyond.
inline double RollingSolution::bounded(double value) const {
  const double room = 1 - shape_.discount();
  return std::clamp(value, least_reward_ / room, most_reward_ / room);
}

void RollingSolution::solve_cycles() {
  for (std::size_t c = 0; c < order_.cycles(); ++c) {
    const auto first = open_.begin() + static_cast<std::ptrdiff_t>(order_.cycle_begin(c));
    const auto last = open_.begin() + static_cast<std::ptrdiff_t>(order_.cycle_end(c));
    if (std::any_of(first, last, [](std::uint8_t flag) { return flag != 0; }))
      solve_cycle(order_.cycle(c), static_cast<std::int32_t>(c));
  }
  // They are backed up after those who follow them.
  for (const std::int32_t s : jumped_) open_[order_.place(s)] = 0;
}

// Steps d_i of the values around the cycle: d_i = e_i + a_i d_{i+1} + f_i d_i, with e_i what a backup of the
// pick would change, a_i = g p of the next state on the cycle, and f_i = g sum p x over the other successors
// of the basin, which will follow by x times the step (CycleOrder::gain).
void RollingSolution::solve_cycle(std::span<const std::int32_t> cycle, std::int32_t basin) {
  const double g = shape_.discount();
  double sum = 0, carry = 1;
  steps_.resize(cycle.size());
  for (std::size_t i = 0; i < cycle.size(); ++i) {
    const std::int32_t pair = pick_[cycle[i]], to = cycle[i + 1 < cycle.size() ? i + 1 : 0];
    double all = 0, along = 0, follow = 0;
    for (const std::int64_t j : shape_.entries_of(pair)) {
      const std::int32_t n = shape_.next_state()[j];
      all += probability_[j] * value_[n];
      along += n == to ? probability_[j] : 0;
      const bool follows = n != to && order_.basin_of(n) == basin;
      follow += follows ? probability_[j] * order_.gain(order_.place(n)) : 0;
    }
    const double own = 1 / (1 - kOnCycles * g * follow);
    steps_[i] = {(reward_[pair] + g * all - value_[cycle[i]]) * own, g * along * own};
    sum += carry * steps_[i].first;
    carry *= steps_[i].second;
  }
  const double first = sum / (1 - carry);
  if (std::abs(first) <= options_.threshold) return;
  double step = first;
  for (std::size_t i = cycle.size(); i-- > 0;) {
    step = i > 0 ? steps_[i].first + steps_[i].second * step : first;
    set_value(cycle[i], bounded(value_[cycle[i]] + step));
  }
  jumped_.insert(jumped_.end(), cycle.begin(), cycle.end());
}

// TV of one state, and with it the pick and its lead.
inline double RollingSolution::backup(const View& view, std::int32_t state) {
  ++backups_;
  // Values may have moved by 2 thresholds since the lead was found without anybody being told, and rewards by
  // a half.
  if (lead_[state] > 5 * options_.threshold) return view.action_value(pick_[state]);
  double most = -std::numeric_limits<double>::infinity(), second = most;
  std::int32_t best = view.pair_begin[state];
  for (std::int32_t k = best; k < view.pair_begin[state + 1]; ++k) {
    const double q = view.action_value(k);
    best = q > most ? k : best;
    second = std::max(second, std::min(most, q));
    most = std::max(most, q);
  }
  changed_picks_ += best != pick_[state] && order_.place(state) >= 0;
  pick_[state] = best;
  lead_[state] = most - second;
  return most;
}

// Where moves hardly lead out of a basin, what its values have in common settles by a share of about 1 - g a
// sweep: the changes d of one sweep are those of the sweep before times some l < 1. They are then summed up
// at once, d (l + l^2 + ...) (Aitken extrapolation, basin by basin). `two` and `one` are the values, by
// place, of two sweeps and of one sweep ago.
void RollingSolution::extrapolate(std::span<const double> two, std::span<const double> one) {
  std::vector<double> products(order_.basins()), squares(order_.basins());
  for (std::size_t i = 0; i < order_.size(); ++i) {
    const double before = one[i] - two[i];
    products[order_.basin(i)] += (value_[order_.states()[i]] - one[i]) * before;
    squares[order_.basin(i)] += before * before;
  }
  for (std::size_t i = 0; i < order_.size(); ++i) {
    const std::int32_t b = order_.basin(i), s = order_.states()[i];
    if (!(products[b] > 0)) continue;
    const double shrinks = std::min(products[b] / squares[b], shape_.discount());
    const double more = (value_[s] - one[i]) * shrinks / (1 - shrinks);
    if (std::abs(more) <= options_.threshold) continue;
    set_value(s, bounded(value_[s] + more));
    mark(s);  // not a backup
  }
}

// The states that count and are open. Says whether there were any.
bool RollingSolution::sweep(const View& view, bool hurry) {
  bool any = !jumped_.empty();
  for_each_set(open_, [&](std::size_t i) {
    any = true;
    open_[i] = 0;
    const std::int32_t s = order_.states()[i];
    const double value = backup(view, s), step = value - value_[s];
    if (hurry && std::abs(step) > kWorthIt * options_.threshold) {
      double later = order_.on_cycle(i) ? 0 : order_.later(i, numbers(), pick_[s]);
      if (later > kMostLater) later = 0;
      set_value(s, bounded(value_[s] + step / (1 - kOffCycles * shape_.discount() * later)));
      mark(s);  // not a backup
    } else {
      set_value(s, value);
    }
  });
  for (const std::int32_t s : jumped_) {
    open_[order_.place(s)] = 0;
    set_value(s, backup(view, s));
  }
  return any;
}

// The others whose values may be too low. Says whether there were any.
bool RollingSolution::raise_others(const View& view) {
  risen_.clear();
  risen_.swap(rising_);
  for (const std::int32_t s : risen_) {
    rises_[s] = 0;
    high_[s] = 1;
    const double value = backup(view, s);
    if (value > value_[s]) set_value(s, bounded(value + kSlack * options_.threshold));
  }
  return !risen_.empty();
}

bool RollingSolution::roll(std::span<const std::int32_t> from) {
  const View view(*this);
  if (restarted_) from = {};
  const bool all = from.empty();
  int next_order = 0, next_jump = kFirstJump, rises = 0;
  int begun = 0;                 // the sweep that began with what others or another order had left to do
  std::vector<double> two, one;  // values of two sweeps and one sweep ago, before a jump
  const auto copy_values = [&](std::vector<double>& into) {
    for (const std::int32_t s : order_.states()) into.push_back(value_[s]);
  };
  const std::int64_t most = backups_ + kMostBackups * shape_.states();
  for (int round = 0; backups_ < most; ++round) {
    // An order that is a little old only costs a few more sweeps, and a new one as much as a sweep of all its
    // states. Where values are old elsewhere, though, new cycles are often made of those.
    const bool others = (round == 0 && (!all || order_.size() != all_.size())) || (round == 1 && restarted_);
    const auto few = static_cast<std::int64_t>(order_.size()) / 100;
    if (others || (round >= next_order && changed_picks_ > few)) {
      find_order(from);
      next_order = all ? 4 * (round + 1) : round + 3;
      two.clear();
      one.clear();
    }
    jumped_.clear();
    const bool picked = round > 0 || !restarted_;  // else nobody has picked yet, and there is no policy
    if (round > 0) restarted_ = false;
    if (picked && round - begun < kSweepsWithCycles) solve_cycles();
    if (round + 2 == next_jump) copy_values(two);
    if (round + 1 == next_jump) copy_values(one);
    if (round == next_jump) {
      if (two.size() == order_.size() && one.size() == order_.size()) extrapolate(two, one);
      two.clear();
      one.clear();
      next_jump *= 2;
    }
    if (sweep(view, picked && round - begun < kHurriedSweeps)) continue;
    begun = round + 1;
    if (raise_others(view)) {
      if (++rises > kMostRises) return roll({});
      continue;
    }
    if (all || changed_picks_ == 0) return true;
    find_order(from);  // other picks may lead elsewhere
    if (std::ranges::none_of(open_, [](std::uint8_t flag) { return flag != 0; })) return true;
  }
  return !all && roll({});
}

}  // namespace mindgap::mdp

#include "mindgap/planner/improvement.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "mindgap/base/listener.h"
#include "mindgap/gap/stateless.h"
#include "mindgap/mdp/evaluate.h"
#include "mindgap/planner/explorers.h"
#include "mindgap/planner/learning_planner.h"

namespace mindgap::planner {
namespace {

constexpr double kEnough = .9;  // of a variance: no more looks

// e psi(gap / e): what a normal of standard deviation e around a value `gap` below the other is worth.
double expected_improvement(double gap, double e) {
  return e > 0 ? e * gap::unit_normal_loss(gap / e) : 0;
}

// Units in the same state are alike.
struct Places {
  std::vector<std::int32_t> state;
  std::vector<double> units;
  std::vector<double> base;  // B
};

// How often k may be looked at, and what each is worth to all.
struct Look {
  std::int32_t pair = -1;
  std::int64_t looks = 0;
  double delay = 0;   // q^n
  double after = 0;   // f_n
  double round = 0;   // q
  double earned = 0;  // c
  double moves = 0;   // t
  double gained = 0;  // the sum of improvements over all units
};

class Target {
 public:
  Target(const Surroundings& now, const mdp::Predecessors& predecessors, std::int32_t state)
      : way_(std::make_shared<const Way>(quickest_way(now.mean, predecessors, state, now.value))) {}

  const Way& way() const { return *way_; }
  const std::shared_ptr<const Way>& shared_way() const { return way_; }
  std::span<const Look> looks() const { return looks_; }

  void refresh(const Surroundings& now, std::span<const double> seen, const Places& places) {
    looks_.clear();
    for (const std::int32_t k : now.mean.pairs_of(way_->target)) add_looks(now, k, seen[k], places);
  }

  double improvement(const Look& look, std::int32_t state, double base) const {
    const double d = way_->discount[state];
    const double staying = way_->reward[state] + d * look.earned / (1 - look.round);
    return expected_improvement(std::max(base - staying, 0.0), d * look.moves / (1 - look.round));
  }

  double worth(const Look& look, std::int32_t state, double value) const {
    const double d = way_->discount[state];
    const double forgone = value - way_->reward[state] - d * look.after;
    return d * look.delay * look.gained - std::max(forgone, 0.0);
  }

 private:
  void add_looks(const Surroundings& now, std::int32_t pair, double seen, const Places& places) {
    const double v = 1 / now.belief.observation_precision(pair), before = now.belief.reward_variance(pair);
    const double left = seen > 0 ? before * v / (v + seen * before) : before;  // of the variance of its mean
    if (!(left > 0)) return;  // nothing to find, or a noiseless reward that will be seen anyway
    Look look{pair, 0, 1, now.value[way_->target], 0, now.mean.reward()[pair]};
    for (const std::int64_t i : now.mean.entries_of(pair)) {
      const double p = now.mean.discount() * now.mean.probability()[i];
      look.round += p * way_->discount[now.mean.next_state()[i]];
      look.earned += p * way_->reward[now.mean.next_state()[i]];
    }
    for (std::int64_t n = 1; n <= now.left; n *= 2) {
      for (; look.looks < n; ++look.looks) {
        look.delay *= look.round;
        look.after = look.earned + look.round * look.after;
      }
      const double share = static_cast<double>(n) * left / (v + static_cast<double>(n) * left);
      look.moves = std::sqrt(left * share);
      look.gained = 0;
      for (std::size_t i = 0; i < places.state.size(); ++i)
        look.gained += places.units[i] * improvement(look, places.state[i], places.base[i]);
      looks_.push_back(look);
      if (share >= kEnough) break;
    }
  }

  std::shared_ptr<const Way> way_;
  std::vector<Look> looks_;
};

// Spreads states of equal promise: a bijection of 32 bits (the finaliser of MurmurHash3).
std::uint32_t scattered(std::uint32_t state) {
  state ^= state >> 16;
  state *= 0x85ebca6bU;
  state ^= state >> 13;
  state *= 0xc2b2ae35U;
  return state ^ state >> 16;
}

// The states that are thought of: where a unit that is there already would gain most from one look by
// staying.
std::vector<std::int32_t> candidates(const Surroundings& now) {
  const double rate = (1 - now.mean.discount()) * *std::max_element(now.value.begin(), now.value.end());
  std::vector<double> promise(static_cast<std::size_t>(now.mean.states()));
  std::vector<std::int32_t> all;
  for (std::int32_t s = 0; s < now.mean.states(); ++s) {
    for (const std::int32_t k : now.mean.pairs_of(s)) {
      const double gap = std::max(rate - now.mean.reward()[k], 0.0);
      promise[s] = std::max(promise[s], expected_improvement(gap, std::sqrt(now.belief.reward_variance(k))));
    }
    if (promise[s] > 0) all.push_back(s);
  }
  if (all.size() <= now.candidates) return all;
  const auto first = [&](std::int32_t a, std::int32_t b) {
    if (promise[a] != promise[b]) return promise[a] > promise[b];
    return scattered(static_cast<std::uint32_t>(a)) < scattered(static_cast<std::uint32_t>(b));
  };
  std::nth_element(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(now.candidates), all.end(), first);
  all.resize(now.candidates);
  std::sort(all.begin(), all.end());
  return all;
}

Places places_of(const Surroundings& now, std::span<const std::int32_t> unit_state) {
  Places places;
  const std::vector<double> units = positions_of(unit_state, now.mean.states());
  for (std::int32_t s = 0; s < now.mean.states(); ++s) {
    if (units[s] == 0) continue;
    places.state.push_back(s);
    places.units.push_back(units[s]);
    places.base.push_back(now.value[s]);
  }
  return places;
}

// Deals out errands, the most worthwhile first. Improvements only shrink as errands are given (B rises, k is
// looked at), so a target whose numbers are old cannot be better than they say: only the best one is computed
// again, and taken if it still is the best (lazy greedy, Minoux 1978).
class Dispatch {
 public:
  Dispatch(const Surroundings& now, std::span<const std::int32_t> unit_state)
      : now_(now),
        unit_state_(unit_state),
        places_(places_of(now, unit_state)),
        seen_(now.seen_anyway.begin(), now.seen_anyway.end()),
        errands_(unit_state.size()) {
    const mdp::Predecessors predecessors(now.mean);
    for (const std::int32_t s : candidates(now)) {
      base::interruption_point();
      targets_.emplace_back(now, predecessors, s);
      targets_.back().refresh(now_, seen_, places_);
    }
    fresh_.assign(targets_.size(), true);
    best_.resize(targets_.size());
    for (std::size_t i = 0; i < targets_.size(); ++i) best_[i] = best_of(i);
  }

  std::vector<std::optional<Errand>> errands() {
    for (std::size_t given = 0; given < unit_state_.size();) {
      const std::size_t i = top();
      if (i == targets_.size()) break;
      if (!fresh_[i]) {
        targets_[i].refresh(now_, seen_, places_);
        fresh_[i] = true;
        best_[i] = best_of(i);
        continue;
      }
      give(i, best_[i]);
      ++given;
    }
    return std::move(errands_);
  }

 private:
  struct Choice {
    std::size_t unit = 0, look = 0;
    double worth = 0;
  };

  Choice best_of(std::size_t target) const {
    Choice best;
    const auto looks = targets_[target].looks();
    for (std::size_t l = 0; l < looks.size(); ++l) {
      for (std::size_t u = 0; u < unit_state_.size(); ++u) {
        if (errands_[u]) continue;
        const double worth = targets_[target].worth(looks[l], unit_state_[u], now_.value[unit_state_[u]]);
        if (worth > best.worth) best = {u, l, worth};
      }
    }
    return best;
  }

  std::size_t top() const {
    std::size_t top = targets_.size();
    double most = 0;
    for (std::size_t i = 0; i < targets_.size(); ++i) {
      if (best_[i].worth > most) most = best_[i].worth, top = i;
    }
    return top;
  }

  void give(std::size_t i, const Choice& choice) {
    const Target& target = targets_[i];
    const Look look = target.looks()[choice.look];
    errands_[choice.unit] = Errand{target.shared_way(), look.pair, look.looks, choice.worth};
    const double share = target.way().discount[unit_state_[choice.unit]] * look.delay;
    for (std::size_t p = 0; p < places_.state.size(); ++p)
      places_.base[p] += share * target.improvement(look, places_.state[p], places_.base[p]);
    seen_[look.pair] += static_cast<double>(look.looks);
    fresh_.assign(targets_.size(), false);
    for (std::size_t other = 0; other < targets_.size(); ++other) {
      if (best_[other].worth > 0 && best_[other].unit == choice.unit) best_[other] = best_of(other);
    }
  }

  const Surroundings& now_;
  std::span<const std::int32_t> unit_state_;
  Places places_;
  std::vector<double> seen_;
  std::vector<Target> targets_;
  std::vector<bool> fresh_;   // whether a target's numbers are those of now
  std::vector<Choice> best_;  // per target, of the units without an errand
  std::vector<std::optional<Errand>> errands_;
};

class Improvement final : public LearningPlanner {
 public:
  explicit Improvement(const Setting& setting) : LearningPlanner(setting), horizon_(setting.horizon) {}

 protected:
  void replan(std::int64_t step, std::span<const std::int32_t> state) override {
    const mdp::Mdp mean = belief_.mean();
    replanner_.plan(mean);
    const mdp::Policy policy = replanner_.policy(mean);
    errands_.assign(state.size(), std::nullopt);
    const std::int64_t left = horizon_ - step;
    if (left < 2 || state.empty()) return;
    const mdp::Mdp patient = mean.with_discount(patience(left));
    const std::vector<double> value = mdp::evaluate(patient, policy).value;
    const std::vector<double> anyway = design::expected_observations(
        mean, policy, positions_of(state, mean.states()), std::min(left, options_.window));
    errands_ = plan_errands({belief_, patient, value, anyway, left}, state);
  }

  void act(std::int64_t step, std::span<const std::int32_t> state, std::span<std::int32_t> pair) override {
    LearningPlanner::act(step, state, pair);
    for (std::size_t u = 0; u < std::min(state.size(), errands_.size()); ++u) {
      if (!errands_[u] || errands_[u]->looks == 0) continue;
      const bool there = state[u] == errands_[u]->way->target;
      const std::int32_t next = there ? errands_[u]->pair : errands_[u]->way->pair_of_state[state[u]];
      if (next >= 0) pair[u] = next;  // else no way leads there any more
      if (there) --errands_[u]->looks;
    }
  }

 private:
  std::int64_t horizon_;
  std::vector<std::optional<Errand>> errands_;
};

}  // namespace

std::vector<std::optional<Errand>> plan_errands(const Surroundings& now,
                                                std::span<const std::int32_t> unit_state) {
  return Dispatch(now, unit_state).errands();
}

std::unique_ptr<Planner> make_improvement(const Setting& setting) {
  return std::make_unique<Improvement>(setting);
}

}  // namespace mindgap::planner

#include <algorithm>
#include <array>
#include <cmath>

#include "paper/cases/hiv/planners.h"

// UCRL2 and UCBVI, one learner per team on 40 zones x 5 moves, without the simulator. A
// learner is not told which moves the grid allows before it stands in a zone: in its plans a move that the
// wall or the edge forbids is one that it has not tried yet.
namespace mindgap::cases::hiv {
namespace {

constexpr double kOptimismDiscount = .95, kConfidence = .05;
constexpr std::int32_t kOptimismMoves = 5;
constexpr std::int64_t kUcrl2Every = 25, kUcbviEvery = 1;
constexpr int kMostSweeps = 2000, kEvaluations = 20;
constexpr double kPrecision = 1e-6;

enum class Rule { ucrl2, ucbvi };

// What one team has seen of one move: a move always leads to the same zone, so counts and the sum of rewards
// say it all.
struct Pair {
  std::int32_t tried = 0;
  double reward = 0;
  Zone to = -1;           // where it led; -1: not known
  double optimistic = 0;  // reward used in the last plan
  double slack = 0;       // share of the next state that optimism may choose
};

class TeamLearner {
 public:
  TeamLearner(const Known& known, Rule rule)
      : known_(known),
        rule_(rule),
        pairs_(known.simulator.size()),
        value_(pairs_.size(), 0.0),
        next_(value_),
        best_(pairs_.size()) {}

  void replan(std::int64_t day) {
    const double t = static_cast<double>(day) + 1;
    for (auto& moves : pairs_) {
      for (Pair& pair : moves) set_optimism(pair, t);
    }
    solve();
  }

  // An untried move of this zone first, in the order up, down, left, right, stay; else the best one.
  Zone choose(Zone here) {
    const auto s = static_cast<std::size_t>(here);
    move_ = -1;
    double best = 0;
    const double highest = *std::max_element(value_.begin(), value_.end());
    for (std::int32_t move = 0; move < kOptimismMoves; ++move) {
      const Zone to = known_.geography->after_move(here, move);
      if (to < 0) continue;
      const Pair& pair = pairs_[s][static_cast<std::size_t>(move)];
      if (pair.tried == 0) {
        move_ = move;
        break;
      }
      const double worth = backup(pair, highest);
      if (move_ >= 0 && worth <= best) continue;
      move_ = move;
      best = worth;
    }
    from_ = here;
    return known_.geography->after_move(here, move_);
  }

  void observe(const TeamDay& test) {
    Pair& pair = pairs_[static_cast<std::size_t>(from_)][static_cast<std::size_t>(move_)];
    ++pair.tried;
    pair.to = test.zone;
    pair.reward += std::min(1.0, test.positives / known_.tests_per_day);
  }

 private:
  // UCRL2 (Jaksch, Ortner, Auer 2010), radii times c:
  //   reward sqrt(7 ln(2 S A t/delta) / (2 max(1,n))), transition sqrt(14 S ln(2 A t/delta) / max(1,n)) in
  //   the 1-norm, half of which can move to the best state. UCBVI: bonus c sqrt(ln(S A t/delta) / n).
  void set_optimism(Pair& pair, double t) const {
    const double states = static_cast<double>(pairs_.size());
    const double n = std::max(1, pair.tried), c = known_.optimism;
    const double mean = pair.tried > 0 ? pair.reward / pair.tried : 0;
    if (rule_ == Rule::ucrl2) {
      const double radius = std::sqrt(3.5 * std::log(2 * states * kOptimismMoves * t / kConfidence) / n);
      pair.optimistic = std::min(1.0, mean + c * radius);
      const double moved = c * std::sqrt(14 * states * std::log(2 * kOptimismMoves * t / kConfidence) / n);
      pair.slack = std::min(1.0, moved / 2);
    } else {
      pair.optimistic =
          std::min(1.0, mean + c * std::sqrt(std::log(states * kOptimismMoves * t / kConfidence) / n));
      pair.slack = 0;
    }
    if (pair.tried == 0) pair.slack = 1;  // it may lead anywhere: to the zone with the highest value
  }

  double backup(const Pair& pair, double highest) const {
    const double known = pair.slack < 1 ? value_[static_cast<std::size_t>(pair.to)] : 0;
    return pair.optimistic + kOptimismDiscount * ((1 - pair.slack) * known + pair.slack * highest);
  }

  // Optimistic value iteration from the last plan's values. A sweep over all moves gives bounds on what is
  // left (MacQueen 1966), the lower of which takes the place of the sweeps in which all values rise alike;
  // between two of these, sweeps over the best moves alone (modified policy iteration).
  void solve() {
    for (int sweep = 0; sweep < kMostSweeps; ++sweep) {
      if (improve() < kPrecision) return;
      for (int i = 0; i < kEvaluations; ++i) {
        const double highest = *std::max_element(value_.begin(), value_.end());
        for (std::size_t s = 0; s < value_.size(); ++s) value_[s] = backup(*best_[s], highest);
      }
    }
  }

  // The values become the lower bounds, from where modified policy iteration rises steadily (Puterman 1994,
  // theorem 6.5.5). Returns the width of the bounds.
  double improve() {
    const double highest = *std::max_element(value_.begin(), value_.end());
    double low = 1e300, high = -1e300;
    for (std::size_t s = 0; s < pairs_.size(); ++s) {
      next_[s] = -1;
      for (const Pair& pair : pairs_[s]) {
        const double worth = backup(pair, highest);
        if (worth <= next_[s]) continue;
        next_[s] = worth;
        best_[s] = &pair;
      }
      low = std::min(low, next_[s] - value_[s]);
      high = std::max(high, next_[s] - value_[s]);
    }
    const double rest = kOptimismDiscount / (1 - kOptimismDiscount);
    for (std::size_t s = 0; s < next_.size(); ++s) value_[s] = next_[s] + rest * low;
    return rest * (high - low);
  }

  const Known& known_;
  Rule rule_;
  std::vector<std::array<Pair, kOptimismMoves>> pairs_;
  std::vector<double> value_, next_;
  std::vector<const Pair*> best_;  // per zone, in the last plan
  Zone from_ = 0;
  std::int32_t move_ = 0;
};

class Optimism : public HivPlanner {
 public:
  Optimism(const Known& known, Rule rule, std::int64_t every) : known_(known), every_(every) {
    for (std::int32_t team = 0; team < known.teams; ++team) learners_.emplace_back(known_, rule);
  }

  void decide(std::int64_t day, std::span<const Zone> position, std::span<Zone> next) override {
    for (std::size_t team = 0; team < learners_.size(); ++team) {
      if (day % every_ == 0) learners_[team].replan(day);
      next[team] = learners_[team].choose(position[team]);
    }
  }
  void observe(std::span<const TeamDay> tests) override {
    for (const TeamDay& test : tests) learners_[static_cast<std::size_t>(test.team)].observe(test);
  }

 private:
  const Known known_;
  std::int64_t every_;
  std::vector<TeamLearner> learners_;
};

}  // namespace

std::unique_ptr<HivPlanner> make_ucrl2(const Known& known) {
  return std::make_unique<Optimism>(known, Rule::ucrl2, kUcrl2Every);
}
std::unique_ptr<HivPlanner> make_ucbvi(const Known& known) {
  return std::make_unique<Optimism>(known, Rule::ucbvi, kUcbviEvery);
}

}  // namespace mindgap::cases::hiv

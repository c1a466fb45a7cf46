#include <algorithm>
#include <cmath>

#include "paper/cases/hiv/planners.h"

// KG-SEP: the paper compares it but states no rule for this case.
namespace mindgap::cases::hiv {
namespace {

constexpr double kKgDiscount = .95;
constexpr int kSweeps = 600;  // .95^600 is 4e-14

class Kg : public HivPlanner {
 public:
  explicit Kg(const Known& known)
      : known_(known), belief_(known, known.belief), value_(known.simulator.size(), 0.0) {
    solve_simulator();
  }

  // Every team the move y with the highest 8 m_y + .95 8 KG_y + .95 V(y).
  void decide(std::int64_t, std::span<const Zone> position, std::span<Zone> next) override {
    const std::vector<double> means = belief_.means();
    worth_.assign(means.size(), std::nan(""));
    for (std::size_t team = 0; team < position.size(); ++team) {
      double best = -1;
      for (std::int32_t move = 0; move < 5; ++move) {
        const Zone to = known_.geography->after_move(position[team], move);
        if (to < 0 || worth(means, static_cast<std::size_t>(to)) <= best) continue;
        best = worth(means, static_cast<std::size_t>(to));
        next[team] = to;
      }
    }
  }
  void observe(std::span<const TeamDay> tests) override { belief_.observe(tests); }

 private:
  double worth(std::span<const double> means, std::size_t zone) {
    if (std::isnan(worth_[zone])) {
      const auto tests = static_cast<std::int32_t>(std::max(1.0, std::round(known_.tests_per_day)));
      const double gain = knowledge_gradient(belief_, means, zone, tests);
      worth_[zone] = known_.tests_per_day * (means[zone] + kKgDiscount * gain) + kKgDiscount * value_[zone];
    }
    return worth_[zone];
  }

  // V(s) = max over moves y of 8 sim_y + .95 V(y), in place.
  void solve_simulator() {
    for (int sweep = 0; sweep < kSweeps; ++sweep) {
      for (std::size_t j = 0; j < value_.size(); ++j) {
        double best = 0;
        for (std::int32_t move = 0; move < 5; ++move) {
          const Zone to = known_.geography->after_move(static_cast<Zone>(j), move);
          if (to < 0) continue;
          const auto y = static_cast<std::size_t>(to);
          best = std::max(best, known_.tests_per_day * known_.simulator[y] + kKgDiscount * value_[y]);
        }
        value_[j] = best;
      }
    }
  }

  const Known known_;
  ZoneBelief belief_;
  std::vector<double> value_, worth_;
};

}  // namespace

// sum over k of P(k) max(m*, (a + k)/(a + b + n)) - max(m*, m_y), m* the best mean of the other zones and
// P(k) Beta-binomial: P(k+1)/P(k) = (n-k)/(k+1) (a+k)/(b+n-k-1).
double knowledge_gradient(const ZoneBelief& belief, std::span<const double> means, std::size_t zone,
                          std::int32_t tests) {
  double other = 0;
  for (std::size_t j = 0; j < means.size(); ++j) {
    if (j != zone) other = std::max(other, means[j]);
  }
  const double a = belief.at(zone).positive, b = belief.at(zone).negative, n = tests;
  double probability = 1;
  for (std::int32_t i = 0; i < tests; ++i) probability *= (b + i) / (a + b + i);
  double expected = 0;
  for (std::int32_t k = 0; k <= tests; ++k) {
    expected += probability * std::max(other, (a + k) / (a + b + n));
    if (k < tests) probability *= (n - k) / (k + 1) * (a + k) / (b + n - k - 1);
  }
  return expected - std::max(other, means[zone]);
}

std::unique_ptr<HivPlanner> make_kg(const Known& known) {
  return std::make_unique<Kg>(known);
}

}  // namespace mindgap::cases::hiv

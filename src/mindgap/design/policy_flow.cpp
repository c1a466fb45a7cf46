#include "mindgap/design/policy_flow.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "mindgap/mdp/resolvent.h"

namespace mindgap::design {
namespace {

// Sweeps from a good guess that are tried before a policy is given to a linear solver, which costs about as
// much.
constexpr int kSweeps = 80;

class FiniteFlow : public PolicyFlow {
 public:
  FiniteFlow(const Occupancy& occupancies, int threads)
      : PolicyFlow(occupancies, threads),
        pairs_(static_cast<std::size_t>(mdp_.pairs())),
        states_(static_cast<std::size_t>(mdp_.states())),
        steps_(static_cast<std::size_t>(occupancies.steps())),
        nowhere_(states_),
        flow_(pairs_),
        next_value_(states_) {}

  std::vector<double> first_mass() const override { return std::vector<double>(steps_ * states_); }

  void forward(std::span<const double> pi, std::span<double> mass, double) override {
    std::copy(occupancies_.positions().begin(), occupancies_.positions().end(), mass.begin());
    for (std::size_t t = 0; t + 1 < steps_; ++t) {
      const auto here = mass.subspan(t * states_, states_);
      spread(pi.subspan(t * pairs_, pairs_), here, flow_);
      step_forward(nowhere_, flow_, here, mass.subspan((t + 1) * states_, states_));
    }
  }

  void advantages(std::span<const double> pi, std::span<const double> price, std::span<double> advantage,
                  double) override {
    std::fill(next_value_.begin(), next_value_.end(), 0.0);
    for (std::size_t t = steps_; t-- > 0;) {
      const auto here = advantage.subspan(t * pairs_, pairs_);
      step_back(pi.subspan(t * pairs_, pairs_), price, next_value_, here, value_);
      center(value_, here);
      std::swap(value_, next_value_);
    }
    std::swap(value_, next_value_);
  }

 private:
  std::size_t pairs_, states_, steps_;
  std::vector<double> nowhere_, flow_, next_value_;
};

// Plain sweeps from the last solution: the mass that moves sums to 0 and constants in a value do not matter,
// so both forget their first guess as fast as the policy forgets its start. Where that is too slow the rest
// is left to mdp::Resolvent, for good.
class DiscountedFlow : public PolicyFlow {
 public:
  DiscountedFlow(const Occupancy& occupancies, int threads)
      : PolicyFlow(occupancies, threads),
        arrivals_(static_cast<std::size_t>(mdp_.states())),
        flow_(static_cast<std::size_t>(mdp_.pairs())),
        other_(arrivals_.size()) {
    const double shrink = (1 - mdp_.discount()) * occupancies.budget();
    for (std::size_t s = 0; s < arrivals_.size(); ++s) arrivals_[s] = shrink * mdp_.start()[s];
  }

  std::vector<double> first_mass() const override {
    std::vector<double> mass = arrivals_;
    for (double& m : mass) m /= 1 - mdp_.discount();
    return mass;
  }

  void forward(std::span<const double> pi, std::span<double> mass, double tolerance) override {
    const double enough = tolerance * occupancies_.budget() * (1 - mdp_.discount());
    for (int sweep = 0; sweeping_ && sweep < kSweeps; ++sweep) {
      spread(pi, mass, flow_);
      const double change = step_forward(arrivals_, flow_, mass, other_);
      std::copy(other_.begin(), other_.end(), mass.begin());
      if (change <= enough) return;
    }
    sweeping_ = false;
    resolvent_of(pi, tolerance).apply_transpose(arrivals_, mass);
    for (double& m : mass) m = std::max(m, 0.0);
  }

  void advantages(std::span<const double> pi, std::span<const double> price, std::span<double> advantage,
                  double tolerance) override {
    const double g = mdp_.discount();
    const double enough = tolerance * (1 - g) / std::max(g, 1e-3);
    for (int sweep = 0; sweeping_ && sweep < kSweeps; ++sweep) {
      const double span = step_back(pi, price, value_, advantage, other_);
      std::swap(value_, other_);
      if (span <= enough) return center(value_, advantage);
    }
    sweeping_ = false;
    std::vector<double> reward(arrivals_.size());
    double largest = 0;
    for (std::int32_t s = 0; s < mdp_.states(); ++s) {
      for (const std::int32_t k : mdp_.pairs_of(s)) {
        reward[s] += pi[k] * price[k];
      }
      largest = std::max(largest, std::abs(reward[s]));
    }
    const double relative = largest > 0 ? tolerance * (1 - g) / largest : 1;
    resolvent_of(pi, relative).apply(reward, value_);
    step_back(pi, price, value_, advantage, other_);
    center(other_, advantage);
  }

 private:
  // Of this policy, made anew where it is not the one at hand.
  mdp::Resolvent& resolvent_of(std::span<const double> pi, double tolerance) {
    tolerance = std::clamp(tolerance, 1e-14, 1e-6);
    if (!resolvent_ || tolerance < tolerance_ || !std::equal(pi.begin(), pi.end(), held_.begin())) {
      held_.assign(pi.begin(), pi.end());
      tolerance_ = std::min(tolerance, tolerance_);
      resolvent_ = std::make_unique<mdp::Resolvent>(
          mdp_, mdp::Policy::stochastic(mdp_, held_),
          mdp::ResolventOptions{.method = linear_, .tolerance = tolerance_, .best_effort = true});
      linear_ = resolvent_->method();  // found once: to ask which one fits costs as much as a solve
    }
    return *resolvent_;
  }

  std::vector<double> arrivals_, flow_, other_, held_;
  bool sweeping_ = true;
  std::unique_ptr<mdp::Resolvent> resolvent_;
  double tolerance_ = 1e-10;
  mdp::LinearMethod linear_ = mdp::LinearMethod::automatic;
};

}  // namespace

PolicyFlow::PolicyFlow(const Occupancy& occupancies, int threads)
    : occupancies_(occupancies),
      mdp_(occupancies.mdp()),
      threads_(threads),
      value_(static_cast<std::size_t>(mdp_.states())) {
  transpose();
}

void PolicyFlow::transpose() {
  in_begin_.assign(static_cast<std::size_t>(mdp_.states()) + 1, 0);
  for (const std::int32_t next : mdp_.next_state()) ++in_begin_[next + 1];
  for (std::int32_t s = 0; s < mdp_.states(); ++s) in_begin_[s + 1] += in_begin_[s];
  in_pair_.resize(mdp_.next_state().size());
  in_weight_.resize(in_pair_.size());
  std::vector<std::int64_t> end(in_begin_.begin(), in_begin_.end() - 1);
  for (std::int32_t k = 0; k < mdp_.pairs(); ++k) {
    for (const std::int64_t i : mdp_.entries_of(k)) {
      const std::int64_t at = end[mdp_.next_state()[i]]++;
      in_pair_[at] = k;
      in_weight_[at] = mdp_.discount() * mdp_.probability()[i];
    }
  }
}

double PolicyFlow::step_forward(std::span<const double> base, std::span<const double> flow,
                                std::span<const double> from, std::span<double> to) const {
  return base::parallel_reduce(
      threads_, mdp_.states(), kGrain, 0.0,
      [&](std::int64_t begin, std::int64_t end) {
        double change = 0;
        for (std::int64_t s = begin; s < end; ++s) {
          double sum = base[s];
          for (std::int64_t i = in_begin_[s]; i < in_begin_[s + 1]; ++i) {
            sum += in_weight_[i] * flow[in_pair_[i]];
          }
          to[s] = sum;
          change += std::abs(sum - from[s]);
        }
        return change;
      },
      [](double a, double b) { return a + b; });
}

double PolicyFlow::step_back(std::span<const double> pi, std::span<const double> price,
                             std::span<const double> next, std::span<double> action_value,
                             std::span<double> value) const {
  struct Extremes {
    double low = std::numeric_limits<double>::infinity(), high = -std::numeric_limits<double>::infinity();
  };
  const Extremes change = base::parallel_reduce(
      threads_, mdp_.states(), kGrain, Extremes{},
      [&](std::int64_t begin, std::int64_t end) {
        Extremes found;
        for (std::int64_t s = begin; s < end; ++s) {
          double mean = 0;
          for (const std::int32_t k : mdp_.pairs_of(static_cast<std::int32_t>(s))) {
            double sum = 0;
            for (const std::int64_t i : mdp_.entries_of(k)) {
              sum += mdp_.probability()[i] * next[mdp_.next_state()[i]];
            }
            action_value[k] = price[k] + mdp_.discount() * sum;
            mean += pi[k] * action_value[k];
          }
          value[s] = mean;
          found.low = std::min(found.low, mean - next[s]);
          found.high = std::max(found.high, mean - next[s]);
        }
        return found;
      },
      [](const Extremes& a, const Extremes& b) {
        return Extremes{std::min(a.low, b.low), std::max(a.high, b.high)};
      });
  return change.high - change.low;
}

void PolicyFlow::spread(std::span<const double> pi, std::span<const double> mass,
                        std::span<double> flow) const {
  base::parallel_for(threads_, mdp_.states(), kGrain, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t s = begin; s < end; ++s) {
      for (const std::int32_t k : mdp_.pairs_of(static_cast<std::int32_t>(s))) flow[k] = mass[s] * pi[k];
    }
  });
}

void PolicyFlow::center(std::span<const double> value, std::span<double> advantage) const {
  base::parallel_for(threads_, mdp_.states(), kGrain, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t s = begin; s < end; ++s) {
      for (const std::int32_t k : mdp_.pairs_of(static_cast<std::int32_t>(s))) advantage[k] -= value[s];
    }
  });
}

std::unique_ptr<PolicyFlow> policy_flow(const Occupancy& occupancies, int threads) {
  if (occupancies.is_finite()) return std::make_unique<FiniteFlow>(occupancies, threads);
  return std::make_unique<DiscountedFlow>(occupancies, threads);
}

}  // namespace mindgap::design

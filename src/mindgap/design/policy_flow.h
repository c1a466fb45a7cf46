#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "mindgap/base/parallel.h"
#include "mindgap/design/occupancy.h"

// The two halves of judging a stochastic pilot policy again and again, each policy close to the last: where
// it goes, and what its actions are worth. Not part of the library's interface.
//
// A policy is pi[step * pairs + k], its mass[step * states + s] the expected number of observations made in
// state s at that step (the discounted form has one step); so n(k) = sum_steps mass(s) pi(k).
namespace mindgap::design {

inline constexpr std::int64_t kGrain = 1024;  // states that one task takes

class PolicyFlow {
 public:
  virtual ~PolicyFlow() = default;

  /// The mass of pi. What `mass` holds before is the first guess; it must be the mass of some policy. The sum
  /// of the absolute errors is at most about `tolerance` x budget (0 for a finite pilot).
  virtual void forward(std::span<const double> pi, std::span<double> mass, double tolerance) = 0;
  /// advantage(k) = Q(k) - sum_a pi Q of the policy for a price per observation, each within about
  /// `tolerance`.
  virtual void advantages(std::span<const double> pi, std::span<const double> price,
                          std::span<double> advantage, double tolerance) = 0;
  /// Up to a constant the value per state of the last price, at the first step.
  std::span<const double> value() const { return value_; }
  /// Any policy's mass, as a first guess.
  virtual std::vector<double> first_mass() const = 0;

 protected:
  PolicyFlow(const Occupancy& occupancies, int threads);

  // to(s) = base(s) + g sum of p(s|k) flow(k). Returns the sum of |to - from|.
  double step_forward(std::span<const double> base, std::span<const double> flow,
                      std::span<const double> from, std::span<double> to) const;
  // action_value = price + g P next, value(s) = sum pi action_value. Returns the span of value - next.
  double step_back(std::span<const double> pi, std::span<const double> price, std::span<const double> next,
                   std::span<double> action_value, std::span<double> value) const;
  // flow(k) = mass(s) pi(k).
  void spread(std::span<const double> pi, std::span<const double> mass, std::span<double> flow) const;
  // advantage(k) -= value(s).
  void center(std::span<const double> value, std::span<double> advantage) const;

  const Occupancy& occupancies_;
  const mdp::Mdp& mdp_;
  base::Threads threads_;
  std::vector<double> value_;

 private:
  void transpose();

  std::vector<std::int64_t> in_begin_;  // states + 1: the transitions that lead to each state
  std::vector<std::int32_t> in_pair_;
  std::vector<double> in_weight_;  // g p
};

/// Of the occupancies' form. `occupancies` must outlive it.
std::unique_ptr<PolicyFlow> policy_flow(const Occupancy& occupancies, int threads);

}  // namespace mindgap::design

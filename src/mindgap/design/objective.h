#pragma once

#include <memory>
#include <span>
#include <vector>

#include "mindgap/gap/pvv.h"

namespace mindgap::design {

using gap::Block;

/// What a pilot is to make small, as a function of the expected numbers of observations n(s,a) per pair: the
/// criterion of a target under a belief (gap/criterion.h says what each question means). Copies share it.
class Objective {
 public:
  /// `weights.reward` and `.transition` and `prior` as gap::pvv_weights and gap::precision_of give them, all
  /// per pair; `block` and `credit` as gap::Dependence::criterion() takes them. Throws InvalidArgument where
  /// sizes or domains do not fit.
  Objective(const gap::PvvWeights& weights, const gap::Precision& prior, Block block = Block::both,
            std::span<const double> credit = {})
      : Objective(prior.dependence->criterion(weights, prior, block, credit)) {}
  explicit Objective(std::shared_ptr<const gap::Criterion> criterion) : criterion_(std::move(criterion)) {}

  std::size_t size() const { return criterion_->size(); }
  double value(std::span<const double> n) const { return criterion_->value(n); }
  double derivatives(std::span<const double> n, std::span<double> gradient,
                     std::span<double> curvature = {}) const {
    return criterion_->derivatives(n, gradient, curvature);
  }
  std::vector<double> shared_curvature(std::span<const double> n,
                                       std::span<const std::span<const double>> directions) const {
    return criterion_->shared_curvature(n, directions);
  }
  std::unique_ptr<const gap::Criterion::Around> around(std::span<const double> n) const {
    return criterion_->around(n);
  }
  void worth_of_one_more(std::span<const double> n, std::span<double> worth) const {
    criterion_->worth_of_one_more(n, worth);
  }
  std::vector<std::int32_t> relevant() const { return criterion_->relevant(); }
  std::vector<double> contributions(std::span<const double> n) const { return criterion_->contributions(n); }
  std::vector<double> reducible(std::span<const double> n) const { return criterion_->reducible(n); }

 private:
  std::shared_ptr<const gap::Criterion> criterion_;
};

}  // namespace mindgap::design

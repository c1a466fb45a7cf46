#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "mindgap/base/random.h"
#include "mindgap/mdp/model.h"

// Errors of mean rewards that pairs share, so that seeing one pair says something of others:
//   r = r0 + U z + delta,  z ~ N(0, I_q),  delta_k ~ N(0, s_k^2) independent,
// with r0 the simulator's means, U the loadings (one row per pair, one column per factor) and delta what is
// not shared (docs/math/shared-errors.md). Gaussian and exact: low rank plus diagonal.
namespace mindgap::belief {

/// The loadings U. Pairs with equal rows (all actions of a state, all states of a group) point to one row.
/// Immutable; copies share it.
class SharedErrors {
 public:
  /// Nothing is shared.
  SharedErrors() = default;
  /// `loadings` has rows of `factors` numbers; each pair has its row in `row_of_pair`. `own_variance`, per
  /// pair, is added to the variance of what is not shared. Throws InvalidArgument.
  SharedErrors(std::int32_t factors, std::vector<double> loadings, std::vector<std::int32_t> row_of_pair,
               std::vector<double> own_variance);

  std::int32_t factors() const { return parts_ ? parts_->factors : 0; }
  bool none() const { return factors() == 0; }
  std::int64_t rows() const;
  std::size_t pairs() const { return parts_ ? parts_->row_of_pair.size() : 0; }
  std::int32_t row_of(std::int32_t pair) const { return parts_->row_of_pair[static_cast<std::size_t>(pair)]; }
  std::span<const double> row(std::int64_t row) const;
  std::span<const double> loadings(std::int32_t pair) const { return row(row_of(pair)); }
  /// What a pair adds to the variance of its unshared error; 0 where nothing is shared.
  double own_variance(std::int32_t pair) const;
  /// |U_k|^2: the variance of a pair's mean reward that is shared.
  double variance(std::int32_t pair) const;

  /// The same with all standard deviations times `factor` >= 0.
  SharedErrors scaled(double factor) const;

  bool operator==(const SharedErrors& other) const;

 private:
  struct Parts {
    std::int32_t factors = 0;
    std::vector<double> loadings;
    std::vector<std::int32_t> row_of_pair;
    std::vector<double> own_variance;
    bool operator==(const Parts&) const = default;
  };
  std::shared_ptr<const Parts> parts_;
};

/// What a model states about shared errors, as loadings: one column per group of states, the leading
/// eigenvectors of the kernel (kernel_factors.h), and the columns of a table, side by side. Throws
/// InvalidArgument: groups that the model does not have, a kernel over places without coordinates, ...
SharedErrors shared_errors(const mdp::Mdp& mdp, const mdp::SharedSpec& spec);

/// A pair as the factors see it: the variance s^2 of its own error, the variance v of one observation, and
/// what was observed: n times, on average `off` above the simulator's mean.
struct FactorEvidence {
  double own_variance = 0;
  double observation_variance = 0;
  double count = 0;
  double off = 0;
};

/// What observations say about z. With w_k = n_k / (v_k + n_k s_k^2):
///   z | data ~ N(m, I_z^-1),  I_z = I + sum_k w_k U_k U_k',  I_z m = sum_k w_k off_k U_k,
/// and given z the pairs are independent again, each with the prior mean r0_k + U_k'z. A function of the
/// totals per pair: the order of observations does not matter. O(pairs + rows q^2 + q^3).
class FactorPosterior {
 public:
  FactorPosterior(const SharedErrors& shared, std::span<const FactorEvidence> pairs);

  /// The mean of U_k'z.
  double shift(std::int32_t pair) const { return row_shift_[static_cast<std::size_t>(shared_.row_of(pair))]; }
  /// The variance of the pair's mean reward, s_k^2 (1 - f_k) + (1 - f_k)^2 U_k' I_z^-1 U_k.
  double reward_variance(std::int32_t pair) const;
  std::vector<double> reward_variances() const;
  /// U_k'z of every row for one draw of z; `factors` words of the stream.
  std::vector<double> draw(base::Stream& stream) const;
  /// U_k'z of a pair, from what draw() gave.
  double drawn_shift(std::span<const double> draw, std::int32_t pair) const {
    return draw[static_cast<std::size_t>(shared_.row_of(pair))];
  }
  /// Log density of the observed averages, every pair's at its number of observations.
  double log_evidence() const { return log_evidence_; }
  /// The share of data sets from the prior, with the same numbers of observations, whose averages are at most
  /// as likely as those observed: P(chi^2 >= off' Sigma^-1 off), with one degree of freedom per pair seen.
  /// Exact. 1 where nothing was seen.
  double surprise() const;

  /// What is left, as loadings on independent factors again: rows (1 - f_k) U_k L'^-1, with I_z = L L' and
  /// f_k = n_k s_k^2 / (v_k + n_k s_k^2), beside the own variances s_k^2 (1 - f_k). One row per pair that was
  /// seen, else per row of U.
  SharedErrors left() const;

 private:
  SharedErrors shared_;
  std::vector<FactorEvidence> pairs_;
  std::vector<double> root_;  // L, column by column
  std::vector<double> mean_, row_shift_;
  double log_evidence_ = 0;
  double distance_ = 0;  // off' Sigma^-1 off
  std::int64_t seen_pairs_ = 0;
};

/// What is not known of a pair's mean reward, split: the part that is shared, of all of it, over all pairs.
double shared_share(const SharedErrors& shared, std::span<const double> reward_sd);

}  // namespace mindgap::belief

#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "mindgap/belief/shared_errors.h"

namespace mindgap::belief {
class Ensemble;
}  // namespace mindgap::belief

namespace mindgap::gap {

enum class Block { rewards, transitions, both };  // Fisher-SEP-R, Fisher-SEP-T, the full criterion

/// The variance of a target's value as a function f(n) of the numbers n(s,a) >= 0 of observations per pair:
/// convex and decreasing. This is all that designs, routes and navigation know of a belief; a belief in which
/// an observation of one pair says something about others has a criterion of its own (Dependence, below).
class Criterion {
 public:
  virtual ~Criterion() = default;

  /// The number of pairs; every list below has one number per pair.
  virtual std::size_t size() const = 0;
  virtual double value(std::span<const double> n) const = 0;

  /// f and its derivatives by each n. The matrix of second derivatives is diag(curvature) + S, S what pairs
  /// share; `curvature` may be empty, then it is not wanted.
  virtual double derivatives(std::span<const double> n, std::span<double> gradient,
                             std::span<double> curvature) const = 0;
  /// d_i' S d_j of directions d, row by row. Empty where pairs are independent: S = 0.
  virtual std::vector<double> shared_curvature(std::span<const double> n,
                                               std::span<const std::span<const double>> directions) const = 0;

  /// f around one n: what many changes of it have in common is computed once. The criterion must outlive it.
  class Around {
   public:
    virtual ~Around() = default;
    /// f where n of each of some `pairs` (no pair twice) is replaced by `after`, less f(n).
    virtual double change(std::span<const std::int32_t> pairs, std::span<const double> after) const = 0;
  };
  virtual std::unique_ptr<const Around> around(std::span<const double> n) const = 0;
  /// What one whole observation more of each pair alone would take off f: f(n) - f(n + 1 at k).
  virtual void worth_of_one_more(std::span<const double> n, std::span<double> worth) const = 0;
  /// The pairs on whose numbers f depends at all, ascending.
  virtual std::vector<std::int32_t> relevant() const = 0;

  /// What each pair contributes: sums to value(n). And without what no observation reduces, rewards whose
  /// observations have precision 0.
  virtual std::vector<double> contributions(std::span<const double> n) const = 0;
  virtual std::vector<double> reducible(std::span<const double> n) const = 0;
};

struct PvvWeights;
struct Precision;
class MemberModels;

/// How what is not known of different pairs hangs together: it makes the variance of a target's value from
/// the target's weights and what is known of each pair.
class Dependence {
 public:
  virtual ~Dependence() = default;

  /// Whether targets need their loads (WeightsOptions::loads).
  virtual bool needs_loads() const = 0;
  /// The members on which targets need loads as well (WeightsOptions::member_models); none: nothing.
  virtual std::shared_ptr<const MemberModels> member_models() const { return nullptr; }

  /// `credit` (empty: none) is what will be observed anyway: it is added to n. A noiseless reward (infinite
  /// precision of an observation) counts as one whose first look removes all but 1e-9 of its variance. Throws
  /// InvalidArgument where sizes or domains do not fit.
  virtual std::shared_ptr<const Criterion> criterion(const PvvWeights& weights, const Precision& precision,
                                                     Block block, std::span<const double> credit) const = 0;

  /// What each pair contributes to the variance after n(s,a) further observations (empty: none), by block.
  struct Terms {
    std::vector<double> reward, transition;
  };
  virtual Terms terms(const PvvWeights& weights, const Precision& precision,
                      std::span<const double> counts) const = 0;
};

/// No pair says anything about another:
///   f(n) = sum_k W_r / (1/sigma^2 + tau n) + W_p / (alpha + n),
/// separable. Terms without weight, or of what is known (sigma = 0), are 0.
std::shared_ptr<const Dependence> independent_pairs();

/// Mean rewards share errors: `left` is what is not known of them now (FactorPosterior::left()). Targets need
/// their loads (WeightsOptions::loads).
std::shared_ptr<const Dependence> shared_pairs(const belief::SharedErrors& left);

/// The belief is an ensemble of models, linearised: an observation tells members apart by their mean rewards
/// and by where they lead, and says something about every pair through that (docs/math/shared-errors.md).
/// Errors within members are independent between pairs; their variances and strengths are the ensemble's
/// now, whatever the Precision says. Targets need loads and member_loads. In Block::rewards a target's value
/// is that of its rewards, c'r, in Block::transitions the rest of it; moves and rewards tell members apart in
/// both.
std::shared_ptr<const Dependence> member_pairs(const belief::Ensemble& ensemble);

/// tau sigma^2 of a reward without noise.
constexpr double kNoiseless = 1e9;

}  // namespace mindgap::gap

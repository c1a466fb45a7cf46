#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "mindgap/base/lazy.h"
#include "mindgap/base/random.h"
#include "mindgap/belief/neighbourhood.h"
#include "mindgap/belief/wrong_rows.h"
#include "mindgap/mdp/mdp.h"

namespace mindgap::belief {

/// How likely it is that a row of the simulator is wrong about what is possible at all.
struct UnseenOptions {
  /// Prior mean of rho, the share of rows that are wrong, in [0, 1). None: kUnseenShare from the first
  /// impossible move on, and until then no row is doubted. 0: the support is certain; impossible moves are
  /// counted and change nothing.
  std::optional<double> share = {};
  double rows = 50;     // strength of rho's Beta prior, in rows, > 0
  double strength = 1;  // moves behind the base distribution of a wrong row before any was seen, > 0

  void validate() const;
};
constexpr double kUnseenShare = .01;

/// A transition the simulator calls impossible, and how often it was seen.
struct OffSupport {
  std::int32_t pair = 0;
  std::int32_t next_state = 0;
  double count = 0;
};

/// What moves have said about the simulator's rows.
struct Refutation {
  std::int64_t visited = 0;  // rows (pairs) that were tried
  std::int64_t refuted = 0;  // of these, rows that did something the simulator calls impossible
  double moves = 0;          // moves seen
  double off_moves = 0;      // of these, impossible ones
  double share = 0;          // posterior mean of rho; 0 while no row is doubted

  bool operator==(const Refutation&) const = default;
};

/// Where actions lead. A row is *right* with probability 1 - rho: Dirichlet(alpha0 p0) on the simulator's
/// support; or it is *wrong*: Dirichlet(u b), with b a base distribution on the simulator's successors, the
/// states nearby and a few elsewhere (neighbourhood.h). u and the shares of b are common to all rows: those
/// of UnseenOptions and WrongRows at first, then those that fit the rows that were refuted (wrong_rows.h). Of
/// row k with n moves, n_i of them to i,
///   P(wrong | moves) = rho B / (1 - rho + rho B),   B = DM(n; u b) / DM(n; alpha0 p0)
/// (Dirichlet-multinomial probabilities), and 1 once a move left the support. rho is common to all rows:
/// Beta with mean m and strength K, after R refuted rows of N that were tried
///   Beta(m K + R, (1 - m) K + N - R).
/// A row that was tried and did nothing impossible counts as right there: an approximation that errs towards
/// the simulator by what B leaves open. Static: the order of observations does not matter.
///
/// Rows stay sparse: while some row is doubted every row has the simulator's successors, those of b and those
/// seen. The same structure serves the mean and all draws; entries a draw does not use have the smallest
/// positive probability.
class TransitionBelief {
 public:
  /// Throws InvalidArgument.
  TransitionBelief(mdp::Mdp simulator, const UnseenOptions& options);

  /// One move, which counts `weight` times; O(log of the row). No check of ranges.
  void observe(std::int32_t pair, std::int32_t next_state, double weight = 1);

  /// Whether rows may be wrong. If not, the mean and draws have the simulator's own structure.
  bool doubts() const;
  Refutation refutation() const;
  std::vector<OffSupport> off_support() const;
  /// What wrong rows have in common, given the refuted ones.
  const WrongRows& wrong_rows() const;
  std::span<const double> seen() const { return seen_; }  // per nonzero of the simulator

  /// A model with the structure of the mean and of draws, whatever its numbers.
  const mdp::Mdp& shape() const;

  // `alpha0` is the prior strength of the row's Dirichlet where it is right.

  /// P(wrong | moves), for a given rho.
  double wrong(std::int32_t pair, double alpha0, double rho) const;
  /// The strength of the Dirichlet with the mean and the total variance, sum_i Var(p_i), that the row has;
  /// alpha0 + n where no row is doubted.
  double strength(std::int32_t pair, double alpha0) const;
  /// Posterior mean, into the pair's row of shape().
  void mean_row(std::int32_t pair, double alpha0, std::span<double> row) const;

  /// The Dirichlet's parameters where the row is right, per nonzero of the simulator's row.
  void right_parameters(std::int32_t pair, double alpha0, std::span<double> alpha) const;

  /// rho of the draw-th model.
  double draw_share(std::uint64_t seed, std::uint64_t draw) const;
  /// A row of that model. `stream` is where its Dirichlet comes from; whether it is wrong comes from a stream
  /// of its own, so that right rows are those drawn where no row is doubted.
  void draw_row(std::int32_t pair, double alpha0, double rho, std::uint64_t seed, std::uint64_t draw,
                base::Stream& stream, std::span<double> row) const;

 private:
  struct Shape {
    mdp::Mdp model;
    std::vector<Neighbourhood::Near> near;  // per nonzero of model
    std::vector<double> simulated;          // probability in the simulator, per nonzero of model
    std::vector<std::int64_t> place;        // of each nonzero of the simulator in model

    // Of the successor at nonzero i, by MoveKind.
    std::array<double, kMoveKinds> within(std::size_t i) const {
      return {simulated[i], near[i].one_step, near[i].two_steps, near[i].elsewhere};
    }
  };
  const Shape& extended() const;
  Shape make_shape() const;
  WrongRows fit_wrong_rows() const;
  // How often each successor of the shape's row was seen.
  void counts(std::int32_t pair, std::span<double> count) const;
  bool refuted(std::int32_t pair) const { return !refuted_row_.empty() && refuted_row_[pair] != 0; }
  // The Dirichlet's parameters where the row is wrong, per nonzero of the shape's row.
  void wrong_parameters(std::int32_t pair, std::span<double> alpha) const;
  double log_bayes_factor(std::int32_t pair, double alpha0) const;

  mdp::Mdp simulator_;
  UnseenOptions options_;
  std::vector<double> seen_;       // per nonzero of the simulator
  std::vector<double> row_count_;  // moves per pair, impossible ones included
  std::map<std::pair<std::int32_t, std::int32_t>, double> off_support_;  // (pair, next state)
  std::vector<std::uint8_t> refuted_row_;                                // per pair; empty while none is
  std::int64_t visited_ = 0, refuted_ = 0;
  double moves_ = 0, off_moves_ = 0;
  base::Lazy<Neighbourhood> neighbourhood_;  // a function of the simulator
  base::Lazy<Shape> shape_;                  // and of the successors seen outside it
  base::Lazy<WrongRows> wrong_rows_;         // a function of the moves of refuted rows
};

}  // namespace mindgap::belief

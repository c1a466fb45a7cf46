#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <vector>

namespace mindgap::belief {

/// Where the moves of a wrong row come from.
enum class MoveKind { simulated, one_step, two_steps, elsewhere };
constexpr std::size_t kMoveKinds = 4;

/// What the rows that are wrong have in common: Dirichlet(strength * b) each, and b a mixture of four
/// distributions of the row, one per MoveKind, with these shares.
struct WrongRows {
  double strength = 1;
  std::array<double, kMoveKinds> share = {.2, .4, .3, .1};

  /// b of a successor, from its probability under each of the four.
  double base(const std::array<double, kMoveKinds>& within) const {
    double sum = 0;
    for (std::size_t c = 0; c < kMoveKinds; ++c) sum += share[c] * within[c];
    return sum;
  }
};

/// The moves of wrong rows, from which the rest is told what wrong rows are like here: whether actions fail
/// by doing what another does, or lead anywhere; nearly always the same way, or in many.
///
/// `fitted` gives the posterior mode. Prior: strength ~ Gamma with mode u0 worth kPriorMoves moves,
/// share ~ Dirichlet around s0 worth as many. With n_ki moves of row k to i, a_ki = u b_ki, and the expected
/// number of *new* draws from b among them (a move that only repeats an earlier one says nothing about b)
///   t_ki = a_ki (psi(a_ki + n_ki) - psi(a_ki))
/// the fixed point (Minka 2000, "Estimating a Dirichlet distribution", eq. 55, with the prior's terms) is
///   u   = (kPriorMoves + sum t) / (kPriorMoves / u0 + sum_k psi(u + n_k) - psi(u))
///   s_c = (kPriorMoves s0_c + sum t_ki s_c q_c(i) / b_ki) / (kPriorMoves + sum t).
class WrongRowMoves {
 public:
  static constexpr double kPriorMoves = 10;

  /// Begins a row; moves that follow belong to it.
  void begin_row() { rows_.push_back(0); }
  void add(double count, const std::array<double, kMoveKinds>& within) {
    rows_.back() += count;
    moves_.push_back({count, within});
  }

  /// A function of the prior and of the moves and rows, in whatever order; moves that `prior` gives no
  /// probability are left out.
  WrongRows fitted(const WrongRows& prior) const;

 private:
  struct Move {
    double count;
    std::array<double, kMoveKinds> within;
    auto operator<=>(const Move&) const = default;  // NOLINT(modernize-use-nullptr): of what it makes itself
  };
  std::vector<Move> moves_;
  std::vector<double> rows_;  // moves of each row
};

}  // namespace mindgap::belief

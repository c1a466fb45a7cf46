#include "mindgap/belief/wrong_rows.h"

#include <gtest/gtest.h>

#include <cmath>

#include "mindgap/base/distributions.h"
#include "mindgap/base/random.h"

namespace mindgap::belief {
namespace wrong_rows_test {

struct Row {
  std::vector<double> count;
  std::vector<std::array<double, kMoveKinds>> within;
};

// Each row has 12 successors: one as simulated, three of one step, four of two steps, all of elsewhere.
Row drawn_row(const WrongRows& truth, std::uint64_t number, int moves) {
  Row row;
  std::vector<double> alpha, p(12);
  for (std::size_t i = 0; i < 12; ++i) {
    row.within.push_back({i == 0 ? 1.0 : 0, i < 3 ? 1.0 / 3 : 0, i >= 3 && i < 7 ? .25 : 0, 1.0 / 12});
    alpha.push_back(truth.strength * truth.base(row.within.back()));
  }
  base::Stream stream({7, base::Purpose::world, number});
  base::dirichlet(stream, alpha, p);
  row.count.resize(12);
  for (int m = 0; m < moves; ++m) {
    double u = base::uniform(stream);
    std::size_t i = 0;
    while (i + 1 < 12 && u >= p[i]) u -= p[i++];
    ++row.count[i];
  }
  return row;
}

WrongRowMoves moves_of(const std::vector<Row>& rows) {
  WrongRowMoves moves;
  for (const Row& row : rows) {
    moves.begin_row();
    for (std::size_t i = 0; i < row.count.size(); ++i)
      if (row.count[i] > 0) moves.add(row.count[i], row.within[i]);
  }
  return moves;
}

// Log posterior, written down a second time with lgamma: prior Gamma(kPriorMoves + 1, kPriorMoves / u0) and
// Dirichlet(1 + kPriorMoves s0) over the rows' Dirichlet-multinomials.
double log_posterior(const std::vector<Row>& rows, const WrongRows& prior, const WrongRows& at) {
  constexpr double kMoves = WrongRowMoves::kPriorMoves;
  double sum = kMoves * std::log(at.strength) - kMoves / prior.strength * at.strength;
  for (std::size_t c = 0; c < kMoveKinds; ++c) sum += kMoves * prior.share[c] * std::log(at.share[c]);
  for (const Row& row : rows) {
    double total = 0;
    for (std::size_t i = 0; i < row.count.size(); ++i) {
      const double alpha = at.strength * at.base(row.within[i]);
      sum += std::lgamma(alpha + row.count[i]) - std::lgamma(alpha);
      total += row.count[i];
    }
    sum += std::lgamma(at.strength) - std::lgamma(at.strength + total);
  }
  return sum;
}

TEST(WrongRows, TheFitIsAMaximumOfThePosterior) {
  const WrongRows prior, truth{6, {.5, .3, .15, .05}};
  std::vector<Row> rows;
  for (std::uint64_t k = 0; k < 30; ++k) rows.push_back(drawn_row(truth, k, 5 + static_cast<int>(k)));
  const WrongRows fitted = moves_of(rows).fitted(prior);
  double sum = 0;
  for (const double share : fitted.share) sum += share;
  EXPECT_NEAR(sum, 1, 1e-12);
  const double best = log_posterior(rows, prior, fitted);
  EXPECT_GT(best, log_posterior(rows, prior, prior) + 5);
  for (const double step : {.97, 1.03}) {
    WrongRows other = fitted;
    other.strength *= step;
    EXPECT_LT(log_posterior(rows, prior, other), best + 1e-6);
    for (std::size_t c = 0; c < kMoveKinds; ++c) {
      for (std::size_t d = 0; d < kMoveKinds; ++d) {
        if (c == d) continue;
        other = fitted;
        const double moved = .03 * std::min(fitted.share[c], fitted.share[d]);
        other.share[c] -= moved;
        other.share[d] += moved;
        EXPECT_LT(log_posterior(rows, prior, other), best + 1e-6) << c << d;
      }
    }
  }
}

TEST(WrongRows, ManyRowsGiveTheTruth) {
  const WrongRows truth{4, {.1, .6, .2, .1}};
  std::vector<Row> rows;
  for (std::uint64_t k = 0; k < 1'000; ++k) rows.push_back(drawn_row(truth, k, 40));
  const WrongRows fitted = moves_of(rows).fitted({});
  EXPECT_NEAR(fitted.strength, 4, .3);
  for (std::size_t c = 0; c < kMoveKinds; ++c) EXPECT_NEAR(fitted.share[c], truth.share[c], .03) << c;
}

TEST(WrongRows, NothingSeenChangesNothing) {
  const WrongRows prior{2.5, {.1, .2, .3, .4}};
  const WrongRows fitted = WrongRowMoves().fitted(prior);
  EXPECT_EQ(fitted.strength, prior.strength);
  for (std::size_t c = 0; c < kMoveKinds; ++c) EXPECT_NEAR(fitted.share[c], prior.share[c], 1e-15);
}

}  // namespace wrong_rows_test
}  // namespace mindgap::belief

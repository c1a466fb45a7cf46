#include "mindgap/belief/wrong_rows.h"

#include <algorithm>
#include <boost/math/special_functions/digamma.hpp>
#include <cmath>

namespace mindgap::belief {
namespace {

// psi(x + n) - psi(x) for a whole n.
double digamma_rise(double x, double n) {
  constexpr double kSummed = 16;
  using InDouble = boost::math::policies::policy<boost::math::policies::promote_double<false>>;
  if (n > kSummed) return boost::math::digamma(x + n, InDouble()) - boost::math::digamma(x, InDouble());
  double sum = 0;
  for (double j = 0; j < n; ++j) sum += 1 / (x + j);
  return sum;
}

// A value, and how many there are of it.
template <typename Value>
struct Several {
  Value value;
  double times;
};

// Rows of one kind of place make many equal moves: each is looked at once.
template <typename Value>
std::vector<Several<Value>> distinct(std::vector<Value> values) {
  std::sort(values.begin(), values.end());
  std::vector<Several<Value>> found;
  for (const Value& value : values) {
    if (found.empty() || !(found.back().value == value)) found.push_back({value, 0});
    ++found.back().times;
  }
  return found;
}

}  // namespace

WrongRows WrongRowMoves::fitted(const WrongRows& prior) const {
  constexpr int kMost = 100;
  constexpr double kNear = 1e-4;  // relative change of the strength and of every share at which it ends
  const std::vector<Several<Move>> moves = distinct(moves_);
  const std::vector<Several<double>> rows = distinct(rows_);
  WrongRows now = prior;
  for (int iteration = 0; iteration < kMost; ++iteration) {
    double fresh = kPriorMoves, spent = kPriorMoves / prior.strength;
    std::array<double, kMoveKinds> by_kind{};
    for (const auto& [move, times] : moves) {
      const double base = now.base(move.within);
      if (!(base > 0)) continue;
      const double alpha = now.strength * base;
      const double t = times * alpha * digamma_rise(alpha, move.count);
      fresh += t;
      for (std::size_t c = 0; c < kMoveKinds; ++c) by_kind[c] += t * now.share[c] * move.within[c] / base;
    }
    for (const auto& [count, times] : rows) spent += times * digamma_rise(now.strength, count);
    const WrongRows before = now;
    now.strength = fresh / spent;
    double change = std::abs(now.strength / before.strength - 1);
    for (std::size_t c = 0; c < kMoveKinds; ++c) {
      now.share[c] = (kPriorMoves * prior.share[c] + by_kind[c]) / fresh;
      change = std::fmax(change, std::abs(now.share[c] / before.share[c] - 1));
    }
    if (change < kNear) break;
  }
  return now;
}

}  // namespace mindgap::belief

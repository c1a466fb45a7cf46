#include "mindgap/belief/transition_belief.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "mindgap/base/check.h"
#include "mindgap/base/distributions.h"
#include "mindgap/base/log_pmf.h"
#include "mindgap/mdp/without_rows.h"

namespace mindgap::belief {
namespace {

using mdp::Mdp;

constexpr double kSmallest = std::numeric_limits<double>::min();

double sum_of_squares(std::span<const double> values) {
  double sum = 0;
  for (const double value : values) sum += value * value;
  return sum;
}

}  // namespace

void UnseenOptions::validate() const {
  if (share) {
    base::check_range("Belief", "unseen", *share, 0,
                      std::nextafter(1.0, 0.0));  // at 1 no row could ever be right
  }
  base::check_positive("Belief", "unseen_rows", rows);
  base::check_positive("Belief", "unseen_strength", strength);
}

TransitionBelief::TransitionBelief(Mdp simulator, const UnseenOptions& options)
    : simulator_(std::move(simulator)),
      options_(options),
      seen_(static_cast<std::size_t>(simulator_.nonzeros())),
      row_count_(static_cast<std::size_t>(simulator_.pairs())) {
  options_.validate();
}

bool TransitionBelief::doubts() const {
  return options_.share ? *options_.share > 0 : !off_support_.empty();
}

void TransitionBelief::observe(std::int32_t pair, std::int32_t next_state, double weight) {
  const std::optional<std::size_t> place = simulator_.row(pair).find(next_state);
  moves_ += weight;
  const bool certain = options_.share && *options_.share == 0;
  if (place || !certain) {
    if (row_count_[pair] == 0) ++visited_;
    row_count_[pair] += weight;
  }
  if (place) {
    seen_[static_cast<std::size_t>(simulator_.entries_of(pair).first()) + *place] += weight;
    if (refuted(pair)) wrong_rows_.reset();
    return;
  }
  wrong_rows_.reset();
  off_moves_ += weight;
  refuted_row_.resize(row_count_.size());
  if (!refuted(pair)) ++refuted_;
  refuted_row_[pair] = 1;
  const auto [found, first] = off_support_.try_emplace({pair, next_state}, 0.0);
  found->second += weight;
  if (!first || certain) return;
  const auto near =
      neighbourhood_.get([&] { return Neighbourhood(simulator_); }).states(simulator_.state_of_pair(pair));
  if (!std::binary_search(near.begin(), near.end(), next_state)) shape_.reset();
}

Refutation TransitionBelief::refutation() const {
  Refutation result{visited_, refuted_, moves_, off_moves_, 0};
  if (doubts()) {
    const double prior = options_.share.value_or(kUnseenShare) * options_.rows;
    result.share = (prior + static_cast<double>(refuted_)) / (options_.rows + static_cast<double>(visited_));
  }
  return result;
}

std::vector<OffSupport> TransitionBelief::off_support() const {
  std::vector<OffSupport> found;
  for (const auto& [where, count] : off_support_) found.push_back({where.first, where.second, count});
  return found;
}

TransitionBelief::Shape TransitionBelief::make_shape() const {
  const Neighbourhood& near = neighbourhood_.get([&] { return Neighbourhood(simulator_); });
  mdp::MdpArrays arrays = mdp::without_rows(simulator_);
  Shape shape{simulator_, {}, {}, {}};
  std::vector<std::int32_t> row;
  for (std::int32_t s = 0; s < simulator_.states(); ++s) {
    const auto states = near.states(s);
    const auto probabilities = near.near(s);
    for (const std::int32_t k : simulator_.pairs_of(s)) {
      const mdp::Row simulated = simulator_.row(k);
      const auto own = simulated.next_state;
      row.assign(states.begin(), states.end());
      row.insert(row.end(), own.begin(), own.end());
      for (auto it = off_support_.lower_bound({k, 0}); it != off_support_.end() && it->first.first == k; ++it)
        row.push_back(it->first.second);
      std::sort(row.begin(), row.end());
      row.erase(std::unique(row.begin(), row.end()), row.end());
      std::size_t b = 0, o = 0;
      for (const std::int32_t next : row) {
        const bool near_by = b < states.size() && states[b] == next;
        shape.near.push_back(near_by ? probabilities[b++] : Neighbourhood::Near{});
        shape.simulated.push_back(0);
        if (o < own.size() && own[o] == next) {
          shape.place.push_back(static_cast<std::int64_t>(arrays.next_state.size()));
          shape.simulated.back() = simulated.probability[o];
          ++o;
        }
        arrays.next_state.push_back(next);
        arrays.probability.push_back(1 / static_cast<double>(row.size()));
      }
      arrays.row_begin.push_back(static_cast<std::int64_t>(arrays.next_state.size()));
    }
  }
  shape.model = Mdp(std::move(arrays));
  return shape;
}

const TransitionBelief::Shape& TransitionBelief::extended() const {
  return shape_.get([&] { return make_shape(); });
}

const Mdp& TransitionBelief::shape() const {
  return doubts() ? extended().model : simulator_;
}

void TransitionBelief::right_parameters(std::int32_t pair, double alpha0, std::span<double> alpha) const {
  const auto begin = static_cast<std::size_t>(simulator_.row_begin()[pair]);
  for (std::size_t i = 0; i < alpha.size(); ++i)
    alpha[i] = alpha0 * simulator_.probability()[begin + i] + seen_[begin + i];
}

void TransitionBelief::counts(std::int32_t pair, std::span<double> count) const {
  const Shape& shape = extended();
  const std::int64_t begin = shape.model.row_begin()[pair];
  std::fill(count.begin(), count.end(), 0.0);
  for (const std::int64_t i : simulator_.entries_of(pair))
    count[static_cast<std::size_t>(shape.place[i] - begin)] = seen_[i];
  const auto row = shape.model.next_state().subspan(begin, count.size());
  for (auto it = off_support_.lower_bound({pair, 0}); it != off_support_.end() && it->first.first == pair;
       ++it) {
    const auto at = std::lower_bound(row.begin(), row.end(), it->first.second) - row.begin();
    count[static_cast<std::size_t>(at)] = it->second;
  }
}

WrongRows TransitionBelief::fit_wrong_rows() const {
  WrongRows prior;
  prior.strength = options_.strength;
  if (refuted_ == 0) return prior;
  const Shape& shape = extended();
  WrongRowMoves moves;
  std::vector<double> count;
  for (std::int32_t k = 0; k < simulator_.pairs(); ++k) {
    if (!refuted(k)) continue;
    count.resize(shape.model.row(k).size());
    counts(k, count);
    moves.begin_row();
    const auto begin = static_cast<std::size_t>(shape.model.row_begin()[k]);
    for (std::size_t i = 0; i < count.size(); ++i) {
      if (count[i] > 0) moves.add(count[i], shape.within(begin + i));
    }
  }
  return moves.fitted(prior);
}

const WrongRows& TransitionBelief::wrong_rows() const {
  return wrong_rows_.get([&] { return fit_wrong_rows(); });
}

void TransitionBelief::wrong_parameters(std::int32_t pair, std::span<double> alpha) const {
  const Shape& shape = extended();
  const WrongRows& common = wrong_rows();
  const auto begin = static_cast<std::size_t>(shape.model.row_begin()[pair]);
  if (row_count_[pair] == 0) {
    std::fill(alpha.begin(), alpha.end(), 0.0);
  } else {
    counts(pair, alpha);
  }
  for (std::size_t i = 0; i < alpha.size(); ++i)
    alpha[i] += common.strength * common.base(shape.within(begin + i));
}

// Only entries that were seen count.
double TransitionBelief::log_bayes_factor(std::int32_t pair, double alpha0) const {
  const Shape& shape = extended();
  const WrongRows& common = wrong_rows();
  const double u = common.strength, n = row_count_[pair];
  double log_factor = base::log_rising(alpha0, n) - base::log_rising(u, n);
  for (const std::int64_t i : simulator_.entries_of(pair)) {
    if (seen_[i] == 0) continue;
    const double b = common.base(shape.within(static_cast<std::size_t>(shape.place[i])));
    log_factor +=
        base::log_rising(u * b, seen_[i]) - base::log_rising(alpha0 * simulator_.probability()[i], seen_[i]);
  }
  return log_factor;
}

double TransitionBelief::wrong(std::int32_t pair, double alpha0, double rho) const {
  if (!doubts()) return 0;
  if (refuted(pair)) return 1;
  if (row_count_[pair] == 0) return rho;
  const double log_odds = std::log(rho) - std::log1p(-rho) + log_bayes_factor(pair, alpha0);
  return log_odds > 0 ? 1 / (1 + std::exp(-log_odds)) : std::exp(log_odds) / (1 + std::exp(log_odds));
}

// Law of total variance over right (mean p, strength a) and wrong (mean q, strength c), w = P(wrong):
//   sum_i Var = (1-w) (1-|p|^2)/(a+1) + w (1-|q|^2)/(c+1) + w (1-w) |p-q|^2,
// and a Dirichlet of the mixture's mean m and strength x has (1-|m|^2)/(x+1).
double TransitionBelief::strength(std::int32_t pair, double alpha0) const {
  const double n = row_count_[pair];
  if (!doubts()) return alpha0 + n;
  const double w = wrong(pair, alpha0, refutation().share);
  const double a = alpha0 + n, c = wrong_rows().strength + n;
  if (w == 1) return c;
  const Shape& shape = extended();
  const std::int64_t begin = shape.model.row_begin()[pair];
  std::vector<double> p(simulator_.row(pair).size()), q(shape.model.row(pair).size()), right(q.size(), 0.0);
  right_parameters(pair, alpha0, p);
  wrong_parameters(pair, q);
  for (double& value : q) value /= c;
  for (std::size_t i = 0; i < p.size(); ++i) {
    const std::int64_t at = shape.place[simulator_.row_begin()[pair] + static_cast<std::int64_t>(i)] - begin;
    right[static_cast<std::size_t>(at)] = p[i] / a;
  }
  double variance = (1 - w) * (1 - sum_of_squares(right)) / (a + 1) + w * (1 - sum_of_squares(q)) / (c + 1);
  double apart = 0, mixed = 0;
  for (std::size_t i = 0; i < q.size(); ++i) {
    apart += (right[i] - q[i]) * (right[i] - q[i]);
    const double m = (1 - w) * right[i] + w * q[i];
    mixed += m * m;
  }
  variance += w * (1 - w) * apart;
  return variance > 0 ? std::max((1 - mixed) / variance - 1, kSmallest) : a;
}

void TransitionBelief::mean_row(std::int32_t pair, double alpha0, std::span<double> row) const {
  const double n = row_count_[pair];
  if (!doubts()) {
    const auto p0 = simulator_.probability().subspan(simulator_.row_begin()[pair], row.size());
    if (n == 0) {  // no rounding where nothing was seen
      std::copy(p0.begin(), p0.end(), row.begin());
      return;
    }
    right_parameters(pair, alpha0, row);
    const double total = std::accumulate(row.begin(), row.end(), 0.0);
    for (double& p : row) p /= total;
    return;
  }
  const double w = wrong(pair, alpha0, refutation().share);
  wrong_parameters(pair, row);
  for (double& p : row) p *= w / (wrong_rows().strength + n);
  const Shape& shape = extended();
  const std::int64_t begin = shape.model.row_begin()[pair];
  for (const std::int64_t i : simulator_.entries_of(pair)) {
    row[static_cast<std::size_t>(shape.place[i] - begin)] +=
        (1 - w) * (alpha0 * simulator_.probability()[i] + seen_[i]) / (alpha0 + n);
  }
  for (double& p : row) p = std::max(p, kSmallest);
}

// Streams of rows have the unit k; k + pairs is whether row k is wrong and where it then leads, 2 pairs rho.
double TransitionBelief::draw_share(std::uint64_t seed, std::uint64_t draw) const {
  if (!doubts()) return 0;
  const double share = options_.share.value_or(kUnseenShare);
  const auto refuted = static_cast<double>(refuted_), visited = static_cast<double>(visited_);
  base::Stream stream(
      {seed, base::Purpose::belief, draw, 2 * static_cast<std::uint64_t>(simulator_.pairs())});
  return base::beta(stream, share * options_.rows + refuted, (1 - share) * options_.rows + visited - refuted);
}

void TransitionBelief::draw_row(std::int32_t pair, double alpha0, double rho, std::uint64_t seed,
                                std::uint64_t draw, base::Stream& stream, std::span<double> row) const {
  thread_local std::vector<double> alpha, right;
  const std::size_t own = simulator_.row(pair).size();
  const bool doubted = doubts();
  bool is_wrong = false;
  if (doubted) {
    const auto unit = static_cast<std::uint64_t>(simulator_.pairs()) + static_cast<std::uint64_t>(pair);
    base::Stream other({seed, base::Purpose::belief, draw, unit});
    is_wrong = base::uniform(other) < wrong(pair, alpha0, rho);
    if (is_wrong) {
      alpha.resize(row.size());
      wrong_parameters(pair, alpha);
      base::dirichlet(other, alpha, row);
    }
  }
  if (!is_wrong) {
    alpha.resize(own);
    right.resize(own);
    right_parameters(pair, alpha0, alpha);
    if (own == 1) {
      right[0] = 1;
    } else {
      base::dirichlet(stream, alpha, right);
    }
    if (doubted) {
      const Shape& shape = extended();
      std::fill(row.begin(), row.end(), 0.0);
      const std::int64_t begin = shape.model.row_begin()[pair], first = simulator_.row_begin()[pair];
      for (std::size_t i = 0; i < own; ++i)
        row[static_cast<std::size_t>(shape.place[first + static_cast<std::int64_t>(i)] - begin)] = right[i];
    } else {
      std::copy(right.begin(), right.end(), row.begin());
    }
  }
  for (double& p : row) p = std::max(p, kSmallest);
}

}  // namespace mindgap::belief

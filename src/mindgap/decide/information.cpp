#include "mindgap/decide/information.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "mindgap/base/parallel.h"
#include "mindgap/mdp/finite_horizon.h"
#include "mindgap/mdp/reach.h"

namespace mindgap::decide {
namespace {

using mdp::Mdp;

constexpr std::uint64_t kFirstDraw = std::uint64_t{1} << 61;
constexpr int kMostTangents = 60;

// Expected visits per state, each step's weighted by discount^t, where pair_at(t)[s] is taken.
template <typename PairAt>
std::vector<double> visits(const Mdp& mdp, std::span<const double> positions, std::int64_t steps,
                           PairAt pair_at) {
  std::vector<double> now(positions.begin(), positions.end()), next(now.size()), sum(now.size(), 0.0);
  for (std::int64_t t = 0; t < steps; ++t) {
    std::fill(next.begin(), next.end(), 0.0);
    const std::span<const std::int32_t> pair = pair_at(t);
    for (std::size_t s = 0; s < now.size(); ++s) {
      if (now[s] == 0) continue;
      sum[s] += now[s];
      const std::int32_t k = pair[s];
      for (std::int64_t i = mdp.row_begin()[k]; i < mdp.row_begin()[k + 1]; ++i)
        next[mdp.next_state()[i]] += mdp.discount() * now[s] * mdp.probability()[i];
    }
    std::swap(now, next);
  }
  return sum;
}

double dot(std::span<const double> a, std::span<const double> b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

// The line lambda -> value of one policy: V(r - lambda 1_out) + lambda eta = height + slope lambda, and the
// policy is optimal at `lambda`, so the line touches the convex function there from below.
struct Tangent {
  double lambda = 0, value = 0, slope = 0;
  double at(double x) const { return value + slope * (x - lambda); }
};

class Penalised {
 public:
  Penalised(const Mdp& truth, std::span<const double> positions, std::int64_t steps,
            std::vector<double> outside, double eta)
      : truth_(truth), positions_(positions), steps_(steps), outside_(std::move(outside)), eta_(eta) {}

  Tangent touch(double lambda) const {
    std::vector<double> reward(truth_.reward().begin(), truth_.reward().end());
    for (std::int32_t k = 0; k < truth_.pairs(); ++k) reward[k] -= lambda * outside_[truth_.state_of_pair(k)];
    const Mdp charged = truth_.with_reward(std::move(reward));
    const mdp::FiniteHorizonSolution best = mdp::solve_finite_horizon(charged, steps_, {.threads = 1});
    const auto states = static_cast<std::size_t>(truth_.states());
    const std::vector<double> seen = visits(charged, positions_, steps_, [&](std::int64_t t) {
      return std::span(best.pair).subspan(static_cast<std::size_t>(t) * states, states);
    });
    return {lambda, dot(best.value, positions_) + lambda * eta_, eta_ - dot(seen, outside_)};
  }

 private:
  const Mdp& truth_;
  std::span<const double> positions_;
  std::int64_t steps_;
  std::vector<double> outside_;  // 1 where practically unreached
  double eta_;
};

// min over lambda >= 0, by the crossing of the two tangents around it. The deployed policy's own line is
// level and below the function everywhere: no upper limit on lambda is needed, however dear a visit may be.
double minimum(const Penalised& function, const Tangent& first, double deployed) {
  if (first.slope >= 0) return first.value;
  Tangent left = first, right{0, deployed, 0};
  double least = first.value;
  for (int i = 0; i < kMostTangents; ++i) {
    const double lambda = (right.at(0) - left.at(0)) / (left.slope - right.slope);
    if (lambda <= 0) break;
    const double bound = left.at(lambda);
    const Tangent next = function.touch(lambda);
    least = std::min(least, next.value);
    if (next.value - bound <= 1e-10 * (1 + std::abs(bound))) break;
    (next.slope < 0 ? left : right) = next;
  }
  return least;
}

}  // namespace

InformationSplit split_information(const Mdp& truth, const mdp::Policy& deployed,
                                   std::span<const double> positions, std::int64_t steps, double threshold) {
  const std::vector<double> seen =
      visits(truth, positions, steps, [&](std::int64_t) { return deployed.pair_of_state(); });
  const double all = std::accumulate(seen.begin(), seen.end(), 0.0);
  InformationSplit split;
  std::vector<double> outside(seen.size(), 0.0);
  double eta = 0;
  for (std::size_t s = 0; s < seen.size(); ++s) {
    split.deployed += seen[s] * truth.reward()[deployed.pair_of_state()[s]];
    if (seen[s] >= threshold * all) continue;
    outside[s] = 1;
    eta += seen[s];
  }
  const Penalised function(truth, positions, steps, std::move(outside), eta);
  const Tangent free = function.touch(0);
  split.optimal = free.value;
  split.local = std::max(split.deployed, minimum(function, free, split.deployed));
  return split;
}

Information value_of_information(const Situation& situation, const mdp::Policy& deployed, Objective objective,
                                 std::int64_t draws, const SimulationOptions& options) {
  std::vector<double> positions(static_cast<std::size_t>(situation.belief().simulator().states()), 0.0);
  for (const std::int32_t s : situation.unit_state) ++positions[s];
  const base::Threads threads(options.threads);
  std::vector<double> total, local, reach;
  const std::int64_t batch = std::max<std::int64_t>(8, threads.count());
  while (static_cast<std::int64_t>(total.size()) < draws) {
    const auto done = static_cast<std::int64_t>(total.size());
    const std::int64_t more = std::min(batch, draws - done);
    std::vector<InformationSplit> splits(static_cast<std::size_t>(more));
    threads.for_each_chunk(more, [&](std::int64_t i) {
      Mdp truth = situation.belief().sample(options.seed, kFirstDraw + static_cast<std::uint64_t>(done + i));
      if (objective == Objective::total) truth = truth.with_discount(1);
      splits[static_cast<std::size_t>(i)] =
          split_information(truth, deployed, positions, situation.horizon, mdp::kSupportThreshold);
    });
    for (const InformationSplit& split : splits) {
      total.push_back(split.optimal - split.deployed);
      local.push_back(split.local - split.deployed);
      reach.push_back(split.optimal - split.local);
    }
    if (options.on_progress) options.on_progress("value of information", done + more, draws);
    if (options.should_stop && options.should_stop()) break;
  }
  return {static_cast<std::int64_t>(total.size()), gap::estimate(total), gap::estimate(local),
          gap::estimate(reach)};
}

}  // namespace mindgap::decide

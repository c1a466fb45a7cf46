// What beliefs cost in which errors are shared, beside the time that reading their numbers once would take.
#include <fmt/format.h>

#include <cstdio>
#include <vector>

#include "measure.h"
#include "mindgap/base/distributions.h"
#include "mindgap/belief/belief.h"
#include "mindgap/belief/ensemble.h"
#include "models.h"
#include "triad.h"

namespace {

using namespace mindgap;

// 10,000 pairs, each with loadings of its own on 100 factors, 1,000 observations.
void factors(double bandwidth) {
  constexpr std::int32_t kPairs = 10'000, kFactors = 100;
  const mdp::Mdp mdp = bench::random_sparse(kPairs / 4, 4, 4);
  base::Stream stream({1, base::Purpose::test});
  std::vector<double> loadings(static_cast<std::size_t>(kPairs) * kFactors);
  for (double& x : loadings) x = .1 * base::normal(stream);
  std::vector<std::int32_t> rows(kPairs);
  for (std::int32_t k = 0; k < kPairs; ++k) rows[static_cast<std::size_t>(k)] = k;
  const std::vector<double> ones(kPairs, 1.0), none(kPairs, 0.0);
  belief::Belief belief(mdp, {ones, ones}, ones, {.shared = {kFactors, std::move(loadings), rows, none}});
  const double update = bench::seconds_of([&] {
    for (std::int32_t i = 0; i < 1000; ++i) {
      const std::int32_t k = 7 * i % kPairs;
      belief.observe(k, .1, mdp.row(k).next_state[0]);
    }
    belief.factors();
  });
  const double mean = bench::seconds_of([&] { belief.mean(); });
  const double draw = bench::seconds_of([&] { belief.sample(42, 1); });
  const double once = 8.0 * kPairs * kFactors / bandwidth;
  fmt::print(
      "{} pairs x {} factors: 1,000 observations {:.1f} ms ({:.0f} readings of the loadings), mean {:.1f} ms "
      "({:.1f}), draw {:.1f} ms ({:.1f})\n",
      kPairs, kFactors, 1e3 * update, update / once, 1e3 * mean, mean / once, 1e3 * draw, draw / once);
}

// 200 members of 10,000 states x 4 actions x 4 successors, 1,000 observations.
void members(double bandwidth) {
  const mdp::Mdp first = bench::random_sparse(10'000, 4, 4);
  std::vector<mdp::Mdp> models;
  base::Stream stream({2, base::Purpose::test});
  for (int i = 0; i < 200; ++i) {
    std::vector<double> reward(first.reward().begin(), first.reward().end());
    const double shift = base::normal(stream);
    for (double& r : reward) r += shift * base::uniform(stream);
    models.push_back(first.with_reward(std::move(reward)));
  }
  const auto pairs = static_cast<std::size_t>(first.pairs());
  const std::vector<double> ones(pairs, 1.0);
  belief::Ensemble ensemble(mdp::Members(models), {ones, ones}, ones);
  for (std::int32_t i = 0; i < 1000; ++i) {
    const std::int32_t k = 37 * i % first.pairs();
    ensemble.observe({.pair = k, .reward = .1, .next_state = first.row(k).next_state[0]});
  }
  const double weights = bench::seconds_of([&] { ensemble.weights(); });
  const double mean = bench::seconds_of([&] { ensemble.mean(); });
  const double once = 8.0 * 200 * static_cast<double>(first.pairs() + first.nonzeros()) / bandwidth;
  fmt::print(
      "200 members x {} pairs: weights after 1,000 observations {:.1f} ms, mean {:.1f} ms ({:.1f} readings "
      "of "
      "all members)\n",
      first.pairs(), 1e3 * weights, 1e3 * mean, mean / once);
}

}  // namespace

int main() {
  const double bandwidth = bench::triad_bandwidth();
  factors(bandwidth);
  members(bandwidth);
  return 0;
}

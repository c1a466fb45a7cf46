#include "mindgap/world/reward_bins.h"

#include <algorithm>
#include <cmath>

namespace mindgap::world {
namespace {

// P(reward < x) at a cell.
double below(const HiddenModel& world, std::size_t cell, double x) {
  const double mean = world.reward()[cell], variance = world.variance()[cell];
  if (!(variance > 0)) return mean < x ? 1 : 0;
  return .5 * std::erfc((mean - x) / std::sqrt(2 * variance));
}

// Midpoints between means that are told apart.
std::vector<double> between_means(std::vector<double> means) {
  std::sort(means.begin(), means.end());
  std::vector<double> distinct;
  for (const double mean : means) {
    if (distinct.empty() || mean - distinct.back() > 1e-9 * std::max(1.0, std::abs(mean)))
      distinct.push_back(mean);
  }
  std::vector<double> cuts;
  const std::size_t bins = std::min(distinct.size(), static_cast<std::size_t>(kExactBins));
  for (std::size_t j = 1; j < bins; ++j) {
    const std::size_t i = j * distinct.size() / bins;
    cuts.push_back(.5 * (distinct[i - 1] + distinct[i]));
  }
  return cuts;
}

}  // namespace

RewardBins reward_bins(const HiddenModel& world, std::int32_t pair) {
  const auto hidden = static_cast<std::size_t>(world.hidden());
  const std::size_t first = world.cell(pair, 0);
  const auto mean = world.reward().subspan(first, hidden), variance = world.variance().subspan(first, hidden);
  const auto differ = [](std::span<const double> all) {
    return std::any_of(all.begin(), all.end(), [&](double x) { return x != all.front(); });
  };
  RewardBins bins;
  const double noise = *std::max_element(variance.begin(), variance.end());
  if (!(noise > 0)) {
    bins.cuts = between_means({mean.begin(), mean.end()});
  } else if (differ(mean) || differ(variance)) {
    const auto [least, most] = std::minmax_element(mean.begin(), mean.end());
    for (std::int64_t j = 1; j < kRewardBins; ++j) {
      const double wanted = static_cast<double>(j) / static_cast<double>(kRewardBins);
      double low = *least - 10 * std::sqrt(noise), high = *most + 10 * std::sqrt(noise);
      for (int i = 0; i < 60; ++i) {
        const double middle = .5 * (low + high);
        double mass = 0;
        for (std::size_t h = 0; h < hidden; ++h) mass += below(world, first + h, middle);
        (mass < wanted * static_cast<double>(hidden) ? low : high) = middle;
      }
      if (bins.cuts.empty() || high > bins.cuts.back()) bins.cuts.push_back(high);
    }
  }
  bins.probability.assign(bins.cuts.size() + 1, std::vector<double>(hidden));
  for (std::size_t h = 0; h < hidden; ++h) {
    double before = 0;
    for (std::size_t j = 0; j <= bins.cuts.size(); ++j) {
      const double up_to = j < bins.cuts.size() ? below(world, first + h, bins.cuts[j]) : 1;
      bins.probability[j][h] = up_to - before;
      before = up_to;
    }
  }
  return bins;
}

}  // namespace mindgap::world

#include "mindgap/voi/acceptability.h"

#include <algorithm>
#include <cmath>

#include "mindgap/base/check.h"

namespace mindgap::voi {
namespace {

constexpr double kRounding = 1e-12;  // of the best value: the same rewards added in another order are a tie

}  // namespace

Acceptability acceptability(std::span<const std::vector<double>> values) {
  Acceptability result;
  result.share.assign(values.size(), 0.0);
  if (values.empty() || values[0].empty()) {
    result.loss.resize(values.size());
    return result;
  }
  const std::size_t worlds = values[0].size();
  for (const std::vector<double>& plan : values)
    base::check_size("acceptability", "values", plan.size(), worlds);
  std::vector<double> best(worlds);
  for (std::size_t w = 0; w < worlds; ++w) {
    best[w] = values[0][w];
    for (const std::vector<double>& plan : values) best[w] = std::max(best[w], plan[w]);
    const double tied = best[w] - kRounding * std::abs(best[w]);
    const auto ties = static_cast<double>(std::count_if(
        values.begin(), values.end(), [&](const std::vector<double>& plan) { return plan[w] >= tied; }));
    for (std::size_t p = 0; p < values.size(); ++p) {
      if (values[p][w] >= tied) result.share[p] += 1 / ties;
    }
  }
  for (double& share : result.share) share /= static_cast<double>(worlds);
  for (const std::vector<double>& plan : values) {
    std::vector<double> loss(worlds);
    for (std::size_t w = 0; w < worlds; ++w) loss[w] = best[w] - plan[w];
    result.loss.push_back(gap::estimate(loss));
  }
  return result;
}

}  // namespace mindgap::voi

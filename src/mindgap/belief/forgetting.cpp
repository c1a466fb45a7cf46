#include "mindgap/belief/forgetting.h"

#include <cmath>

#include "mindgap/base/check.h"
#include "mindgap/base/error.h"

namespace mindgap::belief {
namespace {

constexpr double kNothingLeft = 1e-12;  // of what an observation told

// The summary as one or two observations, which have its count, mean and sum of squares.
void observe_summary(Belief& belief, std::int32_t pair, const SampleSummary& seen) {
  if (seen.count <= 0) return;
  const double variance = belief.observation_variance()[static_cast<std::size_t>(pair)];
  if (!belief.rewards()->wanted_of(.5, variance).empty()) {  // 0 or 1
    const double ones = seen.count * seen.mean, zeros = seen.count - ones;
    if (ones > 0) belief.observe({.pair = pair, .reward = 1.0, .weight = ones});
    if (zeros > 0) belief.observe({.pair = pair, .reward = 0.0, .weight = zeros});
    return;
  }
  const double spread = std::sqrt(seen.squared_deviations / seen.count);
  if (spread == 0) {
    belief.observe({.pair = pair, .reward = seen.mean, .weight = seen.count});
    return;
  }
  for (const double side : {-spread, spread})
    belief.observe({.pair = pair, .reward = seen.mean + side, .weight = seen.count / 2});
}

}  // namespace

ForgettingBelief::ForgettingBelief(Belief belief, double rate)
    : base_(std::move(belief)),
      keep_(1 - rate),
      exact_(base_.rewards()->identity().empty() && !base_.learns_jointly()),
      left_(static_cast<std::size_t>(base_.simulator().pairs())),
      sure_(left_.size(), 0.0) {
  base::check_range("ForgettingBelief", "rate", rate, 0, 1);
  if (rate == 1) throw InvalidArgument("ForgettingBelief: rate is 1, but must be below 1");
  for (std::int32_t k = 0; k < base_.simulator().pairs(); ++k) {
    mean_.push_back(base_.reward_mean(k));
    variance_.push_back(base_.reward_variance(k));
  }
}

void ForgettingBelief::observe(const mdp::Observation& seen) {
  if (seen.reward && seen.censored != mdp::Censoring::none)
    throw InvalidArgument("ForgettingBelief: a reward of which only a bound is known cannot be forgotten");
  mdp::Observation move = seen;
  move.reward.reset();
  base_.observe(move);  // checks the pair, too
  if (!seen.reward) return;
  const auto k = static_cast<std::size_t>(seen.pair);
  const double noise = base_.observation_variance()[k];
  const std::string wanted = base_.rewards()->wanted_of(*seen.reward, noise);
  if (!wanted.empty() || !std::isfinite(*seen.reward))
    throw InvalidArgument("ForgettingBelief: a reward must be " + (wanted.empty() ? "finite" : wanted));
  if (exact_ && noise == 0) left_[k] = {};  // the last one says it all
  add(left_[k], *seen.reward, seen.weight);
  if (exact_) left_[k].squared_deviations = 0;  // tells nothing where the variance is known
  sure_[k] = 1;
}

void ForgettingBelief::forget_one(std::size_t pair) {
  SampleSummary& left = left_[pair];
  const double squared = keep_ * keep_, noise = base_.observation_variance()[pair];
  if (!exact_) {
    left.count *= squared;
    left.squared_deviations *= squared;
    if (left.count < kNothingLeft) left = {};
    return;
  }
  sure_[pair] *= squared;
  if (variance_[pair] <= 0) {
    left = {};  // known, whatever is seen
  } else if (noise <= 0) {
    if (sure_[pair] < .5) left = {};
  } else {
    const double told = left.count * variance_[pair] / noise;
    const double share = squared * told / (1 + told);
    left.count = noise / variance_[pair] * share / (1 - share);
    left.mean = mean_[pair] + (left.mean - mean_[pair]) / keep_;
    if (share < kNothingLeft) left = {};
  }
}

void ForgettingBelief::pass(std::int64_t steps) {
  base::check_range("ForgettingBelief::pass", "steps", static_cast<double>(steps), 0, 1e15);
  if (keep_ == 1) return;
  for (std::int64_t t = 0; t < steps; ++t) {
    bool anything = false;
    for (std::size_t k = 0; k < left_.size(); ++k) {
      if (left_[k].count <= 0) continue;
      anything = true;
      forget_one(k);
    }
    if (!anything) return;
  }
}

Belief ForgettingBelief::now() const {
  Belief belief = base_;
  for (std::size_t k = 0; k < left_.size(); ++k)
    observe_summary(belief, static_cast<std::int32_t>(k), left_[k]);
  return belief;
}

}  // namespace mindgap::belief

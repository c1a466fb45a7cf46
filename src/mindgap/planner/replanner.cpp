#include "mindgap/planner/replanner.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "mindgap/mdp/solve.h"

namespace mindgap::planner {
namespace {

double magnitude_of(std::span<const double> numbers) {
  double most = 0;
  for (const double x : numbers) most = std::max(most, std::abs(x));
  return most;
}

// A tolerance is a share of the largest value there is. Solvers have it as a share of max|r| / (1 - g), of
// which that may be a small part: where only one state in a thousand pays. Below kTightest nobody could see a
// difference, and near kLeastShare the largest reward is one that nobody earns.
double tolerance_for_solvers(double tolerance, const mdp::Numbers& model, std::span<const double> value) {
  constexpr double kLeastShare = 1e-3, kTightest = 1e-8;
  const double most = magnitude_of(model.reward) / (1 - model.shape.discount());
  const double share = most > 0 ? std::clamp(magnitude_of(value) / most, kLeastShare, 1.0) : 1;
  return std::max(tolerance * share, std::min(tolerance, kTightest));
}

// Of a RollingSolution with that loss.
double threshold_of(double tolerance_of_solver, const mdp::Numbers& model) {
  const double scale = magnitude_of(model.reward);
  return tolerance_of_solver * (scale > 0 ? scale : 1) / 5;
}

mdp::Mdp model_of(const mdp::Numbers& numbers) {
  return numbers.shape.with_probability({numbers.probability.begin(), numbers.probability.end()})
      .with_reward({numbers.reward.begin(), numbers.reward.end()});
}

}  // namespace

std::shared_ptr<const Beginning> beginning_of(const belief::Belief& belief, double tolerance) {
  // direct_work where several models are solved together: about 700 cells of a grid, where it takes as long
  // as to roll on, and a little more where a look changes all rows, so that a solution that rolls on saves
  // nothing.
  constexpr double kSideBySide = 150'000, kSideBySideAnew = 200'000;
  belief::RunningModel mean(belief);
  double direct_work = mdp::RollingOptions{}.direct_work;
  if (!belief.learns_jointly()) direct_work = belief.learns_row_by_row() ? kSideBySide : kSideBySideAnew;
  Replanner replanner(tolerance, direct_work);
  replanner.plan(mean.numbers());
  if (!replanner.rolling()) return nullptr;
  return std::make_shared<const Beginning>(Beginning{std::move(mean), *replanner.rolling()});
}

std::size_t Together::most(const belief::Belief& belief, const Beginning* begin) {
  const bool worth = begin != nullptr && begin->solution.is_direct() && !belief.learns_jointly();
  return worth ? mdp::DirectLanes::kLanes : 1;
}

const std::shared_ptr<mdp::DirectLanes>& Together::more_lanes() {
  if (!more_) more_ = std::make_shared<mdp::DirectLanes>(begin_.solution, tolerance_);
  return more_;
}

std::span<const std::int32_t> Replanner::plan(const mdp::Numbers& model, From from) {
  if (lanes_ && lanes_->fits(model.shape)) {
    lanes_->set(lane_, model);
    return {};
  }
  return plan_after(model, from, [&] { rolling_->set(model); });
}

std::span<const std::int32_t> Replanner::plan(const mdp::Numbers& model,
                                              std::span<const std::int32_t> changed, bool all_rewards,
                                              From from) {
  if (lanes_ && lanes_->fits(model.shape)) {
    lanes_->set(lane_, model, changed, all_rewards);
    return {};
  }
  return plan_after(model, from, [&] { rolling_->set(model, changed, all_rewards); });
}

template <typename Set>
std::span<const std::int32_t> Replanner::plan_after(const mdp::Numbers& model, From from, const Set& set) {
  if (lanes_) {  // the belief has begun to doubt its rows: models have other transitions now
    value_.assign(value().begin(), value().end());
    rolling_.reset();
    lanes_.reset();
    rolls_ = false;
  }
  if (model.shape.discount() >= 1) {
    solve(model);
    return pick_;
  }
  if (rolling_ && rolling_->fits(model.shape)) {
    if (!rolls_) rolling_->restart(value_);
    set();
  } else {
    std::vector<double> guess = value_;
    guess.resize(static_cast<std::size_t>(model.shape.states()));
    rolling_.emplace(model_of(model), std::move(guess),
                     mdp::RollingOptions{threshold_of(tolerance_, model), direct_work_});
    if (!rolling_->is_direct()) {
      solve(model);
      rolling_->restart(value_, threshold_of(tolerance_for_solvers(tolerance_, model, value_), model));
    }
  }
  rolls_ = from.states.empty() ? rolling_->update() : rolling_->update(from.states);
  if (!rolls_) solve(model);
  return pair_of_state();
}

void Replanner::solve(const mdp::Numbers& model) {
  if (rolls_) value_.assign(rolling_->value().begin(), rolling_->value().end());
  constexpr double kFirst = 1e-6;  // as long as it is not known how large values are
  const double tolerance = magnitude_of(value_) > 0 ? tolerance_for_solvers(tolerance_, model, value_)
                                                    : std::min(tolerance_, kFirst);
  mdp::Solution solution =
      mdp::solve(model_of(model), {.tolerance = tolerance, .threads = 1, .initial_value = value_});
  const auto pairs = solution.policy.pair_of_state();
  pick_.assign(pairs.begin(), pairs.end());
  value_ = std::move(solution.value);
  rolls_ = false;
}

}  // namespace mindgap::planner

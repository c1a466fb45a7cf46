#include "mindgap/decide/drawn_world.h"

#include <algorithm>
#include <cmath>

#include "mindgap/base/distributions.h"
#include "mindgap/base/error.h"
#include "mindgap/base/random.h"
#include "mindgap/world/draw.h"

namespace mindgap::decide {

DrawnWorld::DrawnWorld(belief::DrawnRows truth, std::span<const double> variance,
                       std::span<const std::int32_t> unit_state, std::int64_t horizon, std::uint64_t seed,
                       std::uint64_t number, std::shared_ptr<const belief::RewardBelief> rewards)
    : truth_(std::move(truth)),
      variance_(variance),
      first_(unit_state),
      seed_(seed),
      number_(number),
      rewards_(std::move(rewards)),
      state_(unit_state.begin(), unit_state.end()),
      steps_(unit_state.size(), 0),
      earned_(static_cast<std::size_t>(horizon), 0.0) {}

std::int32_t DrawnWorld::reset(std::int64_t unit) {
  const auto u = static_cast<std::size_t>(unit);
  steps_[u] = 0;
  return state_[u] = first_[u];
}

void DrawnWorld::forget() {
  std::copy(first_.begin(), first_.end(), state_.begin());
  std::fill(steps_.begin(), steps_.end(), 0);
  std::fill(earned_.begin(), earned_.end(), 0.0);
  by_group_.assign(groups_ == nullptr ? 0 : static_cast<std::size_t>(groups_->count), 0.0);
}

void DrawnWorld::move(const belief::Belief& belief, double rate) {
  around_ = rate > 0 ? &belief : nullptr;
  keep_ = 1 - rate;
  path_.clear();
  path_.resize(static_cast<std::size_t>(truth_.shape().pairs()));
}

double DrawnWorld::mean_at(std::int32_t pair, std::size_t step, double first) {
  if (around_ == nullptr) return first;
  const double centre = around_->reward_mean(pair);
  std::unique_ptr<Path>& path = path_[static_cast<std::size_t>(pair)];
  if (!path) {
    path =
        std::make_unique<Path>(Path{base::Stream({seed_, base::Purpose::world, number_,
                                                  static_cast<std::uint64_t>(pair), ~std::uint64_t{0} - 2}),
                                    {first - centre}});
  }
  const double fresh = std::sqrt((1 - keep_ * keep_) * around_->reward_variance(pair));
  while (path->deviation.size() <= step)
    path->deviation.push_back(keep_ * path->deviation.back() + fresh * base::normal(path->stream));
  return centre + path->deviation[step];
}

world::Observation DrawnWorld::step(std::int64_t unit, std::int32_t pair) {
  const auto u = static_cast<std::size_t>(unit);
  if (!truth_.shape().pairs_of(state_[u]).contains(pair))
    throw InvalidArgument("DrawnWorld: a unit takes a pair of another state");
  const auto step = static_cast<std::size_t>(steps_[u]++);
  base::Stream stream({seed_, base::Purpose::world, number_, u, step});
  const auto [row, first] = truth_.of(pair);
  const double mean = mean_at(pair, step, first);
  const auto next = static_cast<std::size_t>(base::categorical(stream, row.probability));
  earned_[step] += mean;
  if (groups_ != nullptr) {
    const auto count = [&](const std::vector<std::int32_t>& group, std::size_t place) {
      if (!group.empty() && group[place] >= 0) by_group_[group[place]] += mean;
    };
    count(groups_->state, static_cast<std::size_t>(state_[u]));
    count(groups_->unit, u);
    count(groups_->member, u);
  }
  state_[u] = row.next_state[next];
  return {rewards_->draw_reward(mean, variance_[static_cast<std::size_t>(pair)], stream), state_[u]};
}

}  // namespace mindgap::decide

#include "mindgap/voi/rows.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "mindgap/base/check.h"
#include "mindgap/base/parallel.h"
#include "mindgap/base/workers.h"
#include "mindgap/mdp/finite_horizon.h"

namespace mindgap::voi {
namespace {

using mdp::Mdp;

constexpr std::size_t kMostGroups = 8;
constexpr std::int64_t kBatch = 16;  // draws between two questions whether to stop

// States by group; `of[s]` is a place in `names`.
struct StateGroups {
  std::vector<std::string> names;
  std::vector<std::size_t> of;
};

StateGroups groups_of(const Mdp& mdp) {
  const auto states = static_cast<std::size_t>(mdp.states());
  const std::vector<std::int32_t>& given = mdp.labels().group_of_state;
  StateGroups groups{{}, std::vector<std::size_t>(states, 0)};
  if (given.empty()) {
    groups.names = {""};
    return groups;
  }
  std::vector<std::size_t> size(static_cast<std::size_t>(mdp.labels().groups.size()) + 1, 0);
  const auto place = [&](std::size_t s) { return given[s] + 1; };  // 0: no group
  for (std::size_t s = 0; s < states; ++s) ++size[place(s)];
  std::vector<std::size_t> order(size.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::erase_if(order, [&](std::size_t g) { return size[g] == 0; });
  std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return size[a] > size[b]; });
  std::vector<std::size_t> rank(size.size(), 0);
  for (std::size_t i = 0; i < order.size(); ++i) {
    rank[order[i]] = std::min(i, order.size() > kMostGroups ? kMostGroups - 1 : i);
    if (rank[order[i]] < groups.names.size()) {
      groups.names.back() = "other groups";
    } else {
      groups.names.push_back(order[i] == 0
                                 ? "states without a group"
                                 : std::string(mdp.labels().groups[static_cast<std::int32_t>(order[i]) - 1]));
    }
  }
  for (std::size_t s = 0; s < states; ++s) groups.of[s] = rank[place(s)];
  return groups;
}

// What all units earn under a stationary policy.
double followed(const Mdp& mdp, const mdp::Policy& policy, const RowsOptions& options) {
  std::vector<double> now = options.positions, next(now.size());
  double value = 0;
  for (std::int64_t t = 0; t < options.steps; ++t) {
    std::fill(next.begin(), next.end(), 0.0);
    for (std::size_t s = 0; s < now.size(); ++s) {
      if (now[s] == 0) continue;
      const std::int32_t k = policy.pair_of_state()[s];
      value += now[s] * mdp.reward()[k];
      for (const std::int64_t i : mdp.entries_of(k))
        next[mdp.next_state()[i]] += mdp.discount() * now[s] * mdp.probability()[i];
    }
    std::swap(now, next);
  }
  return value;
}

// What knowing the model adds to the deployed policy.
double advantage(const Mdp& mdp, const mdp::Policy& deployed, const RowsOptions& options) {
  const mdp::FiniteHorizonSolution best =
      mdp::solve_finite_horizon(mdp, options.steps, {.keep_policy = false, .threads = 1});
  const double value =
      std::inner_product(best.value.begin(), best.value.end(), options.positions.begin(), 0.0);
  return value - followed(mdp, deployed, options);
}

class Rows {
 public:
  Rows(const belief::Belief& belief, const mdp::Policy& deployed, const RowsOptions& options)
      : belief_(belief),
        deployed_(deployed),
        options_(options),
        mean_(options.discounted ? belief.mean() : belief.mean().with_discount(1)),
        groups_(groups_of(mean_)) {
    for (const std::string& name : groups_.names) {
      parts_.push_back({name, true, false, {}});
      parts_.push_back({name, false, true, {}});
    }
    columns_ = parts_.size() + 3;  // and all rewards, all transitions, everything
  }

  RowsValue run() {
    RowsValue found;
    found.idle = advantage(mean_, deployed_, options_);
    const std::vector<std::vector<double>> gains = draw();
    found.draws = static_cast<std::int64_t>(gains.size());
    // Of differences of sums of so many rewards, what is smaller is a rounding error.
    const double nothing = 1e-12 * mean_.reward_magnitude() * static_cast<double>(options_.steps) *
                           std::accumulate(options_.positions.begin(), options_.positions.end(), 0.0);
    const auto column = [&](auto value) {
      std::vector<double> numbers;
      for (const std::vector<double>& gain : gains) {
        const double number = value(gain);
        numbers.push_back(std::abs(number) <= nothing ? 0 : number);
      }
      return gap::estimate(numbers);
    };
    const std::size_t first = parts_.size();
    for (std::size_t p = 0; p < parts_.size(); ++p)
      parts_[p].value = column([&](const auto& gain) { return gain[p] - found.idle; });
    found.rewards = column([&](const auto& gain) { return gain[first] - found.idle; });
    found.transitions = column([&](const auto& gain) { return gain[first + 1] - found.idle; });
    found.all = column([&](const auto& gain) { return gain[first + 2] - found.idle; });
    found.remainder = column([&](const auto& gain) {
      double left = gain[first + 2] - found.idle;
      for (std::size_t p = 0; p < first; ++p) left -= gain[p] - found.idle;
      return left;
    });
    std::stable_sort(parts_.begin(), parts_.end(),
                     [](const RowsPart& a, const RowsPart& b) { return a.value.mean > b.value.mean; });
    found.parts = std::move(parts_);
    return found;
  }

 private:
  // The gains of each draw.
  std::vector<std::vector<double>> draw() const {
    const base::Threads threads(options_.run.threads);
    std::vector<std::vector<double>> gains;
    const auto some = [&](std::int64_t begin, std::int64_t end) {
      std::vector<std::vector<double>> found(static_cast<std::size_t>(end - begin));
      threads.for_each_chunk(end - begin, [&](std::int64_t i) { found[i] = one(begin + i); });
      return found;
    };
    if (base::are_shared()) {
      const base::Stage stage{"rows", 0, options_.draws};
      base::share(
          stage,
          [&](std::int64_t begin, std::int64_t end) {
            std::vector<double> numbers;
            for (const std::vector<double>& gain : some(begin, end))
              numbers.insert(numbers.end(), gain.begin(), gain.end());
            return numbers;
          },
          [&](std::int64_t begin, std::int64_t end, std::span<const double> numbers) {
            base::check_piece(stage, numbers.size(), static_cast<std::size_t>(end - begin) * columns_);
            for (std::size_t i = 0; i < numbers.size(); i += columns_)
              gains.emplace_back(numbers.begin() + static_cast<std::ptrdiff_t>(i),
                                 numbers.begin() + static_cast<std::ptrdiff_t>(i + columns_));
            return gains.size() < 2 || !options_.run.listener.wants_to_stop();
          });
      return gains;
    }
    for (std::int64_t begin = 0; begin < options_.draws; begin += kBatch) {
      for (std::vector<double>& gain : some(begin, std::min(begin + kBatch, options_.draws)))
        gains.push_back(std::move(gain));
      if (options_.run.listener.wants_to_stop()) break;
    }
    return gains;
  }

  std::vector<double> one(std::int64_t draw) const {
    const Mdp drawn =
        belief_.sample(options_.run.seed, options_.first_draw + static_cast<std::uint64_t>(draw));
    std::vector<double> gains;
    gains.reserve(columns_);
    const std::size_t all = groups_.names.size();
    for (std::size_t g = 0; g < all; ++g) {
      for (const bool rewards : {true, false})
        gains.push_back(advantage(mixed(drawn, g, rewards, !rewards), deployed_, options_));
    }
    if (all == 1) {
      gains.push_back(gains[0]);
      gains.push_back(gains[1]);
    } else {
      gains.push_back(advantage(mixed(drawn, all, true, false), deployed_, options_));
      gains.push_back(advantage(mixed(drawn, all, false, true), deployed_, options_));
    }
    gains.push_back(advantage(mixed(drawn, all, true, true), deployed_, options_));
    return gains;
  }

  // The mean model with the rows of a group (or of all) as drawn.
  Mdp mixed(const Mdp& drawn, std::size_t group, bool rewards, bool transitions) const {
    std::vector<double> reward(mean_.reward().begin(), mean_.reward().end());
    std::vector<double> probability(mean_.probability().begin(), mean_.probability().end());
    for (std::int32_t k = 0; k < mean_.pairs(); ++k) {
      if (group < groups_.names.size() && groups_.of[mean_.state_of_pair(k)] != group) continue;
      if (rewards) reward[k] = drawn.reward()[k];
      if (!transitions) continue;
      for (const std::int64_t i : mean_.entries_of(k)) probability[i] = drawn.probability()[i];
    }
    const Mdp changed = rewards ? mean_.with_reward(std::move(reward)) : mean_;
    return transitions ? changed.with_probability(std::move(probability)) : changed;
  }

  const belief::Belief& belief_;
  const mdp::Policy& deployed_;
  const RowsOptions& options_;
  const Mdp mean_;
  const StateGroups groups_;
  std::vector<RowsPart> parts_;
  std::size_t columns_ = 0;
};

}  // namespace

RowsValue value_of_rows(const belief::Belief& belief, const mdp::Policy& deployed,
                        const RowsOptions& options) {
  base::check_size("value_of_rows", "positions", options.positions.size(),
                   static_cast<std::size_t>(belief.simulator().states()));
  base::check_nonnegative("value_of_rows", "positions", options.positions);
  base::check_range("value_of_rows", "steps", static_cast<double>(options.steps), 1, 1e9);
  base::check_range("value_of_rows", "draws", static_cast<double>(options.draws), 2, 1e7);
  return Rows(belief, deployed, options).run();
}

}  // namespace mindgap::voi

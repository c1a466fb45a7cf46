#include "mindgap/mdp/direct_lanes.h"

#include <algorithm>
#include <cmath>

#include "mindgap/base/check.h"
#include "mindgap/base/error.h"
#include "mindgap/mdp/solve.h"

namespace mindgap::mdp {
namespace direct_lanes {

constexpr std::size_t kLanes = DirectLanes::kLanes;

// Where things lie; rows of numbers are kLanes long.
struct View {
  std::int32_t states;
  const std::int32_t* pair_begin;
  const std::int64_t* row_begin;
  const std::int32_t* next_state;
  const double *probability, *reward, *value;
  double discount;
  const std::uint8_t* four_alike;  // per state: all of its actions lead to the same four states
};
// An EliminationPlan.
struct Plan {
  std::int32_t states;
  const std::int32_t *order, *column;
  const std::int64_t *left_begin, *right_begin;
  const std::int32_t *left, *right;
  const std::uint8_t *joined, *alike;
};
// As in Elimination.
struct Room {
  double *right, *inverse, *x, *row;
};

struct Sweeps {
  void (*improve)(const View& view, const double* margin, const std::int64_t* active, std::int64_t* pick,
                  std::int64_t* better);
  void (*evaluate)(const View& view, const Plan& plan, const Room& room, const std::int64_t* pick,
                   const std::size_t* lanes);
  decltype(evaluate) evaluate_half;  // of the lanes
};

namespace any_processor {
#include "mindgap/mdp/direct_lanes.inc"
}

// As in side_by_side.cpp.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#pragma GCC push_options
#pragma GCC target("avx2")
namespace with_avx2 {
#include "mindgap/mdp/direct_lanes.inc"
}
#pragma GCC pop_options
const Sweeps& sweeps() {
  static const bool kWide = __builtin_cpu_supports("avx2") != 0;
  return kWide ? with_avx2::kSweeps : any_processor::kSweeps;
}
#else
const Sweeps& sweeps() {
  return any_processor::kSweeps;
}
#endif

}  // namespace direct_lanes

DirectLanes::DirectLanes(const RollingSolution& begin, double tolerance)
    : shape_(begin.shape()), tolerance_(tolerance) {
  if (!begin.is_direct()) throw InvalidArgument("DirectLanes: the model is too large to be solved directly");
  plan_ = begin.elimination_plan();
  right_.resize(plan_->right.size() * kLanes);
  for (std::vector<double>* numbers : {&inverse_, &x_, &row_}) numbers->resize(plan_->order.size() * kLanes);
  const auto spread = [](auto numbers, auto& into) {
    into.reserve(numbers.size() * kLanes);
    for (const auto number : numbers) into.insert(into.end(), kLanes, number);
  };
  spread(begin.numbers().reward, reward_);
  spread(begin.numbers().probability, probability_);
  spread(begin.value(), value_);
  spread(begin.pair_of_state(), pick_);
  for (std::size_t lane = 0; lane < kLanes; ++lane) hand_out(lane);
  four_alike_.resize(plan_->order.size());
  for (std::size_t i = 0; i < plan_->order.size(); ++i) {
    const std::int32_t s = plan_->order[i];
    const bool four = shape_.entries_of(shape_.pairs_of(s).first()).size() == 4;
    four_alike_[s] = plan_->alike[i] != 0 && four ? 1 : 0;
  }
}

bool DirectLanes::fits(const Mdp& model) const {
  return model.discount() == shape_.discount() && model.next_state().data() == shape_.next_state().data();
}

void DirectLanes::set(std::size_t lane, const Numbers& model) {
  for (std::int64_t i = 0; i < shape_.nonzeros(); ++i) probability(i, lane) = model.probability[i];
  for (std::int32_t k = 0; k < shape_.pairs(); ++k) reward(k, lane) = model.reward[k];
  waits_[lane] = true;
}

void DirectLanes::set(std::size_t lane, const Numbers& model, std::span<const std::int32_t> changed,
                      bool all_rewards) {
  for (const std::int32_t k : changed) {
    for (const std::int64_t i : shape_.entries_of(k)) probability(i, lane) = model.probability[i];
    reward(k, lane) = model.reward[k];
  }
  for (std::int32_t k = 0; all_rewards && k < shape_.pairs(); ++k) reward(k, lane) = model.reward[k];
  waits_[lane] = true;
}

std::span<const std::int32_t> DirectLanes::pair_of_state(std::size_t lane) {
  if (waits_[lane]) solve_waiting();
  return pair_of_state_[lane];
}

std::span<const double> DirectLanes::value(std::size_t lane) {
  if (waits_[lane]) solve_waiting();
  return value_of_[lane];
}

void DirectLanes::hand_out(std::size_t lane) {
  pair_of_state_[lane].resize(plan_->order.size());
  value_of_[lane].resize(plan_->order.size());
  for (std::size_t s = 0; s < plan_->order.size(); ++s) {
    pair_of_state_[lane][s] = static_cast<std::int32_t>(pick_[s * kLanes + lane]);
    value_of_[lane][s] = value_[s * kLanes + lane];
  }
}

// The values of the picks where `active`, of half the lanes where that is enough.
void DirectLanes::evaluate(const Flags& active) {
  const EliminationPlan& p = *plan_;
  const direct_lanes::Plan plan{p.states(),          p.order.data(),       p.column.data(),
                                p.left_begin.data(), p.right_begin.data(), p.left.data(),
                                p.right.data(),      p.joined.data(),      p.alike.data()};
  const direct_lanes::Room room{right_.data(), inverse_.data(), x_.data(), row_.data()};
  std::array<std::size_t, kLanes> lanes{};
  std::size_t count = 0;
  for (std::size_t lane = 0; lane < kLanes; ++lane) {
    if (active[lane] != 0) lanes[count++] = lane;
  }
  std::fill(lanes.begin() + static_cast<std::ptrdiff_t>(count), lanes.end(), lanes[0]);
  const std::size_t width = count > kLanes / 2 ? kLanes : kLanes / 2;
  const direct_lanes::Sweeps& sweeps = direct_lanes::sweeps();
  (width == kLanes ? sweeps.evaluate : sweeps.evaluate_half)(view(), plan, room, pick_.data(), lanes.data());
  for (std::size_t i = 0; i < p.order.size(); ++i) {
    double* value = &value_[static_cast<std::size_t>(p.order[i]) * kLanes];
    for (std::size_t w = 0; w < count; ++w) value[lanes[w]] = x_[i * width + w];
  }
}

direct_lanes::View DirectLanes::view() const {
  return {shape_.states(),
          shape_.pair_begin().data(),
          shape_.row_begin().data(),
          shape_.next_state().data(),
          probability_.data(),
          reward_.data(),
          value_.data(),
          shape_.discount(),
          four_alike_.data()};
}

// As RollingSolution::iterate_policies.
void DirectLanes::solve_waiting() {
  constexpr int kLimit = 1000;  // far beyond what policy iteration ever needs
  const double room = 1 - shape_.discount();
  Flags active{}, better{};
  std::array<double, kLanes> most{}, none{}, margin{};
  for (std::size_t i = 0; i < reward_.size(); i += kLanes) {
    for (std::size_t lane = 0; lane < kLanes; ++lane)
      most[lane] = std::max(most[lane], std::abs(reward_[i + lane]));
  }
  for (std::size_t lane = 0; lane < kLanes; ++lane) {
    const bool tame = 1 - shape_.discount() * (1 + kSumTolerance) > 1e-6 && most[lane] / room < 1e200;
    if (waits_[lane] && !tame) solve_apart(lane);
    active[lane] = waits_[lane] && tame ? -1 : 0;
    margin[lane] = 1e-15 * most[lane] / (room * room);
  }
  const auto any = [&] {
    return std::any_of(active.begin(), active.end(), [](std::int64_t flag) { return flag != 0; });
  };
  const direct_lanes::Sweeps& sweeps = direct_lanes::sweeps();
  if (any()) sweeps.improve(view(), none.data(), active.data(), pick_.data(), better.data());
  for (int i = 0; any() && i < kLimit; ++i) {
    evaluate(active);
    sweeps.improve(view(), margin.data(), active.data(), pick_.data(), better.data());
    active = better;
  }
  for (std::size_t lane = 0; lane < kLanes; ++lane) {
    if (active[lane] != 0) solve_apart(lane);
    if (waits_[lane]) hand_out(lane);
    waits_[lane] = false;
  }
}

void DirectLanes::solve_apart(std::size_t lane) {
  std::vector<double> rewards, probabilities, guess(value_of_[lane]);
  for (std::int32_t k = 0; k < shape_.pairs(); ++k) rewards.push_back(reward(k, lane));
  for (std::int64_t i = 0; i < shape_.nonzeros(); ++i) probabilities.push_back(probability(i, lane));
  const Mdp model = shape_.with_probability(std::move(probabilities)).with_reward(std::move(rewards));
  const Solution solution =
      solve(model, {.tolerance = tolerance_, .threads = 1, .initial_value = std::move(guess)});
  for (std::size_t s = 0; s < plan_->order.size(); ++s) {
    value_[s * kLanes + lane] = solution.value[s];
    pick_[s * kLanes + lane] = solution.policy.pair_of_state()[s];
  }
}

}  // namespace mindgap::mdp

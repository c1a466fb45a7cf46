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
};
struct Band {
  std::int32_t states;
  const std::int32_t *first, *last;
  const std::int64_t* offset;
  double* entries;

  // Whose column j is kLanes numbers from j * kLanes on.
  double* row(std::int32_t i) const {
    return entries + (offset[i] - first[i]) * static_cast<std::int64_t>(kLanes);
  }
};

struct Sweeps {
  void (*improve)(const View& view, const double* margin, const std::int64_t* active, std::int64_t* pick,
                  std::int64_t* better);
  void (*eliminate)(const Band& band, double* value);
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
  const Envelope envelope(shape_);
  first_ = envelope.first();
  last_ = envelope.last();
  offset_ = envelope.offset();
  entries_.resize(envelope.size() * kLanes);
  work_.resize(first_.size() * kLanes);
  const auto spread = [](auto numbers, auto& into) {
    into.reserve(numbers.size() * kLanes);
    for (const auto number : numbers) into.insert(into.end(), kLanes, number);
  };
  spread(begin.numbers().reward, reward_);
  spread(begin.numbers().probability, probability_);
  spread(begin.value(), value_);
  spread(begin.pair_of_state(), pick_);
  for (std::size_t lane = 0; lane < kLanes; ++lane) hand_out(lane);
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
  pair_of_state_[lane].resize(first_.size());
  value_of_[lane].resize(first_.size());
  for (std::size_t s = 0; s < first_.size(); ++s) {
    pair_of_state_[lane][s] = static_cast<std::int32_t>(pick_[s * kLanes + lane]);
    value_of_[lane][s] = value_[s * kLanes + lane];
  }
}

// I - g P and the rewards of the picks, where `active`; I elsewhere, which leaves `work_` as it is.
void DirectLanes::build_rows(const Flags& active) {
  const double g = shape_.discount();
  std::fill(entries_.begin(), entries_.end(), 0.0);
  for (std::size_t s = 0; s < first_.size(); ++s) {
    double* row = entries_.data() + (offset_[s] - first_[s]) * static_cast<std::int64_t>(kLanes);
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      double& diagonal = row[s * kLanes + lane];
      if (active[lane] != 0) {
        const auto k = static_cast<std::int32_t>(pick_[s * kLanes + lane]);
        for (const std::int64_t i : shape_.entries_of(k))
          row[static_cast<std::size_t>(shape_.next_state()[i]) * kLanes + lane] = -g * probability(i, lane);
        work_[s * kLanes + lane] = reward(k, lane);
      }
      diagonal += 1;
    }
  }
}

// As RollingSolution::iterate_policies.
void DirectLanes::solve_waiting() {
  constexpr int kLimit = 1000;  // far beyond what policy iteration ever needs
  const double room = 1 - shape_.discount();
  Flags active{}, better{};
  std::array<double, kLanes> most{}, none{}, margin{};
  for (std::size_t i = 0; i < reward_.size(); ++i)
    most[i % kLanes] = std::max(most[i % kLanes], std::abs(reward_[i]));
  for (std::size_t lane = 0; lane < kLanes; ++lane) {
    const bool tame = 1 - shape_.discount() * (1 + kSumTolerance) > 1e-6 && most[lane] / room < 1e200;
    if (waits_[lane] && !tame) solve_apart(lane);
    active[lane] = waits_[lane] && tame ? -1 : 0;
    margin[lane] = 1e-15 * most[lane] / (room * room);
  }
  const direct_lanes::View view{shape_.states(),
                                shape_.pair_begin().data(),
                                shape_.row_begin().data(),
                                shape_.next_state().data(),
                                probability_.data(),
                                reward_.data(),
                                value_.data(),
                                shape_.discount()};
  const direct_lanes::Band band{shape_.states(), first_.data(), last_.data(), offset_.data(),
                                entries_.data()};
  const auto any = [&] {
    return std::any_of(active.begin(), active.end(), [](std::int64_t flag) { return flag != 0; });
  };
  const direct_lanes::Sweeps& sweeps = direct_lanes::sweeps();
  if (any()) sweeps.improve(view, none.data(), active.data(), pick_.data(), better.data());
  for (int i = 0; any() && i < kLimit; ++i) {
    build_rows(active);
    sweeps.eliminate(band, work_.data());
    for (std::size_t j = 0; j < value_.size(); ++j) {
      if (active[j % kLanes] != 0) value_[j] = work_[j];
    }
    sweeps.improve(view, margin.data(), active.data(), pick_.data(), better.data());
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
  for (std::size_t s = 0; s < first_.size(); ++s) {
    value_[s * kLanes + lane] = solution.value[s];
    pick_[s * kLanes + lane] = solution.policy.pair_of_state()[s];
  }
}

}  // namespace mindgap::mdp

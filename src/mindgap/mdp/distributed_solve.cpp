#include "mindgap/mdp/distributed_solve.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>

#include "mindgap/base/check.h"
#include "mindgap/base/error.h"
#include "mindgap/base/listener.h"
#include "mindgap/mdp/bellman.h"
#include "mindgap/mdp/start_value.h"
#include "mindgap/mdp/underflow.h"

namespace mindgap::mdp {
namespace {

[[noreturn]] void fail_part(const ModelPart& part, std::int32_t own_state, std::int32_t pair,
                            const std::string& problem, std::string value = {}) {
  throw InvalidModel(problem, {.state = fmt::format("{}", part.first_state + own_state),
                               .action = fmt::format("{}", part.pair_action[pair]),
                               .value = std::move(value)});
}

void check_part_row(const ModelPart& part, std::int32_t s, std::int32_t k) {
  std::int32_t last = -1;
  double sum = 0;
  for (std::int64_t i = part.row_begin[k]; i < part.row_begin[k + 1]; ++i) {
    const std::int32_t next = part.next_state[i];
    const double p = part.probability[i];
    if (next < 0 || next >= part.states)
      fail_part(part, s, k, fmt::format("next state {} does not exist", next));
    if (next <= last || p == 0) {
      fail_part(
          part, s, k,
          "next states must ascend, without zeros, where a part of a model is read; `mindgap convert` writes "
          "them so");
    }
    if (!(p > 0 && p <= 1 + kSumTolerance))
      fail_part(part, s, k, "a probability must be from 0 to 1", fmt::format("{}", p));
    last = next;
    sum += p;
  }
  if (!(std::abs(sum - 1) <= kSumTolerance))
    fail_part(part, s, k, "transition probabilities must sum to 1", fmt::format("{:.12g}", sum));
  if (!std::isfinite(part.reward[k]))
    fail_part(part, s, k, "the reward must be finite", fmt::format("{}", part.reward[k]));
}

void check_call(const MindgapRanks& ranks, int result) {
  if (result != 0) throw NumericalError(fmt::format("solve: {}", ranks.message()));
}

// What the bounds rest on beside a sweep, of the whole model.
ModelRange range_of(const ModelPart& part, const MindgapRanks& ranks, double& start_mass) {
  double most[4] = {-2, 0, 0, 1};  // -(smallest row sum), largest row sum, |reward|, length of a row
  for (std::size_t k = 0; k + 1 < part.row_begin.size(); ++k) {
    double sum = 0;
    for (std::int64_t i = part.row_begin[k]; i < part.row_begin[k + 1]; ++i) sum += part.probability[i];
    most[0] = std::max(most[0], -sum);
    most[1] = std::max(most[1], sum);
    most[2] = std::max(most[2], std::abs(part.reward[k]));
    most[3] = std::max(most[3], static_cast<double>(part.row_begin[k + 1] - part.row_begin[k]));
  }
  check_call(ranks, ranks.maximum(most, 4));
  start_mass = 0;
  for (const double p : part.start) start_mass += p;
  check_call(ranks, ranks.sum(&start_mass, 1));
  return {part.discount, -most[0], most[1], most[2], static_cast<std::int32_t>(most[3])};
}

void check_whole(const ModelPart& part, const ModelRange& range, double start_mass,
                 const DistributedOptions& options) {
  base::check_positive("solve", "tolerance", options.tolerance);
  base::check_positive("solve", "max_iterations", static_cast<double>(options.max_iterations));
  if (!(part.discount >= 0 && part.discount < 1)) {
    throw InvalidArgument(
        fmt::format("solve: the discount is {}, but must be at least 0 and below 1", part.discount));
  }
  // Sums over 10^9 states round by less than this.
  if (std::abs(start_mass - 1) > 2 * kSumTolerance) {
    throw InvalidModel("the start probabilities must sum to 1",
                       {.value = fmt::format("{:.12g}", start_mass)});
  }
  const double shrink = 1 - largest_factor(range);
  if (!(shrink > 0) || !(range.reward_magnitude / shrink < kLargestValue)) {
    throw NumericalError(
        fmt::format("solve: values up to {:.3g} / {:.3g} are beyond double precision; scale the rewards",
                    range.reward_magnitude, shrink));
  }
}

// The loop of run_policy_iteration() with everything that is about states on the ranks.
class DistributedRun {
 public:
  DistributedRun(const ModelPart& part, const MindgapRanks& ranks, const DistributedOptions& options)
      : part_(part), ranks_(ranks), options_(options) {
    double start_mass = 0;
    range_ = range_of(part, ranks, start_mass);
    check_whole(part, range_, start_mass, options);
    wanted_ = options.tolerance * part.reward_max.value_or(range_.reward_magnitude) / (1 - part.discount);
    const MindgapPart plain{
        part.states,           part.first_state,       part.own_states(),       part.pair_begin.data(),
        part.row_begin.data(), part.next_state.data(), part.probability.data(), part.reward.data()};
    MindgapDistributed* model = nullptr;
    const int result = ranks.create(&plain, part.discount, &model);
    model_ = {model, ranks.destroy};
    check_call(ranks, result);
    set_first_value();
  }

  DistributedSolution run() {
    double share = options_.inner_tolerance;
    while (!certify()) {
      // A policy that does not change any more is solved to the end.
      if (iterations_ > 1 && changed_ == 0) {
        if (share <= 1e-13) {
          status_ = SolveStatus::precision_limit;
          break;
        }
        share = std::max(share * 1e-3, 1e-14);
      }
      std::int64_t products = 0;
      check_call(ranks_, ranks_.evaluate(model_.get(), share, options_.inner_products, &products));
      products_ += products;
    }
    return finish();
  }

 private:
  // T applied to zero, without looking at a single transition.
  void set_first_value() {
    std::vector<double> value(static_cast<std::size_t>(part_.own_states()));
    for (std::size_t s = 0; s < value.size(); ++s) {
      const auto first = part_.reward.begin() + part_.pair_begin[s];
      value[s] = *std::max_element(first, part_.reward.begin() + part_.pair_begin[s + 1]);
    }
    check_call(ranks_, ranks_.set_value(model_.get(), value.data()));
  }

  bool certify() {
    base::interruption_point();
    check_call(ranks_,
               ranks_.improve(model_.get(), &residual_.min, &residual_.max, &residual_.magnitude, &changed_));
    bounds_ = bounds_from(range_, residual_);
    ++iterations_;
    if (options_.on_iteration) options_.on_iteration(bounds_.width(), wanted_);
    // All ranks must agree, so the slowest clock counts.
    double clock = seconds();
    check_call(ranks_, ranks_.maximum(&clock, 1));
    if (bounds_.width() <= wanted_) {
      status_ = SolveStatus::converged;
    } else if (bounds_.width() <= 2 * bounds_.floor) {
      status_ = SolveStatus::precision_limit;
    } else if (iterations_ >= options_.max_iterations) {
      status_ = SolveStatus::iteration_limit;
    } else if (clock > options_.time_limit) {
      status_ = SolveStatus::time_limit;
    } else {
      return false;
    }
    return true;
  }

  DistributedSolution finish() {
    DistributedSolution solution;
    solution.status = status_;
    solution.value.resize(static_cast<std::size_t>(part_.own_states()));
    std::vector<std::int32_t> pair(solution.value.size());
    check_call(ranks_, ranks_.read(model_.get(), solution.value.data(), pair.data()));
    const double middle = 0.5 * (bounds_.lower + bounds_.upper);
    for (double& v : solution.value) v += middle;
    for (const std::int32_t k : pair) solution.action.push_back(part_.pair_action[k]);
    // Adding the middle rounds once more.
    const double magnitude = residual_.magnitude + std::abs(middle);
    solution.half_width = 0.5 * bounds_.width() + 1e-15 * magnitude + underflow(4, magnitude);
    solution.policy_loss_bound = bounds_.width();
    // Each rank's part of the sum is as exact as in start_value(); adding the parts rounds once a rank.
    const StartValue own = start_value(part_.start, solution.value, solution.half_width);
    double sums[2] = {own.value, own.error};
    check_call(ranks_, ranks_.sum(sums, 2));
    const double unit = std::numeric_limits<double>::epsilon() / 2;
    const double error = sums[1] * (1 + 1e-12) + 2 * unit * ranks_.ranks * magnitude;
    solution.value_at_start = sums[0];
    solution.bounds = {sums[0] - error, sums[0] + error};
    solution.iterations = iterations_;
    solution.products = products_;
    solution.seconds = seconds();
    return solution;
  }

  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - started_).count();
  }

  const ModelPart& part_;
  const MindgapRanks& ranks_;
  const DistributedOptions& options_;
  ModelRange range_;
  double wanted_ = 0;
  std::unique_ptr<MindgapDistributed, void (*)(MindgapDistributed*)> model_{nullptr, nullptr};
  Residual residual_;
  Bounds bounds_;
  SolveStatus status_ = SolveStatus::converged;
  std::int64_t iterations_ = 0, products_ = 0, changed_ = 0;
  std::chrono::steady_clock::time_point started_ = std::chrono::steady_clock::now();
};

}  // namespace

void check_part(const ModelPart& part) {
  for (std::int32_t s = 0; s < part.own_states(); ++s) {
    for (std::int32_t k = part.pair_begin[s]; k < part.pair_begin[s + 1]; ++k) check_part_row(part, s, k);
  }
  for (const double p : part.start) {
    if (!(p >= 0 && p <= 1 + kSumTolerance))
      throw InvalidModel("the start probability must be from 0 to 1", {.value = fmt::format("{}", p)});
  }
}

DistributedSolution solve_distributed(const ModelPart& part, const MindgapRanks& ranks,
                                      const DistributedOptions& options) {
  return DistributedRun(part, ranks, options).run();
}

}  // namespace mindgap::mdp

#include "decide/rivals.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "mindgap/base/distributions.h"

namespace mindgap::decide {
namespace {

using Method = RivalSpec::Method;

class Rival final : public planner::Planner {
 public:
  Rival(const RivalSpec& spec, const mdp::Mdp& model, std::vector<double> strength, std::int64_t units,
        std::uint64_t seed, std::uint64_t trial)
      : spec_(spec),
        model_(model),
        strength_(std::move(strength)),
        alpha_(model.probability().begin(), model.probability().end()),
        value_(spec.method == Method::psrl ? static_cast<std::size_t>(units) : 1,
               std::vector<double>(static_cast<std::size_t>(model.states()), 0.0)),
        policy_(value_.size()),
        seed_(seed),
        trial_(trial) {
    for (std::int32_t k = 0; k < model.pairs(); ++k) {
      for (auto i = begin(k); i < begin(k + 1); ++i) alpha_[i] *= strength_[static_cast<std::size_t>(k)];
    }
  }

  void choose(std::int64_t step, std::span<const std::int32_t> state, std::span<std::int32_t> pair) override {
    if (spec_.method != Method::psrl) {
      solve(rows_of_mean(), 0);
    } else if (step % static_cast<std::int64_t>(spec_.number) == 0) {
      for (std::size_t u = 0; u < state.size(); ++u) solve(drawn_rows(u, step), u);
    }
    for (std::size_t u = 0; u < state.size(); ++u) {
      const auto s = static_cast<std::size_t>(state[u]);
      pair[u] = policy_[spec_.method == Method::psrl ? u : 0][s];
      if (spec_.method != Method::epsilon) continue;
      base::Stream stream = stream_of(u, step);
      if (base::uniform(stream) >= spec_.number) continue;
      const std::int32_t first = model_.pair_begin()[s];
      pair[u] =
          first + static_cast<std::int32_t>(base::uniform_index(stream, model_.pair_begin()[s + 1] - first));
    }
  }

  void observe(std::int64_t, const planner::StepSeen& seen) override {
    for (std::size_t u = 0; u < seen.pair.size(); ++u) {
      const std::int32_t k = seen.pair[u];
      for (auto i = begin(k); i < begin(k + 1); ++i) {
        if (model_.next_state()[i] != seen.next_state[u]) continue;
        alpha_[i] += 1;
        strength_[static_cast<std::size_t>(k)] += 1;
      }
    }
  }

 private:
  std::size_t begin(std::int32_t pair) const { return static_cast<std::size_t>(model_.row_begin()[pair]); }
  base::Stream stream_of(std::size_t unit, std::int64_t step) const {
    return base::Stream({seed_, base::Purpose::test, trial_, unit + 16, static_cast<std::uint64_t>(step)});
  }

  std::vector<double> rows_of_mean() const {
    std::vector<double> rows(alpha_);
    for (std::int32_t k = 0; k < model_.pairs(); ++k) {
      for (auto i = begin(k); i < begin(k + 1); ++i) rows[i] /= strength_[static_cast<std::size_t>(k)];
    }
    return rows;
  }

  std::vector<double> drawn_rows(std::size_t unit, std::int64_t step) const {
    base::Stream stream = stream_of(unit, step);
    std::vector<double> rows(alpha_.size());
    for (std::int32_t k = 0; k < model_.pairs(); ++k) {
      const std::size_t length = begin(k + 1) - begin(k);
      base::dirichlet(stream, std::span(alpha_).subspan(begin(k), length),
                      std::span(rows).subspan(begin(k), length));
    }
    return rows;
  }

  double reward(std::int32_t pair) const {
    const bool uncertain = begin(pair + 1) - begin(pair) > 1;
    if (spec_.method != Method::beb || !uncertain) return model_.reward()[pair];
    return model_.reward()[pair] + spec_.number / (1 + strength_[static_cast<std::size_t>(pair)]);
  }

  // Value iteration from the last values, until a sweep moves no value by more than 1e-4 of the largest
  // reward.
  void solve(const std::vector<double>& rows, std::size_t which) {
    std::vector<double>& value = value_[which];
    std::vector<std::int32_t>& policy = policy_[which];
    policy.resize(value.size());
    std::vector<double> pays;
    pays.reserve(static_cast<std::size_t>(model_.pairs()));
    for (std::int32_t k = 0; k < model_.pairs(); ++k) pays.push_back(reward(k));
    double moved = 1e300;
    for (int sweep = 0; sweep < 2'000 && moved > 1e-4 * model_.reward_magnitude(); ++sweep) {
      moved = 0;
      for (std::size_t s = 0; s < value.size(); ++s) {
        double best = -1e300;
        for (std::int32_t k = model_.pair_begin()[s]; k < model_.pair_begin()[s + 1]; ++k) {
          double q = 0;
          for (auto i = begin(k); i < begin(k + 1); ++i)
            q += rows[i] * value[static_cast<std::size_t>(model_.next_state()[i])];
          q = pays[static_cast<std::size_t>(k)] + model_.discount() * q;
          if (q <= best) continue;
          best = q;
          policy[s] = k;
        }
        moved = std::max(moved, std::abs(best - value[s]));
        value[s] = best;
      }
    }
  }

  RivalSpec spec_;
  mdp::Mdp model_;
  std::vector<double> strength_, alpha_;
  std::vector<std::vector<double>> value_;  // one for all, or one per unit
  std::vector<std::vector<std::int32_t>> policy_;
  std::uint64_t seed_, trial_;
};

}  // namespace

std::string name_of(const RivalSpec& spec) {
  switch (spec.method) {
    case Method::greedy:
      return "greedy";
    case Method::epsilon:
      return fmt::format("epsilon {}", spec.number);
    case Method::psrl:
      return fmt::format("psrl {}", spec.number);
    case Method::beb:
      return fmt::format("beb {}", spec.number);
  }
  return {};
}

std::unique_ptr<planner::Planner> make_rival(const RivalSpec& spec, const mdp::Mdp& model,
                                             std::vector<double> strength, std::int64_t units,
                                             std::uint64_t seed, std::uint64_t trial) {
  return std::make_unique<Rival>(spec, model, std::move(strength), units, seed, trial);
}

}  // namespace mindgap::decide

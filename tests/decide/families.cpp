#include "decide/families.h"

#include <algorithm>
#include <numeric>

#include "decide/situations.h"
#include "mindgap/base/distributions.h"
#include "mindgap/base/random.h"

namespace mindgap::decide {
namespace {

Family empty_family(const std::string& name, std::int32_t states, std::int32_t actions) {
  const auto pairs = static_cast<std::size_t>(states) * static_cast<std::size_t>(actions);
  return {name, states, actions, std::vector<std::vector<std::int32_t>>(pairs),
          std::vector<double>(pairs, 0.0)};
}

// Every action of state s goes on to s + 1 (the last state: stays) or falls back to 0.
Family chain() {
  Family family = empty_family("chain", 5, 3);
  for (std::int32_t s = 0; s < 5; ++s) {
    for (std::int32_t a = 0; a < 3; ++a) {
      const std::int32_t k = 3 * s + a;
      family.next[k] = {0, std::min(s + 1, 4)};
      family.reward[k] = s == 0 ? 2 : s == 4 ? 10 : 0;
    }
  }
  return family;
}

// Two loops through state 0: 1, 2, 3, 4, from which there is no way out but on, and 5, 6, 7, 8, where every
// action may fall back to 0.
Family double_loop() {
  Family family = empty_family("double loop", 9, 2);
  for (std::int32_t s = 0; s < 9; ++s) {
    for (std::int32_t a = 0; a < 2; ++a) {
      const std::int32_t k = 2 * s + a;
      if (s == 0) family.next[k] = {1, 5};
      if (s >= 1) family.next[k] = {s == 4 || s == 8 ? 0 : s + 1};
      if (s >= 5 && s < 8) family.next[k] = {0, s + 1};
      family.reward[k] = s == 4 ? 1 : s == 8 ? 2 : 0;
    }
  }
  return family;
}

// 5 x 5 cells, four directions; a move arrives or stays, one off the grid stays.
Family grid() {
  constexpr std::int32_t kSide = 5;
  Family family = empty_family("grid", kSide * kSide, 4);
  constexpr std::int32_t kRow[4] = {0, 0, -1, 1}, kColumn[4] = {-1, 1, 0, 0};
  for (std::int32_t s = 0; s < kSide * kSide; ++s) {
    for (std::int32_t a = 0; a < 4; ++a) {
      const std::int32_t k = 4 * s + a;
      const std::int32_t row = s / kSide + kRow[a], column = s % kSide + kColumn[a];
      const bool inside = row >= 0 && row < kSide && column >= 0 && column < kSide;
      family.next[k] = inside ? std::vector{s, row * kSide + column} : std::vector{s};
      if (s == kSide * kSide - 1) {
        family.next[k] = {0};
        family.reward[k] = 10;
      }
    }
  }
  return family;
}

mdp::Mdp model_with(const Family& family, const std::vector<std::vector<std::int32_t>>& next,
                    const std::vector<std::vector<double>>& probability) {
  mdp::MdpBuilder builder(kBenchmarkDiscount, family.states, family.actions);
  for (std::size_t k = 0; k < next.size(); ++k) {
    const auto s = static_cast<std::int32_t>(k) / family.actions;
    const auto a = static_cast<std::int32_t>(k) % family.actions;
    builder.set_reward(s, a, family.reward[k]);
    for (std::size_t i = 0; i < next[k].size(); ++i)
      builder.add_transition(s, a, next[k][i], probability[k][i]);
  }
  return builder.build();
}

}  // namespace

const std::vector<Family>& benchmark_families() {
  static const std::vector<Family> kAll = {chain(), double_loop(), grid()};
  return kAll;
}

Situation benchmark_situation(const Family& family, PriorKind kind, std::int64_t units,
                              std::int64_t horizon) {
  std::vector<std::vector<std::int32_t>> next = family.next;
  if (kind == PriorKind::inaccurate) {
    std::vector<std::int32_t> everywhere(static_cast<std::size_t>(family.states));
    std::iota(everywhere.begin(), everywhere.end(), 0);
    next.assign(next.size(), everywhere);
  }
  belief::Prior prior;
  std::vector<std::vector<double>> probability;
  for (const auto& row : next) {
    const auto length = static_cast<double>(row.size());
    probability.emplace_back(row.size(), 1 / length);
    prior.reward_sd.push_back(0);
    prior.transition_strength.push_back(length);
  }
  return situation_of(model_with(family, next, probability), prior, 1,
                      std::vector<std::int32_t>(static_cast<std::size_t>(units), 0), horizon);
}

mdp::Mdp draw_stated_model(const Situation& situation, std::uint64_t seed, std::uint64_t number) {
  const mdp::Mdp& mean = situation.belief().simulator();
  base::Stream stream({seed, base::Purpose::test, number, 2});
  std::vector<double> probability(mean.probability().begin(), mean.probability().end());
  for (std::int32_t k = 0; k < mean.pairs(); ++k) {
    const auto begin = static_cast<std::size_t>(mean.row_begin()[k]);
    const auto length = static_cast<std::size_t>(mean.row_begin()[k + 1]) - begin;
    std::vector<double> alpha(mean.probability().begin() + static_cast<std::ptrdiff_t>(begin),
                              mean.probability().begin() + static_cast<std::ptrdiff_t>(begin + length));
    for (double& one : alpha)
      one *= situation.belief().prior().transition_strength[static_cast<std::size_t>(k)];
    base::dirichlet(stream, alpha, std::span(probability).subspan(begin, length));
    for (std::size_t i = begin; i < begin + length; ++i) probability[i] = std::max(probability[i], 1e-300);
  }
  return mean.with_probability(std::move(probability));
}

}  // namespace mindgap::decide

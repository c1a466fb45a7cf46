#include "decide/shared_field.h"

#include <cmath>

#include "decide/following.h"
#include "decide/situations.h"
#include "mindgap/base/parallel.h"
#include "mindgap/mdp/finite_horizon.h"

namespace mindgap::decide {
namespace {

constexpr std::int32_t kSide = 8;
constexpr std::int64_t kSteps = 60;

mdp::Mdp open_grid() {
  mdp::MdpBuilder builder(.95);
  for (std::int32_t y = 0; y < kSide; ++y) {
    for (std::int32_t x = 0; x < kSide; ++x)
      builder.add_state(std::to_string(x) + "-" + std::to_string(y),
                        {.x = static_cast<double>(x), .y = static_cast<double>(y)});
  }
  constexpr std::int32_t kMoves[5][2] = {{0, 0}, {0, -1}, {0, 1}, {-1, 0}, {1, 0}};
  for (const char* name : {"stay", "up", "down", "left", "right"}) builder.add_action(name);
  for (std::int32_t s = 0; s < kSide * kSide; ++s) {
    for (std::int32_t a = 0; a < 5; ++a) {
      const std::int32_t x = s % kSide + kMoves[a][0], y = s / kSide + kMoves[a][1];
      if (x < 0 || y < 0 || x >= kSide || y >= kSide) continue;
      builder.set_reward(s, a, 0);
      builder.add_transition(s, a, y * kSide + x, 1);
    }
  }
  builder.set_reward_max(1);
  return builder.build();
}

belief::Belief field_belief(double length) {
  const mdp::Mdp mdp = open_grid();
  const auto pairs = static_cast<std::size_t>(mdp.pairs());
  belief::BeliefOptions options;
  if (length > 0)
    options.shared = belief::shared_errors(mdp, {.kernel = mdp::KernelSpec{.sd = 1, .length = length}});
  return {mdp, even_prior(mdp, length > 0 ? 0 : 1, 1e6), std::vector<double>(pairs, .4), options};
}

}  // namespace

SharedShare follow_in_drawn(const belief::Belief& nature, const Situation& situation, const std::string& name,
                            std::uint64_t truths, std::uint64_t seed) {
  std::vector<double> earned(truths), most(truths);
  const base::Threads threads(0);
  threads.for_each_chunk(static_cast<std::int64_t>(truths), [&](std::int64_t i) {
    const auto trial = static_cast<std::uint64_t>(i);
    const mdp::Mdp& simulator = situation.belief().simulator();
    const mdp::Mdp drawn = nature.sample(seed + 1, trial);
    const mdp::Mdp truth = simulator.with_reward({drawn.reward().begin(), drawn.reward().end()});
    const WrongSimulator wrong{"drawn", simulator, truth, situation.unit_state, situation.horizon};
    earned[trial] = earned_by(name, wrong, situation, {.seed = seed}, trial);
    const mdp::FiniteHorizonSolution best = mdp::solve_finite_horizon(
        truth.with_discount(1), situation.horizon, {.keep_policy = false, .threads = 1});
    for (const std::int32_t s : situation.unit_state) most[trial] += best.value[static_cast<std::size_t>(s)];
  });
  double sum = 0, whole = 0, squares = 0;
  for (std::size_t i = 0; i < truths; ++i) sum += earned[i], whole += most[i];
  for (std::size_t i = 0; i < truths; ++i) squares += std::pow(earned[i] - sum / whole * most[i], 2);
  const auto n = static_cast<double>(truths);
  return {sum / whole, std::sqrt(squares * n / (n - 1)) / whole};
}

std::string recommended_before(const Situation& situation, std::int64_t worlds, std::uint64_t seed) {
  DecideOptions options;
  options.worlds = worlds;
  options.simulation.run.seed = seed;
  const Decision decision = decide(situation, options);
  return decision.plans[decision.recommended].plan.name;
}

Situation field_situation(double length) {
  return {known(field_belief(length)), std::vector<std::int32_t>(4, 0), kSteps};
}

Situation kernel_situation(const mdp::Model& model, std::int64_t units, std::int64_t horizon, bool shared) {
  const mdp::Mdp& mdp = model.mdp;
  belief::BeliefOptions options;
  if (shared) options.shared = belief::shared_errors(mdp, {.kernel = mdp::KernelSpec{.sd = .8, .length = 2}});
  std::vector<std::int32_t> starts, unit_state;
  for (std::int32_t s = 0; s < mdp.states(); ++s) {
    if (mdp.start()[static_cast<std::size_t>(s)] > 0) starts.push_back(s);
  }
  for (std::int64_t u = 0; u < units; ++u)
    unit_state.push_back(starts[static_cast<std::size_t>(u) % starts.size()]);
  return {known({mdp, even_prior(mdp, shared ? .6 : 1, 5), belief::observation_variance(model), options}),
          std::move(unit_state), horizon};
}

}  // namespace mindgap::decide

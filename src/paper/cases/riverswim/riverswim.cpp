#include "paper/cases/riverswim/riverswim.h"

#include <fmt/format.h>

#include <cmath>

#include "mindgap/base/check.h"
#include "mindgap/mdp/builder.h"
#include "mindgap/world/without_hidden_state.h"

namespace mindgap::cases::riverswim {
namespace {

constexpr std::int32_t kLeft = 0, kRight = 1;
constexpr double kLeftReward = .005, kRightReward = 1;

void check(const Options& options) {
  const char* function = "riverswim";
  base::check_range(function, "length", options.length, 2, 1e6);
  base::check_range(function, "discount", options.discount, 0, std::nextafter(1.0, 0.0));
  base::check_nonnegative(function, "noise", options.noise);
  base::check_positive(function, "history", options.history);
  base::check_nonnegative(function, "reward_sd", options.reward_sd);
}

// Where a swim to the right ends.
struct Swim {
  double back, stay, on;
};

// Both models of the river: they differ in what a swim does and what the right end pays. At the ends what
// there is no place for is taken out, as `first` and `last` say.
mdp::Mdp chain(const Options& options, Swim first, Swim middle, Swim last, double right_reward) {
  check(options);
  mdp::MdpBuilder builder(options.discount);
  const std::int32_t n = options.length;
  for (std::int32_t i = 0; i < n; ++i) {
    builder.add_state(fmt::format("place {}", i + 1), {.start = i == 0 ? 1.0 : 0.0});
  }
  builder.add_action("left");
  builder.add_action("right");
  for (std::int32_t i = 0; i < n; ++i) {
    builder.set_reward(i, kLeft, i == 0 ? kLeftReward : 0);
    builder.add_transition(i, kLeft, std::max(i - 1, 0), 1);
    const Swim swim = i == 0 ? first : i == n - 1 ? last : middle;
    builder.set_reward(i, kRight, i == n - 1 ? right_reward : 0);
    if (i > 0) builder.add_transition(i, kRight, i - 1, swim.back);
    builder.add_transition(i, kRight, i, swim.stay);
    if (i < n - 1) builder.add_transition(i, kRight, i + 1, swim.on);
  }
  builder.set_reward_max(kRightReward);
  return builder.build();
}

const std::vector<trial::CaseOption>& case_options() {
  static const std::vector<trial::CaseOption> kOptions = {
      {"length", "places in the river, 2 to 200", "6"},
      {"discount", "below 1", "0.95"},
      {"noise", "variance of one reward; 0 as published", "0.01"},
      {"history", "times that history took left at the left end", "1000"},
      {"reward-sd", "sd of the rewards that history never saw", "1"},
  };
  return kOptions;
}

std::unique_ptr<trial::Case> make(const trial::CaseRequest& request) {
  const trial::OptionValues values("riverswim", case_options(), request);
  const Options options{static_cast<std::int32_t>(values.whole_number("length", 2, 200)),
                        values.number("discount", 0, .999999), values.number("noise", 0, 1e6),
                        values.number("history", 1, 1e9), values.number("reward-sd", 0, 1e6)};
  return std::make_unique<trial::TabularCase>(trial::TabularCaseOptions{.name = "riverswim",
                                                                        .units = request.units.value_or(20),
                                                                        .seed = request.seed,
                                                                        .horizons = {50, 200, 1000},
                                                                        .settings = values.settings()},
                                              [options](std::uint64_t) { return problem(options); });
}

}  // namespace

mdp::Mdp river(const Options& options) {
  return chain(options, {0, .4, .6}, {.05, .6, .35}, {.4, .6, 0}, kRightReward);
}

mdp::Mdp simulator(const Options& options) {
  const double third = 1.0 / 3;
  return chain(options, {0, .5, .5}, {third, third, third}, {.5, .5, 0}, 0);
}

belief::Prior prior(const Options& options) {
  const mdp::Mdp model = simulator(options);
  belief::Prior prior;
  for (std::int32_t k = 0; k < model.pairs(); ++k) {
    const auto ends = static_cast<double>(model.entries_of(k).size());
    prior.reward_sd.push_back(options.reward_sd);
    prior.transition_strength.push_back(ends);
  }
  prior.reward_sd[static_cast<std::size_t>(model.find_pair(0, kLeft))] =
      std::sqrt(options.noise / options.history);
  return prior;
}

trial::Problem problem(const Options& options) {
  mdp::Mdp guess = simulator(options);
  std::vector<double> variance(static_cast<std::size_t>(guess.pairs()), options.noise);
  return {belief::Belief(std::move(guess), prior(options), std::move(variance)),
          world::without_hidden_state(river(options), options.noise)};
}

CaseInfo info() {
  return {"riverswim", "RiverSwim: a small reward at hand, a large one up the river", case_options(), make};
}

}  // namespace mindgap::cases::riverswim

// What planners earn where something is to be found, as a share of what the clairvoyant earns.
//   bench_explore PROBLEM [--trials 40] [--planners a,b] [--units n] [--horizon n] [--share s] [--every n]
// PROBLEM: bandit (10 arms), smooth (a 12 x 12 grid of smooth rewards, of which the simulator knows a blurred
// picture), rich (one rich cell among 14 x 14, none of which the simulator knows).
#include <fmt/format.h>

#include <cmath>
#include <cstdlib>
#include <ctime>
#include <numeric>
#include <string>
#include <string_view>

#include "mindgap/base/distributions.h"
#include "mindgap/mdp/builder.h"
#include "mindgap/trial/tabular_case.h"
#include "mindgap/world/without_hidden_state.h"

using namespace mindgap;

namespace {

std::string option(int argc, char** argv, std::string_view name, std::string standard) {
  for (int i = 1; i + 1 < argc; ++i) {
    if (argv[i] == name) return argv[i + 1];
  }
  return standard;
}

base::Stream stream_of(std::uint64_t trial) {
  return base::Stream({42, base::Purpose::world, trial, ~std::uint64_t{0}, 7});
}

mdp::Mdp bandit(const std::vector<double>& reward) {
  mdp::MdpBuilder builder(.95, 1, static_cast<std::int32_t>(reward.size()));
  for (std::size_t a = 0; a < reward.size(); ++a) {
    builder.set_reward(0, static_cast<std::int32_t>(a), reward[a]);
    builder.add_transition(0, static_cast<std::int32_t>(a), 0, 1);
  }
  return builder.build();
}

// Stay, up, down, left, right; a move succeeds with .9, else the unit stays. A place pays the same for all
// actions. Start in the middle.
mdp::Mdp grid(std::int32_t side, const std::vector<double>& reward) {
  mdp::MdpBuilder builder(.97, side * side, 5);
  for (std::int32_t s = 0; s < side * side; ++s) {
    const std::int32_t x = s % side, y = s / side;
    const std::int32_t to[5] = {s, y > 0 ? s - side : s, y + 1 < side ? s + side : s, x > 0 ? s - 1 : s,
                                x + 1 < side ? s + 1 : s};
    for (std::int32_t a = 0; a < 5; ++a) {
      builder.set_reward(s, a, reward[static_cast<std::size_t>(s)]);
      builder.add_transition(s, a, to[a], .9);
      builder.add_transition(s, a, s, .1);
    }
  }
  std::vector<double> start(static_cast<std::size_t>(side * side));
  const std::int32_t middle = side / 2 * side + side / 2;
  start[static_cast<std::size_t>(middle)] = 1;
  return builder.build().with_start(std::move(start));
}

std::vector<double> blurred(std::int32_t side, const std::vector<double>& in, double width) {
  std::vector<double> out;
  out.reserve(in.size());
  for (std::int32_t s = 0; s < side * side; ++s) {
    double sum = 0, weight = 0;
    for (std::int32_t z = 0; z < side * side; ++z) {
      const std::int32_t columns = s % side - z % side, rows = s / side - z / side;
      const double dx = columns, dy = rows;
      const double w = std::exp(-(dx * dx + dy * dy) / (2 * width * width));
      sum += w * in[static_cast<std::size_t>(z)];
      weight += w;
    }
    out.push_back(sum / weight);
  }
  return out;
}

trial::Problem problem_of(const mdp::Mdp& simulator, const mdp::Mdp& truth, double sd, double variance) {
  const auto pairs = static_cast<std::size_t>(simulator.pairs());
  return {belief::Belief(simulator, {std::vector<double>(pairs, sd), std::vector<double>(pairs, 1e6)},
                         std::vector<double>(pairs, variance)),
          world::without_hidden_state(truth, variance)};
}

trial::Problem make_bandit(std::uint64_t trial) {
  base::Stream stream = stream_of(trial);
  std::vector<double> reward(10);
  for (double& r : reward) r = 1 + .5 * base::normal(stream);
  return problem_of(bandit(std::vector<double>(10, 1.0)), bandit(reward), .5, 1);
}

// exp(1.5 z), z white noise smoothed to a length of 1.5 and scaled to mean 0 and standard deviation 1: a few
// peaks. The simulator has it smoothed by 3 more, and the prior's sd is how far that is off on average.
trial::Problem make_smooth(std::uint64_t trial) {
  constexpr std::int32_t kSide = 12;
  base::Stream stream = stream_of(trial);
  std::vector<double> noise(kSide * kSide);
  for (double& z : noise) z = base::normal(stream);
  std::vector<double> truth = blurred(kSide, noise, 1.5);
  const double n = static_cast<double>(truth.size());
  const double mean = std::accumulate(truth.begin(), truth.end(), 0.0) / n;
  double square = 0;
  for (const double r : truth) square += (r - mean) * (r - mean) / n;
  for (double& r : truth) r = std::exp(1.5 * (r - mean) / std::sqrt(square));
  const std::vector<double> known = blurred(kSide, truth, 3);
  double off = 0;
  for (std::size_t s = 0; s < truth.size(); ++s) off += (truth[s] - known[s]) * (truth[s] - known[s]) / n;
  return problem_of(grid(kSide, known), grid(kSide, truth), std::sqrt(off), 1);
}

trial::Problem make_rich(std::uint64_t trial) {
  constexpr std::int32_t kSide = 14;
  base::Stream stream = stream_of(trial);
  std::vector<double> known(kSide * kSide, .1), truth = known;
  truth[static_cast<std::size_t>(base::uniform_index(stream, kSide * kSide))] = 1;
  return problem_of(grid(kSide, known), grid(kSide, truth), .3, .01);
}

}  // namespace

int main(int argc, char** argv) {
  const std::string problem = argc > 1 ? argv[1] : "bandit";
  const bool is_bandit = problem == "bandit", is_smooth = problem == "smooth";
  if (!is_bandit && !is_smooth && problem != "rich") {
    fmt::print(stderr, "bench_explore: there is no problem '{}'; there are: bandit, smooth, rich\n", problem);
    return 2;
  }
  const auto number = [&](std::string_view name, double standard) {
    return std::atof(option(argc, argv, name, fmt::format("{}", standard)).c_str());
  };
  trial::TabularCaseOptions options;
  options.name = problem;
  options.units = static_cast<std::int64_t>(number("--units", is_smooth ? 20 : 10));
  options.planner.explorer_share = number("--share", options.planner.explorer_share);
  options.planner.replan_every = static_cast<std::int64_t>(number("--every", 5));
  options.planner.window = static_cast<std::int64_t>(number("--window", 10));
  options.planner.seed_steps = static_cast<std::int64_t>(number("--keep", 0));
  options.planner.bonus = number("--bonus", 1);
  const std::int64_t horizon = static_cast<std::int64_t>(number("--horizon", problem == "rich" ? 300 : 100));
  const auto trials = static_cast<std::uint64_t>(number("--trials", 40));
  const trial::TabularCase on(options, is_bandit ? make_bandit : is_smooth ? make_smooth : make_rich);
  std::vector<double> best;
  for (std::uint64_t t = 0; t < trials; ++t) best.push_back(on.run("oracle", t, std::array{horizon})[0]);
  std::string names =
      option(argc, argv, "--planners", "sop,asop,thompson-shared,thompson,beb,improvement") + ",";
  for (std::size_t at = 0; at < names.size();) {
    const std::size_t end = names.find(',', at);
    const std::string name = names.substr(at, end - at);
    at = end + 1;
    const std::clock_t begin = std::clock();
    double mean = 0, square = 0;
    for (std::uint64_t t = 0; t < trials; ++t) {
      const double share = 100 * on.run(name, t, std::array{horizon})[0] / best[t];
      mean += share;
      square += share * share;
    }
    const auto n = static_cast<double>(trials);
    mean /= n;
    fmt::print("{:18} {:6.2f} % +- {:.2f}   {:.3f} s a trial\n", name, mean,
               std::sqrt((square / n - mean * mean) / (n - 1)),
               static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC / n);
    std::fflush(stdout);
  }
}

// How long a diagnosis takes: the value of information over 1,000 drawn models of 1,000 states, a log of a
// million rows read and learnt, and everything `mindgap diagnose` does on 100,000 random states and on a grid
// of 99,856. One line each with the peak memory so far.
#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <random>

#include "measure.h"
#include "mindgap/files/log_file.h"
#include "mindgap/gap/diagnose.h"
#include "mindgap/mdp/observation_log.h"
#include "mindgap/mdp/solve.h"
#include "models.h"

namespace {

using namespace mindgap;
namespace fs = std::filesystem;

mdp::Model model_of(std::int32_t states) {
  mdp::Model model{.name = "random", .mdp = bench::random_sparse(states, 4, 5, .95)};
  std::vector<double> start(static_cast<std::size_t>(states));
  start[0] = 1;
  model.mdp = model.mdp.with_start(std::move(start));
  model.reward_variance = 1;
  model.prior = mdp::PriorSpec{.reward_sd = .3, .transition_strength = 5};
  return model;
}

void print(const std::string& what, double seconds) {
  fmt::print("{:<62} {:>8.2f} s, peak {:.2f} GiB\n", what, seconds,
             static_cast<double>(bench::peak_bytes()) / (1 << 30));
  std::fflush(stdout);
}

mdp::ObservationLog random_log(const mdp::Mdp& mdp, std::size_t rows) {
  std::mt19937_64 random(1);
  mdp::ObservationLog log;
  log.units.add("unit");
  for (std::size_t i = 0; i < rows; ++i) {
    const auto pair = static_cast<std::int32_t>(random() % static_cast<std::uint64_t>(mdp.pairs()));
    log.unit.push_back(0);
    log.step.push_back(static_cast<std::int64_t>(i));
    log.pair.push_back(pair);
    log.reward.push_back(static_cast<double>(random() % 1000) / 1000);
    log.next_state.push_back(mdp.next_state()[mdp.row_begin()[pair]]);
  }
  return log;
}

}  // namespace

int main() {
  const mdp::Model small = model_of(1000), large = model_of(100'000);
  const belief::Belief belief(small.mdp, belief::stated_prior(small), belief::observation_variance(small));
  const mdp::Policy sop = mdp::solve(small.mdp).policy;
  print("value of information, 1,000 models of 1,000 states",
        bench::seconds_of([&] { gap::expected_value_of_perfect_information(belief, sop, {.draws = 1000}); }));

  const fs::path file = fs::temp_directory_path() / "mindgap-bench-log.csv";
  files::write_log(file, small.mdp, random_log(small.mdp, 1'000'000));
  mdp::ObservationLog log;
  print("log of 1,000,000 rows read", bench::seconds_of([&] { log = files::read_log(file, small.mdp); }));
  belief::Belief learnt = belief;
  print("log of 1,000,000 rows learnt", bench::seconds_of([&] { learnt.observe(log); }));
  fs::remove(file);

  print("diagnosis of 100,000 states x 4 x 5 without drawn models",
        bench::seconds_of([&] { gap::diagnose(large, {}, {.draws = 0}); }));
  print(fmt::format("the same with {} drawn models (the default)", gap::default_draws(large.mdp)),
        bench::seconds_of([&] { gap::diagnose(large, {}, {}); }));
  const mdp::Model grid = bench::two_regions(316);
  print("diagnosis of two regions, 99,856 states, as by default",
        bench::seconds_of([&] { gap::diagnose(grid, {}, {}); }));
}

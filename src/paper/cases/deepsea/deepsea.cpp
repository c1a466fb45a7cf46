#include "paper/cases/deepsea/deepsea.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "mindgap/base/check.h"
#include "mindgap/base/distributions.h"
#include "mindgap/mdp/builder.h"
#include "mindgap/world/without_hidden_state.h"

namespace mindgap::cases::deepsea {
namespace {

constexpr double kTreasure = 1, kCost = .01;
constexpr std::uint64_t kNoUnit = std::numeric_limits<std::uint64_t>::max();

void check(const Options& options) {
  const char* function = "deepsea";
  base::check_range(function, "size", options.size, 2, 1000);
  base::check_range(function, "slip", options.slip, 0, .99);
  base::check_probability(function, "discount", options.discount);
  base::check_nonnegative(function, "noise", options.noise);
  base::check_nonnegative(function, "reward_sd", options.reward_sd);
  base::check_positive(function, "strength", options.strength);
}

// The two steps of a cell, of which action `right` is the one to the right.
void add_cell(mdp::MdpBuilder& builder, const Options& options, std::int32_t cell, std::int32_t right,
              double treasure) {
  const std::int32_t n = options.size, row = cell / n, column = cell % n;
  const auto below = [&](std::int32_t to) { return row == n - 1 ? 0 : (row + 1) * n + to; };
  builder.set_reward(cell, 1 - right, 0);
  builder.add_transition(cell, 1 - right, below(std::max(column - 1, 0)), 1);
  const bool corner = row == n - 1 && column == n - 1;
  builder.set_reward(cell, right, (corner ? treasure : 0) - kCost / n);
  builder.add_transition(cell, right, below(std::min(column + 1, n - 1)), 1 - options.slip);
  if (options.slip > 0) builder.add_transition(cell, right, below(column), options.slip);
}

const std::vector<trial::CaseOption>& case_options() {
  static const std::vector<trial::CaseOption> kOptions = {
      {"size", "rows and columns, 10 to 30", "10"},
      {"slip", "probability that a step to the right stays in its column, 0 to 0.99", "0"},
      {"shuffle", "which action is right is drawn cell by cell", "yes", {"yes", "no"}},
      {"discount", "below 1", "0.99"},
      {"noise", "variance of one reward; 0 as published", "0.01"},
      {"reward-sd", "sd of the true mean rewards around the simulator's", "1"},
      {"strength", "pseudo-observations behind the simulator's rows", "10"},
  };
  return kOptions;
}

std::unique_ptr<trial::Case> make(const trial::CaseRequest& request) {
  const trial::OptionValues values("deepsea", case_options(), request);
  const Options options{static_cast<std::int32_t>(values.whole_number("size", 10, 30)),
                        values.number("slip", 0, .99),
                        values.flag("shuffle"),
                        values.number("discount", 0, .999999),
                        values.number("noise", 0, 1e6),
                        values.number("reward-sd", 0, 1e6),
                        values.number("strength", 1e-6, 1e9)};
  const std::int64_t dive = options.size;
  return std::make_unique<trial::TabularCase>(
      trial::TabularCaseOptions{.name = "deepsea",
                                .units = request.units.value_or(20),
                                .seed = request.seed,
                                .horizons = {5 * dive, 20 * dive, 100 * dive},
                                .settings = values.settings()},
      [options, seed = request.seed](std::uint64_t trial) { return problem(options, seed, trial); });
}

}  // namespace

std::vector<std::int32_t> right_actions(const Options& options, std::uint64_t seed, std::uint64_t trial) {
  check(options);
  std::vector<std::int32_t> right(static_cast<std::size_t>(options.size * options.size), 1);
  if (!options.shuffle) return right;
  for (std::size_t cell = 0; cell < right.size(); ++cell) {
    base::Stream stream({seed, base::Purpose::world, trial, kNoUnit, cell});
    right[cell] = static_cast<std::int32_t>(base::uniform_index(stream, 2));
  }
  return right;
}

mdp::Mdp sea(const Options& options, const std::vector<std::int32_t>& right, double treasure) {
  check(options);
  const std::int32_t cells = options.size * options.size;
  base::check_size("deepsea", "right", right.size(), static_cast<std::size_t>(cells));
  mdp::MdpBuilder builder(options.discount);
  for (std::int32_t cell = 0; cell < cells; ++cell) {
    builder.add_state(
        fmt::format("row {} column {}", cell / options.size + 1, cell % options.size + 1),
        {.x = cell % options.size, .y = -(cell / options.size), .start = cell == 0 ? 1.0 : 0.0});
  }
  builder.add_action("first");
  builder.add_action("second");
  for (std::int32_t cell = 0; cell < cells; ++cell) {
    add_cell(builder, options, cell, right[static_cast<std::size_t>(cell)], treasure);
  }
  builder.set_reward_max(kTreasure);
  return builder.build();
}

trial::Problem problem(const Options& options, std::uint64_t seed, std::uint64_t trial) {
  const std::vector<std::int32_t> right = right_actions(options, seed, trial);
  mdp::Mdp simulator = sea(options, right, 0);
  const auto pairs = static_cast<std::size_t>(simulator.pairs());
  belief::Prior prior{std::vector<double>(pairs, options.reward_sd),
                      std::vector<double>(pairs, options.strength)};
  return {belief::Belief(std::move(simulator), std::move(prior), std::vector<double>(pairs, options.noise)),
          world::without_hidden_state(sea(options, right, kTreasure), options.noise)};
}

CaseInfo info() {
  return {"deepsea", "deep sea: a treasure that only a straight dive finds", case_options(), make};
}

}  // namespace mindgap::cases::deepsea

// Measures decisions against answers that are computed or published elsewhere:
//   outside_checks bayes [PROBLEMS [WORLDS [TRIALS]]]
//   outside_checks families [MODELS [WORLDS [TUNING_MODELS [UNITS
//   [chain|loop|grid|accurate|inaccurate...]]]]] outside_checks wrong [TRIALS [WORLDS [DECISIONS
//   [cliff|lake|maze|pole|reference...]]]] outside_checks gains [PROBLEMS [FRESH_WORLDS [DESIGNS [FIRST]]]]
// Prints one line per problem.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>
#include <vector>

#include "decide/bayes_optimal.h"
#include "decide/benchmark.h"
#include "decide/design_variation.h"
#include "decide/following.h"
#include "decide/shared_field.h"
#include "mindgap/files/model_file.h"

namespace {

using namespace mindgap::decide;

std::int64_t number_at(const std::vector<std::string>& words, std::size_t place, std::int64_t otherwise) {
  return words.size() > place ? std::strtoll(words[place].c_str(), nullptr, 10) : otherwise;
}

void bayes(const std::vector<std::string>& words) {
  BayesOptions options;
  options.problems = static_cast<std::uint64_t>(number_at(words, 1, 40));
  options.worlds = number_at(words, 2, options.worlds);
  options.trials = static_cast<std::uint64_t>(number_at(words, 3, 400));
  double sum = 0, worst = 1, deployed = 0;
  against_bayes_optimal(options, [&](const BayesResult& one) {
    fmt::print("{:>3} {:<12} {:>3} steps  optimal {:>8.4f}  {:<10} {:7.3f} % +- {:.3f}   sop {:7.3f} %\n",
               one.number, one.family, one.horizon, one.optimal, one.recommended, 100 * one.share,
               100 * one.standard_error, 100 * one.deployed);
    std::fflush(stdout);
    sum += one.share;
    deployed += one.deployed;
    worst = std::min(worst, one.share);
  });
  const auto count = static_cast<double>(options.problems);
  fmt::print("mean {:.3f} %, worst {:.3f} %; sop {:.3f} %\n", 100 * sum / count, 100 * worst,
             100 * deployed / count);
}

void families(const std::vector<std::string>& words) {
  BenchmarkOptions options;
  options.models = static_cast<std::uint64_t>(number_at(words, 1, 300));
  options.worlds = number_at(words, 2, options.worlds);
  options.tuning_models = static_cast<std::uint64_t>(number_at(words, 3, 100));
  std::vector<std::int64_t> sizes = {1, 20};
  if (words.size() > 4) sizes = {number_at(words, 4, 1)};
  const auto asked = [&](const std::vector<std::string>& all, const std::string& one) {
    const auto named = [&](const std::string& word) {
      return std::find(all.begin(), all.end(), word) != all.end();
    };
    const auto from = words.begin() + static_cast<std::ptrdiff_t>(std::min<std::size_t>(words.size(), 5));
    return std::none_of(from, words.end(), named) || std::find(from, words.end(), one) != words.end();
  };
  for (const std::int64_t units : sizes) {
    for (const Family& family : benchmark_families()) {
      const std::string short_name = family.name.substr(family.name.find(' ') + 1);  // npos + 1 is 0
      if (!asked({"chain", "loop", "grid"}, short_name)) continue;
      for (const PriorKind prior : {PriorKind::accurate, PriorKind::inaccurate}) {
        if (!asked({"accurate", "inaccurate"}, prior == PriorKind::accurate ? "accurate" : "inaccurate"))
          continue;
        const BenchmarkResult result = run_benchmark(family, prior, units, options);
        fmt::print("{:<12} {:<10} {:>2} units  {:<12} {:>8.3f} +- {:.3f}  {}\n", result.family,
                   prior == PriorKind::accurate ? "accurate" : "inaccurate", units, result.recommended,
                   result.mean, result.standard_error, result.as_good() ? "ok" : "BEHIND");
        for (const BenchmarkRow& row : result.rivals)
          fmt::print("      {:<14} {:>8.3f} +- {:.3f}   ahead of it by {:>7.3f} +- {:.3f}\n", row.name,
                     row.mean, row.standard_error, row.ahead, row.ahead_standard_error);
        const BenchmarkRow& usual = result.by_default;
        fmt::print("      by default {:<12} {:>8.3f} +- {:.3f}   ahead of the best by {:.3f} +- {:.3f}  {}\n",
                   usual.name, usual.mean, usual.standard_error, usual.ahead, usual.ahead_standard_error,
                   result.default_within_indifference() ? "within 1 %" : "BEHIND BY MORE THAN 1 %");
        std::fflush(stdout);
      }
    }
  }
}

void report(const WrongSimulator& one, FollowingOptions options) {
  const Situation situation = situation_of(one);
  options.plans = plans_to_follow(situation);
  const FollowingResult result = follow_through(one, situation, options);
  fmt::print(
      "{:<20} followed {:>10.2f} +- {:.2f}: {:.1f} % of the way from {:.2f} to {:.2f} (behind nine tenths of "
      "it by {:.2f} +- {:.2f}); clairvoyant {:.2f}, {} moves off support\n",
      result.name, result.followed, result.followed_error, 100 * result.share(), result.floor(),
      result.best(), result.behind, result.behind_error, result.clairvoyant, result.off_support);
  for (std::size_t i = 0; i < result.fixed.size(); ++i)
    fmt::print("      {:<12} {:>10.2f} +- {:.2f}\n", result.fixed_names[i], result.fixed[i],
               result.fixed_error[i]);
  fmt::print("      recommended: {}\n", fmt::join(result.recommended, ", "));
  std::fflush(stdout);
}

// What learning the reversed cart pole earns beside a simulator of which 2 % of each row were spread.
void reference(const FollowingOptions& options) {
  const WrongSimulator pole = reversed_cart_pole();
  WrongSimulator spread = pole;
  spread.simulator = spread_out(pole.simulator, .02);
  for (const char* name : {"sop-fixed", "asop"}) {
    double as_is = 0, with_spread = 0;
    for (std::uint64_t trial = 0; trial < options.trials; ++trial) {
      as_is += earned_by(name, pole, situation_of(pole), options, trial);
      with_spread += earned_by(name, spread, situation_of(spread), options, trial);
    }
    fmt::print("cart pole, {} states, {}: {:.1f}; 2 % of each row spread over all states: {:.1f}\n",
               pole.truth.states(), name, as_is / static_cast<double>(options.trials),
               with_spread / static_cast<double>(options.trials));
    std::fflush(stdout);
  }
}

void wrong(const std::vector<std::string>& words) {
  FollowingOptions options;
  options.trials = static_cast<std::uint64_t>(number_at(words, 1, 3));
  options.worlds = number_at(words, 2, options.worlds);
  options.decisions = number_at(words, 3, options.decisions);
  const auto wanted = [&](const char* name) {
    return words.size() < 5 || std::find(words.begin() + 4, words.end(), name) != words.end();
  };
  if (wanted("cliff")) report(windy_cliff(), options);
  if (wanted("lake")) report(slippery_lake(), options);
  if (wanted("maze")) report(changed_maze(), options);
  if (wanted("reference")) reference(options);
  if (wanted("pole")) report(reversed_cart_pole(), options);
}

void gains(const std::vector<std::string>& words) {
  VariationOptions options;
  const auto problems = static_cast<std::uint64_t>(number_at(words, 1, 20));
  options.fresh_worlds = number_at(words, 2, options.fresh_worlds);
  options.designs = static_cast<std::size_t>(number_at(words, 3, 4));
  const auto first = static_cast<std::uint64_t>(number_at(words, 4, 0));
  double stating = 0, same = 0, designed = 0, designs = 0, again = 0, alike = 0, alike_held = 0, turned = 0;
  for (std::uint64_t number = first; number < first + problems; ++number) {
    const Problem problem = draw_long_problem(options.seed, number);
    const Variation one = vary(problem, number, options);
    if (!one.differs) continue;
    ++stating;
    same += one.holds(one.same) ? 1 : 0;
    for (const double gain : one.designs) {
      ++designs;
      designed += one.holds(gain) ? 1 : 0;
    }
    const bool alike_now = one.again_plan == one.plan && one.again_other == one.other;
    alike += alike_now ? 1 : 0;
    alike_held += alike_now && one.holds(one.again) ? 1 : 0;
    again += one.holds(one.again) ? 1 : 0;
    turned += one.turned ? 1 : 0;
    fmt::print(
        "{:>3} {:>2} units {:>3} steps {:>10} over {:<10} stated {:>9.4g} [{:.4g}, {:.4g}]{} same {:>9.4g} "
        "+- "
        "{:<8.3g}{} "
        "sd over designs [{:.3g}] again {:>10} over {:<10}{} {:>9.4g} +- {:<8.3g}{}\n",
        number, problem.situation.units(), problem.situation.horizon, one.plan, one.other, one.stated,
        one.lower, one.upper, one.settled ? "" : " undecided", one.same, one.same_error,
        one.holds(one.same) ? " " : "!", fmt::join(one.design_sd, ", "), one.again_plan, one.again_other,
        one.turned ? " (turned)" : "", one.again, one.again_error, one.holds(one.again) ? " " : "!");
    std::fflush(stdout);
  }
  fmt::print(
      "{} of {} problems state a gain. It was found again in the interval: same design {:.1f} %, same plans "
      "designed anew {:.1f} % of {}, decided anew {:.1f} % (the same two plans: {:.1f} % of {}; {} turned)\n",
      stating, problems, 100 * same / stating, 100 * designed / designs, designs, 100 * again / stating,
      100 * alike_held / alike, alike, turned);
}

void print_share(const std::string& believed, const std::string& name, const SharedShare& got) {
  fmt::print("believed {:>11}: {:<16} {:5.1f} +- {:.1f} % of the oracle\n", believed, name, 100 * got.share,
             100 * got.error);
  std::fflush(stdout);
}

// fields [TRUTHS] [WORLDS] [LENGTH]: rewards that neighbours share, by what is believed of them.
void fields(const std::vector<std::string>& words) {
  const auto truths = static_cast<std::uint64_t>(number_at(words, 1, 60));
  const std::int64_t worlds = number_at(words, 2, 0);
  const auto length = static_cast<double>(number_at(words, 3, 2));
  const mindgap::belief::Belief nature = field_situation(length).belief();
  constexpr double kPerState =
      1e-3;  // so short that every cell is on its own, with one error for all its actions
  for (const double believed : {0.0, kPerState, length / 2, length, 2 * length}) {
    const Situation situation = field_situation(believed);
    std::vector<std::string> names{"asop", "thompson"};
    if (worlds > 0) names.push_back(recommended_before(situation, worlds));
    for (const std::string& name : names)
      print_share(believed == kPerState ? "by state"
                  : believed > 0        ? fmt::format("{}", believed)
                                        : "independent",
                  name, follow_in_drawn(nature, situation, name, truths));
  }
}

// kernel FOLDER [TRUTHS] [WORLDS]: the same in a model of a user's, 8 units for 100 steps.
void kernel(const std::vector<std::string>& words) {
  const mindgap::mdp::Model model = mindgap::files::read_model(words.at(1));
  const auto truths = static_cast<std::uint64_t>(number_at(words, 2, 40));
  const std::int64_t worlds = number_at(words, 3, 0);
  const Situation informed = kernel_situation(model, 8, 100, true);
  for (const bool shared : {false, true}) {
    const Situation situation = kernel_situation(model, 8, 100, shared);
    std::vector<std::string> names{"asop", "thompson", "fisher", "adaptive-fisher"};
    if (worlds > 0) names.push_back(recommended_before(situation, worlds));
    for (const std::string& name : names)
      print_share(shared ? "shared" : "independent", name,
                  follow_in_drawn(informed.belief(), situation, name, truths));
  }
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  try {
    if (!words.empty() && words[0] == "bayes") return bayes(words), 0;
    if (!words.empty() && words[0] == "families") return families(words), 0;
    if (!words.empty() && words[0] == "wrong") return wrong(words), 0;
    if (!words.empty() && words[0] == "gains") return gains(words), 0;
    if (!words.empty() && words[0] == "fields") return fields(words), 0;
    if (!words.empty() && words[0] == "kernel") return kernel(words), 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "outside_checks: error: %s\n", error.what());
    return 2;
  }
  std::fputs("usage: outside_checks bayes|families|wrong|gains|fields|kernel [NUMBERS...]\n", stderr);
  return 2;
}

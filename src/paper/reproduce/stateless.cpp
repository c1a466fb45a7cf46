#include "paper/reproduce/stateless.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "mindgap/gap/stateless.h"
#include "mindgap/report/charts.h"
#include "mindgap/view/number.h"
#include "paper/cases/stateless/simulate.h"

namespace mindgap::reproduce {
namespace {

using gap::StatelessProblem;

constexpr std::int64_t kStatelessUnits = 100;
constexpr std::int64_t kDraws = 10000;  // the paper's
constexpr int kSteps = 40;              // kappa = 0, .05, ..., 2
const std::array<double, 4> kDiscounts = {.5, .8, .9, 1};
const std::array<double, 5> kBars = {.1, .25, .5, .75, 1};  // panel c; the paper does not say which

StatelessProblem problem(double kappa, double discount, std::int64_t units = kStatelessUnits) {
  return {
      .units = units, .discount = discount, .prior_mean = kappa, .prior_sd = 1, .observation_variance = 1};
}

std::vector<Line> lines() {
  std::vector<Line> all;
  all.reserve(kDiscounts.size());
  for (const double discount : kDiscounts) {
    all.push_back({.what = fmt::format("kappa*, root of 2 gamma psi(k) = k, gamma = {}", discount),
                   .ours = gap::full_experiment_threshold(discount),
                   .exact = true});
  }
  for (const double discount : kDiscounts) {
    all.push_back(
        {.what = fmt::format("kappa at which the net value of the best n_e is 0, gamma = {}", discount),
         .published = gap::full_experiment_threshold(discount),
         .ours = gap::experiment_threshold(problem(0, discount)),
         .published_error = 0,  // by its formula
         .why = "kappa* (panel a's dotted line) is the zero for n_e = n with perfect information; a "
                "smaller experiment costs less and pays longer; see docs/math/departures.md",
         .exact = true});
  }
  return all;
}

/// Panels a and b: the best experiment by kappa and discount.
report::Table best_table() {
  report::Table table{
      .title = "The best experiment (n = 100, s2 = s0 = 1)",
      .columns = {"gamma", "kappa", "units", "net_value", "whole_units", "whole_net_value", "kappa_star"}};
  for (const double discount : kDiscounts) {
    for (int i = 0; i <= kSteps; ++i) {
      const double kappa = 2. * i / kSteps;
      const gap::ExperimentSize real = gap::optimal_experiment(problem(kappa, discount));
      const gap::ExperimentSize whole = gap::optimal_whole_experiment(problem(kappa, discount));
      table.rows.push_back({fmt::format("{}", discount), view::fixed(kappa, 2), view::fixed(real.units, 6),
                            view::fixed(real.value, 6), view::fixed(whole.units, 0),
                            view::fixed(whole.value, 6),
                            view::fixed(gap::full_experiment_threshold(discount), 7)});
    }
  }
  return table;
}

/// Panel c.
struct Bar {
  double kappa, units, exact;
  cases::stateless::SimulatedValue simulated;
};

std::int64_t draws_of(const Options& options) {
  return options.trials > 0 ? std::max<std::int64_t>(options.trials, 2) : kDraws;
}

std::vector<Bar> bars(const Options& options) {
  std::vector<Bar> all;
  for (const double kappa : kBars) {
    const gap::ExperimentSize best = gap::optimal_whole_experiment(problem(kappa, 1));
    all.push_back({kappa, best.units, best.value,
                   cases::stateless::simulate_experiment(problem(kappa, 1), best.units, draws_of(options),
                                                         options.run.seed, options.run.threads)});
  }
  return all;
}

report::Table bar_table(const std::vector<Bar>& all) {
  report::Table table{.title = "Monte Carlo against the closed form, gamma = 1, at the best whole n_e",
                      .columns = {"kappa", "units", "closed_form", "simulated", "lower_2se", "upper_2se"}};
  for (const Bar& bar : all) {
    const double band = 2 * bar.simulated.standard_error;
    table.rows.push_back({fmt::format("{}", bar.kappa), view::fixed(bar.units, 0), view::fixed(bar.exact, 6),
                          view::fixed(bar.simulated.mean, 6), view::fixed(bar.simulated.mean - band, 6),
                          view::fixed(bar.simulated.mean + band, 6)});
  }
  return table;
}

Claim crossing() {
  const double kappa = gap::full_experiment_threshold(1);
  const gap::ExperimentSize best = gap::optimal_whole_experiment(problem(kappa, 1));
  return {"The net value of the best experiment crosses 0 at kappa* (panel a)", best.value == 0,
          fmt::format("at kappa* = {} (gamma 1) {} units gain {}; it crosses at {}; see "
                      "docs/math/departures.md",
                      view::fixed(kappa, 4), view::fixed(best.units, 0), view::fixed(best.value, 2),
                      view::fixed(gap::experiment_threshold(problem(0, 1)), 4))};
}

Claim decreasing() {
  bool decreases = true;
  for (const double discount : kDiscounts) {
    double before = static_cast<double>(kStatelessUnits);
    for (int i = 0; i <= kSteps; ++i) {
      const double units = gap::optimal_experiment(problem(2. * i / kSteps, discount)).units;
      if (units > before) decreases = false;
      before = units;
    }
  }
  return {"The best size decreases in kappa (panel b)", decreases,
          fmt::format("at {} values of kappa for each gamma; it is 0 from the threshold on", kSteps + 1)};
}

Claim close(const std::vector<Bar>& all, std::int64_t draws) {
  bool within = true;
  std::vector<std::string> errors, deviations;
  for (const Bar& bar : all) {
    const double deviation = 100 * (bar.simulated.mean / bar.exact - 1);
    if (std::abs(deviation) > .5) within = false;
    deviations.push_back(view::signed_fixed(deviation, 1));
    errors.push_back(view::fixed(100 * bar.simulated.standard_error / bar.exact, 1));
  }
  return {"Monte Carlo agrees with the closed form within .5 % (panel c)", within,
          fmt::format("{} % at kappa = {} with {} draws, whose standard error is {} %; see "
                      "docs/math/departures.md",
                      fmt::join(deviations, " "), fmt::join(kBars, " "), draws, fmt::join(errors, " "))};
}

Claim no_bias(const std::vector<Bar>& all) {
  double worst = 0;
  for (const Bar& bar : all)
    worst = std::max(worst, std::abs(bar.simulated.mean - bar.exact) / bar.simulated.standard_error);
  return {"Monte Carlo agrees with the closed form within its own error", worst < 3.5,
          fmt::format("largest of {} deviations: {} standard errors", all.size(), view::fixed(worst, 1))};
}

Claim interior() {
  const gap::ExperimentSize best = gap::optimal_experiment(problem(1.5, 1));
  return {"The best size is interior for every kappa > 0 (theorem finite-sample-app)", best.units > 0,
          fmt::format("{} at kappa = 1.5, n = 100; for n large enough only; see docs/math/departures.md",
                      view::fixed(best.units, 0))};
}

Claim square_root() {
  std::vector<std::string> ratios;
  double last = 0;
  const std::vector<std::int64_t> sizes = {100, 10000, 1000000};
  for (const std::int64_t units : sizes) {
    const StatelessProblem large = problem(.5, 1, units);
    last = gap::optimal_experiment(large).units / gap::square_root_law(large).leading;
    ratios.push_back(view::fixed(last, 4));
  }
  return {"The best size grows as 2 sqrt(gamma n s2 phi(kappa)/(d0 s0)) (theorem finite-sample-app)",
          std::abs(last - 1) < .005,
          fmt::format("ratio {} at n = {}, kappa = .5", fmt::join(ratios, " "), fmt::join(sizes, " "))};
}

/// What an experiment of each size is worth.
report::Figure value_figure() {
  report::Table table{"", {"kappa", "n_e", "net value"}, {}};
  for (const double kappa : {.25, .5, .75, 1., 1.25}) {
    for (std::int64_t units = 0; units <= kStatelessUnits; units += 2) {
      table.rows.push_back(
          {fmt::format("kappa = {}", kappa), fmt::format("{}", units),
           view::fixed(gap::experiment_value(problem(kappa, 1), static_cast<double>(units)), 4)});
    }
  }
  const gap::ExperimentSize best = gap::optimal_whole_experiment(problem(.5, 1));
  return report::lines(
      {.words = {"stateless-value", "What an experiment is worth, by its size",
                 "Of 100 units, n_e take part; gamma = 1. Below the dashed line it costs more than it earns. "
                 "kappa is how sure one is beforehand: the prior mean in prior standard deviations.",
                 fmt::format("At kappa = .5 the best of 100 units to experiment on are {}, worth {}; at "
                             "kappa = 1.25 no size pays.",
                             view::fixed(best.units, 0), view::fixed(best.value, 1))},
       .table = table,
       .x = {"n_e", "n_e, units that take part"},
       .y = {"net value", "net value against no experiment"},
       .series = "kappa",
       .across = {{0, ""}}});
}

/// Panels a and b: the best size, and what it is worth.
report::Figure best_figure(bool size) {
  report::Table table{"", {"gamma", "kappa", size ? "n_e*" : "net value"}, {}};
  for (const double discount : kDiscounts) {
    for (int i = 0; i <= kSteps; ++i) {
      const double kappa = 2. * i / kSteps;
      const gap::ExperimentSize best = gap::optimal_experiment(problem(kappa, discount));
      table.rows.push_back({fmt::format("gamma = {}", discount), view::fixed(kappa, 2),
                            view::fixed(size ? best.units : best.value, 4)});
    }
  }
  const double zero = gap::experiment_threshold(problem(0, 1));
  const std::string where =
      fmt::format("From kappa = {} on (gamma = 1) no experiment pays.", view::fixed(zero, 2));
  return report::lines(
      {.words = {size ? "stateless-size" : "stateless-best",
                 size ? "The best size of the experiment" : "What the best experiment is worth",
                 where + (size ? ""
                               : fmt::format(" The paper puts the threshold at kappa* = {}.",
                                             view::fixed(gap::full_experiment_threshold(1), 3))),
                 fmt::format("Four lines fall with kappa, one per discount. {}", where)},
       .table = table,
       .x = {"kappa", "kappa = prior mean / prior standard deviation"},
       .y = {size ? "n_e*" : "net value", size ? "best n_e of 100 units" : "net value"},
       .series = "gamma",
       .upright =
           size ? std::vector<report::Reference>{{zero, "pays no more"}}
                : std::vector<report::Reference>{{gap::full_experiment_threshold(1), "kappa*, published"},
                                                 {zero, "pays no more"}}});
}

/// Panel c.
report::Figure simulated_figure(const std::vector<Bar>& all) {
  report::Table table{"", {"kappa", "simulated", "lower", "upper", "closed form"}, {}};
  std::size_t within = 0;
  for (const Bar& bar : all) {
    const double band = 2 * bar.simulated.standard_error;
    if (std::abs(bar.simulated.mean - bar.exact) <= band) ++within;
    table.rows.push_back({fmt::format("kappa = {}, {} units", bar.kappa, view::fixed(bar.units, 0)),
                          view::fixed(bar.simulated.mean, 4), view::fixed(bar.simulated.mean - band, 4),
                          view::fixed(bar.simulated.mean + band, 4), view::fixed(bar.exact, 4)});
  }
  return report::intervals(
      {.words = {"stateless-monte-carlo", "Simulated against the closed form", "With two standard errors.",
                 fmt::format("{} of {} closed forms lie within two standard errors.", within, all.size())},
       .table = table,
       .row = "kappa",
       .value = {"simulated", "net value of the best whole n_e"},
       .lower = "lower",
       .upper = "upper",
       .published = "closed form",
       .dots = "simulated",
       .diamonds = "closed form"});
}

Reproduction run_stateless(const Options& options) {
  const std::vector<Bar> simulated = bars(options);
  const std::int64_t draws = draws_of(options);
  return {.name = "stateless",
          .title = "Stateless threshold",
          .unit = "kappa = d0/s0",
          .method = fmt::format("closed forms, n = 100, s2 = s0 = 1; panel c by {} draws, seed {}", draws,
                                options.run.seed),
          .lines = lines(),
          .claims = {crossing(), decreasing(), close(simulated, draws), no_bias(simulated), interior(),
                     square_root()},
          .data = {{"stateless-best.csv", best_table()}, {"stateless-monte-carlo.csv", bar_table(simulated)}},
          .figures = {value_figure(), best_figure(false), best_figure(true), simulated_figure(simulated)}};
}

}  // namespace

Artefact stateless_artefact() {
  return {"stateless", "small", "Stateless threshold (figure threshold)", run_stateless};
}

}  // namespace mindgap::reproduce

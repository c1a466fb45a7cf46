#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "mindgap/base/parallel.h"
#include "mindgap/report/charts.h"
#include "mindgap/view/number.h"
#include "paper/cases/vending/sep.h"
#include "paper/cases/vending/vending_case.h"
#include "paper/reproduce/vending.h"

// fig:exp_log: 90 days of SEP; and how often its pilot flags each machine (tab:vending_config_full).
namespace mindgap::reproduce::vending {
namespace {

namespace vend = cases::vending;

constexpr std::int64_t kVendingLogDays = 90;

/// Purchases a day at a machine at the posted prices, were nothing ever sold out.
double true_rate(const vend::World& world, const std::vector<vend::Money>& price, std::size_t machine) {
  const vend::Configuration& all = world.configuration();
  double sum = 0;
  for (std::size_t s = 0; s < all.segments.size(); ++s) {
    const vend::Segment& segment = all.segments[s];
    for (std::size_t p = 0; p < all.products.size(); ++p) {
      const double asked =
          vend::dollars(price[machine * all.products.size() + p]) / all.products[p].wholesale;
      sum += world.mean_arrivals(machine, s) * segment.preference[p] *
             vend::conversion(segment.willingness, segment.willingness_spread, asked);
    }
  }
  return sum;
}

double machine_rate(const vend::SepPlanner& planner, std::size_t machine, std::size_t products) {
  double sum = 0;
  for (std::size_t p = 0; p < products; ++p) sum += planner.rate(machine * products + p);
  return sum;
}

const char* name_of(vend::Phase phase) {
  switch (phase) {
    case vend::Phase::pilot:
      return "pilot";
    case vend::Phase::explore:
      return "explore";
    default:
      return "exploit";
  }
}

struct Log {
  report::Table days{"Phases and beliefs",
                     {"day", "machine", "phase", "believed", "true at posted price", "true at exploit price",
                      "simulator", "sales", "sold out"},
                     {}};
  report::Table breaks{"Detected breaks", {"day", "machine", "product"}, {}};
  std::vector<vend::Break> found;
  std::vector<std::vector<double>>
      relative_error;  // by day, machine: |believed - true|/true at posted prices
};

Log run_log(const vend::VendingCase& network) {
  Log log;
  const vend::Configuration& all = network.configuration();
  const std::size_t products = all.products.size();
  vend::World world(all, network.seed(), 0);
  vend::SepPlanner planner(network.briefing(), {network.seed(), 0}, vend::SepPlanner::Kind::sep);
  std::vector<vend::Money> exploit;
  for (std::size_t i = 0; i < all.machines.size() * products; ++i) {
    exploit.push_back(network.briefing().exploit_price[i % products]);
  }
  const auto watch = [&](const vend::World& now, const vend::Decision& decision, const vend::DaySeen& seen) {
    std::vector<double> error;
    for (std::size_t i = 0; i < all.machines.size(); ++i) {
      const double believed = machine_rate(planner, i, products);
      const double posted = true_rate(now, decision.price, i);
      double simulator = 0;
      std::int64_t sales = 0, sold_out = 0;
      for (std::size_t slot = i * products; slot < (i + 1) * products; ++slot) {
        simulator += network.briefing().simulator_rate[slot];
        sales += seen.sales[slot];
        sold_out += seen.sold_out[slot];
      }
      error.push_back(std::abs(believed - posted) / posted);
      log.days.rows.push_back({std::to_string(seen.day), all.machines[i].name, name_of(planner.phase(i)),
                               view::fixed(believed, 4), view::fixed(posted, 4),
                               view::fixed(true_rate(now, exploit, i), 4), view::fixed(simulator, 4),
                               std::to_string(sales), std::to_string(sold_out)});
    }
    log.relative_error.push_back(std::move(error));
  };
  vend::run_days(world, planner, std::vector<std::int64_t>{kVendingLogDays}, watch);
  log.found = planner.breaks();
  for (const vend::Break& found : log.found) {
    log.breaks.rows.push_back({std::to_string(found.day), all.machines[found.slot / products].name,
                               all.products[found.slot % products].name});
  }
  return log;
}

/// Days of one phase after another as one span.
report::Figure phase_figure(const Log& log) {
  report::Table table{"", {"machine", "from", "to", "phase"}, {}};
  std::map<std::string, std::vector<std::vector<std::string>>> spans;  // by machine
  std::vector<std::string> machines;
  for (const auto& row : log.days.rows) {
    auto& own = spans[row[1]];
    if (own.empty()) machines.push_back(row[1]);
    const std::string next = std::to_string(std::stoll(row[0]) + 1);
    if (!own.empty() && own.back()[3] == row[2]) {
      own.back()[2] = next;
    } else {
      own.push_back({row[1], row[0], next, row[2]});
    }
  }
  for (const std::string& machine : machines)
    table.rows.insert(table.rows.end(), spans[machine].begin(), spans[machine].end());
  report::Table events{"", {"machine", "from", "what"}, {}};
  for (const auto& row : log.breaks.rows) events.rows.push_back({row[1], row[0], "break: " + row[2]});
  return report::spans(
      {.words = {"vending-log-phases", "What each machine is used for",
                 "Triangles: a break in the demand for a product is found there.",
                 fmt::format("Every machine begins with the pilot; {} breaks are found in {} days.",
                             events.rows.size(), kVendingLogDays)},
       .table = table,
       .row = "machine",
       .from = "from",
       .to = "to",
       .kind = "phase",
       .from_title = "day",
       .events = events});
}

double mean_error(const std::vector<double>& by_machine) {
  double sum = 0;
  for (const double error : by_machine) sum += error / static_cast<double>(by_machine.size());
  return sum;
}

report::Figure belief_figure(const Log& log) {
  report::Table table{"", {"machine", "day", "rate", "purchases a day"}, {}};
  for (const auto& row : log.days.rows) {
    table.rows.push_back({row[1], row[0], "believed", row[3]});
    table.rows.push_back({row[1], row[0], "true", row[4]});
    table.rows.push_back({row[1], row[0], "simulator", row[6]});
  }
  return report::lines(
      {.words =
           {"vending-log-beliefs", "What is believed of each machine",
            "Purchases a day at the posted prices, were nothing sold out. The simulator never changes its "
            "mind.",
            fmt::format("A panel per machine. What is believed is off by {} % on the first day and by {} "
                        "% on the last, on average.",
                        view::fixed(100 * mean_error(log.relative_error.front()), 0),
                        view::fixed(100 * mean_error(log.relative_error.back()), 0))},
       .table = table,
       .x = {"day"},
       .y = {"purchases a day"},
       .series = "rate",
       .panel = "machine",
       .height = 150});
}

constexpr std::int64_t kSoon = 14;  // days within which a break counts as found

bool found_soon(const std::vector<vend::Break>& breaks, std::size_t products, std::size_t machine,
                std::int64_t day) {
  return std::any_of(breaks.begin(), breaks.end(), [&](const vend::Break& found) {
    return found.slot / products == machine && found.day >= day && found.day < day + kSoon;
  });
}

/// Percentages of trials.
struct Detection {
  std::vector<double> flagged;            // by machine: the pilot's test flags it; last: it flags none
  double festival = 0, construction = 0;  // the break is found soon
};

Detection detection(const vend::VendingCase& network, const Options& options, std::int64_t trials) {
  const std::size_t machines = network.configuration().machines.size();
  const std::size_t products = network.configuration().products.size();
  std::vector<std::vector<std::uint8_t>> found(static_cast<std::size_t>(trials));
  const base::Threads threads(options.run.threads);
  base::parallel_for(threads, trials, 1, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t trial = begin; trial < end; ++trial) {
      const auto number = static_cast<std::uint64_t>(trial);
      vend::World world(network.configuration(), network.seed(), number);
      vend::SepPlanner planner(network.briefing(), {network.seed(), number}, vend::SepPlanner::Kind::sep);
      vend::run_days(world, planner, std::vector<std::int64_t>{kVendingLogDays});
      std::vector<std::uint8_t>& one = found[static_cast<std::size_t>(trial)];
      one = planner.flagged();
      one.push_back(std::find(one.begin(), one.end(), 1) == one.end());
      one.push_back(found_soon(planner.breaks(), products, 4, 35));
      one.push_back(found_soon(planner.breaks(), products, 0, 50));
    }
  });
  std::vector<double> share(machines + 3, 0);
  for (const auto& one : found) {
    for (std::size_t i = 0; i < share.size(); ++i) share[i] += 100.0 * one[i] / static_cast<double>(trials);
  }
  return {{share.begin(), share.end() - 2}, share[machines + 1], share[machines + 2]};
}

Claim break_claim(const Log& log, std::size_t machine, std::size_t products, std::int64_t day, double share,
                  const std::string& text) {
  std::string days;
  for (const vend::Break& found : log.found) {
    if (found.slot / products == machine) days += fmt::format(" {}", found.day);
  }
  return {text, found_soon(log.found, products, machine, day),
          fmt::format("trial 0: {}; within {} days in {} % of the trials",
                      days.empty() ? "no break at this machine" : "breaks on days" + days, kSoon,
                      view::fixed(share, 0))};
}

}  // namespace

Reproduction log(const Options& options) {
  const vend::VendingCase network(vend::default_configuration(), options.run.seed);
  const std::int64_t trials = options.trials > 0 ? options.trials : kTrials;
  Log found = run_log(network);
  const Detection detected = detection(network, options, trials);
  const std::vector<double>& share = detected.flagged;
  Reproduction result = begin("vending-log", "% of trials",
                              fmt::format("SEP, trial 0, {} days, seed {}; the pilot's test on {} trials",
                                          kVendingLogDays, options.run.seed, trials));
  const char* names[] = {"Downtown", "Suburb", "Office", "University", "New Neighborhood", "none"};
  const double published[] = {10, 37, 7, 13, 17, 33};
  for (std::size_t i = 0; i < share.size(); ++i) {
    Line line{.what = fmt::format("pilot flags {}", names[i]), .published = published[i], .ours = share[i]};
    line.interval = share_interval(share[i], trials);
    line.published_error = half_width(share_interval(published[i], 30));
    line.why = kOpen;
    line.cause_unknown = true;
    result.lines.push_back(line);
  }
  const std::size_t products = network.configuration().products.size();
  const auto& error = found.relative_error[9];
  result.claims = {
      {"Within 10 days the estimates of University and New Neighborhood are within 15 % of the true rates",
       error[3] <= .15 && error[4] <= .15,
       fmt::format("errors on day 9 at posted prices: {} and {} %", view::fixed(100 * error[3], 0),
                   view::fixed(100 * error[4], 0))},
      break_claim(found, 4, products, 35, detected.festival,
                  "The festival at New Neighborhood (day 35) is detected as a break"),
      break_claim(found, 0, products, 50, detected.construction,
                  "The construction at Downtown (day 50) is detected as a break"),
  };
  result.figures = {phase_figure(found), belief_figure(found)};
  result.data.push_back({"vending-log-days.csv", std::move(found.days)});
  result.data.push_back({"vending-log-breaks.csv", std::move(found.breaks)});
  return result;
}

}  // namespace mindgap::reproduce::vending

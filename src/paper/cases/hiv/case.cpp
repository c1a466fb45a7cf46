#include "paper/cases/hiv/case.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "mindgap/base/error.h"
#include "mindgap/base/listener.h"

namespace mindgap::cases::hiv {
namespace {

using trial::CaseOption;
using trial::OptionValues;

constexpr std::int32_t kCaseMost = 1'000'000;  // whole numbers; what is possible is checked by validate()

// "4,7", or the last corner.
std::optional<Cell> cluster_of(const OptionValues& values) {
  if (values.text("cluster") == "corner") return std::nullopt;
  const std::vector<double> numbers = values.numbers("cluster");
  const auto whole = [](double x) { return std::abs(x) <= kCaseMost && x == std::floor(x); };
  if (numbers.size() != 2 || !whole(numbers[0]) || !whole(numbers[1])) {
    throw InvalidArgument(fmt::format("hiv: cluster is '{}', but must be row,column or 'corner'",
                                      base::printable(values.text("cluster"))));
  }
  return Cell{static_cast<std::int32_t>(numbers[0]), static_cast<std::int32_t>(numbers[1])};
}

std::vector<std::int32_t> corridors_of(const OptionValues& values) {
  std::vector<std::int32_t> rows;
  if (values.text("corridors") == "none") return rows;
  for (const double row : values.numbers("corridors")) {
    if (std::abs(row) > kCaseMost || row != std::floor(row)) {
      throw InvalidArgument(fmt::format("hiv: corridors is '{}', but must be rows between commas, or 'none'",
                                        base::printable(values.text("corridors"))));
    }
    rows.push_back(static_cast<std::int32_t>(row));
  }
  return rows;
}

std::string_view yes_or_no(bool value) {
  return value ? "yes" : "no";
}

}  // namespace

std::vector<CaseOption> hiv_case_options() {
  return {
      {"navigation", "how passive planners' teams walk", "blind", {"blind", "shortest"}},
      {"belief", "whether planners allow for what cold tests miss", "plain", {"plain", "corrected"}},
      {"factor", "the simulator's mean in B is the epicentre's prevalence over this", "15"},
      {"map",
       "what the simulator has in B: one mean, or the true ones over the factor",
       "flat",
       {"flat", "localised"}},
      {"cluster", "row,column of the hidden cluster in region B, or the last corner", "corner"},
      {"depletion", "found cases are not found again", "no", {"yes", "no"}},
      {"rows", "of the grid", "5"},
      {"columns", "of the grid", "8"},
      {"wall", "the column where region B begins", "4"},
      {"corridors", "rows in which the wall is open, or none", "2"},
      {"teams", "of testers", "8"},
      {"starts", "the zones of A where teams begin", "first", {"first", "nearest"}},
      {"tests", "a team makes a day, on average", "8"},
      {"transit-tests", "teams test on the way, too", "yes", {"yes", "no"}},
      {"warmup-days", "days with a team until a zone of B is warm", "3"},
      {"cold-yield", "share of the prevalence that tests in a cold zone see", "0.2"},
      {"within", "transmission within a zone, a day", "0.002"},
      {"between", "transmission from each neighbour, a day", "0.0005"},
      {"treatment", "by how much treatment lowers transmission", "0.9"},
      {"prior-strength", "tests that the simulator counts for", "10"},
      {"optimism", "what the radii of ucrl2 and ucbvi are multiplied by; 1 is the textbook", "0.005"},
  };
}

HivOptions hiv_options(const trial::CaseRequest& request) {
  const OptionValues values("hiv", hiv_case_options(), request);
  const auto whole = [&](std::string_view name) {
    return static_cast<std::int32_t>(values.whole_number(name, 0, kCaseMost));
  };
  HivOptions options;
  options.seed = request.seed;
  options.navigation = values.text("navigation") == "blind" ? Navigation::blind : Navigation::shortest;
  options.belief = values.text("belief") == "plain" ? BeliefForm::plain : BeliefForm::corrected;
  options.factor = values.number("factor", 1, 1e6);
  options.localised = values.text("map") == "localised";
  options.cluster = cluster_of(values);
  options.depletion = values.flag("depletion");
  options.rows = whole("rows");
  options.columns = whole("columns");
  options.wall = whole("wall");
  options.corridors = corridors_of(values);
  options.teams = whole("teams");
  if (request.units)
    options.teams = static_cast<std::int32_t>(std::clamp<std::int64_t>(*request.units, -1, kCaseMost));
  options.starts = values.text("starts") == "first" ? Starts::first : Starts::nearest;
  options.tests_per_day = values.number("tests", 1e-3, 1e4);
  options.transit_tests = values.flag("transit-tests");
  options.warmup_days = whole("warmup-days");
  options.cold_yield = values.number("cold-yield", 1e-3, 1);
  options.within = values.number("within", 0, 1);
  options.between = values.number("between", 0, 1);
  options.treatment = values.number("treatment", 0, 1);
  options.prior_strength = values.number("prior-strength", 0, 1e9);
  options.optimism = values.number("optimism", 0, 1e6);
  options.validate();
  return options;
}

std::unique_ptr<trial::Case> make_hiv_case(const trial::CaseRequest& request) {
  return std::make_unique<HivCase>(hiv_options(request));
}

CaseInfo info() {
  return {"hiv", "mobile HIV testing on a walled grid", hiv_case_options(), make_hiv_case};
}

HivCase::HivCase(const HivOptions& options) : options_((options.validate(), options)), geography_(options_) {}

std::vector<std::string> HivCase::default_planners() const {
  return {"sop", "asop", "thompson", "sep", "fisher", "ucrl2", "ucbvi", "tai", "tai-dynamic"};
}

std::vector<std::pair<std::string, std::string>> HivCase::settings() const {
  const HivOptions& o = options_;
  const auto number = [](double value) { return fmt::format("{}", value); };
  const Cell cluster = o.cluster_cell();
  return {
      {"navigation", o.navigation == Navigation::blind ? "blind" : "shortest"},
      {"belief", o.belief == BeliefForm::plain ? "plain" : "corrected"},
      {"factor", number(o.factor)},
      {"map", o.localised ? "localised" : "flat"},
      {"cluster", fmt::format("{},{}", cluster.row, cluster.column)},
      {"depletion", std::string(yes_or_no(o.depletion))},
      {"rows", fmt::format("{}", o.rows)},
      {"columns", fmt::format("{}", o.columns)},
      {"wall", fmt::format("{}", o.wall)},
      {"corridors", o.corridors.empty() ? "none" : fmt::format("{}", fmt::join(o.corridors, ","))},
      {"teams", fmt::format("{}", o.teams)},
      {"starts", o.starts == Starts::first ? "first" : "nearest"},
      {"tests", number(o.tests_per_day)},
      {"transit-tests", std::string(yes_or_no(o.transit_tests))},
      {"warmup-days", fmt::format("{}", o.warmup_days)},
      {"cold-yield", number(o.cold_yield)},
      {"population", fmt::format("{},{}", o.population_a, o.population_b)},
      {"prevalence", fmt::format("{},{},{}", o.prevalence_a, o.prevalence_b, o.prevalence_sd)},
      {"cluster-prevalence", fmt::format("{},{}", o.epicentre, o.surroundings)},
      {"simulated", fmt::format("{},{},{}", o.simulated_a, o.simulated_a_sd, o.simulated_b_sd)},
      {"within", number(o.within)},
      {"between", number(o.between)},
      {"treatment", number(o.treatment)},
      {"prior-strength", number(o.prior_strength)},
      {"optimism", number(o.optimism)},
  };
}

std::vector<trial::CaseWarning> HivCase::warnings() const {
  trial::UnreachableStates unreachable{.names = {}, .of = geography_.zones()};
  const std::vector<Zone> starts = geography_.starts(options_.starts, options_.teams);
  for (Zone j = 0; j < geography_.zones(); ++j) {
    const bool reached = std::any_of(starts.begin(), starts.end(),
                                     [&](Zone start) { return geography_.distance(start, j) >= 0; });
    if (!reached) unreachable.names.push_back(geography_.name(j));
  }
  if (unreachable.names.empty()) return {};
  return {unreachable};
}

void HivCase::run_days(std::string_view planner, std::uint64_t trial, std::int64_t days,
                       const std::function<void(const World&)>& after_day) const {
  World world(options_, geography_, draw_maps(options_, geography_, trial), trial);
  std::unique_ptr<HivPlanner> who;
  if (planner == "oracle") {
    who = make_oracle(world);
  } else {
    const std::span<const double> simulator = world.simulator();
    who = make_planner(planner,
                       known_to_planners(options_, geography_, {simulator.begin(), simulator.end()}, trial));
  }
  hiv::run_days(world, *who, days, after_day);
}

std::vector<double> HivCase::run(std::string_view planner, std::uint64_t trial,
                                 std::span<const std::int64_t> horizons) const {
  std::vector<double> found;
  if (horizons.empty()) return found;
  run_days(planner, trial, horizons.back(), [&](const World& world) {
    base::interruption_point();
    while (found.size() < horizons.size() && horizons[found.size()] == world.day()) {
      found.push_back(static_cast<double>(world.cases_found()));
    }
  });
  return found;
}

}  // namespace mindgap::cases::hiv

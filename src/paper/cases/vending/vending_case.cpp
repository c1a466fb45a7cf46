#include "paper/cases/vending/vending_case.h"

#include <fmt/format.h>

#include <algorithm>

#include "mindgap/base/error.h"
#include "mindgap/base/listener.h"
#include "mindgap/base/suggest.h"
#include "paper/cases/vending/configuration_file.h"
#include "paper/cases/vending/horizon_pilot.h"
#include "paper/cases/vending/oracle.h"
#include "paper/cases/vending/planners.h"
#include "paper/cases/vending/sep.h"

namespace mindgap::cases::vending {
namespace {

using Made = std::unique_ptr<VendingPlanner>;

struct Entry {
  const char* name;
  const char* description;
  Made (*make)(const Briefing& briefing, PlannerSeed seed);  // null: made elsewhere
};

// In the order of tables.
const Entry kPlanners[] = {
    {"oracle", "knows today's mean demand; a heuristic, not an optimum", nullptr},
    {"sop", "stocks by the simulator's rates throughout",
     [](const Briefing& b, PlannerSeed) { return make_sop(b); }},
    {"epsilon", "SOP, with machines that play at random on some days",
     [](const Briefing& b, PlannerSeed s) { return make_epsilon(b, s, Epsilon::fixed); }},
    {"asop", "learns from the last ten days that did not sell out",
     [](const Briefing& b, PlannerSeed s) { return make_asop(b, s); }},
    {"asop-pilot", "A-SOP after a pilot of five days",
     [](const Briefing& b, PlannerSeed s) { return make_asop(b, s, {.pilot = true}); }},
    {"learning-epsilon", "A-SOP, with machines that play at random on some days",
     [](const Briefing& b, PlannerSeed s) { return make_epsilon(b, s, Epsilon::learning); }},
    {"adaptive-epsilon", "the same, less and less often",
     [](const Briefing& b, PlannerSeed s) { return make_epsilon(b, s, Epsilon::learning_adaptive); }},
    {"kg", "a pilot, then the learned rate plus the knowledge gradient", make_knowledge_gradient},
    {"sep", "a pilot, a test, exploration of flagged machines, and again after breaks",
     [](const Briefing& b, PlannerSeed s) -> Made {
       return std::make_unique<SepPlanner>(b, s, SepPlanner::Kind::sep);
     }},
    {"fisher", "Fisher-SEP-R: the same on the machines whose rates matter most",
     [](const Briefing& b, PlannerSeed s) -> Made {
       return std::make_unique<SepPlanner>(b, s, SepPlanner::Kind::fisher);
     }},
    {"sep-fdr", "SEP whose test bounds the share of false alarms instead of their chance",
     [](const Briefing& b, PlannerSeed s) -> Made {
       return std::make_unique<SepPlanner>(b, s, SepPlanner::Kind::sep, SepPlanner::Gate::share);
     }},
    {"fisher-fdr", "Fisher-SEP-R with that test",
     [](const Briefing& b, PlannerSeed s) -> Made {
       return std::make_unique<SepPlanner>(b, s, SepPlanner::Kind::fisher, SepPlanner::Gate::share);
     }},
    {"thompson", "rates drawn from the belief every five days", make_thompson},
    {"ucrl2", "optimism per machine, two states and two actions",
     [](const Briefing& b, PlannerSeed) { return make_optimism(b, Optimism::ucrl2); }},
    {"ucbvi", "the same with bonuses on rewards alone",
     [](const Briefing& b, PlannerSeed) { return make_optimism(b, Optimism::ucbvi); }},
    {"ucrl2-slots", "ucrl2 per slot on every stock and every target, as the other planners see and choose",
     [](const Briefing& b, PlannerSeed) { return make_slot_optimism(b, Optimism::ucrl2); }},
    {"ucbvi-slots", "ucbvi on the same",
     [](const Briefing& b, PlannerSeed) { return make_slot_optimism(b, Optimism::ucbvi); }},
    {"adaptive-fisher",
     "explores a machine for a day whenever what it would tell is worth more than it costs",
     make_adaptive_fisher},
    {"ids", "information-directed sampling on the value: which machines explore today", make_ids},
    {"asop-all", "A-SOP that keeps days that sold out as plain sales",
     [](const Briefing& b, PlannerSeed s) { return make_asop(b, s, {.keep_sold_out = true}); }},
    {"asop-censored", "reads a day that sold out as 'at least this much', and follows drift",
     [](const Briefing& b, PlannerSeed s) { return make_censored(b, s); }},
    {"asop-censored-season", "the same, and learns factors of weekday and time of day",
     [](const Briefing& b, PlannerSeed s) { return make_censored(b, s, {.season = true}); }},
    {"asop-censored-price", "the same, and chooses prices",
     [](const Briefing& b, PlannerSeed s) { return make_censored(b, s, {.season = true, .price = true}); }},
    {"horizon-pilot", "asop-censored after a pilot whose length is chosen from the horizon", nullptr},
};

const Entry& find_planner(std::string_view name) {
  std::vector<std::string> names;
  for (const Entry& entry : kPlanners) {
    if (name == entry.name) return entry;
    names.emplace_back(entry.name);
  }
  throw InvalidArgument(base::unknown_name("planner", name, names));
}

void check_horizons(std::span<const std::int64_t> horizons) {
  std::int64_t last = 0;
  for (const std::int64_t horizon : horizons) {
    if (horizon <= last) {
      throw InvalidArgument(
          fmt::format("vending: a horizon is {}, but horizons must be positive and ascend", horizon));
    }
    last = horizon;
  }
}

std::vector<trial::CaseOption> case_options() {
  return {{"errors",
           "which errors the simulator has: confounding, drift of the truth, both, none",
           "both",
           {"none", "confounding", "drift", "both"}},
          {"config", "a network of your own (TOML, as examples/vending/vending.toml)", "", {}}};
}

// The name and a hash (FNV-1a) of every number: what makes results of two files comparable.
std::string identity(const Configuration& configuration) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char c : format_configuration(configuration)) {
    hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  }
  return fmt::format("{} ({:016x})", configuration.name, hash);
}

std::unique_ptr<trial::Case> make_case(const trial::CaseRequest& request) {
  const trial::OptionValues values("vending", case_options(), request);
  if (request.units) throw InvalidArgument("vending: units are the machines of the configuration");
  const std::string& file = values.text("config");
  Configuration configuration = file.empty() ? default_configuration() : read_configuration(file);
  const std::string& errors = values.text("errors");
  configuration = with_errors(std::move(configuration), errors == "confounding" || errors == "both",
                              errors == "drift" || errors == "both");
  auto settings = values.settings();
  if (!file.empty()) settings.back().second = identity(configuration);
  return std::make_unique<VendingCase>(std::move(configuration), request.seed, std::move(settings));
}

}  // namespace

std::vector<double> run_days(World& world, VendingPlanner& planner, std::span<const std::int64_t> horizons,
                             const DayWatcher& watch) {
  check_horizons(horizons);
  const std::size_t slots = world.configuration().machines.size() * world.configuration().products.size();
  Decision decision{std::vector<std::int32_t>(slots), std::vector<Money>(slots)};
  std::vector<double> cash;
  for (const std::int64_t horizon : horizons) {
    while (world.day() < horizon && !world.bankrupt()) {
      base::interruption_point();
      planner.decide(world.open_day(), decision);
      const DaySeen seen = world.close_day(decision);
      planner.learn(seen);
      if (watch) watch(world, decision, seen);
    }
    cash.push_back(dollars(world.cash()));
  }
  return cash;
}

VendingCase::VendingCase(Configuration configuration, std::uint64_t seed,
                         std::vector<std::pair<std::string, std::string>> settings)
    : configuration_(std::move(configuration)), seed_(seed), settings_(std::move(settings)) {
  check(configuration_);
  briefing_ = brief(configuration_);
}

std::vector<trial::PlannerName> VendingCase::planners() const {
  std::vector<trial::PlannerName> names;
  for (const Entry& entry : kPlanners) names.push_back({entry.name, entry.description});
  return names;
}

std::vector<std::string> VendingCase::default_planners() const {
  return {"oracle", "sop",    "epsilon",  "asop",  "asop-pilot", "learning-epsilon", "adaptive-epsilon", "kg",
          "sep",    "fisher", "thompson", "ucrl2", "ucbvi",      "asop-all",         "asop-censored"};
}

std::vector<double> VendingCase::run(std::string_view planner, std::uint64_t trial,
                                     std::span<const std::int64_t> horizons) const {
  const Entry& entry = find_planner(planner);
  if (planner == "horizon-pilot") return run_horizon_pilot(trial, horizons);
  World world(configuration_, seed_, trial);
  const Made made = entry.make ? entry.make(briefing_, {seed_, trial}) : make_oracle(briefing_, world);
  return run_days(world, *made, horizons);
}

std::int64_t VendingCase::pilot_length(std::int64_t horizon) const {
  const std::lock_guard lock(mutex_);
  for (const auto& [known, length] : pilot_lengths_) {
    if (known == horizon) return length;
  }
  const std::int64_t length = best_pilot_length(pilot_values(briefing_, horizon, {.seed = seed_}));
  pilot_lengths_.emplace_back(horizon, length);
  return length;
}

// The planner depends on the horizon only through the length of its pilot: horizons of the same length share
// a run.
std::vector<double> VendingCase::run_horizon_pilot(std::uint64_t trial,
                                                   std::span<const std::int64_t> horizons) const {
  check_horizons(horizons);
  std::vector<double> cash(horizons.size());
  std::vector<std::int64_t> lengths;
  for (const std::int64_t horizon : horizons) lengths.push_back(pilot_length(horizon));
  std::vector<std::int64_t> distinct = lengths;
  std::sort(distinct.begin(), distinct.end());
  distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
  for (const std::int64_t length : distinct) {
    World world(configuration_, seed_, trial);
    const Made planner = make_censored(briefing_, {seed_, trial}, {.pilot_days = length});
    const std::vector<double> found = run_days(world, *planner, horizons);
    for (std::size_t i = 0; i < horizons.size(); ++i) {
      if (lengths[i] == length) cash[i] = found[i];
    }
  }
  return cash;
}

CaseInfo info() {
  return {"vending", "a vending supply chain: censored demand, a simulator that is confounded and dated",
          case_options(), make_case};
}

}  // namespace mindgap::cases::vending

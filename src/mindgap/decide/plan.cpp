#include "mindgap/decide/plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>

#include "mindgap/base/error.h"

namespace mindgap::decide {
namespace {

constexpr double kMostBonus = 1e6;

// "8x10"; false where it is not two whole numbers from 1.
bool parse_size(std::string_view text, std::int64_t& units, std::int64_t& steps) {
  const std::size_t at = text.find('x');
  if (at == std::string_view::npos) return false;
  const auto whole = [](std::string_view digits, std::int64_t& value) {
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    return error == std::errc() && end == digits.data() + digits.size() && value >= 1;
  };
  return whole(text.substr(0, at), units) && whole(text.substr(at + 1), steps);
}

// "0.5"; false where it is not a number above 0.
bool parse_bonus(std::string_view text, double& bonus) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), bonus);
  return error == std::errc() && end == text.data() + text.size() && bonus > 0 && bonus <= kMostBonus;
}

Plan members_plan(std::string_view name, Deployed deployed) {
  Plan plan{std::string(name), Kind::deploy};
  plan.deployed = deployed;
  return plan;
}

Plan undirected(std::string_view planner) {
  Plan plan{std::string(planner), Kind::experiment};
  plan.exploration = Exploration::undirected;
  plan.planner = planner;
  return plan;
}

std::optional<Plan> parse(std::string_view name) {
  if (name == "sop") return Plan{"sop", Kind::deploy};
  if (name == "average") return members_plan(name, Deployed::average);
  if (name == "robust") return members_plan(name, Deployed::robust);
  if (name == "asop") {
    Plan plan{"asop", Kind::learn};
    plan.planner = name;
    return plan;
  }
  if (name == "asop-forgetting") {
    Plan plan{std::string(name), Kind::learn};
    plan.planner = name;
    return plan;
  }
  for (const std::string_view planner :
       {"thompson", "thompson-forgetting", "thompson-shared", "beb", "improvement", "ids"}) {
    if (name == planner) return undirected(planner);
  }
  const auto after = [&](std::string_view prefix) {
    return name.starts_with(prefix) ? std::optional(name.substr(prefix.size())) : std::nullopt;
  };
  std::int64_t units = 0, steps = 0;
  double bonus = 0;
  if (const auto size = after("pilot-"); size && parse_size(*size, units, steps))
    return pilot_plan(units, steps);
  if (const auto size = after("adaptive-"); size && parse_size(*size, units, steps))
    return adaptive_plan(units, steps);
  if (const auto size = after("repilot-"); size && parse_size(*size, units, steps))
    return repilot_plan(units, steps);
  if (const auto number = after("beb-"); number && parse_bonus(*number, bonus)) return bonus_plan(bonus);
  return std::nullopt;
}

}  // namespace

std::string_view name_of(Kind kind) {
  return kind == Kind::deploy ? "deploy" : kind == Kind::learn ? "learn" : "experiment";
}

std::string_view name_of(Exploration exploration) {
  return exploration == Exploration::none         ? "none"
         : exploration == Exploration::undirected ? "undirected"
                                                  : "designed";
}

Plan pilot_plan(std::int64_t units, std::int64_t steps) {
  Plan plan{fmt::format("pilot-{}x{}", units, steps), Kind::experiment, units, steps};
  plan.exploration = Exploration::designed;
  return plan;
}

Plan given_plan(std::int64_t units, std::int64_t steps) {
  Plan plan = pilot_plan(units, steps);
  plan.name = fmt::format("given-{}x{}", units, steps);
  plan.given = true;
  return plan;
}

Plan adaptive_plan(std::int64_t units, std::int64_t window) {
  Plan plan{fmt::format("adaptive-{}x{}", units, window), Kind::experiment, units};
  plan.exploration = Exploration::designed;
  plan.planner = "adaptive-fisher";
  plan.window = window;
  return plan;
}

Plan repilot_plan(std::int64_t units, std::int64_t window) {
  Plan plan = adaptive_plan(units, window);
  plan.name = fmt::format("repilot-{}x{}", units, window);
  plan.planner = "repilot";
  return plan;
}

std::vector<Plan> forgetting_plans(std::int64_t units, std::int64_t horizon) {
  std::vector<Plan> plans = {plan_from_string("asop-forgetting"), plan_from_string("thompson-forgetting")};
  const std::int64_t window = std::max<std::int64_t>(1, horizon / 10);
  for (const std::int64_t part : {1, 4}) {
    const Plan plan = repilot_plan((units + part - 1) / part, window);
    if (window < horizon && plan != plans.back()) plans.push_back(plan);
  }
  return plans;
}

Plan bonus_plan(double bonus) {
  Plan plan = undirected("beb");
  plan.name = fmt::format("beb-{:g}", bonus);
  plan.bonus = bonus;
  return plan;
}

bool is_plan(std::string_view name) {
  return parse(name).has_value();
}

Plan plan_from_string(std::string_view name) {
  if (std::optional<Plan> plan = parse(name)) return *std::move(plan);
  throw InvalidArgument(
      fmt::format("no plan is called '{}': sop, average and robust (of an ensemble), asop, thompson, "
                  "thompson-shared, beb-X for a bonus of X, "
                  "improvement, ids, adaptive-UxW for U units and a window of W steps, pilot-UxT for U "
                  "units over T steps, as in pilot-8x10, or, where the truth drifts, asop-forgetting, "
                  "thompson-forgetting and repilot-UxW",
                  base::printable(name)));
}

std::vector<Plan> default_plans(std::int64_t units, std::int64_t horizon, bool ensemble) {
  std::vector<Plan> plans;
  const auto add = [&](const Plan& plan) {
    if (std::find(plans.begin(), plans.end(), plan) == plans.end()) plans.push_back(plan);
  };
  add(plan_from_string("sop"));
  if (ensemble) {
    for (const char* name : {"average", "robust"}) add(plan_from_string(name));
  }
  for (const char* name : {"asop", "thompson", "beb-0.5", "beb-1", "beb-2", "improvement", "ids"})
    add(plan_from_string(name));
  const std::int64_t window = std::max<std::int64_t>(1, horizon / 10);
  for (const std::int64_t part : {1, 4}) {
    if (window < horizon) add(adaptive_plan((units + part - 1) / part, window));
  }
  for (const std::int64_t part : {1, 4, 16, 64}) {
    for (const std::int64_t steps : {horizon / 10, horizon / 5, horizon / 20, 2 * horizon / 5}) {
      const Plan pilot = pilot_plan((units + part - 1) / part, std::max<std::int64_t>(1, steps));
      if (pilot.pilot_steps < horizon) add(pilot);
    }
  }
  return plans;
}

}  // namespace mindgap::decide

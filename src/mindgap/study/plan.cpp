#include "mindgap/study/plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "mindgap/base/error.h"
#include "mindgap/base/remedy.h"
#include "mindgap/study/model_blob.h"
#include "mindgap/study/sha256.h"
#include "mindgap/study/whole_number.h"

namespace mindgap::study {
namespace {

using Json = nlohmann::ordered_json;

// Reads a plan; what is wrong with it is said with the file.
template <typename Read>
auto reading(const std::string& file, Read read) {
  try {
    return read();
  } catch (const Json::exception& problem) {
    throw InvalidModel(
        fmt::format("this is no plan of mindgap ({} writes one): {}", base::how_to(base::Remedy::write_plan),
                    base::printable(problem.what(), 200)),
        {.file = file});
  }
}

Json parsed(const std::string& text, const std::string& file) {
  return reading(file, [&] {
    Json json = Json::parse(text);
    if (json.at("format").get<std::string>() != kPlanFormat)
      throw InvalidModel(fmt::format("the format must be '{}'", kPlanFormat), {.file = file});
    return json;
  });
}

[[noreturn]] void refuse(const std::string& file, const std::string& problem, std::string state = {},
                         std::string action = {}) {
  throw InvalidModel(problem,
                     {.file = file, .line = 0, .state = std::move(state), .action = std::move(action)});
}

void check_states(const Json& names, const std::string& file, const mdp::Mdp& mdp) {
  if (names.size() != static_cast<std::size_t>(mdp.states()))
    refuse(file, fmt::format("the plan is of a model with {} states, but this one has {}", names.size(),
                             mdp.states()));
  for (std::int32_t s = 0; s < mdp.states(); ++s) {
    const auto name = names[static_cast<std::size_t>(s)].get<std::string>();
    if (name != mdp.state_name(s))
      refuse(file, fmt::format("the plan's state {} is '{}', but the model's is '{}'", s + 1,
                               base::printable(name), base::printable(mdp.state_name(s))));
  }
}

std::vector<std::int32_t> route_of(const Json& steps, const std::string& file, const mdp::Mdp& mdp) {
  std::vector<std::int32_t> route;
  for (const Json& step : steps) {
    if (step.size() != static_cast<std::size_t>(mdp.states()))
      refuse(file, "a step of a route must have an action, or null, for every state");
    for (std::int32_t s = 0; s < mdp.states(); ++s) {
      const Json& cell = step[static_cast<std::size_t>(s)];
      if (cell.is_null()) {
        route.push_back(-1);
        continue;
      }
      const auto name = cell.get<std::string>();
      const std::int32_t action = mdp.find_action(name), pair = action < 0 ? -1 : mdp.find_pair(s, action);
      if (pair < 0) refuse(file, "a route takes an action that is not available", mdp.state_name(s), name);
      route.push_back(pair);
    }
  }
  return route;
}

std::int32_t state_of(const Json& name, const std::string& file, const mdp::Mdp& mdp) {
  const std::int32_t state = mdp.find_state(name.get<std::string>());
  if (state < 0)
    refuse(file, "the plan begins in a state that the model does not have", name.get<std::string>());
  return state;
}

// The plan alone: what the study's log keeps of the file.
std::string plan_alone(Json json) {
  if (json.contains("study")) json["plan"] = json["study"].at("plan");
  json.erase("study");
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

// Of every state at least as many units as the plan sends from there.
void check_units(const StudyPlan& plan, const std::vector<UnitRow>& units, const std::string& file,
                 const mdp::Mdp& mdp) {
  std::vector<std::int64_t> left(static_cast<std::size_t>(mdp.states()), 0);
  for (const UnitRow& unit : units) ++left[unit.state];
  for (const StudyPlan::Member& member : plan.members) {
    if (left[member.state]-- > 0) continue;
    const auto wanted = std::count_if(plan.members.begin(), plan.members.end(),
                                      [&](const auto& other) { return other.state == member.state; });
    throw InvalidArgument(
        fmt::format("{}: the plan sends {} unit(s) from '{}', but fewer of the units begin there", file,
                    wanted, base::printable(mdp.state_name(member.state))));
  }
}

}  // namespace

std::string sha_wherever_it_starts(const mdp::Model& model) {
  mdp::Model same = model;
  const auto states = static_cast<std::size_t>(model.mdp.states());
  same.mdp = model.mdp.with_start(std::vector<double>(states, 1.0 / static_cast<double>(states)));
  return hex(sha256(encode_model(same)));
}

StudyPlan parse_plan(const std::string& text, const std::string& file, const mdp::Mdp& mdp) {
  const Json json = parsed(text, file);
  return reading(file, [&] {
    if (json.value("occupancy", "finite") != "finite" || json.contains("policy"))
      refuse(file, "a study follows routes, but this plan has none: it is of a design without an end");
    StudyPlan plan;
    check_states(json.at("states"), file, mdp);
    plan.pilot.states = mdp.states();
    plan.pilot.steps = whole_number(json.at("steps"));
    for (const Json& route : json.at("routes")) {
      plan.pilot.routes.push_back({.pair = route_of(route.at("actions"), file, mdp)});
      if (route.at("actions").size() != static_cast<std::size_t>(plan.pilot.steps))
        refuse(file, fmt::format("every route must have the plan's {} steps", plan.pilot.steps));
    }
    for (const Json& row : json.at("assignment")) {
      const auto route = whole_number(row.at("route"));
      if (route < 0 || route >= static_cast<std::int64_t>(plan.pilot.routes.size()))
        refuse(file, fmt::format("a unit is on route {}, which is not there", route));
      plan.members.push_back({row.at("unit").get<std::string>(), state_of(row.at("state"), file, mdp)});
      plan.pilot.route_of_unit.push_back(static_cast<std::int32_t>(route));
    }
    const std::string pilot = fmt::format("pilot-{}x{}", plan.members.size(), plan.pilot.steps);
    plan.name =
        json.contains("study") ? json["study"].at("plan").get<std::string>() : json.value("plan", pilot);
    plan.before = json.value("pvv_before", 0.0);
    plan.after = json.value("pvv_after_rounding", 0.0);
    plan.relative_gap = json.value("relative_gap", 0.0);
    plan.expected_loss = json.value("expected_loss", 0.0);
    return plan;
  });
}

PlannedStart planned_start(const std::string& text, const std::string& file) {
  const Json json = parsed(text, file);
  return reading(file, [&] {
    PlannedStart found;
    if (!json.contains("study")) return found;
    const Json& study = json["study"];
    found.complete = true;
    if (!study.at("model").is_null()) found.model_path = study["model"].get<std::string>();
    found.new_states = study.at("new_states").get<std::vector<std::string>>();
    found.model_sha256 = study.at("model_sha256").get<std::string>();
    return found;
  });
}

void follow_plan(const std::string& text, const std::string& file, const mdp::Model& model,
                 StudyOptions& options, std::vector<UnitRow>& units) {
  const StudyPlan plan = parse_plan(text, file, model.mdp);
  const Json json = parsed(text, file);
  reading(file, [&] {
    if (json.contains("study")) {
      const Json& study = json["study"];
      if (study.at("model_sha256").get<std::string>() != sha_wherever_it_starts(model))
        throw InvalidArgument(fmt::format(
            "{}: the model is not the one that the decision was made with: decide again, or give that one",
            file));
      options.horizon = whole_number(study.at("horizon"));
      options.update_every = plan.name == "sop" ? 0 : whole_number(study.at("replan_every"));
      options.seed = whole_seed(study.at("seed"));
      options.prior = prior_from_json(study.at("prior").dump());
      if (study.contains("limits")) {
        options.limits = limits_from_json(study["limits"].dump());
        options.limits.validate(model.mdp);
      }
      options.coverage = study.at("coverage").is_null() ? std::vector<double>{}
                                                        : study["coverage"].get<std::vector<double>>();
      options.log = study.at("log").is_null() ? "" : study["log"].get<std::string>();
      if (units.empty()) {
        for (const Json& unit : study.at("units"))
          units.push_back({unit.at("unit").get<std::string>(), state_of(unit.at("state"), file, model.mdp),
                           "", Arm::explore});
      }
    } else if (units.empty()) {
      for (const StudyPlan::Member& member : plan.members)
        units.push_back({member.unit, member.state, "", Arm::explore});
    }
    return true;
  });
  check_units(plan, units, file, model.mdp);
  if (plan.pilot.steps > 0) options.batch_steps = plan.pilot.steps;
  options.control_share = 1 - static_cast<double>(plan.members.size()) /
                                  static_cast<double>(std::max<std::size_t>(1, units.size()));
  options.plan = plan_alone(json);
}

}  // namespace mindgap::study

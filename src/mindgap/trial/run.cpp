#include "mindgap/trial/run.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "mindgap/base/error.h"

namespace mindgap::trial {
namespace {

using Json = nlohmann::ordered_json;
constexpr const char* kFormat = "mindgap-results/1";

Json json_of(const RunDescription& run) {
  Json settings = Json::object();
  for (const auto& [name, value] : run.settings) settings[name] = value;
  return {{"format", kFormat},
          {"program", run.program},
          {"case", run.case_name},
          {"unit", run.unit},
          {"horizon_unit", run.horizon_unit},
          {"settings", settings},
          {"seed", run.seed},
          {"planners", run.planners},
          {"shown", run.shown},
          {"reference", run.reference},
          {"horizons", run.horizons},
          {"first_trial", run.first_trial},
          {"trials", run.trials},
          {"shard", run.shard},
          {"shards", run.shards}};
}

// A path may hold any bytes; JSON may not.
std::string text_of(const Json& json) {
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

template <typename Value>
std::string listed(const std::vector<Value>& values) {
  return fmt::format("{}", fmt::join(values, ","));
}

}  // namespace

RunDescription describe(const Case& on, const SweepOptions& asked, std::string_view reference,
                        std::uint64_t seed) {
  SweepOptions options = completed(on, asked);
  RunDescription run;
  run.case_name = on.name();
  run.unit = on.unit();
  run.horizon_unit = on.horizon_unit();
  run.settings = on.settings();
  run.seed = seed;
  run.shown = options.planners;
  run.reference = reference;
  const auto has_oracle = [](const std::vector<PlannerName>& all) {
    return std::any_of(all.begin(), all.end(), [](const PlannerName& p) { return p.name == "oracle"; });
  };
  for (const std::string& needed : {std::string("oracle"), run.reference}) {
    if (needed == "oracle" && needed != reference && !has_oracle(on.planners())) continue;
    const auto& list = options.planners;
    if (std::find(list.begin(), list.end(), needed) == list.end()) options.planners.push_back(needed);
  }
  options = completed(on, std::move(options));
  run.planners = options.planners;
  run.horizons = options.horizons;
  run.first_trial = options.first_trial;
  run.trials = options.trials;
  run.shard = options.shard;
  run.shards = options.shards;
  return run;
}

SweepOptions sweep_options(const RunDescription& run) {
  SweepOptions options;
  options.planners = run.planners;
  options.horizons = run.horizons;
  options.first_trial = run.first_trial;
  options.trials = run.trials;
  options.shard = run.shard;
  options.shards = run.shards;
  return options;
}

std::string description_json(const RunDescription& run) {
  return text_of(json_of(run));
}

RunDescription parse_description(std::string_view text, const std::string& file) {
  try {
    const Json json = Json::parse(text);
    if (json.at("format") != kFormat)
      throw InvalidArgument(fmt::format("{}: format is {}, but must be \"{}\"", file,
                                        base::printable(json.at("format").dump()), kFormat));
    RunDescription run;
    json.at("program").get_to(run.program);
    json.at("case").get_to(run.case_name);
    json.at("unit").get_to(run.unit);
    json.at("horizon_unit").get_to(run.horizon_unit);
    for (const auto& [name, value] : json.at("settings").items())
      run.settings.emplace_back(name, value.get<std::string>());
    json.at("seed").get_to(run.seed);
    json.at("planners").get_to(run.planners);
    json.at("shown").get_to(run.shown);
    json.at("reference").get_to(run.reference);
    json.at("horizons").get_to(run.horizons);
    json.at("first_trial").get_to(run.first_trial);
    json.at("trials").get_to(run.trials);
    json.at("shard").get_to(run.shard);
    json.at("shards").get_to(run.shards);
    if (run.trials < 1 || run.shards < 1 || run.shard < 1 || run.shard > run.shards || run.planners.empty() ||
        run.horizons.empty()) {
      throw InvalidArgument(fmt::format(
          "{}: trials, shards, shard, planners and horizons must be there, from 1, and the shard one of them",
          file));
    }
    return run;
  } catch (const Json::exception& error) {
    throw InvalidArgument(fmt::format("{}: not a description of results ({})", file, error.what()));
  }
}

std::string first_difference(const RunDescription& before, const RunDescription& now, bool any_shard) {
  const auto differ = [](const std::string& what, const auto& was, const auto& is) {
    return fmt::format("{} was {}, now {}", what, was, is);
  };
  if (before.program != now.program) return differ("the program", before.program, now.program);
  if (before.case_name != now.case_name) return differ("the case", before.case_name, now.case_name);
  for (const auto& [name, value] : now.settings) {
    const auto it = std::find_if(before.settings.begin(), before.settings.end(),
                                 [&, &key = name](const auto& setting) { return setting.first == key; });
    if (it == before.settings.end()) return differ(name, "not stated", "'" + value + "'");
    if (it->second != value) return differ(name, "'" + it->second + "'", "'" + value + "'");
  }
  if (before.settings.size() != now.settings.size())
    return differ("the number of settings", before.settings.size(), now.settings.size());
  if (before.seed != now.seed) return differ("the seed", before.seed, now.seed);
  if (before.planners != now.planners)
    return differ("the list of planners", listed(before.planners), listed(now.planners));
  if (before.horizons != now.horizons)
    return differ("the list of horizons", listed(before.horizons), listed(now.horizons));
  if (before.first_trial != now.first_trial)
    return differ("the first trial", before.first_trial, now.first_trial);
  if (before.shards != now.shards) return differ("the number of shards", before.shards, now.shards);
  if (!any_shard && before.shard != now.shard) return differ("the shard", before.shard, now.shard);
  return "";
}

}  // namespace mindgap::trial

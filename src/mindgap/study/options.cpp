#include "mindgap/study/options.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <string_view>
#include <type_traits>

#include "mindgap/base/check.h"
#include "mindgap/base/error.h"
#include "mindgap/study/log.h"
#include "mindgap/study/whole_number.h"

namespace mindgap::study {
namespace {

using Json = nlohmann::ordered_json;
using Shares = std::vector<std::pair<std::string, double>>;

Json json_of(const std::optional<double>& value) {
  return value ? Json(*value) : Json(nullptr);
}

std::optional<double> optional_of(const Json& json) {
  return json.is_null() ? std::nullopt : std::optional(json.get<double>());
}

Json json_of(const Shares& shares) {
  Json list = Json::array();
  for (const auto& [group, share] : shares) list.push_back({{"group", group}, {"share", share}});
  return list;
}

Json json_of(const std::vector<std::uint8_t>& flags) {
  return flags;
}

Json json_of(const std::vector<double>& numbers) {  // JSON has no infinity
  Json list = Json::array();
  for (const double number : numbers) list.push_back(std::isinf(number) ? Json(nullptr) : Json(number));
  return list;
}

void read_into(Shares& shares, const Json& json) {
  for (const Json& item : json)
    shares.emplace_back(item.at("group").get<std::string>(), item.at("share").get<double>());
}

void read_into(std::vector<std::uint8_t>& flags, const Json& json) {
  flags = json.get<std::vector<std::uint8_t>>();
}

void read_into(std::vector<double>& numbers, const Json& json) {
  for (const Json& number : json)
    numbers.push_back(number.is_null() ? std::numeric_limits<double>::infinity() : number.get<double>());
}

void read_into(std::optional<double>& number, const Json& json) {
  number = json.get<double>();
}

// What the first studies had, said or not; what was added after them is there only where it is said.
bool is_always_kept(std::string_view limit) {
  return limit == "min_share" || limit == "max_share";
}

void write_limits(Json& json, const design::Limits& limits) {
  design::for_each_limit(limits, [&](const char* name, const auto& limit) {
    if (is_always_kept(name) || limit != std::remove_cvref_t<decltype(limit)>{}) json[name] = json_of(limit);
  });
}

design::Limits read_limits(const Json& json) {
  design::Limits limits;
  design::for_each_limit(limits, [&](const char* name, auto& limit) {
    if (is_always_kept(name) || json.contains(name)) read_into(limit, json.at(name));
  });
  return limits;
}

// The members of PriorOverrides that a study takes; the only place that lists them.
void write_prior(Json& json, const belief::PriorOverrides& prior) {
  json["reward_sd"] = json_of(prior.reward_sd);
  json["transition_strength"] = json_of(prior.transition_strength);
  json["odds"] = json_of(prior.odds);
  json["drift_sd"] = json_of(prior.drift_sd);
  // Added later: only where said.
  if (prior.unseen) json["unseen"] = *prior.unseen;
  if (prior.reward_min) json["reward_min"] = *prior.reward_min;
  if (prior.reward_max) json["reward_max"] = *prior.reward_max;
  if (prior.rewards) json["rewards"] = mdp::to_string(*prior.rewards);
  if (prior.shared_sd) json["shared_sd"] = *prior.shared_sd;
  if (prior.shared_length) json["shared_length"] = *prior.shared_length;
}

belief::PriorOverrides read_prior(const Json& json) {
  belief::PriorOverrides prior;
  prior.reward_sd = optional_of(json.at("reward_sd"));
  prior.transition_strength = optional_of(json.at("transition_strength"));
  prior.odds = optional_of(json.at("odds"));
  prior.drift_sd = optional_of(json.at("drift_sd"));
  if (json.contains("unseen")) prior.unseen = json.at("unseen").get<double>();
  if (json.contains("reward_min")) prior.reward_min = json.at("reward_min").get<double>();
  if (json.contains("reward_max")) prior.reward_max = json.at("reward_max").get<double>();
  if (json.contains("shared_sd")) prior.shared_sd = json.at("shared_sd").get<double>();
  if (json.contains("shared_length")) prior.shared_length = json.at("shared_length").get<double>();
  if (json.contains("rewards")) {
    prior.rewards = mdp::reward_kind_from(json.at("rewards").get<std::string>());
    if (!prior.rewards) throw StoreError("the study's options name an unknown kind of rewards");
  }
  return prior;
}

}  // namespace

std::int64_t StudyOptions::steps_of_batch() const {
  constexpr std::int64_t kDefault = 15;
  return batch_steps > 0 ? batch_steps : std::min(kDefault, std::max<std::int64_t>(1, horizon / 2));
}

void StudyOptions::validate() const {
  base::check_range("study", "horizon", static_cast<double>(horizon), 1, 1e6);
  if (plan.empty()) base::check_range("study", "control_share", control_share, 0, .95);
  base::check_range("study", "batch_steps", static_cast<double>(batch_steps), 0, 1e6);
  base::check_range("study", "update_every", static_cast<double>(update_every), 0, 1e6);
  belief::check_overrides(prior);  // here, because JSON has no NaN
  if (prior.estimate_variance)
    throw InvalidArgument(
        "study: the variance of one reward must be stated, it cannot be estimated on the way");
}

std::string limits_to_json(const design::Limits& limits) {
  Json json;
  write_limits(json, limits);
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

design::Limits limits_from_json(const std::string& text) {
  return read_limits(Json::parse(text));
}

std::string prior_to_json(const belief::PriorOverrides& prior) {
  Json json;
  write_prior(json, prior);
  json["estimate_variance"] = prior.estimate_variance;
  return json.dump();
}

belief::PriorOverrides prior_from_json(const std::string& text) {
  const Json json = Json::parse(text);
  belief::PriorOverrides prior = read_prior(json);
  prior.estimate_variance = json.value("estimate_variance", false);
  return prior;
}

std::string to_json(const StudyOptions& options) {
  Json json;
  json["schema"] = kLogVersion;
  json["horizon"] = options.horizon;
  json["control_share"] = options.control_share;
  json["batch_steps"] = options.batch_steps;
  json["update_every"] = options.update_every;
  json["count_from_units"] = options.count_from_units;
  write_limits(json, options.limits);
  write_prior(json, options.prior);
  json["coverage"] = options.coverage;
  if (!options.log.empty()) json["log"] = options.log;
  if (!options.plan.empty()) json["plan"] = options.plan;
  json["allow_new_states"] = options.allow_new_states;
  json["compare_few"] = options.compare_few;
  json["model_path"] = options.model_path;
  json["model_sha256"] = options.model_sha256;
  json["seed"] = options.seed;
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

StudyOptions options_from_json(const std::string& text) {
  try {
    const Json json = Json::parse(text);
    StudyOptions options;
    options.horizon = whole_number(json.at("horizon"));
    options.control_share = json.at("control_share").get<double>();
    options.batch_steps = whole_number(json.at("batch_steps"));
    options.update_every = json.contains("update_every") ? whole_number(json["update_every"]) : 0;
    options.count_from_units = json.value("count_from_units", false);
    options.limits = read_limits(json);
    options.prior = read_prior(json);
    options.log = json.value("log", "");
    options.plan = json.value("plan", "");
    options.allow_new_states = json.value("allow_new_states", false);
    options.compare_few = json.value("compare_few", false);
    options.coverage = json.at("coverage").get<std::vector<double>>();
    options.model_path = json.at("model_path").get<std::string>();
    options.model_sha256 = json.at("model_sha256").get<std::string>();
    options.seed = whole_seed(json.at("seed"));
    options.validate();
    return options;
  } catch (const Json::exception& problem) {
    throw StoreError(std::string("the study's options are damaged: ") + problem.what());
  }
}

}  // namespace mindgap::study

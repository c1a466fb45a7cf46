// A plan.json with keys of ours and values of any kind, and with routes that do not fit the model: a study
// that is to begin with it follows it or is refused with an Error.
#include <fuzzer/FuzzedDataProvider.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "fuzz/small_study.h"
#include "mindgap/base/error.h"
#include "mindgap/study/plan.h"

namespace {

using nlohmann::json;

const char* const kKeys[] = {"format",       "assignment", "states", "occupancy", "policy", "replan_every",
                             "plan",         "name",       "units",  "steps",     "routes", "weight",
                             "actions",      "model",      "study",  "horizon",   "prior",  "limits",
                             "coverage",     "unit",       "state",  "members",   "route",  "expected_loss",
                             "log",          "seed",       "sha256", "before",    "after",  "relative_gap",
                             "model_sha256", "new_states", "path"};
const char* const kTexts[] = {"mindgap-plan/1", "a",    "b,c", "x", "y", "u", "v",
                              "pilot-2x3",      "asop", "sop", "",  "\n"};

json any_value(FuzzedDataProvider& from, int depth) {
  switch (from.ConsumeIntegralInRange(0, depth > 0 ? 7 : 5)) {
    case 0:
      return nullptr;
    case 1:
      return from.ConsumeBool();
    case 2:
      return from.ConsumeIntegralInRange<std::int64_t>(-2, 12);
    case 3:
      return from.ConsumeIntegral<std::int64_t>();
    case 4:
      return from.ConsumeFloatingPoint<double>();
    case 5:
      return from.PickValueInArray(kTexts);
    case 6: {
      json list = json::array();
      for (int n = from.ConsumeIntegralInRange(0, 4); n > 0; --n) list.push_back(any_value(from, depth - 1));
      return list;
    }
    default: {
      json object = json::object();
      for (int n = from.ConsumeIntegralInRange(0, 6); n > 0; --n)
        object[from.PickValueInArray(kKeys)] = any_value(from, depth - 1);
      return object;
    }
  }
}

// Somewhere below `value`, something else.
void change(FuzzedDataProvider& from, json& value, int depth) {
  if (depth == 0 || !value.is_structured() || value.empty() || from.ConsumeProbability<float>() < .2F) {
    value = any_value(from, 3);
    return;
  }
  auto at = value.begin();
  std::advance(at, from.ConsumeIntegralInRange<std::size_t>(0, value.size() - 1));
  if (from.ConsumeProbability<float>() < .1F)
    value.erase(at);
  else
    change(from, *at, depth - 1);
}

// What `decide --out` writes for a pilot of two units and three steps in the small model (see small_study.h).
json good_plan() {
  return json::parse(R"({"format": "mindgap-plan/1", "occupancy": "finite", "units": 2, "steps": 3,
    "target": "ensemble", "pvv_before": 2, "pvv_after": 1, "pvv_after_rounding": 1, "relative_gap": 1e-6,
    "constraints_kept": true, "states": ["a", "b,c"], "expected_loss": 0.5,
    "routes": [{"weight": 1.0, "units": 2, "actions": [["x", "x"], ["y", "x"], ["x", null]]}],
    "assignment": [{"unit": "u", "route": 0, "state": "a"}, {"unit": "v", "route": 0, "state": "a"}],
    "study": {"plan": "pilot-2x3", "horizon": 6, "replan_every": 1, "seed": 42,
      "units": [{"unit": "u", "state": "a"}, {"unit": "v", "state": "a"}], "prior": {}, "coverage": null,
      "log": null, "model": null, "new_states": []}})");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace mindgap::study;
  static const mindgap::mdp::Model model = two_places();
  FuzzedDataProvider from(data, size);
  static const json good = [] {
    json made = good_plan();
    made["study"]["model_sha256"] = sha_wherever_it_starts(model);
    return made;
  }();
  std::string text;
  if (from.ConsumeProbability<float>() < .2F) {
    text = from.ConsumeRemainingBytesAsString();  // no JSON, most likely
  } else {
    json plan = good;
    while (from.remaining_bytes() > 0) change(from, plan, 5);
    text = plan.dump(-1, ' ', false, json::error_handler_t::replace);
  }
  try {
    parse_plan(text, "plan.json", model.mdp);
    planned_start(text, "plan.json");
    StudyOptions options;
    std::vector<UnitRow> units = {{"u", 0}, {"v", 0}};
    follow_plan(text, "plan.json", model, options, units);
    begin_study(MemoryStorage(), model, units, options, {"fuzz", "2026-03-01T09:00:00Z"}, 1);
  } catch (const mindgap::Error&) {
  }
  return 0;
}

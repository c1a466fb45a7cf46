#include "mindgap/command/compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "mindgap/base/check.h"
#include "mindgap/base/error.h"
#include "mindgap/base/fingerprint.h"
#include "mindgap/base/workers.h"
#include "mindgap/decide/follow_plan.h"
#include "mindgap/view/compare.h"
#include "mindgap/view/nouns.h"

namespace mindgap::command {
namespace {

// The case with everybody who is brought to it, and the plans that are asked for by name.
trial::OpenCase open_case(const trial::Case& on, const CompareRequest& request) {
  std::vector<trial::OtherPlanner> others = request.others;
  std::vector<trial::PlannerName> known = on.planners();
  for (const trial::OtherPlanner& other : others) known.push_back({other.name, other.description});
  for (const decide::Plan& plan : decide::plans_among(request.planners, known)) {
    others.push_back(decide::planner_for(plan));
    others.back().description = view::description_of(plan);
  }
  return {on, std::move(others)};
}

trial::RunDescription described(const trial::Case& on, const CompareRequest& request) {
  if (request.trials != 0)
    base::check_range("compare", "trials", static_cast<double>(request.trials), 1, 1e9);
  trial::SweepOptions options;
  options.planners = request.planners;
  options.horizons = request.horizons;
  std::sort(options.horizons.begin(), options.horizons.end());
  options.first_trial = request.first_trial;
  options.trials = request.trials;
  options.shard = request.shard;
  options.shards = request.shards;
  trial::RunDescription run = trial::describe(on, options, request.reference, request.run.seed);
  run.program = "mindgap " MINDGAP_VERSION;
  if (trial::trials_of(trial::sweep_options(run)).empty())
    throw InvalidArgument(
        fmt::format("shard {} of {} has none of the {} trials", run.shard, run.shards, run.trials));
  return run;
}

trial::Results without(const trial::Results& results, const std::set<std::uint64_t>& failed) {
  if (failed.empty()) return results;
  trial::Results kept{results.planners, results.horizons, {}, {}};
  const auto block = static_cast<std::ptrdiff_t>(results.planners.size() * results.horizons.size());
  for (std::size_t i = 0; i < results.trials.size(); ++i) {
    if (failed.contains(results.trials[i])) continue;
    kept.trials.push_back(results.trials[i]);
    const auto from = results.value.begin() + static_cast<std::ptrdiff_t>(i) * block;
    kept.value.insert(kept.value.end(), from, from + block);
  }
  return kept;
}

std::string inputs_of(const trial::RunDescription& run) {
  trial::RunDescription shared = run;
  shared.case_name = "";  // a path may be another one elsewhere; settings tell what is there
  std::erase_if(shared.settings, [](const auto& setting) { return setting.first == "simulator"; });
  return base::Fingerprint().add("compare").add(trial::description_json(shared)).text();
}

std::shared_ptr<trial::ResultsFolder> folder_at(const std::string& out, const trial::RunDescription& run) {
  return out.empty() ? nullptr : std::make_shared<trial::ResultsFolder>(out, run);
}

}  // namespace

CompareAnswer compare(const trial::Case& given, const CompareRequest& request) {
  const trial::OpenCase on = open_case(given, request);
  CompareAnswer answer;
  answer.run = described(on, request);
  for (const trial::CaseWarning& warning : on.warnings()) answer.warnings.push_back(view::text_of(warning));
  request.run.listener.warn(answer.warnings);
  answer.folder = folder_at(request.out, answer.run);
  trial::SweepOptions options = trial::sweep_options(answer.run);
  options.run = request.run;
  base::announce(inputs_of(answer.run));
  options.what = "comparing on " + base::printable(answer.run.case_name);
  const trial::Results results =
      trial::run_sweep(on, options, answer.folder ? answer.folder->finished() : trial::Results{},
                       [&](std::uint64_t trial, std::span<const double> values) {
                         if (answer.folder) answer.folder->keep(trial, values);
                       });
  const std::vector<std::uint64_t> failed = on.failed_trials();
  answer.failed = failed.size();
  answer.results = without(results, {failed.begin(), failed.end()});
  for (const trial::CaseWarning& finding : on.findings()) answer.warnings.push_back(view::text_of(finding));
  if (!answer.results.trials.empty())
    answer.rows = trial::summarise(answer.results, answer.run.shown, answer.run.reference);
  return answer;
}

std::string list_of_planners(const trial::Case& on, const CompareRequest& request) {
  return view::list_of(open_case(on, request).planners(), "planner", "what it does");
}

std::string list_of_cases(const std::vector<trial::PlannerName>& cases) {
  return view::list_of(cases, "case", "what it is");
}

CompareAnswer merge(const std::vector<std::filesystem::path>& folders, const std::string& out) {
  trial::Merged merged = trial::merge(folders);
  CompareAnswer answer;
  answer.run = std::move(merged.run);
  answer.results = std::move(merged.results);
  answer.rows = trial::summarise(answer.results, answer.run.shown, answer.run.reference);
  answer.folder = folder_at(out, answer.run);
  return answer;
}

std::string CompareAnswer::text() const {
  return view::text_of(run, rows, failed);
}
view::Json CompareAnswer::json() const {
  return view::json_of(run, rows);
}
report::Page CompareAnswer::page() const {
  return view::page_of(run, rows, failed);
}
void CompareAnswer::write() const {
  if (folder && !rows.empty()) folder->complete(results, view::dumped(json()) + "\n");
}

}  // namespace mindgap::command

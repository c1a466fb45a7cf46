#include "paper/reproduce/reproduce.h"

#include <fmt/format.h>

#include "mindgap/base/check.h"
#include "mindgap/base/error.h"
#include "mindgap/base/fingerprint.h"
#include "mindgap/base/option_name.h"
#include "mindgap/base/workers.h"
#include "paper/reproduce/page.h"
#include "paper/reproduce/view.h"

namespace mindgap::reproduce {
namespace {

std::vector<const Artefact*> chosen_artefacts(const std::string& name) {
  if (name.empty()) {
    throw InvalidArgument(
        fmt::format("reproduce: name an artefact; {} shows them", base::told("--list", "artefacts()")));
  }
  std::vector<const Artefact*> chosen;
  for (const Artefact& artefact : artefacts()) {
    if (name == "all" || artefact.group == name) chosen.push_back(&artefact);
  }
  return chosen.empty() ? std::vector<const Artefact*>{&find_artefact(name)} : chosen;
}

// How to make the page again, as whoever reads it would ask for it.
std::string call_of(const ReproduceAnswer& answer) {
  if (base::spoken_to() == base::Speech::python) {
    return fmt::format("mindgap.reproduce(\"{}\", {}seed={})", answer.name,
                       answer.trials ? fmt::format("trials={}, ", *answer.trials) : "", answer.seed);
  }
  return fmt::format("mindgap reproduce {} --seed {}{} --report {}", answer.name, answer.seed,
                     answer.trials ? fmt::format(" --trials {}", *answer.trials) : "",
                     std::filesystem::path(answer.report_file).filename().string());
}

}  // namespace

void validate(const ReproduceRequest& request) {
  chosen_artefacts(request.name);
  if (request.trials) base::check_range("reproduce", "trials", static_cast<double>(*request.trials), 2, 1e9);
}

ReproduceAnswer reproduce(const ReproduceRequest& request) {
  validate(request);
  const Options options{request.trials.value_or(0), request.run};
  base::announce(base::Fingerprint()
                     .add("reproduce")
                     .add(request.name)
                     .add(static_cast<double>(options.trials))
                     .add(request.run.seed)
                     .text());
  ReproduceAnswer answer{{}, request.name, request.trials, request.run.seed};
  for (const Artefact* artefact : chosen_artefacts(request.name))
    answer.results.push_back(artefact->run(options));
  return answer;
}

std::string ReproduceAnswer::text() const {
  std::string text;
  for (const Reproduction& result : results) text += (text.empty() ? "" : "\n") + view::text_of(result);
  return text;
}

view::Json ReproduceAnswer::json() const {
  view::Json json = view::Json::array();
  for (const Reproduction& result : results) json.push_back(view::json_of(result));
  return json;
}

report::Page ReproduceAnswer::page() const {
  return page_of(results,
                 fmt::format("mindgap {}, seed {}. Made by: {}", MINDGAP_VERSION, seed, call_of(*this)));
}

void ReproduceAnswer::write(const std::filesystem::path& folder) const {
  write_data(folder, results);
}

std::string list_of_artefacts() {
  report::Table table{"", {"artefact", "what it is"}, {}};
  for (const Artefact& artefact : artefacts()) table.rows.push_back({artefact.name, artefact.title});
  table.rows.push_back(
      {"small, hiv, vending", "all artefacts of the small cases, of HIV testing, of vending"});
  table.rows.push_back({"all", "every one of them (hours with all trials; --trials for fewer)"});
  return report::to_text(table);
}

}  // namespace mindgap::reproduce

#include <fmt/format.h>

#include <filesystem>

#include "bars.h"
#include "command.h"
#include "mindgap/base/check.h"
#include "mindgap/base/error.h"
#include "mindgap/files/output.h"
#include "mindgap/report/page.h"
#include "paper/reproduce/artefact.h"
#include "paper/reproduce/page.h"
#include "paper/reproduce/view.h"

namespace mindgap::app {
namespace {

using reproduce::Artefact;
using reproduce::Reproduction;

struct ReproduceCommand {
  std::string name, out, report;
  std::optional<std::int64_t> trials;
  bool list = false;
};

std::string list_of_artefacts() {
  report::Table table{"", {"artefact", "what it is"}, {}};
  for (const Artefact& artefact : reproduce::artefacts())
    table.rows.push_back({artefact.name, artefact.title});
  table.rows.push_back({"all", "every artefact of the small cases (not hiv-* and vending-*)"});
  return report::to_text(table);
}

void make_folder(const std::filesystem::path& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) throw StoreError(fmt::format("{}: {}", folder.string(), error.message()));
}

/// Throws StoreError where a file could not be written there: before the long computation, not after it.
void check_writable(const std::filesystem::path& path) {
  const files::StagedFile staged(path);
  files::TextWriter(staged.temporary(), path.string()).close();
}

std::vector<const Artefact*> chosen_artefacts(const ReproduceCommand& command) {
  std::vector<const Artefact*> chosen;
  if (command.name != "all") return {&reproduce::find_artefact(command.name)};
  for (const Artefact& artefact : reproduce::artefacts()) {
    if (artefact.group == "small") chosen.push_back(&artefact);
  }
  return chosen;
}

Reproduction run_one(const Artefact& artefact, const ReproduceCommand& command, const CommonOptions& common) {
  Bars bars(common.quiet);
  reproduce::Options options{command.trials.value_or(0), common.seed, common.threads, {}};
  options.on_progress = [&](const std::string& what, std::int64_t done, std::int64_t total) {
    bars.show(what, done, total);
  };
  return artefact.run(options);
}

std::string footer_of(const ReproduceCommand& command, const CommonOptions& common) {
  std::string call = fmt::format("mindgap reproduce {} --seed {}", command.name, common.seed);
  if (command.trials) call += fmt::format(" --trials {}", *command.trials);
  return fmt::format("mindgap {}, seed {}. Made by: {} --report {}", MINDGAP_VERSION, common.seed, call,
                     std::filesystem::path(command.report).filename().string());
}

int run(const ReproduceCommand& command, const CommonOptions& common) {
  if (command.list) {
    print_result({.json = false}, list_of_artefacts(), {});
    return kDone;
  }
  if (command.name.empty()) throw InvalidArgument("reproduce: name an artefact; --list shows them");
  const std::vector<const Artefact*> chosen = chosen_artefacts(command);
  if (command.trials) base::check_range("reproduce", "trials", static_cast<double>(*command.trials), 2, 1e9);
  if (!command.report.empty()) check_writable(command.report);
  if (!command.out.empty()) make_folder(command.out);
  std::vector<Reproduction> results;
  std::string text;
  Json json = Json::array();
  for (const Artefact* artefact : chosen) {
    results.push_back(run_one(*artefact, command, common));
    text += (text.empty() ? "" : "\n") + view::text_of(results.back());
    json.push_back(view::json_of(results.back()));
  }
  if (!command.out.empty()) {
    const UninterruptedWrite whole;
    reproduce::write_data(command.out, results);
  }
  if (!command.report.empty()) {
    const std::string html = report::to_html(reproduce::page_of(results, footer_of(command, common)));
    const UninterruptedWrite whole;
    files::write_file(command.report, html);
  }
  print_result(common, text, json);
  return kDone;
}

}  // namespace

void add_reproduce(CLI::App& app, CommonOptions& common, Action& chosen) {
  CLI::App& cli = add_command(app, "reproduce", "the paper's tables and figures, published value beside ours",
                              "mindgap reproduce lock", common);
  const auto command = std::make_shared<ReproduceCommand>();
  cli.add_option("ARTEFACT", command->name, "one of --list, or all");
  cli.add_flag("--list", command->list, "every artefact there is");
  cli.add_option("--trials", command->trials, "how many; default: as many as the paper");
  cli.add_option("--out", command->out,
                 "write the data behind figures here, as CSV, and the tables as Markdown");
  cli.add_option("--report", command->report, "write a page with pictures here, as HTML");
  cli.callback(
      [&common, &chosen, command] { chosen = [&common, command] { return run(*command, common); }; });
}

}  // namespace mindgap::app

#include <fmt/format.h>

#include <filesystem>

#include "bars.h"
#include "command.h"
#include "mindgap/base/check.h"
#include "mindgap/base/error.h"
#include "mindgap/mdp/output.h"
#include "mindgap/reproduce/artefact.h"

namespace mindgap::app {
namespace {

using reproduce::Artefact;
using reproduce::Reproduction;

struct ReproduceCommand {
  std::string name, out;
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

const char* verdict(const reproduce::Line& line) {
  if (!line.published) return "";
  if (line.agrees()) return "agrees";
  return line.why.empty() ? "DIFFERS" : "differs, explained";
}

std::string text_of(const Reproduction& result) {
  std::string text = fmt::format("{}\n{}\n\n", result.title, result.method);
  report::Table table{"", {result.unit, "published", "ours", "95 % interval", "within", ""}, {}};
  for (const reproduce::Line& line : result.lines) {
    table.rows.push_back({line.what, line.published ? fmt::format("{:.6g}", *line.published) : "",
                          fmt::format("{:.6g}", line.ours),
                          line.interval
                              ? fmt::format("[{:.5g}, {:.5g}]", line.interval->lower, line.interval->upper)
                              : "exact",
                          line.published ? fmt::format("{:.2g}", line.tolerance) : "", verdict(line)});
  }
  if (!table.rows.empty()) text += report::to_text(table);
  for (const reproduce::Line& line : result.lines) {
    if (!line.agrees() && !line.why.empty()) text += fmt::format("  {}: {}\n", line.what, line.why);
  }
  for (const reproduce::Claim& claim : result.claims) {
    text += fmt::format("{} {}\n", claim.holds ? "  holds:" : "  DOES NOT HOLD:", claim.text);
    if (!claim.evidence.empty()) text += fmt::format("    {}\n", claim.evidence);
  }
  for (const Reproduction::Data& data : result.data)
    text += fmt::format("  data: {} ({} rows; --out DIR writes it)\n", data.file, data.table.rows.size());
  return text;
}

Json json_of(const Reproduction& result) {
  Json json = {{"artefact", result.name}, {"title", result.title},  {"unit", result.unit},
               {"method", result.method}, {"lines", Json::array()}, {"claims", Json::array()},
               {"data", Json::array()}};
  for (const reproduce::Line& line : result.lines) {
    json["lines"].push_back(
        {{"what", line.what},
         {"published", line.published ? Json(*line.published) : Json()},
         {"ours", line.ours},
         {"interval", line.interval ? Json{line.interval->lower, line.interval->upper} : Json()},
         {"tolerance", line.tolerance},
         {"agrees", line.published ? Json(line.agrees()) : Json()},
         {"why", line.why}});
  }
  for (const reproduce::Claim& claim : result.claims)
    json["claims"].push_back({{"text", claim.text}, {"holds", claim.holds}, {"evidence", claim.evidence}});
  for (const Reproduction::Data& data : result.data) {
    json["data"].push_back({{"file", data.file}, {"columns", data.table.columns}, {"rows", data.table.rows}});
  }
  return json;
}

void write_data(const std::filesystem::path& folder, const Reproduction& result) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) throw StoreError(fmt::format("{}: {}", folder.string(), error.message()));
  const UninterruptedWrite whole;
  for (const Reproduction::Data& data : result.data) {
    mdp::StagedFile staged(folder / data.file);
    mdp::TextWriter writer(staged.temporary(), (folder / data.file).string());
    writer.text(report::to_csv(data.table));
    writer.close();
    staged.commit();
  }
}

int run(const ReproduceCommand& command, const CommonOptions& common) {
  if (command.list) {
    print_result({.json = false}, list_of_artefacts(), {});
    return kDone;
  }
  if (command.name.empty()) throw InvalidArgument("reproduce: name an artefact; --list shows them");
  std::vector<const Artefact*> chosen;
  for (const Artefact& artefact : reproduce::artefacts()) {
    if (command.name == "all" && artefact.group == "small") chosen.push_back(&artefact);
  }
  if (command.name != "all") chosen.push_back(&reproduce::find_artefact(command.name));
  if (command.trials) base::check_range("reproduce", "trials", static_cast<double>(*command.trials), 2, 1e9);
  std::string text;
  Json json = Json::array();
  for (const Artefact* artefact : chosen) {
    Reproduction result;
    {
      Bars bars(common.quiet);
      reproduce::Options options{command.trials.value_or(0), common.seed, common.threads, {}};
      options.on_progress = [&](const std::string& what, std::int64_t done, std::int64_t total) {
        bars.show(what, done, total);
      };
      result = artefact->run(options);
    }
    if (!command.out.empty()) write_data(command.out, result);
    text += (text.empty() ? "" : "\n") + text_of(result);
    json.push_back(json_of(result));
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
  cli.add_option("--out", command->out, "write the data behind figures here, as CSV");
  cli.callback(
      [&common, &chosen, command] { chosen = [&common, command] { return run(*command, common); }; });
}

}  // namespace mindgap::app

#include <fmt/format.h>

#include <memory>
#include <mutex>

#include "bars.h"
#include "knowledge.h"
#include "mindgap/base/error.h"
#include "mindgap/base/progress.h"
#include "mindgap/files/log_file.h"
#include "mindgap/files/matrix_file.h"
#include "mindgap/files/text_file.h"
#include "mindgap/view/diagnose.h"
#include "mindgap/world/world_folder.h"

namespace mindgap::app {
namespace {

using view::DiagnoseView;

struct DiagnoseCommand {
  std::string model, truth, jacobian;
  KnowledgeOptions knowledge;
  std::size_t top = 10;
  bool strict = false;
  gap::DiagnoseOptions options;
};

gap::DiagnoseInput read_input(const DiagnoseCommand& command, const mdp::Model& model) {
  gap::DiagnoseInput input;
  input.coverage = read_coverage(command.knowledge, model);
  input.log = read_log(command.knowledge, model);
  if (!command.truth.empty()) input.truth = world::read_world(command.truth);
  return input;
}

std::vector<std::int64_t> lines_in(const std::string& path, std::span<const std::size_t> rows) {
  if (rows.empty()) return {};
  return files::lines_of_rows(files::open_text_file(path), rows);
}

// Warnings name lines of the file.
void add_log_warnings(const DiagnoseCommand& command, DiagnoseView& view) {
  const gap::PilotFindings& pilot = *view.diagnosis.pilot;
  view.large_reward_lines = lines_in(command.knowledge.log, pilot.large_rewards);
  view.repeated_lines = lines_in(command.knowledge.log, pilot.repeated_rows);
  const std::string large = view::large_rewards_problem(view, command.knowledge.log);
  if (command.strict && !large.empty()) throw InvalidArgument(large);
  view::add_log_warnings(view, command.knowledge.log);
}

int run(const DiagnoseCommand& command, const CommonOptions& common) {
  mdp::Model model = load_model(command.model, common);
  take_new_states(command.knowledge, model, common);
  const gap::DiagnoseInput input = read_input(command, model);
  gap::DiagnoseOptions options = command.options;
  options.prior = command.knowledge.prior;
  options.seed = common.seed;
  options.threads = common.threads;
  gap::Diagnosis diagnosis;
  {
    Bars bars(common.quiet);
    options.on_progress = [&](const std::string& what, std::int64_t done, std::int64_t total) {
      bars.show(what, done, total);
    };
    diagnosis = gap::diagnose(model, input, options);
  }
  DiagnoseView view{model, diagnosis, command.top};
  if (!command.jacobian.empty()) view::add_contraction(view, files::read_square_matrix(command.jacobian));
  if (diagnosis.pilot) add_log_warnings(command, view);
  if (!common.quiet) {
    for (const std::string& warning : view.warnings) {
      std::fputs(fmt::format("mindgap: warning: {}\n", base::printable(warning, 4000)).c_str(), stderr);
    }
  }
  print_result(common, text_of(view), json_of(view));
  return diagnosis.sop.status == mdp::SolveStatus::converged ? kDone : kNotConverged;
}

}  // namespace

void add_diagnose(CLI::App& app, CommonOptions& common, Action& chosen) {
  CLI::App& cli = add_command(
      app, "diagnose", "where could the simulator be wrong, does it matter there, and can waiting fix it",
      "mindgap diagnose examples/vans --coverage examples/vans/coverage.csv --odds 2", common);
  const auto command = std::make_shared<DiagnoseCommand>();
  cli.add_option("MODEL", command->model, "a model folder or an HDF5 file")->required();
  add_knowledge_options(cli, command->knowledge);
  cli.add_option("--truth", command->truth, "a world folder: what the simulator is held against");
  cli.add_option("--top", command->top, "how many pairs and states to list; 0 = all")
      ->check(CLI::Range(0, 1'000'000'000))
      ->capture_default_str();
  cli.add_option("--support-threshold", command->options.support_threshold,
                 "share of discounted time below which a state counts as practically unreached")
      ->check(CLI::Range(0.0, 1.0))
      ->capture_default_str();
  cli.add_option("--level", command->options.level, "of the tests after a pilot")
      ->check(CLI::Range(1e-9, .5))
      ->capture_default_str();
  cli.add_option("--draws", command->options.draws,
                 "models drawn for the value of information; 0 = none; default 1,000, fewer for large models")
      ->check(CLI::Range(std::int64_t{0}, std::int64_t{10'000'000}));
  cli.add_option("--jacobian", command->jacobian,
                 "one-step Jacobian of the hidden dynamics, a square matrix as CSV without a header: does "
                 "the past fade");
  cli.add_flag("--strict", command->strict, "rewards far beyond reward_max in the log are an error");
  cli.callback(
      [&common, &chosen, command] { chosen = [&common, command] { return run(*command, common); }; });
}

}  // namespace mindgap::app

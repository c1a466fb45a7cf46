#include <fmt/format.h>

#include <filesystem>
#include <memory>

#include "bars.h"
#include "command.h"
#include "knowledge.h"
#include "limits.h"
#include "mindgap/base/error.h"
#include "mindgap/base/report_progress.h"
#include "mindgap/files/log_file.h"
#include "mindgap/files/output.h"
#include "mindgap/files/text_file.h"
#include "mindgap/mdp/extend_states.h"
#include "mindgap/study/export.h"
#include "mindgap/study/plan.h"
#include "mindgap/view/study.h"
#include "mindgap/view/study_page.h"

namespace mindgap::app {
namespace {

struct InitCommand {
  std::string folder, model, units, plan;
  LimitOptions limits;
  KnowledgeOptions knowledge;
  study::StudyOptions options;
};

study::Writer writer() {
  return {"mindgap " MINDGAP_VERSION, study::utc_now()};
}

// What a deed gives, with a bar while it lasts.
template <typename Deed>
auto shown(const CommonOptions& common, Deed deed) {
  Bars bars(common.quiet);
  const base::ProgressListener listener(
      [&](const std::string& what, std::int64_t done, std::int64_t total) { bars.show(what, done, total); });
  return deed();
}

// Only the form that was asked for is made: lists may have a line per unit.
template <typename Result>
void show(const CommonOptions& common, const Result& result) {
  print_result(common, common.json ? "" : view::text_of(result),
               common.json ? view::json_of(result) : Json());
}

// What a plan says and what is said beside it must not contradict each other.
void check_beside_plan(const InitCommand& command, const study::PlannedStart& plan) {
  const belief::PriorOverrides& prior = command.knowledge.prior;
  const bool said = command.options.horizon > 0 || !command.knowledge.coverage.empty() || prior.odds ||
                    prior.drift_sd || prior.reward_sd || prior.transition_strength;
  if (plan.complete && said)
    throw InvalidArgument(
        fmt::format("{}: the plan comes from a decision and says horizon, prior and coverage itself: leave "
                    "--horizon, --coverage and the options of the prior out, or decide again with them",
                    command.plan));
}

mdp::Model model_of(const InitCommand& command, const study::PlannedStart& plan,
                    const CommonOptions& common) {
  const std::string path = command.model.empty() ? plan.model_path : command.model;
  if (path.empty()) throw InvalidArgument("study init: name the simulator with --model");
  return mdp::extend_states(load_model(path, common), plan.new_states);
}

int init(const InitCommand& command, const CommonOptions& common) {
  study::PlannedStart plan;
  std::string plan_text;
  if (!command.plan.empty()) {
    plan_text = std::string(files::open_text_file(command.plan).text);
    plan = study::planned_start(plan_text, command.plan);
    check_beside_plan(command, plan);
  }
  if (command.plan.empty() && command.units.empty())
    throw InvalidArgument("study init: say who takes part with --units, or begin a --plan");
  if (!plan.complete && command.options.horizon == 0)
    throw InvalidArgument("study init: say with --horizon how many steps every unit has");
  const mdp::Model model = model_of(command, plan, common);
  study::StudyOptions options = command.options;
  options.prior = command.knowledge.prior;
  if (!command.knowledge.coverage.empty())
    options.coverage = files::read_coverage(command.knowledge.coverage, model.mdp);
  options.model_path =
      std::filesystem::absolute(command.model.empty() ? plan.model_path : command.model).string();
  options.seed = common.seed;
  options.limits = command.limits.request().read(model.mdp);
  std::vector<study::UnitRow> units;
  if (!command.units.empty()) units = study::read_units(files::open_text_file(command.units), model.mdp);
  if (!command.plan.empty()) study::follow_plan(plan_text, command.plan, model, options, units);
  const study::Begun begun = shown(common, [&] {
    return study::begin_study(command.folder, model, units, options, writer(), common.threads);
  });
  for (const std::string& warning : begun.warnings) warn(common, warning);
  show(common, begun);
  return kDone;
}

void add_init(CLI::App& cli, CommonOptions& common, Action& chosen) {
  CLI::App& verb =
      add_command(cli, "init", "begins a study: model, units, arms and the first design",
                  "mindgap study init pilot --model examples/vans --units units.csv --horizon 60", common);
  const auto command = std::make_shared<InitCommand>();
  verb.add_option("DIR", command->folder, "the study's folder; it is made")->required();
  verb.add_option(
      "--model", command->model,
      "the simulator: a model folder or an HDF5 file; with --plan: default the one that the plan names");
  verb.add_option("--units", command->units,
                  "who takes part: unit,state[,group]; with --plan: default its units");
  CLI::Option* plan = verb.add_option("--plan", command->plan,
                                      "begin exactly what a decision recommended: the file that mindgap "
                                      "decide --out wrote, with its routes, units, "
                                      "horizon, prior and coverage");
  verb.add_option("--horizon", command->options.horizon, "steps of every unit");
  verb.add_flag("--allow-new-states", command->options.allow_new_states,
                "results may name states that the simulator does not have: the model grows by them");
  verb.add_option("--batch-steps", command->options.batch_steps,
                  "steps that one design looks ahead; 0: 15, or half the horizon where that is less")
      ->excludes(plan)
      ->capture_default_str();
  verb.add_option(
          "--update-every", command->options.update_every,
          "the policy is found again, from the results so far, every so many steps; 0: only at a redesign")
      ->excludes(plan)
      ->capture_default_str();
  verb.add_option("--control-share", command->options.control_share,
                  "share of the units that follow the current policy throughout")
      ->excludes(plan)
      ->capture_default_str();
  add_limit_options(verb, command->limits);
  add_prior_options(verb, command->knowledge);
  verb.callback(
      [&common, &chosen, command] { chosen = [&common, command] { return init(*command, common); }; });
}

// A verb with a folder and what `extend` adds; `deed` gives the exit code.
template <typename Command, typename Extend, typename Deed>
void add_verb(CLI::App& cli, const std::string& name, const std::string& description,
              const std::string& example, CommonOptions& common, Action& chosen, Extend extend, Deed deed) {
  CLI::App& verb = add_command(cli, name, description, example, common);
  const auto command = std::make_shared<Command>();
  verb.add_option("DIR", command->folder, "the study's folder")->required();
  extend(verb, *command);
  verb.callback([&common, &chosen, command, deed] {
    chosen = [&common, command, deed] { return deed(*command, common); };
  });
}

struct FolderCommand {
  std::string folder;
};
struct AssignCommand {
  std::string folder;
  std::optional<std::int64_t> step;
};
struct AddUnitsCommand {
  std::string folder, units;
};
struct RecordCommand {
  std::string folder, results;
  study::ResultOptions options;
};
struct RedesignCommand {
  std::string folder;
  bool follow = false;
};
struct StopCommand {
  std::string folder, why;
};
struct ExportCommand {
  std::string folder, out;
};
struct VerifyCommand {
  std::string folder;
  std::optional<std::string> head;
  bool sign = false;
};

constexpr auto nothing_more = [](CLI::App&, FolderCommand&) {};

int run_export(const ExportCommand& command, const CommonOptions& common) {
  if (command.out.empty() && !common.json)
    throw InvalidArgument("study export: name a folder with --out, or ask for --format json");
  if (!command.out.empty()) {
    const UninterruptedWrite whole;
    study::export_study(command.folder, command.out);
  }
  if (!common.json) {
    print_result(common, "written to " + command.out + "\n", {});
    return kDone;
  }
  print_result({.json = false}, study::export_json(command.folder), {});
  return kDone;
}

int run_report(const ExportCommand& command, const CommonOptions& common) {
  files::check_writable(command.out);
  const study::Status status = shown(common, [&] { return study::study_status(command.folder); });
  const std::string page = report::to_html(view::page_of(status, MINDGAP_VERSION));
  {
    const UninterruptedWrite whole;
    files::write_file(command.out, page);
  }
  print_result(common, "written to " + command.out + "\n", {{"report", command.out}});
  return kDone;
}

int run_verify(const VerifyCommand& command, const CommonOptions& common) {
  const auto deed = command.sign ? study::verify_and_sign : study::verify;
  const study::Verification found =
      shown(common, [&] { return deed(command.folder, common.threads, command.head); });
  if (!found.good && !common.json)
    throw StoreError(command.folder + ": the study does not verify: " + found.problem);
  const bool since_head = command.head.has_value();
  print_result(common, view::text_of(found, since_head), view::json_of(found, since_head));
  return found.good ? kDone : kBadInput;
}

void add_field_verbs(CLI::App& cli, CommonOptions& common, Action& chosen) {
  add_verb<AssignCommand>(
      cli, "assign", "who does what next", "mindgap study assign pilot", common, chosen,
      [](CLI::App& verb, AssignCommand& command) {
        verb.add_option("--step", command.step, "this step only; default: the next one of every unit");
      },
      [](const AssignCommand& command, const CommonOptions& options) {
        const study::Assigned assigned = shown(
            options, [&] { return study::assign(command.folder, command.step, writer(), options.threads); });
        print_result({.json = false}, options.json ? view::written_json(assigned) : view::text_of(assigned),
                     {});
        return kDone;
      });
  add_verb<AddUnitsCommand>(
      cli, "add-units",
      "takes in units while the study goes on: their arms are drawn, the whole horizon is theirs",
      "mindgap study add-units pilot more-units.csv", common, chosen,
      [](CLI::App& verb, AddUnitsCommand& command) {
        verb.add_option("UNITS", command.units, "who joins: unit,state[,group]")->required();
      },
      [](const AddUnitsCommand& command, const CommonOptions& options) {
        show(options, study::add_units(command.folder, files::open_text_file(command.units), writer()));
        return kDone;
      });
  add_verb<RecordCommand>(
      cli, "record", "takes results: all lines of a file or none", "mindgap study record pilot results.csv",
      common, chosen,
      [](CLI::App& verb, RecordCommand& command) {
        verb.add_option("RESULTS", command.results,
                        "unit,step,state,action,reward,next_state[,censored][,status]; status ok or void")
            ->required();
        verb.add_flag("--correct", command.options.correct,
                      "lines that contradict the log replace what it says");
      },
      [](const RecordCommand& command, const CommonOptions& options) {
        const study::Recorded recorded = shown(options, [&] {
          return study::record(command.folder, files::open_text_file(command.results), command.options,
                               writer());
        });
        for (const std::string& warning : view::warnings_of(recorded)) warn(options, warning);
        show(options, recorded);
        return kDone;
      });
}

void add_decision_verbs(CLI::App& cli, CommonOptions& common, Action& chosen) {
  add_verb<RedesignCommand>(
      cli, "redesign", "a new design from what is known now", "mindgap study redesign pilot", common, chosen,
      [](CLI::App& verb, RedesignCommand& command) {
        verb.add_flag("--follow", command.follow,
                      "no routes: everybody follows the policy that is best by now");
      },
      [](const RedesignCommand& command, const CommonOptions& options) {
        const study::Redesigned made = shown(options, [&] {
          return study::redesign(command.folder, !command.follow, writer(), options.threads);
        });
        show(options, made);
        return kDone;
      });
  add_verb<StopCommand>(
      cli, "stop", "ends the study; results still out are taken",
      "mindgap study stop pilot --why 'it does not pay'", common, chosen,
      [](CLI::App& verb, StopCommand& command) {
        verb.add_option("--why", command.why, "the reason, for the record")->required();
      },
      [](const StopCommand& command, const CommonOptions& options) {
        const study::Redesigned stopped = study::stop(command.folder, command.why, writer());
        show(options, stopped);
        return kDone;
      });
}

void add_reading_verbs(CLI::App& cli, CommonOptions& common, Action& chosen) {
  add_verb<FolderCommand>(
      cli, "status", "how it stands, and whether another batch pays", "mindgap study status pilot", common,
      chosen, nothing_more, [](const FolderCommand& command, const CommonOptions& options) {
        show(options, shown(options, [&] { return study::study_status(command.folder); }));
        return kDone;
      });
  add_verb<ExportCommand>(
      cli, "export", "CSV, JSON Lines and a copy of the file, as of one moment",
      "mindgap study export pilot --out data", common, chosen,
      [](CLI::App& verb, ExportCommand& command) {
        verb.add_option("--out", command.out, "a folder; it is made");
      },
      run_export);
  add_verb<ExportCommand>(
      cli, "report", "the same as a page to hand over: one HTML file that opens offline",
      "mindgap study report pilot --out report.html", common, chosen,
      [](CLI::App& verb, ExportCommand& command) {
        verb.add_option("--out", command.out, "the page")->required();
      },
      run_report);
  add_verb<VerifyCommand>(
      cli, "verify", "recomputes everything from the log; every bit must match", "mindgap study verify pilot",
      common, chosen,
      [](CLI::App& verb, VerifyCommand& command) {
        verb.add_option("--head", command.head,
                        "a hash that was printed after 'Log' earlier: its row must still be there");
        verb.add_flag(
            "--sign", command.sign,
            "after another program opened the file: where the whole log is good, signs the pages anew");
      },
      run_verify);
}

}  // namespace

void add_study(CLI::App& app, CommonOptions& common, Action& chosen) {
  CLI::App& cli = *app.add_subcommand("study", "a field experiment, from first assignment to verdict");
  cli.require_subcommand(1);
  cli.footer("Help on a verb: mindgap study VERB --help");
  add_init(cli, common, chosen);
  add_field_verbs(cli, common, chosen);
  add_decision_verbs(cli, common, chosen);
  add_reading_verbs(cli, common, chosen);
}

}  // namespace mindgap::app

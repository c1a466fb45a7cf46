#include "mindgap/command/study.h"

#include <memory>

#include "bars.h"
#include "command.h"
#include "mindgap/base/error.h"
#include "mindgap/command/files.h"
#include "mindgap/command/study_import.h"
#include "options.h"
#include "study_send.h"

namespace mindgap::app {

void add_study_serve(CLI::App& cli, CommonOptions& common, Action& chosen);  // study_serve.cpp

namespace {

// What the door answers to a request, with a bar while it lasts.
template <typename Request, typename Answer>
Answer answer_to(Request request, Answer (*ask)(const Request&), const CommonOptions& common) {
  keeps_on_interruption("the study keeps everything up to the last command that finished");
  Bars bars(common.quiet);
  request.run = {common.seed, common.threads, bars.listener()};
  return ask(request);
}

// Only the form that was asked for is made: lists may have a line per unit.
template <typename Answer>
int show(const CommonOptions& common, const Answer& answer) {
  if constexpr (requires { answer.warnings; }) {
    for (const std::string& warning : answer.warnings) warn(common, warning);
  }
  print_result({.json = false}, common.json ? answer.json() + "\n" : answer.text(), {});
  return kDone;
}

void add_key_option(CLI::App& verb, std::string& key) {
  verb.add_option("--key", key, "sign what is written with this key (mindgap study key new makes one)")
      ->type_name("FILE");
}

struct InitCommand {
  std::string units, plan;
  LimitOptions limits;
  KnowledgeOptions knowledge;
  command::StudyInitRequest request;
};

int init(const InitCommand& command, const CommonOptions& common) {
  command::StudyInitRequest request = command.request;
  request.plan = command::source_of(command.plan);
  request.units = command::source_of(command.units);
  command::Evidence evidence = command.knowledge.evidence();
  request.coverage = std::move(evidence.coverage);
  request.prior = evidence.prior;
  request.limits = command.limits.read();
  const command::StudyBegun answer = answer_to(std::move(request), command::study_init, common);
  return show(common, answer);
}

void add_init(CLI::App& cli, CommonOptions& common, Action& chosen) {
  CLI::App& verb =
      add_command(cli, "init", "begin a study: model, units, arms and the first design",
                  "mindgap study init pilot --model examples/vans --units units.csv --horizon 60", common);
  const auto command = std::make_shared<InitCommand>();
  verb.add_option("DIR", command->request.folder, "the study's folder, which is created")->required();
  verb.add_option(
          "--model", command->request.model_path,
          "the simulator: a model folder or an HDF5 file; default with --plan: the one that the plan names")
      ->type_name("MODEL");
  verb.add_option(
          "--units", command->units,
          "a CSV file with the units that take part: unit,state[,group]; default with --plan: its units")
      ->type_name("FILE");
  CLI::Option* plan = verb.add_option("--plan", command->plan,
                                      "begin exactly what a decision recommended: a file written by mindgap "
                                      "decide --out, with its routes, units, horizon, prior and coverage")
                          ->type_name("FILE");
  verb.add_option("--horizon", command->request.horizon, "number of steps of every unit");
  verb.add_flag("--allow-new-states", command->request.allow_new_states,
                "results may name states that the simulator does not have: the model grows by them");
  verb.add_option("--batch-steps", command->request.batch_steps,
                  "number of steps that one design looks ahead; 0 = 15, or half the horizon if that is less")
      ->excludes(plan)
      ->capture_default_str();
  verb.add_option("--update-every", command->request.update_every,
                  "number of steps after which the policy is recomputed from all results so far; 0 = only at "
                  "a redesign")
      ->excludes(plan)
      ->capture_default_str();
  verb.add_option("--control-share", command->request.control_share,
                  "share of the units that follow the current policy throughout")
      ->excludes(plan)
      ->capture_default_str();
  add_key_option(verb, command->request.key);
  command->limits.add_to(verb);
  command->knowledge.add_prior_to(verb);
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

// What a verb takes beside its request.
struct FileCommand {
  std::string folder, file, key;
};
struct ExportCommand : FileCommand {
  bool csv_safe = false;
};
struct RecordCommand : FileCommand {
  bool correct = false;
};
struct ImportCommand : RecordCommand {
  std::string columns, parent, to, token_file;
  bool dry_run = false;
};
struct VerifyCommand : command::StudyVerifyRequest {
  std::string anchors_file;
};

constexpr auto kNothingMore = [](CLI::App&, command::StudyRequest&) {};

int run_record(const RecordCommand& command, const CommonOptions& common) {
  command::StudyRecordRequest request;
  request.folder = command.folder;
  request.results = command::open_source(command.file);
  request.correct = command.correct;
  request.key = command.key;
  return show(common, answer_to(std::move(request), command::study_record, common));
}

int run_import(const ImportCommand& command, const CommonOptions& common) {
  const command::StudyImported answer =
      answer_to(command::StudyImportRequest{.folder = command.folder,
                                            .results = command::open_source(command.file),
                                            .columns = command::open_source(command.columns),
                                            .parent = command::source_of(command.parent),
                                            .correct = command.correct,
                                            .dry_run = command.dry_run || !command.to.empty(),
                                            .key = command.key},
                command::study_import, common);
  if (!command.to.empty() && !command.dry_run)
    return send_import(answer, {command.to, command.token_file, command.file, command.correct}, common);
  return show(common, answer);
}

int run_export(const ExportCommand& command, const CommonOptions& common) {
  if (command.file.empty() && !common.json)
    throw InvalidArgument("study export: name a folder with --out, or ask for --format json");
  if (!command.file.empty()) {
    const UninterruptedWrite whole;
    command::study_export(command.folder, command.file, command.csv_safe);
  }
  print_result({.json = false},
               common.json ? command::study_export_json(command.folder) : "written to " + command.file + "\n",
               {});
  return kDone;
}

int run_report(const FileCommand& command, const CommonOptions& common) {
  command::check_writable(command.file);
  const command::StudyStatus answer =
      answer_to(command::StudyRequest{command.folder}, command::study_status, common);
  const std::string page = command::to_html(answer.page());
  {
    const UninterruptedWrite whole;
    command::write_file(command.file, page);
  }
  print_result(common, "written to " + command.file + "\n", {{"report", command.file}});
  return kDone;
}

int run_verify(const VerifyCommand& command, const CommonOptions& common) {
  command::StudyVerifyRequest request = command;
  request.anchors = command::source_of(command.anchors_file);
  const command::StudyVerification answer = answer_to(request, command::study_verify, common);
  if (!answer.found.good && !common.json)
    throw StoreError(request.folder + ": the study does not verify: " + answer.found.problem);
  show(common, answer);
  return answer.found.good ? kDone : kBadInput;
}

void add_field_verbs(CLI::App& cli, CommonOptions& common, Action& chosen) {
  add_verb<command::StudyAssignRequest>(
      cli, "assign", "show what each unit does next", "mindgap study assign pilot", common, chosen,
      [](CLI::App& verb, command::StudyAssignRequest& request) {
        verb.add_option("--step", request.step, "only this step; default: the next step of every unit");
        add_key_option(verb, request.key);
      },
      [](const auto& request, const CommonOptions& options) {
        return show(options, answer_to(request, command::study_assign, options));
      });
  add_verb<FileCommand>(
      cli, "add-units",
      "add units to a running study: their arms are drawn at random, and they get the whole horizon",
      "mindgap study add-units pilot more-units.csv", common, chosen,
      [](CLI::App& verb, FileCommand& command) {
        verb.add_option("UNITS", command.file, "a CSV file with the units that join: unit,state[,group]")
            ->required();
        add_key_option(verb, command.key);
      },
      [](const FileCommand& command, const CommonOptions& options) {
        command::StudyUnitsRequest request;
        request.folder = command.folder;
        request.units = command::open_source(command.file);
        request.key = command.key;
        return show(options, answer_to(std::move(request), command::study_add_units, options));
      });
  add_verb<RecordCommand>(
      cli, "record", "record results: all lines of a file or none", "mindgap study record pilot results.csv",
      common, chosen,
      [](CLI::App& verb, RecordCommand& command) {
        verb.add_option("RESULTS", command.file,
                        "unit,step,state,action,reward,next_state[,censored][,status]; status ok or void")
            ->required();
        verb.add_flag("--correct", command.correct,
                      "let lines that contradict the log replace the recorded results");
        add_key_option(verb, command.key);
      },
      run_record);
}

void add_import(CLI::App& cli, CommonOptions& common, Action& chosen) {
  add_verb<ImportCommand>(
      cli, "import",
      "record results from an export of ODK Central, KoboToolbox, REDCap or a spreadsheet: all rows or none",
      "mindgap study import pilot visits.csv --columns columns.toml --dry-run", common, chosen,
      [](CLI::App& verb, ImportCommand& command) {
        verb.add_option("FILE", command.file, "the export, a CSV file")->required();
        verb.add_option("--columns", command.columns,
                        "the mapping: which column is the unit, the step, the reward, ...; "
                        "see docs/howto/run-a-study-with-a-team.md")
            ->type_name("FILE")
            ->required();
        verb.add_option("--parent", command.parent,
                        "if FILE has the rows of a repeat group: the file with the rows that they belong to")
            ->type_name("FILE");
        verb.add_flag("--dry-run", command.dry_run, "show what would be recorded, and record nothing");
        verb.add_option("--to", command.to,
                        "while the study is served: the server's address, through which rows are recorded");
        verb.add_option("--token-file", command.token_file,
                        "a file with the sender's token for --to (mindgap study user token makes one)");
        verb.add_flag("--correct", command.correct,
                      "let rows that contradict the log replace the recorded results");
        add_key_option(verb, command.key);
      },
      run_import);
}

void add_decision_verbs(CLI::App& cli, CommonOptions& common, Action& chosen) {
  add_verb<command::StudyRedesignRequest>(
      cli, "redesign", "make a new design from all data so far", "mindgap study redesign pilot", common,
      chosen,
      [](CLI::App& verb, command::StudyRedesignRequest& request) {
        verb.add_flag("--follow", request.follow,
                      "without routes: every unit follows the policy that is best now");
        add_key_option(verb, request.key);
      },
      [](const auto& request, const CommonOptions& options) {
        return show(options, answer_to(request, command::study_redesign, options));
      });
  add_verb<command::StudyStopRequest>(
      cli, "stop", "end the study; results that are still missing may be recorded later",
      "mindgap study stop pilot --why 'it does not pay'", common, chosen,
      [](CLI::App& verb, command::StudyStopRequest& request) {
        verb.add_option("--why", request.why, "the reason, for the record")->required();
        add_key_option(verb, request.key);
      },
      [](const auto& request, const CommonOptions& options) {
        return show(options, answer_to(request, command::study_stop, options));
      });
}

void add_reading_verbs(CLI::App& cli, CommonOptions& common, Action& chosen) {
  add_verb<command::StudyRequest>(cli, "status", "show the results so far, and whether another batch pays",
                                  "mindgap study status pilot", common, chosen, kNothingMore,
                                  [](const auto& request, const CommonOptions& options) {
                                    return show(options, answer_to(request, command::study_status, options));
                                  });
  add_verb<ExportCommand>(
      cli, "export", "write the data as CSV, JSON Lines and a copy of the study's file, all of one moment",
      "mindgap study export pilot --out data", common, chosen,
      [](CLI::App& verb, ExportCommand& command) {
        verb.add_option("--out", command.file, "a folder, which is created")->type_name("FOLDER");
        verb.add_flag("--csv-safe", command.csv_safe,
                      "put an apostrophe before names that a spreadsheet would take for formulas (= + - @)");
      },
      run_export);
  add_verb<FileCommand>(
      cli, "report", "write the status as a page to hand over: one HTML file that opens offline",
      "mindgap study report pilot --out report.html", common, chosen,
      [](CLI::App& verb, FileCommand& command) {
        verb.add_option("--out", command.file, "the page")->type_name("FILE")->required();
      },
      run_report);
  add_verb<VerifyCommand>(
      cli, "verify", "recompute everything from the log; every bit must match", "mindgap study verify pilot",
      common, chosen,
      [](CLI::App& verb, VerifyCommand& command) {
        verb.add_option("--head", command.head,
                        "a hash that was printed after 'Log' earlier; its row must still be there");
        verb.add_option(
                "--anchors", command.anchors_file,
                "a file with lines from mindgap study anchor (or heads.txt), all of which must still hold")
            ->type_name("FILE");
        verb.add_option("--key", command.keys,
                        "a public key (a file that ends in .pub). Everything must be signed by it, or by "
                        "another given key")
            ->type_name("FILE")
            ->allow_extra_args(false);
        verb.add_flag("--sign", command.sign,
                      "after another program has opened the file: sign its pages again, if the whole log is "
                      "good; needs --head, --anchors or --accept-loss");
        verb.add_flag("--accept-loss", command.accept_loss,
                      "sign although it cannot be known whether entries were removed or changed");
      },
      run_verify);
  add_verb<FileCommand>(
      cli, "anchor", "print the present state of the log as one line, to publish or to keep elsewhere",
      "mindgap study anchor pilot --out anchors.txt", common, chosen,
      [](CLI::App& verb, FileCommand& command) {
        verb.add_option("--out", command.file, "also add the line to this file")->type_name("FILE");
      },
      [](const FileCommand& command, const CommonOptions& options) {
        return show(options, command::study_anchor(command.folder, command.file));
      });
}

void add_key(CLI::App& cli, CommonOptions& common, Action& chosen) {
  CLI::App& group = *cli.add_subcommand("key", "manage keys that sign what is written to studies");
  group.require_subcommand(1);
  group.footer("Help on a verb: mindgap study key VERB --help");
  CLI::App& verb = add_command(group, "new", "make a key (Ed25519): FILE, and FILE.pub for those who verify",
                               "mindgap study key new my.key", common);
  const auto file = std::make_shared<std::string>();
  verb.add_option("FILE", *file, "the key, a file that must not exist yet")->required();
  verb.callback([&common, &chosen, file] {
    chosen = [&common, file] { return show(common, command::study_key_new(*file)); };
  });
}

}  // namespace

void add_study(CLI::App& app, CommonOptions& common, Action& chosen) {
  CLI::App& cli =
      *app.add_subcommand("study", "run a field experiment, from the first assignment to the verdict");
  cli.require_subcommand(1);
  cli.footer("Help on a verb: mindgap study VERB --help");
  add_init(cli, common, chosen);
  add_field_verbs(cli, common, chosen);
  add_import(cli, common, chosen);
  add_decision_verbs(cli, common, chosen);
  add_reading_verbs(cli, common, chosen);
  add_key(cli, common, chosen);
  add_study_serve(cli, common, chosen);
}

}  // namespace mindgap::app

#include <memory>

#include "bars.h"
#include "command.h"
#include "knowledge.h"
#include "mindgap/base/error.h"
#include "mindgap/files/output.h"
#include "mindgap/files/pilot_tables.h"
#include "mindgap/view/design.h"

namespace mindgap::app {
namespace {

using design::Design;
using mdp::Mdp;

struct DesignCommand {
  std::string model, positions, target = "ensemble", occupancy = "finite", method = "auto", block = "both",
                                forbid, capacity, costs, out;
  std::vector<std::string> minimum_shares, maximum_shares;
  std::optional<std::int64_t> others;
  bool no_credit = false;
  double time_limit = 0;
  std::size_t top = 10;
  KnowledgeOptions knowledge;
  design::DesignOptions options;
};

design::DesignOptions options_of(const DesignCommand& command, const CommonOptions& common, const Mdp& mdp) {
  design::DesignOptions options = command.options;
  options.target = design::target_from_string(command.target);
  options.finite = command.occupancy == "finite";
  options.block = design::block_from_string(command.block);
  options.method = design::minimiser_from_string(command.method);
  options.use_credit = !command.no_credit;
  options.others = command.others.value_or(0);
  for (const std::string& text : command.minimum_shares) options.minimum_shares.push_back(share_from(text));
  for (const std::string& text : command.maximum_shares) options.maximum_shares.push_back(share_from(text));
  if (!command.forbid.empty()) options.forbidden = files::read_forbidden(command.forbid, mdp);
  if (!command.capacity.empty()) options.capacity = files::read_capacities(command.capacity, mdp);
  if (!command.costs.empty()) options.cost = files::read_costs(command.costs, mdp);
  if (command.time_limit > 0) options.time_limit = command.time_limit;
  options.seed = common.seed;
  options.threads = common.threads;
  if (!command.positions.empty()) {
    design::place_units(files::read_positions(command.positions, mdp), command.positions, command.others, mdp,
                        options);
  }
  return options;
}

int run(const DesignCommand& command, const CommonOptions& common) {
  mdp::Model model = load_model(command.model, common);
  take_new_states(command.knowledge, model, common);
  const belief::Knowledge knowledge =
      belief::gather_knowledge(model, read_coverage(command.knowledge, model),
                               read_log(command.knowledge, model), command.knowledge.prior);
  design::DesignOptions options = options_of(command, common, model.mdp);
  Design design;
  {
    Bars bars(common.quiet);
    options.on_progress = [&](const std::string& what, std::int64_t done, std::int64_t total) {
      bars.show(what, done, total);
    };
    design = design::design_pilot(knowledge, options);
  }
  if (!command.out.empty()) {
    const UninterruptedWrite whole;
    files::write_file(command.out, design::plan_json(model.mdp, design, options));
  }
  const view::DesignView view{model, design, options, command.top, command.out};
  print_result(common, text_of(view), json_of(view));
  return design.status == design::MinimumStatus::converged ? kDone : kNotConverged;
}

void add_constraint_options(CLI::App& cli, DesignCommand& command) {
  cli.add_option("--min-share", command.minimum_shares,
                 "GROUP=SHARE: at least this share of the pilot's steps there")
      ->allow_extra_args(false);
  cli.add_option("--max-share", command.maximum_shares,
                 "GROUP=SHARE: at most this share of the pilot's steps there")
      ->allow_extra_args(false);
  cli.add_option("--forbid", command.forbid,
                 "pairs the pilot must not use, nor enter states from where it would have to: state,action");
  cli.add_option("--capacity", command.capacity, "units that may be in a state at one step: state,per_step");
  CLI::Option* costs =
      cli.add_option("--costs", command.costs, "what one use of a pair costs: state,action,cost");
  CLI::Option* budget =
      cli.add_option("--cost-budget", command.options.cost_budget, "what the pilot may cost in expectation")
          ->check(CLI::NonNegativeNumber);
  costs->needs(budget);
  budget->needs(costs);
  cli.add_option("--max-loss", command.options.max_loss, "expected reward the pilot may give up");
}

}  // namespace

void add_design(CLI::App& app, CommonOptions& common, Action& chosen) {
  CLI::App& cli = add_command(
      app, "design", "where to send the pilot, with a certificate of optimality, handed out as routes",
      "mindgap design examples/vans --units 4 --steps 25 --coverage examples/vans/coverage.csv --out "
      "plan.json",
      common);
  const auto command = std::make_shared<DesignCommand>();
  cli.add_option("MODEL", command->model, "a model folder or an HDF5 file")->required();
  cli.add_option("--units", command->options.units, "units in the pilot")->required();
  cli.add_option("--steps", command->options.steps, "steps of the pilot")->required();
  cli.add_option("--others", command->others, "units outside the pilot, whose observations count as credit")
      ->check(CLI::Range(std::int64_t{0}, std::int64_t{1'000'000'000}));
  cli.add_option("--positions", command->positions,
                 "where units are: unit,state; the first --units of them are the pilot, the rest the others");
  cli.add_option("--target", command->target,
                 "whose value to make sure of: ensemble[:M], difference[:M], sop, posterior, softmax:T, "
                 "explorer, uniform "
                 "or a policy file")
      ->capture_default_str();
  cli.add_option("--occupancy", command->occupancy,
                 "finite: the pilot's own steps; discounted: the paper's form")
      ->check(CLI::IsMember({"finite", "discounted"}))
      ->capture_default_str();
  cli.add_option("--method", command->method,
                 "who minimises: columns gives routes and takes constraints; the others are for --occupancy "
                 "discounted")
      ->check(CLI::IsMember({"auto", "columns", "mirror-descent", "interior-point", "coordinate-descent"}))
      ->capture_default_str();
  cli.add_flag("--no-credit", command->no_credit, "what the others observe does not count");
  cli.add_option("--block", command->block, "which uncertainty counts")
      ->check(CLI::IsMember({"rewards", "transitions", "both"}))
      ->capture_default_str();
  add_knowledge_options(cli, command->knowledge);
  add_constraint_options(cli, *command);
  cli.add_option("--gap", command->options.relative_gap, "stop at this certified relative gap")
      ->check(CLI::Range(1e-9, 1.0))
      ->capture_default_str();
  cli.add_option("--time-limit", command->time_limit, "stop after so many seconds (exit status 3); 0 = never")
      ->check(CLI::NonNegativeNumber);
  cli.add_option("--top", command->top, "how many pairs and routes to list; 0 = all")
      ->check(CLI::Range(0, 1'000'000'000))
      ->capture_default_str();
  cli.add_option("--out", command->out, "write the complete plan here, as JSON that a program can follow");
  cli.callback(
      [&common, &chosen, command] { chosen = [&common, command] { return run(*command, common); }; });
}

}  // namespace mindgap::app

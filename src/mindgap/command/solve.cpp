#include "mindgap/command/solve.h"

#include <fmt/format.h>

#include "mindgap/base/error.h"
#include "mindgap/base/listener.h"
#include "mindgap/base/option_name.h"
#include "mindgap/files/classes_file.h"
#include "mindgap/files/mapped_file.h"
#include "mindgap/files/policy_file.h"
#include "mindgap/mdp/changed_model.h"
#include "mindgap/view/solve.h"

namespace mindgap::command {
namespace {

SolveAnswer solve_for_ever(mdp::Model model, const SolveRequest& request) {
  mdp::SolveOptions options;
  options.method = mdp::method_from_string(request.method);
  options.tolerance = request.tolerance;
  options.max_iterations = request.max_iterations;
  options.time_limit = request.time_limit;
  options.initial_value = request.initial_value;
  options.threads = request.run.threads;
  view::SolveProgress progress;
  if (request.run.listener.progress) {
    options.on_iteration = [&](double width, double wanted) {
      request.run.listener.progress("solving", progress(width, wanted), view::SolveProgress::kWhole);
    };
  }
  if (!request.lump) {
    mdp::Solution solution = mdp::solve(model.mdp, options);
    return {std::move(model), std::move(solution)};
  }
  mdp::LumpedSolution found = mdp::solve_lumped(model.mdp, options);
  SolveAnswer answer{std::move(model), std::move(found.solution)};
  answer.lumped = {found.classes, found.lump_seconds, found.reward_error, found.probability_error};
  answer.class_of_state = std::move(found.class_of_state);
  answer.first_state = std::move(found.first_state);
  return answer;
}

// While it lives, long loops look whether a file that the model lies in is still what it was.
base::Listening watch_mapped_files() {
  return base::Listening({.look = [outer = base::current_listener()] {
    files::check_mapped_files();
    if (outer != nullptr && outer->look) outer->look();
  }});
}

view::SolveView view_of(const SolveAnswer& answer) {
  const base::Listening watch = watch_mapped_files();
  view::SolveView view = std::visit(
      [&](const auto& solution) { return view::view_of(answer.model, solution); }, answer.solution);
  view.out = answer.policy_file;
  view.lumped = answer.lumped;
  view.classes_out = answer.classes_file;
  files::check_mapped_files();
  return view;
}

}  // namespace

SolveAnswer solve(const SolveRequest& request) {
  const base::Listening watch = watch_mapped_files();
  mdp::Model model = request.model.value();
  if (request.discount) model = mdp::with_discount(model, *request.discount);
  if (request.horizon) {
    if (request.lump) {
      throw InvalidArgument(fmt::format("solve: {} cannot be combined with {}", base::option_name("lump"),
                                        base::option_name("horizon")));
    }
    mdp::FiniteHorizonSolution solution =
        mdp::solve_finite_horizon(model.mdp, *request.horizon, {.threads = request.run.threads});
    return {std::move(model), std::move(solution)};
  }
  if (!(model.mdp.discount() < 1)) {
    throw InvalidArgument(
        fmt::format("solve: the discount is {}: without {} it must be at least 0 and below 1",
                    model.mdp.discount(), base::option_name("horizon")));
  }
  SolveAnswer answer = solve_for_ever(std::move(model), request);
  files::check_mapped_files();
  return answer;
}

bool SolveAnswer::converged() const {
  const auto* found = std::get_if<mdp::Solution>(&solution);
  return found == nullptr || found->status == mdp::SolveStatus::converged;
}
std::string SolveAnswer::text() const {
  return view::text_of(view_of(*this));
}
view::Json SolveAnswer::json() const {
  return view::json_of(view_of(*this));
}
report::Page SolveAnswer::page() const {
  return view::page_of(view_of(*this));
}

void SolveAnswer::write_policy(const std::string& path) const {
  if (const auto* found = std::get_if<mdp::Solution>(&solution)) {
    files::write_policy(path, model.mdp, found->policy);
  } else {
    const auto& finite = std::get<mdp::FiniteHorizonSolution>(solution);
    files::write_time_policy(path, model.mdp, static_cast<std::int32_t>(finite.steps), finite.pair);
  }
}

void SolveAnswer::write_classes(const std::string& path) const {
  if (!lumped) throw InvalidArgument("solve: states were not lumped, so there are no classes to write");
  files::write_classes(path, model.mdp, class_of_state, first_state);
}

}  // namespace mindgap::command

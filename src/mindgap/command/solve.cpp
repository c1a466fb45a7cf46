#include "mindgap/command/solve.h"

#include <fmt/format.h>

#include "mindgap/base/error.h"
#include "mindgap/base/option_name.h"
#include "mindgap/files/policy_file.h"
#include "mindgap/mdp/changed_model.h"
#include "mindgap/view/solve.h"

namespace mindgap::command {
namespace {

mdp::Solution solve_for_ever(const mdp::Mdp& mdp, const SolveRequest& request) {
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
  return mdp::solve(mdp, options);
}

view::SolveView view_of(const SolveAnswer& answer) {
  view::SolveView view = std::visit(
      [&](const auto& solution) { return view::view_of(answer.model, solution); }, answer.solution);
  view.out = answer.policy_file;
  return view;
}

}  // namespace

SolveAnswer solve(const SolveRequest& request) {
  mdp::Model model = request.model.value();
  if (request.discount) model = mdp::with_discount(model, *request.discount);
  if (request.horizon) {
    mdp::FiniteHorizonSolution solution =
        mdp::solve_finite_horizon(model.mdp, *request.horizon, {.threads = request.run.threads});
    return {std::move(model), std::move(solution)};
  }
  if (!(model.mdp.discount() < 1)) {
    throw InvalidArgument(
        fmt::format("solve: the discount is {}: without {} it must be at least 0 and below 1",
                    model.mdp.discount(), base::option_name("horizon")));
  }
  mdp::Solution solution = solve_for_ever(model.mdp, request);
  return {std::move(model), std::move(solution)};
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

}  // namespace mindgap::command

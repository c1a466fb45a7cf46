#include "mindgap/command/solve_distributed.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <exception>

#include "mindgap/base/error.h"
#include "mindgap/files/model_hdf5.h"
#include "mindgap/files/policy_file.h"
#include "mindgap/mdp/ranks_engine.h"

namespace mindgap::command {
namespace {

double seconds_from(std::chrono::steady_clock::time_point then) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - then).count();
}

// The same model and options everywhere, or the processes would wait for each other in different places.
void check_alike(const DistributedSolveRequest& request, const mdp::ModelPart& part,
                 const MindgapRanks& ranks) {
  const double limit = std::min(request.time_limit, 1e300);
  const std::array own{static_cast<double>(part.states),
                       static_cast<double>(part.pairs),
                       static_cast<double>(part.nonzeros),
                       part.discount,
                       part.reward_max.value_or(-1),
                       request.tolerance,
                       static_cast<double>(request.max_iterations),
                       limit,
                       request.policy_file.empty() ? 0.0 : 1.0};
  std::array<double, 2 * own.size()> both{};
  for (std::size_t i = 0; i < own.size(); ++i) {
    both[i] = own[i];
    both[own.size() + i] = -own[i];
  }
  if (ranks.maximum(both.data(), static_cast<std::int32_t>(both.size())) != 0)
    throw NumericalError(fmt::format("solve: {}", ranks.message()));
  for (std::size_t i = 0; i < own.size(); ++i) {
    if (both[i] != -both[own.size() + i])
      throw InvalidArgument("solve: the processes were given different models or options");
  }
}

view::DistributedView distributed_view(const mdp::ModelPart& part, const mdp::DistributedSolution& found,
                                       const MindgapRanks& ranks) {
  return {.name = part.name,
          .states = part.states,
          .actions = part.actions,
          .pairs = part.pairs,
          .nonzeros = part.nonzeros,
          .discount = part.discount,
          .ranks = ranks.ranks,
          .value_at_start = found.value_at_start,
          .bounds = found.bounds,
          .half_width = found.half_width,
          .policy_loss_bound = found.policy_loss_bound,
          .status = std::string(mdp::to_string(found.status)),
          .iterations = found.iterations,
          .products = found.products,
          .seconds = found.seconds};
}

}  // namespace

DistributedSolveAnswer solve_distributed(const DistributedSolveRequest& request) {
  std::exception_ptr unreadable;
  try {
    files::probe_model_hdf5(request.model);  // makes a copy of the process, which MPI would not like later
  } catch (...) {
    unreadable = std::current_exception();
  }
  const MindgapRanks& ranks = mdp::ranks_engine();
  DistributedSolveAnswer answer{.rank = ranks.rank};
  const auto begun = std::chrono::steady_clock::now();
  mdp::ModelPart part;
  answer.failed_elsewhere = !mdp::on_all_ranks(ranks, [&] {
    if (unreadable) std::rethrow_exception(unreadable);
    part = files::read_model_part(request.model, ranks.rank, ranks.ranks);
    if (request.discount) part.discount = *request.discount;
  });
  if (answer.failed_elsewhere) return answer;
  const double read_seconds = seconds_from(begun);

  mdp::DistributedOptions options;
  options.tolerance = request.tolerance;
  options.max_iterations = request.max_iterations;
  options.time_limit = request.time_limit;
  view::SolveProgress progress;
  if (request.run.listener.progress && ranks.rank == 0) {
    options.on_iteration = [&](double width, double wanted) {
      request.run.listener.progress("solving", progress(width, wanted), view::SolveProgress::kWhole);
    };
  }
  std::optional<mdp::DistributedSolution> found;
  answer.failed_elsewhere = !mdp::on_all_ranks(ranks, [&] {
    check_alike(request, part, ranks);
    found = mdp::solve_distributed(part, ranks, options);
  });
  if (answer.failed_elsewhere) return answer;
  answer.view = distributed_view(part, *found, ranks);
  answer.view.read_seconds = read_seconds;
  answer.view.out = request.policy_file;
  answer.first_state = part.first_state;
  answer.model = request.model;
  answer.solution = std::move(*found);
  if (!request.policy_file.empty()) answer.failed_elsewhere = !answer.write_policy(request.policy_file);
  return answer;
}

bool DistributedSolveAnswer::write_policy(const std::string& path) const {
  const MindgapRanks& ranks = mdp::ranks_engine();
  return mdp::on_all_ranks(ranks, [&] {
    std::vector<std::int32_t> all(rank == 0 ? static_cast<std::size_t>(view.states) : 0);
    const auto own = static_cast<std::int32_t>(solution.action.size());
    if (ranks.gather(solution.action.data(), own, all.data()) != 0)
      throw NumericalError(fmt::format("solve: {}", ranks.message()));
    if (rank == 0) files::write_actions(path, files::read_model_names(model), all);
  });
}

void give_up_distributed() {
  if (const MindgapRanks* ranks = mdp::loaded_ranks_engine()) ranks->give_up();
}

}  // namespace mindgap::command

#include "mindgap/command/solve_distributed.h"

#include <fmt/format.h>

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

// Leaves MPI, also where something is thrown.
class RanksSession {
 public:
  explicit RanksSession(const MindgapRanks& ranks) : ranks_(ranks) {}
  ~RanksSession() { ranks_.close(); }
  RanksSession(const RanksSession&) = delete;
  RanksSession& operator=(const RanksSession&) = delete;

 private:
  const MindgapRanks& ranks_;
};

// Runs `deed` and says whether it came through on all ranks. Where not, the first rank that failed throws.
template <typename Deed>
bool on_all_ranks(const MindgapRanks& ranks, Deed deed) {
  std::exception_ptr failure;
  try {
    deed();
  } catch (...) {
    failure = std::current_exception();
  }
  double first_failed = failure ? -ranks.rank : -ranks.ranks;
  ranks.maximum(&first_failed, 1);
  if (-first_failed == ranks.ranks) return true;
  if (failure && -first_failed == ranks.rank) std::rethrow_exception(failure);
  return false;
}

bool write_gathered_policy(const DistributedSolveRequest& request, const mdp::ModelPart& part,
                           const mdp::DistributedSolution& solution, const MindgapRanks& ranks) {
  std::vector<std::int32_t> all(ranks.rank == 0 ? static_cast<std::size_t>(part.states) : 0);
  if (ranks.gather(solution.action.data(), part.own_states(), all.data()) != 0)
    throw NumericalError(fmt::format("solve: {}", ranks.message()));
  return on_all_ranks(ranks, [&] {
    if (ranks.rank == 0)
      files::write_actions(request.policy_file, files::read_model_names(request.model), all);
  });
}

}  // namespace

DistributedSolveAnswer solve_distributed(const DistributedSolveRequest& request) {
  files::probe_model_hdf5(request.model);  // makes a copy of the process, which MPI would not like later
  const MindgapRanks& ranks = mdp::ranks_engine();
  const RanksSession session(ranks);
  DistributedSolveAnswer answer{.rank = ranks.rank};
  const auto begun = std::chrono::steady_clock::now();
  mdp::ModelPart part;
  answer.failed_elsewhere = !on_all_ranks(ranks, [&] {
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
  answer.failed_elsewhere =
      !on_all_ranks(ranks, [&] { found = mdp::solve_distributed(part, ranks, options); });
  if (answer.failed_elsewhere) return answer;
  if (!request.policy_file.empty() && !write_gathered_policy(request, part, *found, ranks)) {
    answer.failed_elsewhere = true;
    return answer;
  }
  answer.view = {.name = part.name,
                 .states = part.states,
                 .actions = part.actions,
                 .pairs = part.pairs,
                 .nonzeros = part.nonzeros,
                 .discount = part.discount,
                 .ranks = ranks.ranks,
                 .value_at_start = found->value_at_start,
                 .bounds = found->bounds,
                 .half_width = found->half_width,
                 .policy_loss_bound = found->policy_loss_bound,
                 .status = std::string(mdp::to_string(found->status)),
                 .iterations = found->iterations,
                 .products = found->products,
                 .seconds = found->seconds,
                 .read_seconds = read_seconds,
                 .out = request.policy_file};
  return answer;
}

}  // namespace mindgap::command

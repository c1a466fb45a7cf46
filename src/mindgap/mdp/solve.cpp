#include "mindgap/mdp/solve.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "mindgap/base/check.h"
#include "mindgap/base/error.h"
#include "mindgap/base/listener.h"
#include "mindgap/base/readable.h"
#include "mindgap/mdp/evaluate.h"
#include "mindgap/mdp/graph.h"
#include "mindgap/mdp/solver_run.h"
#include "mindgap/mdp/start_value.h"
#include "mindgap/mdp/underflow.h"

namespace mindgap::mdp {
namespace {

struct MethodName {
  Method method;
  std::string_view name, abbreviation;
};
constexpr std::array<MethodName, 5> kMethods{{
    {Method::automatic, "auto", "auto"},
    {Method::value_iteration, "value-iteration", "vi"},
    {Method::modified_policy_iteration, "modified-policy-iteration", "mpi"},
    {Method::gauss_seidel, "gauss-seidel", "gs"},
    {Method::policy_iteration, "policy-iteration", "pi"},
}};

// All states, those nearest to the absorbing ones first and those that never get there last.
std::vector<std::int32_t> order_towards_absorbing(const Mdp& mdp, ReverseSearch search) {
  std::vector<std::uint8_t> placed(mdp.states(), 0);
  for (const std::int32_t s : search.order) placed[s] = 1;
  for (std::int32_t s = 0; s < mdp.states(); ++s) {
    if (!placed[s]) search.order.push_back(s);
  }
  return std::move(search.order);
}

// Values flow backwards from the absorbing states of a deep model (a maze with a goal): there in-place sweeps
// in that order cross the model in one pass where a Jacobi sweep moves one level. Elsewhere they only lose
// the shift of constants that makes span bounds fast.
bool worth_ordering(const Mdp& mdp, const ReverseSearch& search) {
  return search.levels >= 30 &&
         10 * static_cast<std::int64_t>(search.order.size()) >= 9 * static_cast<std::int64_t>(mdp.states());
}

// Values must stay far from where doubles end: |V| <= max|r| / (1 - g Q) for row sums up to Q.
void check_range_of_values(const Mdp& mdp) {
  const double shrink = 1 - largest_factor(range_of(mdp));
  if (!(shrink > 0)) {
    throw NumericalError(fmt::format("solve: rows sum to up to {}, which a discount of {} does not shrink",
                                     base::number(mdp.row_sum_max(), 12), base::number(mdp.discount(), 12)));
  }
  if (!(mdp.reward_magnitude() / shrink < kLargestValue)) {
    throw NumericalError(
        fmt::format("solve: values up to {} / {} are beyond double precision; scale the rewards",
                    base::number(mdp.reward_magnitude(), 3), base::number(shrink, 3)));
  }
}

[[noreturn]] void refuse_infinite_values() {
  throw NumericalError("solve: values beyond double precision; scale the rewards");
}

}  // namespace

std::string_view to_string(Method method) {
  return std::find_if(kMethods.begin(), kMethods.end(), [&](auto& entry) { return entry.method == method; })
      ->name;
}

Method method_from_string(std::string_view name) {
  std::string known;
  for (const MethodName& entry : kMethods) {
    if (name == entry.name || name == entry.abbreviation) return entry.method;
    known += fmt::format("{}{}", known.empty() ? "" : ", ", entry.name);
  }
  throw InvalidArgument(fmt::format("unknown method '{}'; known: {}", base::printable(name), known));
}

std::string_view to_string(SolveStatus status) {
  switch (status) {
    case SolveStatus::converged:
      return "converged";
    case SolveStatus::iteration_limit:
      return "iteration_limit";
    case SolveStatus::time_limit:
      return "time_limit";
    case SolveStatus::precision_limit:
      return "precision_limit";
  }
  return "unknown";
}

void SolveOptions::validate(const Mdp& mdp) const {
  base::check_positive("solve", "tolerance", tolerance);
  base::check_positive("solve", "max_iterations", static_cast<double>(max_iterations));
  if (!(time_limit > 0)) base::check_positive("solve", "time_limit", time_limit);
  base::check_range("solve", "threads", threads, 0, 4096);
  if (!(mdp.discount() < 1)) {
    throw InvalidArgument(
        fmt::format("solve: the discount is {}, but must be below 1 without a horizon", mdp.discount()));
  }
  if (!initial_value.empty()) {
    base::check_size("solve", "initial_value", initial_value.size(), static_cast<std::size_t>(mdp.states()));
    base::check_finite("solve", "initial_value", initial_value);
  }
}

SolverRun::SolverRun(const Mdp& model, const SolveOptions& given)
    : mdp(model),
      options(given),
      threads(given.threads),
      bellman(mdp, threads),
      wanted_width(given.tolerance * model.reward_max() / (1 - model.discount())),
      value(given.initial_value.begin(), given.initial_value.end()),
      next(model.states()),
      pick(model.states()) {
  if (!value.empty()) {
    // V* lies within these limits, and a guess far beyond them would only cost digits.
    const double most = most_value();
    for (double& v : value) v = std::clamp(v, -most, most);
  } else {
    start_from_rewards();
  }
}

double SolverRun::most_value() const {
  return mdp.reward_magnitude() / (1 - mdp.discount() * mdp.row_sum_max());
}

void SolverRun::start_from_rewards() {
  value.resize(mdp.states());
  std::fill(pick.begin(), pick.end(), 0);
  for (std::int32_t s = 0; s < mdp.states(); ++s) {
    const auto first = mdp.reward().begin() + mdp.pair_begin()[s];
    value[s] = *std::max_element(first, mdp.reward().begin() + mdp.pair_begin()[s + 1]);
  }
}

double SolverRun::seconds() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - started_).count();
}

bool SolverRun::certify(const SweepKeeps& keeps) {
  // Rounding makes bounds wide only where they no longer become narrower: it is of the size of the values,
  // and those of the first sweeps may be much too large.
  constexpr double kStillFalling = 0.9;
  base::interruption_point();
  if (keeps.leads) keeps.leads->age(threads);
  residual = bellman.improve(value, next, pick, keeps);
  if (!(residual.min <= residual.max)) refuse_infinite_values();
  const double before = bounds.width();
  bounds = bounds_from(mdp, residual);
  ++iterations;
  if (options.on_iteration) options.on_iteration(bounds.width(), wanted_width);
  if (bounds.width() <= wanted_width) {
    status = SolveStatus::converged;
  } else if (at_precision_limit() && bounds.width() > kStillFalling * before) {
    status = SolveStatus::precision_limit;
  } else if (iterations >= options.max_iterations) {
    status = SolveStatus::iteration_limit;
  } else if (out_of_time()) {
    status = SolveStatus::time_limit;
  } else {
    return false;
  }
  return true;
}

double SolverRun::inner_target(double size, double share) const {
  const double needed = 0.5 * wanted_width * (1 - mdp.discount());
  return share * size < 10 * needed ? needed : share * size;
}

Solution SolverRun::finish() {
  Solution solution;
  solution.status = status;
  solution.method = method;
  const double middle = 0.5 * (bounds.lower + bounds.upper);
  for (double& v : next) v += middle;
  if (!std::all_of(next.begin(), next.end(), [](double v) { return std::isfinite(v); }))
    refuse_infinite_values();
  // Adding the middle rounds once more.
  const double magnitude = residual.magnitude + std::abs(middle);
  const double rounding = 1e-15 * magnitude + underflow(4, magnitude);
  solution.half_width = 0.5 * bounds.width() + rounding;
  solution.policy_loss_bound = bounds.width();
  solution.value.assign(next.begin(), next.end());
  solution.policy = Policy::deterministic(mdp, std::move(pick));
  const StartValue start = start_value(mdp, solution.value, solution.half_width);
  solution.value_at_start = start.value;
  solution.bounds = {start.value - start.error, start.value + start.error};
  solution.iterations = iterations;
  solution.policy_sweeps = policy_sweeps;
  solution.seconds = seconds();
  return solution;
}

Solution solve(const Mdp& mdp, const SolveOptions& options) {
  options.validate(mdp);
  check_range_of_values(mdp);
  SolverRun run(mdp, options);
  Method method = options.method;
  std::vector<std::int32_t> order;
  std::int32_t levels = 0;
  if (method == Method::automatic || method == Method::gauss_seidel) {
    const std::vector<std::int32_t> absorbing = absorbing_states(mdp);
    const bool forced = method == Method::gauss_seidel;
    method = forced ? Method::gauss_seidel : Method::modified_policy_iteration;
    if (!absorbing.empty() || forced) {
      ReverseSearch search = search_towards(mdp, absorbing);
      levels = search.levels;
      if (worth_ordering(mdp, search)) method = Method::gauss_seidel;
      if (method == Method::gauss_seidel) order = order_towards_absorbing(mdp, std::move(search));
    }
  }
  switch (method) {
    case Method::value_iteration:
      run_value_iteration(run);
      break;
    case Method::gauss_seidel:
      run_gauss_seidel(run, order, levels);
      break;
    case Method::policy_iteration:
      run_policy_iteration(run);
      break;
    default:
      run_modified_policy_iteration(run);
      break;
  }
  return run.finish();
}

std::int64_t tied_states(const Mdp& mdp, const Solution& solution) {
  const std::vector<double> q = action_values(mdp, solution.value);
  std::int64_t ties = 0;
  for (std::int32_t s = 0; s < mdp.states(); ++s) {
    const auto first = q.begin() + mdp.pair_begin()[s], last = q.begin() + mdp.pair_begin()[s + 1];
    const double best = *std::max_element(first, last);
    ties +=
        std::count_if(first, last, [&](double other) { return other >= best - 2 * solution.half_width; }) > 1;
  }
  return ties;
}

}  // namespace mindgap::mdp

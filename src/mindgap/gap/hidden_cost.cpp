#include "mindgap/gap/hidden_cost.h"

#include <Eigen/Dense>
#include <limits>

#include "mindgap/base/error.h"
#include "mindgap/mdp/evaluate.h"
#include "mindgap/mdp/solve.h"
#include "mindgap/world/projection.h"

namespace mindgap::gap {
namespace {

// M(h,h') = sum over (s,a) of the share of time in (s,h) times P(h'|s,a,h), for the policy's pairs.
double slowest_mode(const world::HiddenModel& truth) {
  const Eigen::Index hidden = truth.hidden();
  if (hidden == 1) return 0;
  const mdp::Policy policy = mdp::solve(world::deployment_projection(truth), {.threads = 1}).policy;
  const mdp::Mdp joint = world::joint_model(truth);
  std::vector<std::int32_t> pick;
  for (std::int32_t s = 0; s < truth.states(); ++s) {
    const std::int32_t place = policy.pair_of_state()[static_cast<std::size_t>(s)] - truth.pair_begin()[s];
    for (Eigen::Index h = 0; h < hidden; ++h)
      pick.push_back(joint.pair_begin()[static_cast<std::size_t>(s * hidden + h)] + place);
  }
  const std::vector<double> share =
      mdp::discounted_visitation(joint, mdp::Policy::deterministic(joint, pick)).share;
  Eigen::MatrixXd chain = Eigen::MatrixXd::Zero(hidden, hidden);
  for (std::size_t i = 0; i < pick.size(); ++i) {
    const mdp::Row row = joint.row(pick[i]);
    for (std::size_t j = 0; j < row.size(); ++j)
      chain(static_cast<Eigen::Index>(i) % hidden, row.next_state[j] % hidden) +=
          share[i] * row.probability[j];
  }
  for (Eigen::Index h = 0; h < hidden; ++h) {
    const double sum = chain.row(h).sum();
    if (sum > 0) {
      chain.row(h) /= sum;
    } else {
      chain(h, h) = 1;  // never there
    }
  }
  const Eigen::EigenSolver<Eigen::MatrixXd> solver(chain, false);
  if (solver.info() != Eigen::Success)
    throw NumericalError("hidden_cost: the eigenvalues of the hidden state's chain did not converge");
  std::vector<double> size;
  for (Eigen::Index i = 0; i < hidden; ++i) size.push_back(std::abs(solver.eigenvalues()(i)));
  std::sort(size.begin(), size.end(), std::greater<>());
  return std::min(1.0, size[1]);
}

}  // namespace

HiddenCost hidden_cost(const world::HiddenModel& truth, const world::BeliefStateOptions& options) {
  const world::BeliefStatePlans plans(truth, options);
  HiddenCost cost;
  cost.observed = plans.observed_value_at_start();
  cost.remembering = plans.value_at_start();
  cost.seeing = plans.known_value_at_start();
  cost.slowest = slowest_mode(truth);
  cost.half_life = cost.slowest > 1 - 1e-12 ? std::numeric_limits<double>::infinity()
                   : cost.slowest <= 0      ? 1
                                            : std::ceil(std::log(.5) / std::log(cost.slowest));
  cost.effective_horizon = 1 / (1 - truth.discount());
  return cost;
}

}  // namespace mindgap::gap

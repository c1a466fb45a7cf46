#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "mindgap/mdp/ranks_abi.h"
#include "mindgap/mdp/solve.h"

namespace mindgap::mdp {

/// The states of a model that one process has, one behind the other, with their pairs and rows as in
/// MdpArrays. Next states are numbers in the whole model.
struct ModelPart {
  std::string name;
  double discount = 0;
  std::optional<double> reward_max;  // of the whole model, where it is stated
  std::int32_t states = 0;           // of the whole model, like the next three
  std::int32_t actions = 0;
  std::int64_t pairs = 0;
  std::int64_t nonzeros = 0;
  std::int32_t first_state = 0;
  std::vector<std::int32_t> pair_begin;   // own states + 1, from 0
  std::vector<std::int32_t> pair_action;  // own pairs
  std::vector<std::int64_t> row_begin;    // own pairs + 1, from 0
  std::vector<std::int32_t> next_state;
  std::vector<double> probability;
  std::vector<double> reward;
  std::vector<double> start;  // own states

  std::int32_t own_states() const { return static_cast<std::int32_t>(pair_begin.size()) - 1; }
};

/// Throws InvalidModel unless the part is one of a valid model: what Mdp demands, with rows that are sorted,
/// without equal next states and without zeros already.
void check_part(const ModelPart& part);

struct DistributedOptions {
  double tolerance = SolveOptions().tolerance;  // this and the next two as in SolveOptions
  std::int64_t max_iterations = SolveOptions().max_iterations;
  double time_limit = std::numeric_limits<double>::infinity();
  /// How exactly GMRES evaluates a policy before it is improved, as a share of the residual: "inexact" policy
  /// iteration (Gargiani, Sieber, Balta, Liao-McPherson and Lygeros 2024, as in madupite).
  double inner_tolerance = 1e-4;
  std::int32_t inner_products = 1000;  // at most so many products with P a policy
  std::function<void(double width, double wanted)> on_iteration;
};

/// A Solution of which every rank has its own states; numbers that are not per state are the same on all
/// ranks.
struct DistributedSolution {
  SolveStatus status = SolveStatus::converged;
  std::vector<double> value;         // own states
  std::vector<std::int32_t> action;  // own states
  double half_width = 0;
  double policy_loss_bound = 0;
  double value_at_start = 0;
  std::array<double, 2> bounds{0, 0};
  std::int64_t iterations = 0;  // full sweeps
  std::int64_t products = 0;    // products of one policy's matrix with a vector
  double seconds = 0;
};

/// Policy iteration with GMRES on all ranks, and the bounds of solve() from the span over all of them: they
/// hold whatever the linear solver did. Collective. Throws InvalidArgument, NumericalError.
DistributedSolution solve_distributed(const ModelPart& part, const MindgapRanks& ranks,
                                      const DistributedOptions& options = {});

}  // namespace mindgap::mdp

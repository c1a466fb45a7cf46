#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "mindgap/decide/situation.h"

// The three families of random models that methods of Bayesian reinforcement learning are compared on:
// Castronovo, Ernst, Couetoux and Fonteneau, "Benchmarking for Bayesian Reinforcement Learning", PLoS ONE
// 11(6), 2016, section 5.2 (generalised chain, generalised double loop, grid). Rows are Dirichlet with
// parameter 1 on each successor that the family allows. Rewards there belong to moves; here to states and
// actions, as in every Mdp:
//  - chain: a move to state 0 pays 2 and one to state 4 pays 10, whatever the move. Here being in the state
//    pays, one step later; the start pays its 2 once more, to everybody.
//  - double loop: the last state of the sure loop pays 1, that of the other one 2; both lead home for
//    certain, so this is the same.
//  - grid: moving into the corner opposite to the start pays 10 and leads back to the start. Here the corner
//    is a cell that pays 10 and leads back, one step later.
namespace mindgap::decide {

enum class PriorKind {
  accurate,    // the family's own distribution
  inaccurate,  // every row Dirichlet with parameter 1 on all states: nothing is known of where moves lead
};

struct Family {
  std::string name;  // "chain", "double loop", "grid"
  std::int32_t states = 0, actions = 0;
  std::vector<std::vector<std::int32_t>> next;  // [state * actions + action]: the successors
  std::vector<double> reward;                   // [state * actions + action]
};

const std::vector<Family>& benchmark_families();

constexpr double kBenchmarkDiscount = .95;
constexpr std::int64_t kBenchmarkSteps = 250;

/// What is known of a model of the family, for units that all stand at state 0.
Situation benchmark_situation(const Family& family, PriorKind prior, std::int64_t units,
                              std::int64_t horizon = kBenchmarkSteps);

/// The number-th model drawn from what the situation states, rows from their Dirichlet distributions and
/// rewards as they are, from the stream (seed, Purpose::test, number, 2). The truths of a family are those of
/// its accurate prior: they have every pair of every situation of the family, in the same order.
mdp::Mdp draw_stated_model(const Situation& situation, std::uint64_t seed, std::uint64_t number);

}  // namespace mindgap::decide

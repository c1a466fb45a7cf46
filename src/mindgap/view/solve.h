#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "mindgap/mdp/finite_horizon.h"
#include "mindgap/mdp/reach.h"
#include "mindgap/mdp/solve.h"
#include "mindgap/report/page.h"
#include "mindgap/view/json.h"

// The faces of `mindgap solve`: text and a page for people, JSON for programs.
namespace mindgap::view {

/// What was lumped before it was solved (mdp/lump.h).
struct LumpView {
  std::int32_t classes = 0;
  double seconds = 0;
  double reward_error = 0, probability_error = 0;
};

/// What either kind of solve has to say.
struct SolveView {
  const mdp::Model& model;
  std::optional<std::int64_t> horizon = {};
  double value_at_start = 0;
  std::array<double, 2> bounds{0, 0};
  double half_width = 0;
  double policy_loss_bound = 0;
  std::string status = "converged";
  std::string method = {};
  std::int64_t iterations = 0;
  std::int64_t policy_sweeps = 0;
  double seconds = 0;
  std::int64_t tied_states = 0;  // where a second action is as good within the bounds
  std::string actions = {};      // what the policy does, in how many states
  mdp::Reach reach = {};
  std::string out = {};  // where the policy was written, or empty
  std::optional<LumpView> lumped = {};
  std::string classes_out = {};  // where the classes were written, or empty
};

/// A solve on several processes.
struct DistributedView {
  std::string name;
  std::int64_t states = 0, actions = 0, pairs = 0, nonzeros = 0;
  double discount = 0;
  std::int32_t ranks = 1;
  double value_at_start = 0;
  std::array<double, 2> bounds{0, 0};
  double half_width = 0, policy_loss_bound = 0;
  std::string status = {};
  std::int64_t iterations = 0, products = 0;
  double seconds = 0, read_seconds = 0;
  std::string out = {};  // where the policy was written, or empty
};
std::string text_of(const DistributedView& view);
Json json_of(const DistributedView& view);

/// The solution must be of the model. Finds out where its policy goes, which takes about as long as a solve.
SolveView view_of(const mdp::Model& model, const mdp::Solution& solution);
SolveView view_of(const mdp::Model& model, const mdp::FiniteHorizonSolution& solution);

/// How far a solve is, in thousandths: the width of the bounds falls from its first value to the wanted one,
/// on a log scale.
class SolveProgress {
 public:
  static constexpr std::int64_t kWhole = 1000;
  std::int64_t operator()(double width, double wanted);

 private:
  double first_ = 0;
};

std::string text_of(const SolveView& view);
Json json_of(const SolveView& view);
report::Page page_of(const SolveView& view);

}  // namespace mindgap::view

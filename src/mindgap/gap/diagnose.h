#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "mindgap/base/run.h"
#include "mindgap/belief/knowledge.h"
#include "mindgap/gap/checks.h"
#include "mindgap/gap/error_chain.h"
#include "mindgap/gap/evpi.h"
#include "mindgap/gap/gap_decomposition.h"
#include "mindgap/gap/post_pilot.h"
#include "mindgap/gap/pvv.h"
#include "mindgap/gap/residuals.h"
#include "mindgap/gap/routes_to_unreached.h"
#include "mindgap/gap/value_decomposition.h"
#include "mindgap/mdp/model.h"
#include "mindgap/mdp/observation_log.h"
#include "mindgap/mdp/reach.h"
#include "mindgap/mdp/solve.h"
#include "mindgap/world/hidden_model.h"

// The planner's first question: where could the simulator be wrong, does it matter there, and can waiting fix
// it? One call that puts the pieces of this folder together.
namespace mindgap::gap {

struct DiagnoseOptions {
  belief::PriorOverrides prior;
  double support_threshold = mdp::kSupportThreshold;
  double level = .05;           // of the tests after a pilot
  std::int64_t draws = -1;      // models drawn for the value of information; -1: default_draws(), 0: none
  std::int32_t probes = 64;     // of the weights, where they are not exact
  double precision_factor = 2;  // by which variances of rewards may be wrong (Checks::precision)
  const MindgapEngine* engine = nullptr;  // of the value of information, as in EvpiOptions
  base::Run run = {};
};

/// What there is to go by beside the model. Everything is per pair of the simulator.
struct DiagnoseInput {
  std::optional<std::vector<double>> coverage;          // how often history saw each pair
  std::optional<mdp::ObservationLog> log;               // of a pilot
  std::optional<world::HiddenModel> truth;              // states and actions are matched by name
  std::optional<mdp::ObservationLog> calibration = {};  // what the simulator was fitted to
};

/// What a pilot says.
struct PilotFindings {
  std::int64_t rows = 0, covered_pairs = 0;
  std::int64_t censored_rewards = 0;
  std::vector<belief::OffSupport> off_support;  // moves the simulator calls impossible
  std::vector<std::size_t> large_rewards;       // rows with |reward| > reward_max + 6 standard deviations
  std::vector<std::size_t> repeated_rows;       // rows that repeat a unit and step
  Residuals residuals;
  PostPilotBound bound;          // on the value of every policy in the pilot-refined model
  double covered_bound = 0;      // the same for policies that use covered pairs only
  double crossover_horizon = 0;  // infinite where only transitions are off
  Pvv pvv;                       // of the simulator-optimal policy, after the pilot
  double update_gain =
      0;  // what the updated policy earns beyond the simulator-optimal one, in the mean model
};

/// What a known truth says.
struct TruthFindings {
  ErrorChain errors;
  double simulation_lemma_bound = 0, simulation_lemma_bound_paper = 0;
  ValueDecomposition value;
  GapDecomposition gap;
  std::vector<double> do_variance;  // of one reward under the planner's own choice of actions, per pair
};

struct Diagnosis {
  mdp::Solution sop;                           // the simulator-optimal policy
  mdp::Reach reach;                            // where it goes in the simulator
  Routes routes;                               // to the states it does not see
  std::optional<belief::Knowledge> knowledge;  // always set: what is believed, before and after the pilot
  std::vector<double> bias;  // what the reward of a pair may be off beside its variance (beta of the EPI)
  std::vector<double> epi;   // per pair
  Pvv pvv_prior;             // variance of the simulator-optimal policy's value, before any pilot
  WeightsMethod weights_method = WeightsMethod::exact;
  std::vector<double> contributions;  // of each pair to the PVV, now (after the pilot where there is one)
  /// Share of the simulator-optimal policy's discounted |reward| that comes from pairs neither history (where
  /// its counts are given) nor the pilot has seen.
  double unmeasured_share = 1;
  std::optional<Evpi> evpi;  // against the simulator-optimal policy, after a pilot against the updated one
  std::optional<PilotFindings> pilot;
  std::optional<TruthFindings> truth;
  Checks checks;  // whether what these numbers rest on holds here
};

/// Throws InvalidArgument or InvalidModel where the model states no prior and there is no coverage, or where
/// something that is needed is not stated.
Diagnosis diagnose(const mdp::Model& model, const DiagnoseInput& input, const DiagnoseOptions& options = {});

}  // namespace mindgap::gap

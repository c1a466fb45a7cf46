#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "mindgap/mdp/about.h"
#include "mindgap/mdp/mdp.h"
#include "mindgap/mdp/members.h"

namespace mindgap::mdp {

/// What one observed reward is: a number around its mean, or 0 or 1.
enum class RewardKind : std::uint8_t { gaussian, bernoulli };
struct RewardKindName {
  RewardKind kind;
  std::string_view name, meaning;
};
/// All of them, in the order of the enumeration; the only list.
std::span<const RewardKindName> reward_kinds();
std::string_view to_string(RewardKind kind);
/// None where `name` is no such kind.
std::optional<RewardKind> reward_kind_from(std::string_view name);
/// "rewards must be 'gaussian' or 'bernoulli'"
std::string reward_kind_wanted();

/// What says how near two states are.
enum class KernelOver : std::uint8_t { place, graph };
std::string_view to_string(KernelOver over);
/// None where `name` is no such thing.
std::optional<KernelOver> kernel_over_from(std::string_view name);
constexpr const char* kKernelOverWanted =
    "over must be 'place' (x, y of the states) or 'graph' (steps between them)";

/// Errors of mean rewards that fade with distance.
struct KernelSpec {
  double sd = 0;      // of the shared error of one state, >= 0
  double length = 1;  // in units of x and y, or in steps; > 0
  KernelOver over = KernelOver::place;

  bool operator==(const KernelSpec&) const = default;
};

/// How much of a factor's error a pair has.
struct Loading {
  std::int32_t pair = 0;
  std::int32_t factor = 0;
  double loading = 0;

  bool operator==(const Loading&) const = default;
};

/// Errors of mean rewards that pairs share, beside what each has of its own (reward_sd). All that is stated
/// adds up.
struct SharedSpec {
  std::optional<double> group_sd = {};    // of the error that all states of a group share, >= 0
  std::vector<double> group_sds = {};     // the same, per group of the labels; or empty
  std::optional<KernelSpec> kernel = {};  // an error that neighbours nearly share
  std::vector<std::string> factors = {};  // names of further factors, each with standard deviation 1
  std::vector<Loading> loadings = {};     // ascending by pair, then by factor

  bool any() const { return group_sd || !group_sds.empty() || kernel || !loadings.empty(); }
  bool operator==(const SharedSpec&) const = default;
};

/// How far the truth may be from the simulator, as a model states it. Each of the two is one number for all
/// pairs, or one per pair, or not stated.
struct PriorSpec {
  std::optional<double> reward_sd;            // sd of the true mean reward around the simulator's, >= 0
  std::optional<double> transition_strength;  // pseudo-observations behind each simulated row, > 0
  std::vector<double> pair_reward_sd;
  std::vector<double> pair_transition_strength;
  double odds = 1;      // propensity-odds constant for priors from coverage, >= 1; 1 = no confounding
  double drift_sd = 0;  // floor on reward_sd where drift is feared, >= 0
  /// Share of rows that may do what the simulator calls impossible, in [0, 1); not stated: none is doubted
  /// before one was seen to. 0: none ever is.
  std::optional<double> unseen;
  double unseen_strength = 1;  // pseudo-observations behind such a row, > 0
  /// Where true mean rewards lie, at most; the simulator's lie there, too. Not Mdp::reward_max(), a scale.
  std::optional<double> reward_min = {}, reward_max = {};
  RewardKind rewards = RewardKind::gaussian;
  SharedSpec shared = {};

  bool operator==(const PriorSpec&) const = default;
};

/// What tells members of an ensemble apart: one number per member.
struct Parameter {
  std::string name;
  std::vector<double> value;

  bool operator==(const Parameter&) const = default;
};

/// What a model's files hold (format mindgap-model/1), or an ensemble's (mindgap-ensemble/1).
struct Model {
  std::string name;
  Mdp mdp;
  std::vector<double> variance = {};           // of one observed reward, per pair; or empty
  std::optional<double> reward_variance = {};  // of one observed reward, where `variance` is empty
  std::optional<PriorSpec> prior = {};
  std::vector<double> coverage = {};  // historical observations per pair; or empty. HDF5 only
  /// The counts of `coverage` are not of the real system: they say from how many samples of the simulator
  /// each row of `mdp` was estimated. Set by what tabulates samples; false without counts.
  bool coverage_is_sampled = false;
  /// States that end an episode, which begins again where the start distribution says (restart.h); ascending.
  std::vector<std::int32_t> ends = {};
  /// States that the simulator did not have and data brought in (extend_states.h). Not kept in files: there
  /// they are states like any other.
  std::vector<std::int32_t> added = {};
  /// Where the model is an ensemble: its members, of which `mdp` is the mean. The prior is then about what is
  /// left between the truth and the member that describes it best.
  std::optional<Members> members = {};
  std::vector<Parameter> parameters = {};
  About about = {};  // what its owner says

  bool operator==(const Model&) const = default;
};

/// Throws InvalidModel unless every number and name of `model` is in its domain and every vector has its
/// length: what write_model asks for, and what read_model guarantees.
void check_model(const Model& model);

}  // namespace mindgap::mdp

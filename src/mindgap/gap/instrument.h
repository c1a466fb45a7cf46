#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "mindgap/mdp/mdp.h"
#include "mindgap/mdp/observation_log.h"

// Confounding of mean rewards where history logged an instrument: something that moved actions and nothing
// else, such as a lottery, a roster, or a rule that changed by date.
namespace mindgap::gap {

/// One pair's mean reward as history has it, and as the instrument corrects it.
struct InstrumentPair {
  std::int32_t pair = 0;
  std::int64_t rows = 0;
  double mean = 0;            // of the rewards
  double estimate = 0;        // two-stage least squares
  double estimate_error = 0;  // standard error
  double confounding = 0;     // mean - estimate
  double standard_error = 0, p_value = 1, bonferroni = 1;
  double first_stage = 0;  // how strongly the instrument moves actions: F
  bool weak = false;       // F below kWeakInstrument: neither the estimate nor its error is to be trusted
  bool pooled = false;     // the effect of actions is estimated from all states together
  bool by_unit = false;    // the errors allow for any dependence between the rows of a unit
  /// Where a pilot saw the pair: estimate - the pilot's mean, what has changed since.
  std::optional<double> drift = {}, drift_error = {};
};

struct InstrumentTest {
  std::vector<std::string> values = {};  // of the instrument
  std::int64_t rows = 0;                 // with a reward and a value of the instrument
  std::vector<InstrumentPair> pairs = {};
  std::int64_t weak = 0, pooled = 0;  // of `pairs`
  std::int64_t not_identified = 0;    // pairs with two rewards or more that the instrument says nothing about
};

/// Staiger and Stock (1997): below it two-stage estimates are biased towards the plain mean and their errors
/// too small.
constexpr double kWeakInstrument = 10;
/// States with fewer rows use the effect of actions from all states together.
constexpr std::int64_t kOwnRows = 50;
/// With fewer units than this, standard errors treat rows as independent.
constexpr std::int64_t kUnitsOfErrors = 20;

/// Two-stage least squares of rewards on actions, with one instrument of J values. In a state,
///   r_i = mu(s,a_i) + u_i,  E[u_i | s, z_i] = 0,
/// where u may depend on the action. With x the dummies of the actions but one, z those of the values but
/// one, and ~ for deviations from the state's means, beta = (X~'P X~)^-1 X~'P r~ with P the projection on Z~,
///   mu(s,a) = mean r + beta'(e_a - mean x).
/// Two actions and two values make it the Wald ratio,
///   mu(s,1) - mu(s,0) = (E[r|z=1] - E[r|z=0]) / (P(a=1|z=1) - P(a=1|z=0)).
/// Where a state has fewer than kOwnRows rows, or the instrument is weak or moves too little there, beta is
/// shared by all states. Standard errors are sandwiches over units (or rows). F is the smaller of Cragg and
/// Donald's (1993) and, for each action, the robust one.
///
/// Assumed, and not testable from these data: the instrument is as good as random given the state; it moves
/// rewards only through the action; and what an action adds does not depend on what is hidden (otherwise the
/// estimate is about the decisions that the instrument moved).
///
/// `variance` of one reward per pair, for the errors of the pilot's means. Throws InvalidArgument where the
/// log has no instrument.
InstrumentTest instrument_test(const mdp::Mdp& simulator, const mdp::ObservationLog& history,
                               std::span<const double> variance, const mdp::ObservationLog* pilot = nullptr);

}  // namespace mindgap::gap

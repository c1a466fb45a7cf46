#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "mindgap/base/error.h"
#include "mindgap/base/option_name.h"
#include "mindgap/mdp/pair_name.h"
#include "mindgap/view/checks.h"
#include "mindgap/view/diagnose.h"
#include "mindgap/view/parameters.h"
#include "mindgap/view/print.h"
#include "mindgap/view/prior_implies.h"

namespace mindgap::view {
namespace {

using gap::Diagnosis;
using mdp::Mdp;

std::string state_of(const Mdp& mdp, std::int32_t state) {
  return base::printable(mdp.state_name(state));
}

// From lowest to highest, as people say it: "0.2" or "0.1 to 3".
std::string range_of(std::span<const double> values) {
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  return range(*least, *most, 3);
}

std::string text_of_value(const DiagnoseView& view) {
  const Diagnosis& diagnosis = view.diagnosis;
  std::string text = fmt::format(
      "If the simulator is right, its best policy earns {} per unit, discounted (certified to {}).\n",
      number(diagnosis.sop.value_at_start, 6), number(diagnosis.sop.half_width, 1));
  if (diagnosis.sop.status != mdp::SolveStatus::converged) {
    text += fmt::format("  NOT CONVERGED ({}): the bounds hold, but are wider than asked\n",
                        mdp::to_string(diagnosis.sop.status));
  }
  return text;
}

std::string text_of_prior(const DiagnoseView& view) {
  const Diagnosis& diagnosis = view.diagnosis;
  std::string text = "What is believed before any pilot\n";
  if (diagnosis.knowledge->source == belief::PriorSource::coverage) {
    const auto unseen =
        std::count(diagnosis.knowledge->coverage.begin(), diagnosis.knowledge->coverage.end(), 0.0);
    text += fmt::format(
        "  from the coverage of historical data: {} of {} do not occur there and get the wide prior\n",
        unseen, count(view.model.mdp.pairs(), "pair"));
    text += diagnosis.knowledge->odds == 1
                ? fmt::format(
                      "  odds 1: no unrecorded factor influenced historical actions; only sample sizes "
                      "matter (use {} if you doubt it)\n",
                      base::option_value("odds", "2"))
                : fmt::format(
                      "  odds {0}: an unrecorded factor may have made historical actions up to {0} times "
                      "likelier or rarer\n",
                      number(diagnosis.knowledge->odds, 6));
  } else {
    text += fmt::format("  as the model states it ({} tells where there are historical data)\n",
                        base::option_name("coverage"));
  }
  if (diagnosis.knowledge->drift_sd > 0)
    text += fmt::format("  no mean reward is taken as known better than sd {} (drift)\n",
                        number(diagnosis.knowledge->drift_sd, 6));
  if (const std::string phrase = rewards_in_words(diagnosis.knowledge->now.rewards()->support());
      !phrase.empty())
    text += fmt::format("  {}\n", phrase);
  for (const std::string& note : notes_on_prior(*diagnosis.knowledge)) text += "  " + note + "\n";
  text += fmt::format("  mean rewards: sd {}; transition rows: worth {} observations\n",
                      range_of(diagnosis.knowledge->before.prior().reward_sd),
                      range_of(diagnosis.knowledge->before.prior().transition_strength));
  return text;
}

std::string text_of_uncertainty(const DiagnoseView& view) {
  const Diagnosis& diagnosis = view.diagnosis;
  const gap::Pvv& now = diagnosis.pilot ? diagnosis.pilot->pvv : diagnosis.pvv_prior;
  std::string text = fmt::format("Uncertainty of that policy's own value{}: {}",
                                 diagnosis.pilot ? " after the pilot" : "", number(std::sqrt(now.total)));
  text += fmt::format(
      " (one standard deviation)\n  variance {}: {} from rewards, {} from transitions; weights {}\n",
      with_error(now.total, now.standard_error), percent(now.total > 0 ? now.reward / now.total : 0),
      percent(now.total > 0 ? now.transition / now.total : 0), gap::to_string(diagnosis.weights_method));
  if (diagnosis.pilot)
    text += fmt::format("  before the pilot it was {}\n", number(std::sqrt(diagnosis.pvv_prior.total)));
  text += fmt::format(
      "  {} of what it earns rests on pairs nobody has measured{}\n", percent(diagnosis.unmeasured_share),
      diagnosis.knowledge->coverage.empty() && !diagnosis.pilot ? " (no coverage and no log were given)"
                                                                : "");
  return text;
}

std::string text_of_information(const DiagnoseView& view) {
  const Diagnosis& diagnosis = view.diagnosis;
  if (!diagnosis.evpi) return "";
  const gap::Evpi& evpi = *diagnosis.evpi;
  std::string text = fmt::format(
      "What knowing the truth would be worth (per unit, discounted; {} sampled models)\n", evpi.draws);
  text += fmt::format("  {:<18} in all\n", with_error(evpi.total.mean, evpi.total.standard_error));
  text += fmt::format("  {:<18} where {} goes: waiting and updating can earn it\n",
                      with_error(evpi.local.mean, evpi.local.standard_error),
                      diagnosis.pilot ? "the updated policy" : "the policy");
  text += fmt::format("  {:<18} where it practically never goes: only an experiment can\n",
                      with_error(evpi.reach.mean, evpi.reach.standard_error));
  if (diagnosis.pilot) {
    text += fmt::format("  {:<18} is already earned by updating the policy with the pilot's data\n",
                        number(diagnosis.pilot->update_gain));
  }
  return text;
}

std::string text_of_pairs(const DiagnoseView& view) {
  const Mdp& mdp = view.model.mdp;
  const Diagnosis& diagnosis = view.diagnosis;
  const auto order = largest(diagnosis.contributions, view.top);
  if (order.empty()) return "";
  double total = 0;
  for (const double c : diagnosis.contributions) total += c;
  std::string text =
      "The pairs that matter most for that uncertainty\n   share      EPI  reward +- sd           seen  "
      "state / action\n";
  for (const std::int32_t k : order) {
    double seen = diagnosis.knowledge->coverage.empty() ? 0 : diagnosis.knowledge->coverage[k];
    if (diagnosis.pilot) {
      for (const gap::PairResidual& residual : diagnosis.pilot->residuals.pairs) {
        if (residual.pair == k) seen += static_cast<double>(residual.count);
      }
    }
    text += fmt::format(" {:>7}  {:>7}  {:<18} {:>8}  {}\n", percent(diagnosis.contributions[k] / total),
                        number(diagnosis.epi[k], 3),
                        with_error(mdp.reward()[k], diagnosis.knowledge->before.prior_reward_sd(k), 4, 3),
                        number(seen, 6), mdp::pair_name(mdp, k));
  }
  return text;
}

std::string text_of_route(const Mdp& mdp, const Diagnosis& diagnosis, const gap::Route& route) {
  if (!route.possible) return "no policy gets there from the start";
  if (!route.found) return "only from start states that are rare themselves";
  std::string way;
  const auto steps = route_to(diagnosis, route);
  constexpr std::size_t kMost = 6;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (i >= kMost && i + 1 < steps.size()) continue;  // the first few and the last
    if (i > 0) way += i + 1 == steps.size() && steps.size() > kMost + 1 ? ", ..., " : ", ";
    way += base::printable(mdp.action_name(steps[i].action));
  }
  return fmt::format("from {}: {} ({} step{}, gives up {})", state_of(mdp, steps.front().state), way,
                     number(route.expected_steps, 3), route.expected_steps == 1 ? "" : "s",
                     number(route.loss, 3));
}

std::string text_of_unreached(const DiagnoseView& view) {
  const Mdp& mdp = view.model.mdp;
  const Diagnosis& diagnosis = view.diagnosis;
  const auto& unreached = diagnosis.routes.unreached;
  if (unreached.empty()) {
    return "The policy visits every state: its own data can correct the simulator everywhere.\n";
  }
  const auto impossible = std::count_if(unreached.begin(), unreached.end(),
                                        [](const auto& route) { return !route.possible_under_policy; });
  std::string text = fmt::format(
      "The policy will practically never see {} of {} (under {} % of its time; {} impossible under it). "
      "Waiting\n"
      "reveals nothing about them. Most relevant first (where the best policies of sampled models spend "
      "their "
      "time):\n",
      unreached.size(), count(mdp.states(), "state"), number(100 * diagnosis.reach.threshold, 6), impossible);
  double spent = 0;
  for (const gap::Route& route : unreached) spent += diagnosis.reach.share[route.state];
  if (spent > .05) {
    text += fmt::format("  (together they are {} of its time all the same: with this many states lower {})\n",
                        percent(spent), base::option_name("support-threshold"));
  }
  const auto order = by_importance(diagnosis);
  const std::size_t shown = view.top == 0 ? order.size() : std::min(view.top, order.size());
  for (std::size_t i = 0; i < shown; ++i) {
    const gap::Route& route = unreached[order[i]];
    text += fmt::format(" {:>7}  {}{}: {}\n",
                        diagnosis.evpi ? percent(diagnosis.evpi->optimal_visitation[route.state]) : "",
                        state_of(mdp, route.state), route.possible_under_policy ? " (rare)" : "",
                        text_of_route(mdp, diagnosis, route));
  }
  if (shown < order.size()) text += fmt::format("          and {} more\n", order.size() - shown);
  return text;
}

std::string text_of_residual(const Mdp& mdp, const gap::PairResidual& residual) {
  std::string text;
  const auto line = [&](const gap::TestResult& test, const std::string& what) {
    if (!test.flagged && !test.discovered) return;
    text += fmt::format(
        "  {} {}: {}, n = {}, p = {} (Bonferroni {}{})\n", test.flagged ? "refuted" : "suspect",
        mdp::pair_name(mdp, residual.pair), what, residual.count, number(test.p_value, 2),
        number(test.bonferroni, 2),
        test.flagged ? "" : fmt::format(", Benjamini-Hochberg {}", number(test.benjamini_hochberg, 2)));
  };
  line(residual.reward_test, "reward off by " + with_error(residual.reward, residual.reward_standard_error));
  line(residual.transition_test, fmt::format("next states off by {} in L1", number(residual.transition, 3)));
  return text;
}

std::string text_of_pilot(const DiagnoseView& view) {
  const Mdp& mdp = view.model.mdp;
  const gap::PilotFindings& pilot = *view.diagnosis.pilot;
  std::string text =
      fmt::format("What the pilot says ({}, {} of {} covered)\n", count(pilot.rows, "observation"),
                  pilot.covered_pairs, count(mdp.pairs(), "pair"));
  if (!pilot.residuals.largest) return text + "  nothing: no pair was covered\n";
  std::vector<const gap::PairResidual*> order;
  std::int64_t flags = 0;
  for (const gap::PairResidual& residual : pilot.residuals.pairs) {
    order.push_back(&residual);
    flags += residual.reward_test.flagged + residual.transition_test.flagged;
  }
  const auto p_of = [](const gap::PairResidual* r) {
    return std::min(r->reward_test.p_value, r->transition_test.p_value);
  };
  std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return p_of(a) < p_of(b); });
  text += fmt::format(
      "  {} of {} tests refute the simulator with an overall error of at most {} (rewards: {} law; "
      "next states: exact binomial)\n",
      flags, pilot.residuals.tests, number(pilot.residuals.level, 6),
      gap::to_string(pilot.residuals.p_method));
  for (std::size_t i = 0; i < order.size() && (view.top == 0 || i < view.top); ++i) {
    text += text_of_residual(mdp, *order[i]);
  }
  for (std::size_t i = 0; i < pilot.off_support.size() && (view.top == 0 || i < view.top); ++i) {
    const belief::OffSupport& off = pilot.off_support[i];
    text += fmt::format("  seen though the simulator calls it impossible: {} -> {}, {} time{}\n",
                        mdp::pair_name(mdp, off.pair), state_of(mdp, off.next_state), number(off.count),
                        off.count == 1 ? "" : "s");
  }
  text += fmt::format(
      "  largest residuals: reward {}, next states {} in L1 (noise adds to both); crossover ratio "
      "{}\n"
      "  (above 1, transition errors matter more than reward errors; below 1, less)\n",
      number(pilot.residuals.largest->reward), number(pilot.residuals.largest->transition, 3),
      number(pilot.crossover_horizon, 3));
  text += fmt::format(
      "  with {} % confidence the model refined by the pilot's averages values any policy that uses "
      "covered pairs only\n"
      "  to within {} of the truth{}\n",
      number(100 * (1 - pilot.bound.delta), 6), number(pilot.covered_bound),
      pilot.covered_pairs < mdp.pairs() ? "; about other policies the pilot proves nothing" : "");
  return text;
}

std::string text_of_truth(const DiagnoseView& view) {
  const gap::TruthFindings& truth = *view.diagnosis.truth;
  const gap::ErrorChain& errors = truth.errors;
  std::string text = "Against the truth (largest over pairs: reward, next states in L1)\n";
  const auto line = [&](const char* what, double reward, double transition, const char* why) {
    text += fmt::format("  {:<22} {:>10} {:>10}  {}\n", what, number(reward, 6), number(transition, 6), why);
  };
  const auto error = [&](const char* what, const gap::PairErrors& e, const char* why) {
    line(what, e.largest.reward, e.largest.transition, why);
  };
  error("simulator's error", errors.total, "simulator against what a randomised trial would estimate");
  error("shift", errors.shift_error, "historical data against the truth today");
  error("  confounding", errors.confounding, "historical actions depended on the hidden state");
  error("  drift", errors.drift, "the distribution of the hidden state has changed");
  error("residual", errors.residual_error, "simulator against the historical data");
  line("history", errors.history_error.reward.value, errors.history_error.transition.value,
       "what the previous step adds to the observed state");
  text += fmt::format("  values are off by at most {} at any state, for any policy (the paper's bound: {})\n",
                      number(truth.simulation_lemma_bound, 6), number(truth.simulation_lemma_bound_paper, 6));
  text += fmt::format("  the policy was promised {}, earns {}; the best policy earns {}\n",
                      number(truth.value.promised, 6), number(truth.value.achieved, 6),
                      number(truth.value.optimal, 6));
  text +=
      fmt::format("    of the difference to the promise: rewards {}, transitions {}, both {}, policy {}\n",
                  signed_number(truth.value.reward), signed_number(truth.value.transition),
                  signed_number(truth.value.interaction), signed_number(truth.value.policy));
  text += fmt::format(
      "  of the {} it leaves, {} lies where it goes (local), {} where it never goes (reach)\n",
      number(truth.value.policy, 6), number(truth.gap.local_gap, 6), number(truth.gap.reach_gap, 6));
  return text;
}

std::string text_of_contraction(const gap::Contraction& contraction) {
  return fmt::format(
      "The hidden state's past: spectral radius {}; after {} its influence is at most {} of what it "
      "was\n{}",
      number(contraction.spectral_radius, 6), count(contraction.steps, "step"), number(contraction.norm, 3),
      contraction.contracting ? ""
                              : "  it does not fade: no bound on the error of forgetting history applies\n");
}

std::string text_of_assumptions(const DiagnoseView& view) {
  const Diagnosis& diagnosis = view.diagnosis;
  std::string text = "What these numbers assume\n";
  if (diagnosis.knowledge->now.ensemble() != nullptr) {
    text += "  - the truth is near one of the members; all other errors of pairs are independent\n";
  } else if (!diagnosis.knowledge->now.shared().none()) {
    text += "  - shared errors are as the prior states; all other errors of pairs are independent\n";
  } else {
    text +=
        "  - errors of pairs are independent; if errors of neighbours are correlated, waiting reveals more "
        "than stated here\n";
  }
  text += diagnosis.pilot && !diagnosis.pilot->off_support.empty()
              ? "  - the truth moves only where the simulator says it can, WHICH THE PILOT REFUTES: repair "
                "its transitions first\n"
              : "  - the truth moves only where the simulator says it can\n";
  text += "  - the variance of the policy's value is a first-order one (docs/math/pvv.md)\n";
  if (diagnosis.knowledge->source == belief::PriorSource::coverage) {
    text += fmt::format(
        "  - an unrecorded factor made historical actions at most {0} times likelier or rarer; a larger "
        "bound widens the prior of every pair in these data\n",
        number(diagnosis.knowledge->odds, 6));
  } else {
    text +=
        "  - the stated prior: halving it halves the standard deviations above; where it is flat, so is the "
        "ranking\n";
  }
  if (diagnosis.pilot) text += "  - the pilot's actions depended on nothing hidden\n";
  return text;
}

}  // namespace

std::string text_of(const DiagnoseView& view) {
  std::string text = headline(view.model);
  text += text_of_value(view);
  text += text_of_prior(view);
  text += text_of_uncertainty(view);
  text += text_of_information(view);
  if (const belief::Ensemble* ensemble = view.diagnosis.knowledge->now.ensemble())
    text += parameters_text(known_parameters(view.model, *ensemble));
  text += text_of_pairs(view);
  text += text_of_unreached(view);
  if (view.diagnosis.pilot) text += text_of_pilot(view);
  if (view.diagnosis.truth) text += text_of_truth(view);
  text += text_of_checks(view);
  if (view.contraction) text += text_of_contraction(*view.contraction);
  text += text_of_assumptions(view);
  return text;
}

}  // namespace mindgap::view

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "mindgap/base/error.h"
#include "mindgap/base/option_name.h"
#include "mindgap/view/diagnose.h"
#include "mindgap/view/print.h"

namespace mindgap::view {
namespace {

using gap::Diagnosis;
using mdp::Mdp;

std::string state_of(const Mdp& mdp, std::int32_t state) {
  return base::printable(mdp.state_name(state));
}

std::string pair_name(const Mdp& mdp, std::int32_t pair) {
  return fmt::format("{} / {}", state_of(mdp, mdp.state_of_pair(pair)),
                     base::printable(mdp.action_name_of_pair(pair)));
}

std::string with_error(double mean, double error) {
  return error > 0 ? fmt::format("{:.4g} +- {:.2g}", mean, error) : fmt::format("{:.4g}", mean);
}

// From lowest to highest, as people say it: "0.2" or "0.1 to 3".
std::string range_of(std::span<const double> values) {
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  return *least == *most ? fmt::format("{:.3g}", *least) : fmt::format("{:.3g} to {:.3g}", *least, *most);
}

std::string text_of_value(const DiagnoseView& view) {
  const Diagnosis& diagnosis = view.diagnosis;
  std::string text = fmt::format(
      "If the simulator is right, its best policy earns {:.6g} per unit, discounted (certified to {:.1g}).\n",
      diagnosis.sop.value_at_start, diagnosis.sop.half_width);
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
    text += fmt::format("  from history's coverage: {} of {} never seen there, they get the wide prior\n",
                        unseen, count(view.model.mdp.pairs(), "pair"));
    text +=
        diagnosis.knowledge->odds == 1
            ? fmt::format(
                  "  odds 1: history's actions followed nothing hidden, only its sample sizes matter (say {} "
                  "if you doubt it)\n",
                  base::option_value("odds", "2"))
            : fmt::format(
                  "  odds {:g}: what history's actions followed may have made them up to {:g} times likelier "
                  "or rarer\n",
                  diagnosis.knowledge->odds, diagnosis.knowledge->odds);
  } else {
    text += fmt::format(
        "  as the model states it, the same for all it does not tell apart ({} says where history looked)\n",
        base::option_name("coverage"));
  }
  if (diagnosis.knowledge->drift_sd > 0)
    text += fmt::format("  no mean reward is taken as known better than sd {:g} (drift)\n",
                        diagnosis.knowledge->drift_sd);
  if (const std::string phrase = diagnosis.knowledge->now.rewards()->phrase(); !phrase.empty())
    text += fmt::format("  {}\n", phrase);
  for (const std::string& note : belief::notes_on_prior(*diagnosis.knowledge)) text += "  " + note + "\n";
  text += fmt::format("  mean rewards: sd {}; transition rows: worth {} observations\n",
                      range_of(diagnosis.knowledge->before.prior().reward_sd),
                      range_of(diagnosis.knowledge->before.prior().transition_strength));
  return text;
}

std::string text_of_uncertainty(const DiagnoseView& view) {
  const Diagnosis& diagnosis = view.diagnosis;
  const gap::Pvv& now = diagnosis.pilot ? diagnosis.pilot->pvv : diagnosis.pvv_prior;
  std::string text = fmt::format("How sure is that policy's own value{}: give or take {:.4g}",
                                 diagnosis.pilot ? " after the pilot" : "", std::sqrt(now.total));
  text += fmt::format(
      " (one standard deviation)\n  variance {}: {} from rewards, {} from transitions; weights {}\n",
      with_error(now.total, now.standard_error), percent(now.total > 0 ? now.reward / now.total : 0),
      percent(now.total > 0 ? now.transition / now.total : 0), gap::to_string(diagnosis.weights_method));
  if (diagnosis.pilot)
    text += fmt::format("  before the pilot it was {:.4g}\n", std::sqrt(diagnosis.pvv_prior.total));
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
      "What knowing the truth would be worth (per unit, discounted; {} drawn models)\n", evpi.draws);
  text += fmt::format("  {:<18} in all\n", with_error(evpi.total.mean, evpi.total.standard_error));
  text += fmt::format("  {:<18} where {} goes: waiting and updating can earn it\n",
                      with_error(evpi.local.mean, evpi.local.standard_error),
                      diagnosis.pilot ? "the updated policy" : "the policy");
  text += fmt::format("  {:<18} where it practically never goes: only an experiment can\n",
                      with_error(evpi.reach.mean, evpi.reach.standard_error));
  if (diagnosis.pilot) {
    text += fmt::format("  {:<18} is already earned by updating the policy with the pilot's data\n",
                        fmt::format("{:.4g}", diagnosis.pilot->update_gain));
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
    text += fmt::format(
        " {:>7}  {:>7.3g}  {:<18} {:>8.6g}  {}\n", percent(diagnosis.contributions[k] / total),
        diagnosis.epi[k],
        fmt::format("{:.4g} +- {:.3g}", mdp.reward()[k], diagnosis.knowledge->before.prior().reward_sd[k]),
        seen, pair_name(mdp, k));
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
  return fmt::format("from {}: {} ({:.3g} step{}, gives up {:.3g})", state_of(mdp, steps.front().state), way,
                     route.expected_steps, route.expected_steps == 1 ? "" : "s", route.loss);
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
      "The policy will practically never see {} of {} (under {:g} % of its time; {} impossible under it). "
      "Waiting\n"
      "tells nothing about them. The most wanted, by where the best policies of drawn models spend their "
      "time:\n",
      unreached.size(), count(mdp.states(), "state"), 100 * diagnosis.reach.threshold, impossible);
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
        "  {} {}: {}, n = {}, p = {:.2g} (Bonferroni {:.2g}{})\n", test.flagged ? "refuted" : "suspect",
        pair_name(mdp, residual.pair), what, residual.count, test.p_value, test.bonferroni,
        test.flagged ? "" : fmt::format(", Benjamini-Hochberg {:.2g}", test.benjamini_hochberg));
  };
  line(residual.reward_test,
       fmt::format("reward off by {:.4g} +- {:.2g}", residual.reward, residual.reward_standard_error));
  line(residual.transition_test, fmt::format("next states off by {:.3g} in L1", residual.transition));
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
      "  {} of {} tests refute the simulator with an overall error of at most {:g} (rewards: {} law; "
      "next states: exact binomial)\n",
      flags, pilot.residuals.tests, pilot.residuals.level, gap::to_string(pilot.residuals.p_method));
  for (std::size_t i = 0; i < order.size() && (view.top == 0 || i < view.top); ++i) {
    text += text_of_residual(mdp, *order[i]);
  }
  for (std::size_t i = 0; i < pilot.off_support.size() && (view.top == 0 || i < view.top); ++i) {
    const belief::OffSupport& off = pilot.off_support[i];
    text += fmt::format("  seen though the simulator calls it impossible: {} -> {}, {} time{}\n",
                        pair_name(mdp, off.pair), state_of(mdp, off.next_state), off.count,
                        off.count == 1 ? "" : "s");
  }
  text += fmt::format(
      "  largest residuals: reward {:.4g}, next states {:.3g} in L1 (noise adds to both); crossover {:.3g}: "
      "above\n"
      "  1 errors in where actions lead weigh more than errors in rewards, below 1 less\n",
      pilot.residuals.largest->reward, pilot.residuals.largest->transition, pilot.crossover_horizon);
  text += fmt::format(
      "  with {:g} % confidence the model refined by the pilot's averages values any policy that uses "
      "covered pairs only\n"
      "  to within {:.4g} of the truth{}\n",
      100 * (1 - pilot.bound.delta), pilot.covered_bound,
      pilot.covered_pairs < mdp.pairs() ? "; about other policies the pilot proves nothing" : "");
  return text;
}

std::string text_of_truth(const DiagnoseView& view) {
  const gap::TruthFindings& truth = *view.diagnosis.truth;
  const gap::ErrorChain& errors = truth.errors;
  std::string text = "Against the truth (largest over pairs: reward, next states in L1)\n";
  const auto line = [&](const char* what, double reward, double transition, const char* why) {
    text += fmt::format("  {:<22} {:>10.6g} {:>10.6g}  {}\n", what, reward, transition, why);
  };
  const auto error = [&](const char* what, const gap::PairErrors& e, const char* why) {
    line(what, e.largest.reward, e.largest.transition, why);
  };
  error("simulator's error", errors.total, "simulator against what a randomised trial would estimate");
  error("shift", errors.shift_error, "history's law against that of now");
  error("  confounding", errors.confounding, "history's actions followed the hidden state");
  error("  drift", errors.drift, "the hidden state's law has moved");
  error("residual", errors.residual_error, "the simulator against history's law");
  line("history", errors.history_error.reward.value, errors.history_error.transition.value,
       "what the step before would tell beside the state");
  text += fmt::format(
      "  values are off by at most {:.6g} at any state, for any policy (the paper's bound: {:.6g})\n",
      truth.simulation_lemma_bound, truth.simulation_lemma_bound_paper);
  text += fmt::format("  the policy was promised {:.6g}, earns {:.6g}; the best policy earns {:.6g}\n",
                      truth.value.promised, truth.value.achieved, truth.value.optimal);
  text += fmt::format(
      "    of the difference to the promise: rewards {:+.4g}, transitions {:+.4g}, both {:+.4g}, policy "
      "{:+.4g}\n",
      truth.value.reward, truth.value.transition, truth.value.interaction, truth.value.policy);
  text += fmt::format(
      "  of the {:.6g} it leaves, {:.6g} lies where it goes (local), {:.6g} where it never goes (reach)\n",
      truth.value.policy, truth.gap.local_gap, truth.gap.reach_gap);
  return text;
}

std::string text_of_contraction(const gap::Contraction& contraction) {
  return fmt::format(
      "The hidden state's past: spectral radius {:.6g}; after {} its influence is at most {:.3g} of what it "
      "was\n{}",
      contraction.spectral_radius, count(contraction.steps, "step"), contraction.norm,
      contraction.contracting ? ""
                              : "  it does not fade: no bound on the error of forgetting history applies\n");
}

std::string text_of_assumptions(const DiagnoseView& view) {
  const Diagnosis& diagnosis = view.diagnosis;
  std::string text = "What these numbers assume\n";
  text +=
      "  - pairs are wrong independently of each other; if neighbours err together, waiting tells more than "
      "said here\n";
  text += diagnosis.pilot && !diagnosis.pilot->off_support.empty()
              ? "  - the truth moves only where the simulator says it can, WHICH THE PILOT REFUTES: repair "
                "its transitions first\n"
              : "  - the truth moves only where the simulator says it can\n";
  text += "  - the variance of the policy's value is a first-order one (docs/math/pvv.md)\n";
  if (diagnosis.knowledge->source == belief::PriorSource::coverage) {
    text += fmt::format(
        "  - history's propensity odds stay within 1/{0:g} and {0:g}; a larger odds constant widens the "
        "prior "
        "of every pair that history saw\n",
        diagnosis.knowledge->odds);
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
  text += text_of_pairs(view);
  text += text_of_unreached(view);
  if (view.diagnosis.pilot) text += text_of_pilot(view);
  if (view.diagnosis.truth) text += text_of_truth(view);
  if (view.contraction) text += text_of_contraction(*view.contraction);
  text += text_of_assumptions(view);
  return text;
}

}  // namespace mindgap::view

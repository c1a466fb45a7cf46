#include <algorithm>
#include <cmath>
#include <numeric>

#include "mindgap/view/checks.h"
#include "mindgap/view/diagnose.h"
#include "mindgap/view/prior_implies.h"
#include "mindgap/view/shared_errors.h"

namespace mindgap::view {
namespace {

using gap::Diagnosis;
using mdp::Mdp;

Json error_json(const gap::ModelError& error) {
  return {{"reward", error.reward}, {"transition", error.transition}};
}

void add_evpi(const Diagnosis& diagnosis, Json& json) {
  const auto put = [&](const std::string& key, const gap::Estimate* estimate) {
    json[key] = estimate ? Json(estimate->mean) : Json(nullptr);
    json[key + "_se"] = estimate ? Json(estimate->standard_error) : Json(nullptr);
  };
  const gap::Evpi* evpi = diagnosis.evpi ? &*diagnosis.evpi : nullptr;
  put("evpi", evpi ? &evpi->total : nullptr);
  put("evpi_local", evpi ? &evpi->local : nullptr);
  put("evpi_reach", evpi ? &evpi->reach : nullptr);
  json["evpi_draws"] = evpi ? evpi->draws : 0;
}

void add_reach(const DiagnoseView& view, Json& json) {
  const Mdp& mdp = view.model.mdp;
  const Diagnosis& diagnosis = view.diagnosis;
  Json names = Json::array(), routes = Json::array();
  for (const gap::Route& route : diagnosis.routes.unreached) names.push_back(mdp.state_name(route.state));
  for (const std::size_t i : by_importance(diagnosis)) {
    if (view.top > 0 && routes.size() == view.top) break;
    const gap::Route& route = diagnosis.routes.unreached[i];
    Json entry;
    entry["state"] = mdp.state_name(route.state);
    entry["possible"] = route.possible;
    entry["possible_under_policy"] = route.possible_under_policy;
    if (diagnosis.evpi) entry["optimal_visitation"] = diagnosis.evpi->optimal_visitation[route.state];
    entry["loss"] = route.found ? Json(route.loss) : Json(nullptr);
    entry["expected_steps"] = route.found ? Json(route.expected_steps) : Json(nullptr);
    Json steps = Json::array();
    for (const gap::RouteStep& step : route_to(diagnosis, route)) {
      steps.push_back({{"state", mdp.state_name(step.state)}, {"action", mdp.action_name(step.action)}});
    }
    entry["route"] = steps;
    routes.push_back(entry);
  }
  json["unreached_states"] = names;
  json["routes"] = routes;
  json["support_threshold"] = diagnosis.reach.threshold;
}

void add_ranking(const DiagnoseView& view, Json& json) {
  const Mdp& mdp = view.model.mdp;
  const Diagnosis& diagnosis = view.diagnosis;
  Json epi = Json::array(), contributions = Json::array();
  for (const std::int32_t pair : largest(diagnosis.epi, view.top)) {
    Json entry = json_of_pair(mdp, pair);
    entry["epi"] = diagnosis.epi[pair];
    epi.push_back(entry);
  }
  for (const std::int32_t pair : largest(diagnosis.contributions, view.top)) {
    Json entry = json_of_pair(mdp, pair);
    entry["pvv"] = diagnosis.contributions[pair];
    contributions.push_back(entry);
  }
  json["epi"] = epi;
  json["pvv_contributions"] = contributions;
  json["pvv_prior"] = diagnosis.pvv_prior.total;
  json["pvv_prior_se"] = diagnosis.pvv_prior.standard_error;
  json["pvv_prior_rewards"] = diagnosis.pvv_prior.reward;
  json["pvv_prior_transitions"] = diagnosis.pvv_prior.transition;
  json["weights_method"] = std::string(gap::to_string(diagnosis.weights_method));
  json["unmeasured_share"] = diagnosis.unmeasured_share;
}

Json test_json(const gap::TestResult& test) {
  return {{"p_value", test.p_value},
          {"p_bonferroni", test.bonferroni},
          {"p_benjamini_hochberg", test.benjamini_hochberg},
          {"flagged", test.flagged},
          {"discovered", test.discovered}};
}

void add_pilot(const DiagnoseView& view, Json& json) {
  const Mdp& mdp = view.model.mdp;
  const gap::PilotFindings& pilot = *view.diagnosis.pilot;
  Json residuals = Json::array(), flagged = Json::array(), impossible = Json::array();
  for (const gap::PairResidual& residual : pilot.residuals.pairs) {
    Json entry = json_of_pair(mdp, residual.pair);
    entry["count"] = residual.count;
    entry["reward"] = residual.reward;
    entry["reward_standard_error"] = finite_or_null(residual.reward_standard_error);
    entry["reward_test"] = test_json(residual.reward_test);
    entry["transition"] = residual.transition;
    entry["transition_test"] = test_json(residual.transition_test);
    residuals.push_back(entry);
    for (const auto& [what, test] :
         {std::pair{"reward", residual.reward_test}, std::pair{"transition", residual.transition_test}}) {
      if (!test.flagged && !test.discovered) continue;
      Json flag = json_of_pair(mdp, residual.pair);
      flag["what"] = what;
      flag["bonferroni"] = test.flagged;
      flag["benjamini_hochberg"] = test.discovered;
      flagged.push_back(flag);
    }
  }
  for (const belief::OffSupport& off : pilot.off_support) {
    Json entry = json_of_pair(mdp, off.pair);
    entry["next_state"] = mdp.state_name(off.next_state);
    const auto whole = static_cast<std::int64_t>(off.count);
    entry["count"] = static_cast<double>(whole) == off.count ? Json(whole) : Json(off.count);
    impossible.push_back(entry);
  }
  json["log_rows"] = pilot.rows;
  json["covered_pairs"] = pilot.covered_pairs;
  json["p_method"] = std::string(gap::to_string(pilot.residuals.p_method));
  json["level"] = pilot.residuals.level;
  json["residuals"] = residuals;
  json["flagged"] = flagged;
  json["epsilon_r"] = pilot.residuals.largest ? Json(pilot.residuals.largest->reward) : Json(nullptr);
  json["epsilon_p"] = pilot.residuals.largest ? Json(pilot.residuals.largest->transition) : Json(nullptr);
  json["crossover_horizon"] = finite_or_null(pilot.crossover_horizon);
  json["post_pilot_bound"] = finite_or_null(pilot.bound.bound);
  json["post_pilot_bound_covered"] = finite_or_null(pilot.covered_bound);
  json["pvv_posterior"] = pilot.pvv.total;
  json["pvv_posterior_se"] = pilot.pvv.standard_error;
  json["update_gain"] = pilot.update_gain;
  json["impossible_transitions"] = impossible;
  json["large_reward_lines"] = view.large_reward_lines;
  json["repeated_lines"] = view.repeated_lines;
  json["censored_rewards"] = pilot.censored_rewards;
}

void add_truth(const DiagnoseView& view, Json& json) {
  const Mdp& mdp = view.model.mdp;
  const gap::TruthFindings& truth = *view.diagnosis.truth;
  const gap::ErrorChain& errors = truth.errors;
  json["total_error"] = error_json(errors.total.largest);
  json["shift_error"] = error_json(errors.shift_error.largest);
  json["confounding"] = error_json(errors.confounding.largest);
  json["drift"] = error_json(errors.drift.largest);
  json["residual_error"] = error_json(errors.residual_error.largest);
  json["history_error"] = {{"reward", errors.history_error.reward.value},
                           {"transition", errors.history_error.transition.value}};
  Json pairs = Json::array();
  for (std::int32_t k = 0; k < mdp.pairs(); ++k) {
    Json entry = json_of_pair(mdp, k);
    const auto put = [&](const char* key, const gap::PairErrors& error) {
      entry[key] = error_json({error.reward[k], error.transition[k]});
    };
    put("total_error", errors.total);
    put("shift_error", errors.shift_error);
    put("confounding", errors.confounding);
    put("drift", errors.drift);
    put("residual_error", errors.residual_error);
    entry["do_variance"] = truth.do_variance[k];
    pairs.push_back(entry);
  }
  json["pairs"] = pairs;
  json["simulation_lemma_bound"] = truth.simulation_lemma_bound;
  json["simulation_lemma_bound_paper"] = truth.simulation_lemma_bound_paper;
  json["value_gap"] = truth.value.policy;
  json["value_decomposition"] = {{"reward", truth.value.reward},
                                 {"transition", truth.value.transition},
                                 {"policy", truth.value.policy},
                                 {"interaction", truth.value.interaction}};
  json["local_gap"] = truth.gap.local_gap;
  json["reach_gap"] = truth.gap.reach_gap;
}

}  // namespace

std::vector<std::int32_t> largest(std::span<const double> values, std::size_t top) {
  std::vector<std::int32_t> order;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (values[i] > 0) order.push_back(static_cast<std::int32_t>(i));
  }
  const auto before = [&](std::int32_t a, std::int32_t b) {
    return values[a] != values[b] ? values[a] > values[b] : a < b;
  };
  const std::size_t shown = top == 0 ? order.size() : std::min(top, order.size());
  std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(shown), order.end(), before);
  order.resize(shown);
  return order;
}

std::vector<std::size_t> by_importance(const Diagnosis& diagnosis) {
  const auto& unreached = diagnosis.routes.unreached;
  std::vector<std::size_t> order(unreached.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (!diagnosis.evpi) return order;
  const std::vector<double>& wanted = diagnosis.evpi->optimal_visitation;
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return wanted[unreached[a].state] > wanted[unreached[b].state];
  });
  return order;
}

std::vector<gap::RouteStep> route_to(const Diagnosis& diagnosis, const gap::Route& route) {
  if (!route.found) return {};
  return diagnosis.routes.path(route.state);
}

Json json_of(const DiagnoseView& view) {
  const Diagnosis& diagnosis = view.diagnosis;
  Json json = json_of_model(view.model);
  json["sop_value"] = diagnosis.sop.value_at_start;
  json["sop_bounds"] = diagnosis.sop.bounds;
  json["prior_source"] = diagnosis.knowledge->source == belief::PriorSource::coverage ? "coverage" : "stated";
  json["odds"] = diagnosis.knowledge->odds;
  json["drift_sd"] = diagnosis.knowledge->drift_sd;
  json["notes"] = notes_on_prior(*diagnosis.knowledge);
  if (!diagnosis.knowledge->now.shared().none()) json["shared_errors"] = json_of_shared(*diagnosis.knowledge);
  if (diagnosis.knowledge->now.ensemble() != nullptr)
    json["ensemble"] = json_of_ensemble(view.model, *diagnosis.knowledge);
  add_evpi(diagnosis, json);
  add_ranking(view, json);
  add_reach(view, json);
  if (diagnosis.pilot) add_pilot(view, json);
  if (diagnosis.truth) add_truth(view, json);
  json["checks"] = json_of_checks(view);
  if (view.contraction) {
    json["contraction"] = {{"spectral_radius", view.contraction->spectral_radius},
                           {"contracting", view.contraction->contracting},
                           {"steps", view.contraction->steps},
                           {"norm", finite_or_null(view.contraction->norm)}};
  }
  json["warnings"] = view.warnings;
  return json;
}

}  // namespace mindgap::view

#include "mindgap/planner/fisher_listing.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "mindgap/base/distributions.h"
#include "mindgap/base/error.h"
#include "mindgap/base/listener.h"
#include "mindgap/belief/prior_strength.h"
#include "mindgap/design/coordinate_descent.h"
#include "mindgap/design/occupancy.h"
#include "mindgap/gap/pvv.h"
#include "mindgap/mdp/solve.h"
#include "mindgap/mdp/without_rows.h"
#include "mindgap/planner/learning_planner.h"

namespace mindgap::planner {
namespace {

constexpr double kListedSd = 1, kListedStrength = 2, kListedShape = 2;  // sigma_0, alpha_0, alpha_0 of NIG
constexpr std::int64_t kListedRollouts = 100, kListedReplan = 10;

struct Listed {
  bool dedicated = false;  // explorers of their own, no random pilot
  bool trace = false;
};

// The mean of rows Dirichlet(1 + alpha p).
mdp::Mdp with_ones(const mdp::Mdp& simulator) {
  mdp::MdpArrays arrays = mdp::without_rows(simulator);
  const std::int32_t states = simulator.states();
  for (std::int32_t k = 0; k < simulator.pairs(); ++k) {
    std::vector<double> row(static_cast<std::size_t>(states), 1 / (states + kListedStrength));
    for (const std::int64_t i : simulator.entries_of(k))
      row[simulator.next_state()[i]] +=
          kListedStrength * simulator.probability()[i] / (states + kListedStrength);
    for (std::int32_t s = 0; s < states; ++s) {
      arrays.next_state.push_back(s);
      arrays.probability.push_back(row[s]);
    }
    arrays.row_begin.push_back(static_cast<std::int64_t>(arrays.next_state.size()));
  }
  return mdp::Mdp(std::move(arrays));
}

Setting with_listed_belief(const Setting& setting) {
  const mdp::Mdp& simulator = setting.belief.simulator();
  if (simulator.states() > kMostListedStates) {
    throw InvalidArgument(fmt::format(
        "the paper's listing of Fisher-SEP keeps a probability for every state in every row: {} states, but "
        "at "
        "most {} are possible. Leave out fisher-listing, fisher-listing-explorers and fisher-trace",
        simulator.states(), kMostListedStates));
  }
  if (simulator.discount() >= 1)
    throw InvalidArgument("the paper's listing of Fisher-SEP needs a discount below 1");
  const auto pairs = static_cast<std::size_t>(simulator.pairs());
  Setting listed = setting;
  const std::span<const double> variance = setting.belief.observation_variance();
  listed.belief = belief::Belief(with_ones(simulator),
                                 {std::vector<double>(pairs, kListedSd),
                                  std::vector<double>(pairs, simulator.states() + kListedStrength)},
                                 {variance.begin(), variance.end()}, {.unseen = {.share = 0}});
  listed.begin = nullptr;
  return listed;
}

class ListedFisher final : public LearningPlanner {
 public:
  ListedFisher(const Setting& setting, const Listed& how)
      : LearningPlanner(with_listed_belief(setting)),
        how_(how),
        simulator_(setting.belief.simulator()),
        stated_(belief_.observation_variance().begin(), belief_.observation_variance().end()),
        pilot_steps_(how.dedicated ? 0 : options_.pilot_steps),
        exploit_from_(pilot_steps_ + options_.explore_steps),
        counts_(std::max<double>(1, std::floor(1 / (1 - simulator_.discount())))),
        seen_(stated_.size()) {
    const double wanted = options_.explorer_share * static_cast<double>(setting.units);
    if (how.dedicated && wanted > 0)
      explorers_ = std::clamp<std::int64_t>(std::llround(wanted), 1, setting.units);
  }

  void choose(std::int64_t step, std::span<const std::int32_t> state, std::span<std::int32_t> pair) override {
    if (sop_.empty()) begin(step);
    if (due_) {
      replan(step, state);
      due_ = false;
    }
    act(step, state, pair);
  }

  void observe(std::int64_t step, const StepSeen& seen) override {
    LearningPlanner::observe(step, seen);
    for (std::size_t u = 0; u < seen.pair.size() && step < exploit_from_; ++u)
      add(seen_[seen.pair[u]], seen.reward[u], seen.weight_of(u));
    due_ = due_ || step % kListedReplan == 0;
  }

 protected:
  void replan(std::int64_t step, std::span<const std::int32_t>) override {
    const mdp::Mdp mean = belief_.mean();
    replanner_.plan(mean);
    if (step >= exploit_from_) return;
    std::vector<double> variance;
    for (std::size_t k = 0; k < seen_.size(); ++k) variance.push_back(variance_now(k));
    explore(mean, std::move(variance), step);
  }

  void act(std::int64_t step, std::span<const std::int32_t> state, std::span<std::int32_t> pair) override {
    const bool exploring = step < exploit_from_;
    follow(replanner_.pair_of_state().empty() || (how_.dedicated && exploring)
               ? std::span<const std::int32_t>(sop_)
               : replanner_.pair_of_state(),
           state, pair);
    if (!exploring) return;
    const std::size_t explorers =
        how_.dedicated ? std::min(state.size(), static_cast<std::size_t>(explorers_)) : state.size();
    for (std::size_t u = 0; u < explorers; ++u) {
      base::Stream words = stream(u, step);
      if (step < pilot_steps_) {
        pair[u] = uniform_pair(simulator_, state[u], words);
      } else if (how_.dedicated || base::uniform(words) < options_.explore_probability) {
        pair[u] = draw_pair(simulator_, explorer_, state[u], words);
      }
    }
  }

 private:
  void begin(std::int64_t step) {
    const mdp::Policy policy = mdp::solve(simulator_, {.tolerance = options_.tolerance, .threads = 1}).policy;
    sop_.assign(policy.pair_of_state().begin(), policy.pair_of_state().end());
    const std::vector<double> sensitivity =
        gap::pvv_weights(simulator_, policy, {.run = {.threads = 1}}).reward;
    kappa_ = belief::self_consistency_strength(rollout_variances(), stated_, sensitivity);
    if (step >= exploit_from_) return;
    std::vector<double> variance;
    for (std::size_t k = 0; k < stated_.size(); ++k) variance.push_back(stated_[k] / kappa_[k]);  // 1 / I_0
    explore(simulator_, std::move(variance), step);
  }

  // Of rewards in the simulator's own rollouts; as stated where fewer than two were drawn.
  std::vector<double> rollout_variances() const {
    std::vector<belief::SampleSummary> drawn(stated_.size());
    const std::span<const double> start = simulator_.start();
    for (std::int64_t i = 0; i < kListedRollouts; ++i) {
      base::Stream words = stream(~std::size_t{0} - 1, i);
      std::int32_t state = base::categorical(words, start);
      for (std::int64_t t = 0; t < static_cast<std::int64_t>(counts_); ++t) {
        const std::int32_t k = i % 2 == 0 ? sop_[state] : uniform_pair(simulator_, state, words);
        add(drawn[k], simulator_.reward()[k] + std::sqrt(stated_[k]) * base::normal(words));
        const mdp::Row row = simulator_.row(k);
        state = row.next_state[static_cast<std::size_t>(base::categorical(words, row.probability))];
      }
    }
    std::vector<double> variance;
    for (std::size_t k = 0; k < drawn.size(); ++k)
      variance.push_back(drawn[k].count > 1 ? drawn[k].squared_deviations / (drawn[k].count - 1)
                                            : stated_[k]);
    return variance;
  }

  double variance_now(std::size_t k) const {
    if (stated_[k] <= 0) return 0;
    const belief::NormalInverseGamma prior{simulator_.reward()[k], kappa_[k], kListedShape,
                                           kListedShape * stated_[k]};
    return belief::variance(belief::update(prior, seen_[k]));
  }

  void explore(const mdp::Mdp& model, std::vector<double> variance, std::int64_t step) {
    base::interruption_point();
    const std::vector<double> start(simulator_.start().begin(), simulator_.start().end());
    const auto occupancies = design::discounted_occupancies(model, start, counts_, 1);
    gap::Precision prior;
    prior.reward_variance = std::move(variance);
    for (const double v : stated_)
      prior.observation_precision.push_back(v > 0 ? 1 / v : std::numeric_limits<double>::infinity());
    prior.transition_strength.assign(stated_.size(), std::numeric_limits<double>::infinity());
    design::CoordinateDescentOptions options;
    options.target_is_explorer = true;
    options.fisher_trace = how_.trace;
    options.block = design::Block::rewards;
    options.initial_pi = explorer_;
    options.run.seed = stream(~std::size_t{0}, step).next();  // no unit's own
    options.run.threads = 1;
    explorer_ = design::coordinate_descent({}, prior, *occupancies, options).pi;
  }

  const Listed how_;
  const mdp::Mdp simulator_;
  const std::vector<double> stated_;  // variance of one reward
  const std::int64_t pilot_steps_, exploit_from_;
  const double counts_;  // T
  std::int64_t explorers_ = 0;
  std::vector<std::int32_t> sop_;
  std::vector<double> kappa_;                // kappa_0
  std::vector<belief::SampleSummary> seen_;  // rewards until exploiting
  std::vector<double> explorer_;             // a probability per pair
  bool due_ = false;
};

}  // namespace

std::unique_ptr<Planner> make_fisher_listing(const Setting& setting) {
  return std::make_unique<ListedFisher>(setting, Listed{});
}

std::unique_ptr<Planner> make_fisher_listing_explorers(const Setting& setting) {
  return std::make_unique<ListedFisher>(setting, Listed{.dedicated = true});
}

std::unique_ptr<Planner> make_fisher_trace(const Setting& setting) {
  return std::make_unique<ListedFisher>(setting, Listed{.dedicated = true, .trace = true});
}

}  // namespace mindgap::planner

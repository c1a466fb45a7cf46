#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "mindgap/base/random.h"
#include "mindgap/belief/forgetting.h"
#include "mindgap/planner/planner.h"
#include "mindgap/planner/replanner.h"

namespace mindgap::planner {

/// What planners that learn have in common: every unit's observations move one belief, which is looked at
/// every replan_every steps, from step 0 on, and at the first choice, whichever step that is. Where the
/// options say so the belief forgets: at each look it is what is left of all observations by then.
class LearningPlanner : public Planner {
 public:
  /// Throws InvalidArgument where the setting's options or numbers are out of their domain.
  explicit LearningPlanner(const Setting& setting);

  void choose(std::int64_t step, std::span<const std::int32_t> state, std::span<std::int32_t> pair) override;
  void observe(std::int64_t step, const StepSeen& seen) override;

 protected:
  /// The look that is due at a step, unless it was made when that step was prepared.
  void look(std::int64_t step, std::span<const std::int32_t> state);
  /// Whether one is.
  bool is_due(std::int64_t step) const { return !planned_ || step % options_.replan_every == 0; }
  bool has_looked(std::int64_t step) const { return looked_ == step; }
  /// Makes looks with those that the setting says.
  void join(const Setting& setting) {
    if (setting.together) replanner_.join(setting.together->lanes(), setting.place);
  }

  /// Called at steps 0, replan_every, 2 replan_every, ... and at the first choice, before act().
  virtual void replan(std::int64_t step, std::span<const std::int32_t> state) = 0;
  /// The choices of one step. By default every unit follows `replanner_`'s policy, where replan() has made
  /// none that of the mean.
  virtual void act(std::int64_t step, std::span<const std::int32_t> state, std::span<std::int32_t> pair);

  /// Every unit takes the pair that a policy has in its state.
  static void follow(std::span<const std::int32_t> pair_of_state, std::span<const std::int32_t> state,
                     std::span<std::int32_t> pair);
  /// The pairs that were observed since the last call, each once; valid until the next.
  std::span<const std::int32_t> take_observed();
  /// The model of posterior means as it is now; valid until the next call. take_observed() is what it was
  /// brought up to date with, and must not be called besides.
  struct Mean {
    mdp::Numbers numbers;
    std::span<const std::int32_t> updated;
    bool row_by_row;  // nothing else changed
  };
  Mean update_mean();
  /// Replans for it; nothing else may be planned for by `replanner_` then. `from` as in Replanner::plan().
  void plan_for_mean(From from = {});
  /// The number of the first of `draws` models that the replan at this step may draw from the belief with the
  /// planner's seed; no two replans of any two trials (below 2^32) share one.
  std::uint64_t first_draw(std::int64_t step, std::int32_t draws) const;
  /// The draw-th of `draws` models of the replan at this step, 0 <= draw < draws.
  mdp::Mdp draw_model(std::int64_t step, std::int32_t draw = 0, std::int32_t draws = 1) const;
  /// The number of the draw that belongs to a seed (below 2^31) for the whole deployment: the same at every
  /// step, and none that first_draw() gives out as long as a deployment draws fewer than 2^31 models.
  std::uint64_t seed_draw(std::size_t seed) const;
  /// Whether the belief forgets.
  bool forgetting() const { return forgetting_.has_value(); }
  /// One unit's own draws at one step.
  base::Stream stream(std::size_t unit, std::int64_t step) const;

  belief::Belief belief_;
  PlannerOptions options_;
  std::uint64_t seed_, trial_;
  Replanner replanner_;

 private:
  // Takes up what is left of all observations, where the belief forgets.
  void remember();

  std::shared_ptr<const Beginning> begin_;
  std::optional<belief::ForgettingBelief> forgetting_;
  std::optional<belief::RunningModel> mean_;    // once it is planned for
  std::vector<std::uint8_t> is_observed_;       // per pair: since take_observed()
  std::vector<std::int32_t> observed_, taken_;  // those pairs, and those taken last
  bool planned_ = false;
  std::int64_t looked_ = -1;  // the step that is prepared
};

/// The same setting with a belief that forgets, at the rate of options.drift.
Setting that_forgets(const Setting& setting);

/// The same setting. Throws InvalidArgument where its options or numbers are out of their domain.
const Setting& check_setting(const Setting& setting);

/// A pair of `state`, every one as likely. One word of the stream.
std::int32_t uniform_pair(const mdp::Mdp& mdp, std::int32_t state, base::Stream& stream);
/// A pair of `state`, each with its probability (per pair of the model). One word of the stream.
std::int32_t draw_pair(const mdp::Mdp& mdp, std::span<const double> probability, std::int32_t state,
                       base::Stream& stream);

}  // namespace mindgap::planner

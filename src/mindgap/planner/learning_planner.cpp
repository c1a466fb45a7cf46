#include "mindgap/planner/learning_planner.h"

#include "mindgap/base/check.h"
#include "mindgap/base/distributions.h"

namespace mindgap::planner {

const Setting& check_setting(const Setting& setting) {
  setting.options.validate();
  base::check_range("Setting", "units", static_cast<double>(setting.units), 0, 1e9);
  base::check_range("Setting", "horizon", static_cast<double>(setting.horizon), 0, 1e15);
  return setting;
}

std::int32_t uniform_pair(const mdp::Mdp& mdp, std::int32_t state, base::Stream& stream) {
  const auto pairs = mdp.pairs_of(state);
  return pairs.first() +
         static_cast<std::int32_t>(base::uniform_index(stream, static_cast<std::int64_t>(pairs.size())));
}

std::int32_t draw_pair(const mdp::Mdp& mdp, std::span<const double> probability, std::int32_t state,
                       base::Stream& stream) {
  const auto pairs = mdp.pairs_of(state);
  return pairs.first() + base::categorical(stream, base::part_of(probability, pairs));
}

LearningPlanner::LearningPlanner(const Setting& setting)
    : belief_(check_setting(setting).belief),
      options_(setting.options),
      seed_(setting.seed),
      trial_(setting.trial),
      replanner_(setting.options.tolerance),
      begin_(setting.begin),
      is_observed_(static_cast<std::size_t>(belief_.simulator().pairs())) {
  if (begin_) replanner_.begin(begin_->solution);
  if (options_.forgets && options_.drift > 0) forgetting_.emplace(belief_, options_.drift);
}

Setting that_forgets(const Setting& setting) {
  Setting other = setting;
  other.options.forgets = true;
  return other;
}

void LearningPlanner::remember() {
  if (!forgetting_) return;
  belief_ = forgetting_->now();
  for (std::int32_t k = 0; k < belief_.simulator().pairs(); ++k) {
    if (is_observed_[k]) continue;
    is_observed_[k] = 1;  // it is believed less surely, at least
    observed_.push_back(k);
  }
}

void LearningPlanner::choose(std::int64_t step, std::span<const std::int32_t> state,
                             std::span<std::int32_t> pair) {
  if (is_due(step)) look(step, state);
  looked_ = -1;
  act(step, state, pair);
}

void LearningPlanner::look(std::int64_t step, std::span<const std::int32_t> state) {
  if (has_looked(step)) return;
  planned_ = false;  // what an exception breaks off is done again
  remember();
  replan(step, state);
  planned_ = true;
  looked_ = step;
}

void LearningPlanner::observe(std::int64_t, const StepSeen& seen) {
  for (std::size_t u = 0; u < seen.pair.size(); ++u) {
    const mdp::Observation one{.pair = seen.pair[u],
                               .reward = seen.reward[u],
                               .next_state = seen.next_state[u],
                               .weight = seen.weight_of(u)};
    if (forgetting_) {
      forgetting_->observe(one);
    } else {
      belief_.observe(one);
    }
    if (is_observed_[seen.pair[u]]) continue;
    is_observed_[seen.pair[u]] = 1;
    observed_.push_back(seen.pair[u]);
  }
  if (forgetting_) forgetting_->pass(1);
}

void LearningPlanner::act(std::int64_t, std::span<const std::int32_t> state, std::span<std::int32_t> pair) {
  if (replanner_.pair_of_state().empty()) plan_for_mean();
  follow(replanner_.pair_of_state(), state, pair);
}

std::span<const std::int32_t> LearningPlanner::take_observed() {
  for (const std::int32_t k : observed_) is_observed_[k] = 0;
  taken_.swap(observed_);
  observed_.clear();
  return taken_;
}

LearningPlanner::Mean LearningPlanner::update_mean() {
  if (!mean_) mean_ = begin_ ? begin_->mean : belief::RunningModel(belief_);
  const std::span<const std::int32_t> updated = take_observed();
  mean_->update(belief_, updated);
  return {mean_->numbers(), updated, belief_.learns_row_by_row()};
}

void LearningPlanner::plan_for_mean(From from) {
  const Mean mean = update_mean();
  if (mean.row_by_row) {
    replanner_.plan(mean.numbers, mean.updated, false, from);
  } else {
    replanner_.plan(mean.numbers, from);
  }
}

void LearningPlanner::follow(std::span<const std::int32_t> pair_of_state, std::span<const std::int32_t> state,
                             std::span<std::int32_t> pair) {
  for (std::size_t u = 0; u < state.size(); ++u) pair[u] = pair_of_state[state[u]];
}

// Belief::sample has streams (seed, Purpose::belief, draw, pair). Trial i has the draws from (i + 1) 2^32 on,
// as many for each replan as it asks for, and from 2^31 further on those of seeds; those below 2^32 are left
// to diagnoses.
std::uint64_t LearningPlanner::first_draw(std::int64_t step, std::int32_t draws) const {
  const auto replans = static_cast<std::uint64_t>(step / options_.replan_every);
  return ((trial_ + 1) << 32) + replans * static_cast<std::uint64_t>(draws);
}

std::uint64_t LearningPlanner::seed_draw(std::size_t seed) const {
  return ((trial_ + 1) << 32) + (std::uint64_t{1} << 31) + seed;
}

mdp::Mdp LearningPlanner::draw_model(std::int64_t step, std::int32_t draw, std::int32_t draws) const {
  return belief_.sample(seed_, first_draw(step, draws) + static_cast<std::uint64_t>(draw));
}

base::Stream LearningPlanner::stream(std::size_t unit, std::int64_t step) const {
  return base::Stream({seed_, base::Purpose::planner, trial_, unit, static_cast<std::uint64_t>(step)});
}

}  // namespace mindgap::planner

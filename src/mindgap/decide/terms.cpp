#include "mindgap/decide/terms.h"

#include <algorithm>

#include "mindgap/base/check.h"
#include "mindgap/base/distributions.h"
#include "mindgap/base/error.h"

namespace mindgap::decide {
namespace {

constexpr std::uint64_t kCoin = std::uint64_t{1} << 63;

}  // namespace

void Terms::validate(std::int32_t pairs) const {
  base::check_nonnegative("decide", "pilot_cost", pilot_cost);
  base::check_nonnegative("decide", "unit_cost", unit_cost);
  base::check_nonnegative("decide", "unit_step_cost", unit_step_cost);
  base::check_range("decide", "delay", static_cast<double>(delay), 0, 1e9);
  base::check_probability("decide", "uptake", uptake);
  base::check_range("decide", "drift_rate", drift_rate, 0, .999);
  if (pair_cost.empty()) return;
  base::check_size("decide", "pair_cost", pair_cost.size(), static_cast<std::size_t>(pairs));
  base::check_nonnegative("decide", "pair_cost", pair_cost);
}

TermedPlanner::TermedPlanner(std::unique_ptr<planner::Planner> inner, const Plan& plan,
                             std::shared_ptr<const design::Pilot> pilot, const Terms& terms,
                             std::span<const std::int32_t> deployed, std::int64_t units, std::int64_t horizon,
                             std::uint64_t seed, std::uint64_t number)
    : inner_(std::move(inner)),
      pilot_(std::move(pilot)),
      terms_(terms),
      deployed_(deployed),
      experiment_(plan.kind == Kind::experiment),
      everybody_(experiment_ && !plan.is_pilot()),
      follows_(static_cast<std::size_t>(units), 1),
      cost_(static_cast<std::size_t>(horizon), 0.0) {
  for (std::size_t u = 0; u < follows_.size() && terms.uptake < 1; ++u) {
    base::Stream stream({seed, base::Purpose::world, number, u, kCoin});
    follows_[u] = base::uniform(stream) < terms.uptake ? 1 : 0;
  }
  if (!experiment_ || horizon == 0) return;
  const auto taking_part = static_cast<double>(plan.pilot_units > 0 ? plan.pilot_units : units);
  const std::int64_t steps = plan.is_pilot() ? plan.pilot_steps : horizon;
  cost_[0] += terms.pilot_cost + terms.unit_cost * taking_part;
  for (std::int64_t t = 0; t < std::min(steps, horizon); ++t) cost_[t] += terms.unit_step_cost * taking_part;
}

bool TermedPlanner::sent(std::size_t unit, std::int64_t step, std::int32_t state) const {
  return pilot_ && step < pilot_->steps && pilot_->pair(unit, step, state) >= 0;
}

void TermedPlanner::choose(std::int64_t step, std::span<const std::int32_t> state,
                           std::span<std::int32_t> pair) {
  if (pilot_ && step == pilot_->steps + terms_.delay) release();
  inner_->choose(step, state, pair);
  for (std::size_t u = 0; u < state.size(); ++u) {
    const bool on_route = sent(u, step, state[u]);
    if (!on_route && !follows_[u]) pair[u] = deployed_[state[u]];
    if (!terms_.pair_cost.empty() && (on_route || everybody_)) cost_[step] += terms_.pair_cost[pair[u]];
  }
}

void TermedPlanner::Held::add(const planner::StepSeen& seen, std::size_t unit) {
  state.push_back(seen.state[unit]);
  pair.push_back(seen.pair[unit]);
  reward.push_back(seen.reward[unit]);
  next_state.push_back(seen.next_state[unit]);
}

void TermedPlanner::observe(std::int64_t step, const planner::StepSeen& seen) {
  if (!pilot_ || terms_.delay == 0 || step >= pilot_->steps) return inner_->observe(step, seen);
  now_ = {};
  for (std::size_t u = 0; u < seen.pair.size(); ++u)
    (sent(u, step, seen.state[u]) ? late_ : now_).add(seen, u);
  if (!now_.pair.empty()) inner_->observe(step, {now_.state, now_.pair, now_.reward, now_.next_state});
}

void TermedPlanner::release() {
  if (late_.pair.empty()) return;
  inner_->observe(pilot_->steps, {late_.state, late_.pair, late_.reward, late_.next_state});
  late_ = {};
}

}  // namespace mindgap::decide

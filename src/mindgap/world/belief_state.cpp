#include "mindgap/world/belief_state.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "mindgap/base/check.h"
#include "mindgap/base/error.h"
#include "mindgap/base/listener.h"
#include "mindgap/mdp/evaluate.h"
#include "mindgap/mdp/solve.h"
#include "mindgap/world/projection.h"

namespace mindgap::world {
namespace {

double scalar(std::span<const double> a, std::span<const double> b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

std::vector<double> deployment_law(const HiddenModel& world, std::int32_t state) {
  const auto law = world.deployment().subspan(world.cell(state, 0), static_cast<std::size_t>(world.hidden()));
  return {law.begin(), law.end()};
}

bool normalise(std::vector<double>& law) {
  const double sum = std::accumulate(law.begin(), law.end(), 0.0);
  if (!(sum > 0) || !std::isfinite(sum)) return false;
  for (double& p : law) p /= sum;
  return true;
}

// Likelihoods of a reward per h, up to a common factor. Where some cells have no noise, only those that pay
// exactly the reward are possible.
std::vector<double> reward_likelihood(const HiddenModel& world, std::int32_t pair, double reward) {
  const auto hidden = static_cast<std::size_t>(world.hidden());
  std::vector<double> log(hidden), exact(hidden, 0.0);
  bool any_exact = false;
  for (std::size_t h = 0; h < hidden; ++h) {
    const std::size_t c = world.cell(pair, static_cast<std::int32_t>(h));
    const double v = world.variance()[c], off = reward - world.reward()[c];
    if (v > 0) {
      log[h] = -.5 * (std::log(v) + off * off / v);
    } else {
      const bool same = std::abs(off) <= 1e-9 * std::max(1.0, std::abs(reward));
      log[h] = -std::numeric_limits<double>::infinity();
      exact[h] = same ? 1 : 0;
      any_exact = any_exact || same;
    }
  }
  if (any_exact) return exact;
  const double most = *std::max_element(log.begin(), log.end());
  if (!std::isfinite(most)) return std::vector<double>(hidden, 1.0);  // nobody explains it
  for (double& l : log) l = std::exp(l - most);
  return log;
}

}  // namespace

HiddenFilter::HiddenFilter(const HiddenModel& world, std::int32_t state)
    : belief_(deployment_law(world, state)), next_(belief_.size()) {
  normalise(belief_);
}

void HiddenFilter::observe(const HiddenModel& world, std::int32_t pair, double reward,
                           std::int32_t next_state) {
  std::vector<double> weight = reward_likelihood(world, pair, reward);
  bool explained = false;
  for (std::size_t h = 0; h < weight.size(); ++h) {
    weight[h] *= belief_[h];
    explained = explained || weight[h] > 0;
  }
  if (!explained) weight = belief_;
  std::fill(next_.begin(), next_.end(), 0.0);
  for (std::size_t h = 0; h < weight.size(); ++h) {
    if (weight[h] <= 0) continue;
    for (const std::int64_t i : world.entries_of(world.cell(pair, static_cast<std::int32_t>(h)))) {
      if (world.next_state()[i] == next_state)
        next_[world.next_hidden()[i]] += weight[h] * world.probability()[i];
    }
  }
  if (!normalise(next_)) {
    next_ = deployment_law(world, next_state);
    normalise(next_);
  }
  belief_.swap(next_);
}

mdp::Mdp joint_model(const HiddenModel& world) {
  const std::int32_t hidden = world.hidden();
  mdp::MdpArrays arrays;
  arrays.discount = world.discount();
  arrays.reward_max = world.reward_max();
  arrays.actions = world.actions();
  arrays.pair_begin.push_back(0);
  arrays.row_begin.push_back(0);
  for (std::int32_t s = 0; s < world.states(); ++s) {
    for (std::int32_t h = 0; h < hidden; ++h) {
      arrays.start.push_back(world.start()[s] * world.deployment()[world.cell(s, h)]);
      for (const std::int32_t k : world.pairs_of(s)) {
        const std::size_t c = world.cell(k, h);
        arrays.pair_action.push_back(world.pair_action()[k]);
        arrays.reward.push_back(world.reward()[c]);
        for (const std::int64_t i : world.entries_of(c)) {
          arrays.next_state.push_back(world.next_state()[i] * hidden + world.next_hidden()[i]);
          arrays.probability.push_back(world.probability()[i]);
        }
        arrays.row_begin.push_back(static_cast<std::int64_t>(arrays.next_state.size()));
      }
      arrays.pair_begin.push_back(static_cast<std::int32_t>(arrays.pair_action.size()));
    }
  }
  normalise(arrays.start);  // sums to 1 within what a world and a model may be off
  return mdp::Mdp(std::move(arrays));
}

void BeliefStateOptions::validate() const {
  base::check_range("BeliefStateOptions", "rounds", static_cast<double>(rounds), 0, 1e9);
  base::check_nonnegative("BeliefStateOptions", "work", work);
  base::check_positive("BeliefStateOptions", "tolerance", tolerance);
}

BeliefStatePlans::BeliefStatePlans(const HiddenModel& world, const BeliefStateOptions& options)
    : world_(world), plans_(static_cast<std::size_t>(world.states())) {
  options.validate();
  if (world.discount() >= 1) throw InvalidArgument("belief-state planning needs a discount below 1");
  for (std::int32_t k = 0; k < world.pairs(); ++k) bins_.push_back(reward_bins(world, k));
  const mdp::Mdp joint = joint_model(world);
  const auto hidden = static_cast<std::size_t>(world.hidden());
  const mdp::Solution solution = mdp::solve(joint, {.threads = 1});
  known_ = solution.value;
  // Pair j of (s,h) in the joint model is pair j of s.
  const auto joint_pair = [&](std::int32_t k, std::int32_t h) {
    const std::int32_t s = world.state_of_pair(k);
    return joint.pair_begin()[static_cast<std::size_t>(s) * hidden + static_cast<std::size_t>(h)] + k -
           world.pair_begin()[s];
  };
  const std::vector<double> q = mdp::action_values(joint, known_);
  known_action_.resize(static_cast<std::size_t>(world.pairs()) * hidden);
  for (std::int32_t k = 0; k < world.pairs(); ++k) {
    for (std::int32_t h = 0; h < world.hidden(); ++h) known_action_[world.cell(k, h)] = q[joint_pair(k, h)];
  }
  const auto add = [&](const std::vector<std::int32_t>& pair_of_state) {
    std::vector<std::int32_t> pick;
    for (std::int32_t s = 0; s < world.states(); ++s) {
      for (std::int32_t h = 0; h < world.hidden(); ++h) pick.push_back(joint_pair(pair_of_state[s], h));
    }
    std::vector<double> value = mdp::evaluate(joint, mdp::Policy::deterministic(joint, pick)).value;
    for (std::size_t s = 0; s < plans_.size(); ++s) {
      const auto from = value.begin() + static_cast<std::ptrdiff_t>(s * hidden);
      plans_[s].push_back({{from, from + static_cast<std::ptrdiff_t>(hidden)}, pair_of_state[s]});
    }
    return value;
  };
  const mdp::Policy best = mdp::solve(deployment_projection(world), {.threads = 1}).policy;
  observed_ = add({best.pair_of_state().begin(), best.pair_of_state().end()});
  for (std::int32_t h = 0; h < world.hidden(); ++h) {
    std::vector<std::int32_t> pick;
    for (std::int32_t s = 0; s < world.states(); ++s) {
      const auto pairs = world.pairs_of(s);
      pick.push_back(*std::max_element(pairs.begin(), pairs.end(), [&](std::int32_t a, std::int32_t b) {
        return known_action_[world.cell(a, h)] < known_action_[world.cell(b, h)];
      }));
    }
    add(pick);
  }
  double work = options.work;
  const double enough =
      options.tolerance * std::max(1e-300, joint.reward_magnitude()) / (1 - world.discount());
  while (rounds_ < options.rounds && work > 0) {
    base::interruption_point();
    if (round(rounds_++, work) <= enough) break;
  }
}

// The deployment law, even odds, and for every h beliefs that lean towards it more and more.
std::vector<std::vector<double>> BeliefStatePlans::points(std::int32_t state) const {
  const auto hidden = static_cast<std::size_t>(world_.hidden());
  std::vector<std::vector<double>> all = {deployment_law(world_, state),
                                          std::vector<double>(hidden, 1.0 / static_cast<double>(hidden))};
  normalise(all.front());
  if (hidden == 1) return {all.back()};
  for (std::size_t h = 0; h < hidden; ++h) {
    for (const double lean : {.2, .4, .6, .8, .9, .97, 1.0}) {
      std::vector<double> point(hidden, (1 - lean) / static_cast<double>(hidden));
      point[h] += lean;
      all.push_back(std::move(point));
    }
  }
  return all;
}

// sum_h b(h) r(h) + g sum over bins o of the reward and next states s' of
//   max_alpha sum_h b(h) P(o|h) sum_h' K(s',h'|h) alpha(h').
double BeliefStatePlans::backup(std::int32_t pair, std::span<const double> belief, std::vector<double>* value,
                                double& work) const {
  const auto hidden = static_cast<std::size_t>(world_.hidden());
  const RewardBins& bins = bins_[static_cast<std::size_t>(pair)];
  struct Entry {
    std::int32_t next, hidden;
    std::size_t from;  // h
    double probability;
  };
  std::vector<Entry> entries;  // by ascending next state
  double total = 0;
  if (value != nullptr) value->assign(hidden, 0.0);
  for (std::size_t h = 0; h < hidden; ++h) {
    const std::size_t c = world_.cell(pair, static_cast<std::int32_t>(h));
    total += belief[h] * world_.reward()[c];
    if (value != nullptr) (*value)[h] = world_.reward()[c];
    for (const std::int64_t i : world_.entries_of(c))
      entries.push_back({world_.next_state()[i], world_.next_hidden()[i], h, world_.probability()[i]});
  }
  std::stable_sort(entries.begin(), entries.end(),
                   [](const Entry& a, const Entry& b) { return a.next < b.next; });
  for (const std::vector<double>& bin : bins.probability) {
    for (std::size_t first = 0, last = 0; first < entries.size(); first = last) {
      while (last < entries.size() && entries[last].next == entries[first].next) ++last;
      const std::vector<Vector>& plans = plans_[static_cast<std::size_t>(entries[first].next)];
      const Vector* best = nullptr;
      double most = 0;
      for (const Vector& plan : plans) {
        double sum = 0;
        for (std::size_t i = first; i < last; ++i) {
          const Entry& to = entries[i];
          sum += belief[to.from] * bin[to.from] * to.probability * plan.value[to.hidden];
        }
        if (best == nullptr || sum > most) best = &plan, most = sum;
      }
      work -= static_cast<double>((last - first) * plans.size());
      total += world_.discount() * most;
      for (std::size_t i = first; value != nullptr && i < last; ++i) {
        const Entry& to = entries[i];
        (*value)[to.from] += world_.discount() * bin[to.from] * to.probability * best->value[to.hidden];
      }
    }
  }
  return total;
}

// Backs up every state's beliefs, first to last and back again; returns the largest rise.
double BeliefStatePlans::round(std::int64_t number, double& work) {
  double rise = 0;
  for (std::size_t i = 0; i < plans_.size(); ++i) {
    const std::size_t s = number % 2 == 0 ? i : plans_.size() - 1 - i;
    const auto state = static_cast<std::int32_t>(s);
    std::vector<Vector> kept;
    for (const std::vector<double>& point : points(state)) {
      Vector best;
      double most = -std::numeric_limits<double>::infinity();
      for (const Vector& plan : plans_[s]) {
        const double value = scalar(plan.value, point);
        if (value > most) most = value, best = plan;
      }
      std::int32_t pick = -1;
      double found = most;
      for (const std::int32_t k : world_.pairs_of(state)) {
        const double value = backup(k, point, nullptr, work);
        if (value > found) found = value, pick = k;
      }
      if (pick >= 0) {
        rise = std::max(rise, found - most);
        backup(pick, point, &best.value, work);
        best.pair = pick;
      }
      if (std::none_of(kept.begin(), kept.end(), [&](const Vector& v) { return v.value == best.value; }))
        kept.push_back(std::move(best));
    }
    plans_[s] = std::move(kept);
  }
  return rise;
}

std::int32_t BeliefStatePlans::best(std::int32_t state, std::span<const double> belief) const {
  std::int32_t pick = -1;
  double most = 0, work = 0;
  for (const std::int32_t k : world_.pairs_of(state)) {
    const double value = backup(k, belief, nullptr, work);
    if (pick < 0 || value > most) pick = k, most = value;
  }
  return pick;
}

std::int32_t BeliefStatePlans::qmdp(std::int32_t state, std::span<const double> belief) const {
  std::int32_t pick = -1;
  double most = 0;
  for (const std::int32_t k : world_.pairs_of(state)) {
    const double value = scalar(std::span(known_action_).subspan(world_.cell(k, 0), belief.size()), belief);
    if (pick < 0 || value > most) pick = k, most = value;
  }
  return pick;
}

double BeliefStatePlans::value(std::int32_t state, std::span<const double> belief) const {
  double most = -std::numeric_limits<double>::infinity();
  for (const Vector& plan : plans_[static_cast<std::size_t>(state)])
    most = std::max(most, scalar(plan.value, belief));
  return most;
}

double BeliefStatePlans::known_value(std::int32_t state, std::span<const double> belief) const {
  return scalar(std::span(known_).subspan(world_.cell(state, 0), belief.size()), belief);
}

double BeliefStatePlans::observed_value(std::int32_t state, std::span<const double> belief) const {
  return scalar(std::span(observed_).subspan(world_.cell(state, 0), belief.size()), belief);
}

template <typename Value>
double BeliefStatePlans::at_start(const Value& value) const {
  double sum = 0;
  for (std::int32_t s = 0; s < world_.states(); ++s) {
    if (world_.start()[s] > 0) sum += world_.start()[s] * value(s, deployment_law(world_, s));
  }
  return sum;
}

double BeliefStatePlans::value_at_start() const {
  return at_start([&](std::int32_t s, std::span<const double> b) { return value(s, b); });
}
double BeliefStatePlans::known_value_at_start() const {
  return at_start([&](std::int32_t s, std::span<const double> b) { return known_value(s, b); });
}
double BeliefStatePlans::observed_value_at_start() const {
  return at_start([&](std::int32_t s, std::span<const double> b) { return observed_value(s, b); });
}

std::int64_t BeliefStatePlans::vectors() const {
  std::int64_t sum = 0;
  for (const std::vector<Vector>& plans : plans_) sum += static_cast<std::int64_t>(plans.size());
  return sum;
}

}  // namespace mindgap::world

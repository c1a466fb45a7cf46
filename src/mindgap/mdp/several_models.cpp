#include "mindgap/mdp/several_models.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>

#include "mindgap/base/check.h"
#include "mindgap/base/parallel.h"
#include "mindgap/mdp/mean_model.h"
#include "mindgap/mdp/resolvent.h"
#include "mindgap/mdp/solve.h"
#include "mindgap/mdp/start_value.h"

namespace mindgap::mdp {
namespace {

using Pairs = std::vector<std::int32_t>;  // per state

// A policy and what it is worth in every model.
struct Judged {
  Pairs pairs;
  std::vector<double> value;
  double error = 0;
};

// What a change of all models' policy is judged by: a number that is to be large.
using Objective = std::function<double(std::span<const double> model_value)>;

// One state's change to another pair, and the derivative of the mean value in its direction.
struct Change {
  std::int32_t state = 0, pair = 0;
  double gain = 0;
};

double weighted_mean(std::span<const double> weights, std::span<const double> value) {
  return std::inner_product(weights.begin(), weights.end(), value.begin(), 0.0);
}

double least(std::span<const double> value) {
  return *std::ranges::min_element(value);
}

class PolicySearch {
 public:
  PolicySearch(std::span<const Mdp> models, const SeveralModelsOptions& options)
      : models_(models), options_(options), threads_(options.threads) {
    double magnitude = 0;
    for (const Mdp& model : models) magnitude = std::max(magnitude, model.reward_magnitude());
    better_by_ = options.tolerance * magnitude / (1 - models.front().discount());
    solutions_.resize(models.size());
    threads_.for_each_chunk(static_cast<std::int64_t>(models.size()),
                            [&](std::int64_t i) { solutions_[i] = solve(models_[i], {.threads = 1}); });
  }

  // What no policy exceeds, per model.
  std::vector<double> upper_bounds() const {
    std::vector<double> bounds;
    for (const Solution& solution : solutions_) bounds.push_back(solution.bounds[1]);
    return bounds;
  }

  Pairs optimum(std::size_t model) const { return pairs_of(solutions_[model].policy); }
  Pairs optimum_of_mean(std::span<const double> weights) const {
    return pairs_of(solve(mean_model(models_, weights), {.threads = options_.threads}).policy);
  }

  // The best of the searches from several first policies.
  Judged best_average(std::span<const double> weights, const std::vector<Pairs>& first) {
    Judged best;
    for (const Pairs& pairs : first) {
      Judged found = climb(pairs, weights);
      if (best.value.empty() || weighted_mean(weights, found.value) > weighted_mean(weights, best.value))
        best = std::move(found);
    }
    return best;
  }

  // Changes single states as long as that helps; says whether it did.
  bool change_single_states(Judged& now, const Objective& objective, std::int64_t last_evaluation) {
    if (models_.front().states() > options_.single_changes_up_to) return false;
    bool helped = false;
    for (bool again = true; again;) {
      again = false;
      for (std::int32_t s = 0; s < models_.front().states(); ++s) {
        for (const std::int32_t k : models_.front().pairs_of(s)) {
          if (k == now.pairs[s] || evaluations_ >= last_evaluation) continue;
          again = take_if_better(now, {{s, k, 0}}, objective) || again;
        }
      }
      helped = helped || again;
    }
    return helped;
  }

  Judged judge(Pairs pairs) {
    Judged result{std::move(pairs), std::vector<double>(models_.size()), 0};
    const Policy policy = Policy::deterministic(models_.front(), result.pairs);
    std::vector<double> error(models_.size());
    for_each_model([&](std::size_t i) {
      Resolvent resolvent(models_[i], policy);
      std::vector<double> value(result.pairs.size());
      result.value[i] = start_value_of(i, resolvent, value, error[i]);
    });
    result.error = *std::ranges::max_element(error);
    ++evaluations_;
    if (worst_.value.empty() || least(result.value) > least(worst_.value)) worst_ = result;
    return result;
  }

  // Of all policies that were judged, the one with the best worst model.
  const Judged& best_in_worst() const { return worst_; }
  std::int64_t evaluations() const { return evaluations_; }
  double better_by() const { return better_by_; }

  SeveralModelsPolicy result(const Judged& found, double value, double bound,
                             std::span<const double> weights) const {
    return {.policy = Policy::deterministic(models_.front(), found.pairs),
            .model_value = found.value,
            .value = value,
            .error_bound = found.error,
            .upper_bound = std::max(bound, value),  // where rounding has the value a hair above it
            .weights = {weights.begin(), weights.end()},
            .evaluations = evaluations_};
  }

 private:
  static Pairs pairs_of(const Policy& policy) {
    return {policy.pair_of_state().begin(), policy.pair_of_state().end()};
  }

  template <typename Body>
  void for_each_model(Body body) const {
    threads_.for_each_chunk(static_cast<std::int64_t>(models_.size()),
                            [&](std::int64_t i) { body(static_cast<std::size_t>(i)); });
  }

  double start_value_of(std::size_t model, Resolvent& resolvent, std::span<double> value,
                        double& error) const {
    const double bound = resolvent.apply(resolvent.reward(), value) + resolvent.reward_error();
    const StartValue at_start = start_value(models_[model], value, bound);
    error = at_start.error;
    return at_start.value;
  }

  Judged climb(const Pairs& first, std::span<const double> weights) {
    const Objective mean = [&](std::span<const double> value) { return weighted_mean(weights, value); };
    const std::int64_t last_evaluation = evaluations_ + options_.max_evaluations;
    Judged now = judge(first);
    std::size_t at_once = now.pairs.size();
    do {
      while (evaluations_ < last_evaluation && take_promising(now, weights, mean, at_once)) {
      }
    } while (change_single_states(now, mean, last_evaluation));
    return now;
  }

  // The `at_once` most promising changes, or the better half of them, and so on, where that helps. The next
  // time it begins with twice as many as helped.
  bool take_promising(Judged& now, std::span<const double> weights, const Objective& objective,
                      std::size_t& at_once) {
    std::vector<Change> changes = promising(now.pairs, weights);
    changes.resize(std::min(changes.size(), at_once));
    for (; !changes.empty(); changes.resize(changes.size() / 2)) {
      if (!take_if_better(now, changes, objective)) continue;
      at_once = 2 * changes.size();
      return true;
    }
    return false;
  }

  bool take_if_better(Judged& now, const std::vector<Change>& changes, const Objective& objective) {
    Pairs pairs = now.pairs;
    for (const Change& change : changes) pairs[change.state] = change.pair;
    Judged next = judge(std::move(pairs));
    if (!(objective(next.value) > objective(now.value) + better_by_)) return false;
    now = std::move(next);
    return true;
  }

  // The best change of each state that has one with G > 0, largest first.
  std::vector<Change> promising(const Pairs& pairs, std::span<const double> weights) const {
    const Mdp& first = models_.front();
    const auto states = static_cast<std::size_t>(first.states());
    const Policy policy = Policy::deterministic(first, pairs);
    std::vector<double> value(models_.size() * states), visits(models_.size() * states);
    for_each_model([&](std::size_t i) {
      if (weights[i] == 0) return;
      Resolvent resolvent(models_[i], policy);
      resolvent.apply(resolvent.reward(), std::span(value).subspan(i * states, states));
      resolvent.apply_transpose(models_[i].start(), std::span(visits).subspan(i * states, states));
    });
    std::vector<Change> best(states);
    constexpr std::int64_t kGrain = 512;
    base::parallel_for(threads_, first.states(), kGrain, [&](std::int64_t begin, std::int64_t end) {
      for (auto s = static_cast<std::int32_t>(begin); s < end; ++s)
        best[s] = best_change(s, pairs[s], weights, value, visits);
    });
    std::erase_if(best, [&](const Change& change) { return !(change.gain > better_by_); });
    std::ranges::stable_sort(best, std::ranges::greater(), &Change::gain);
    return best;
  }

  Change best_change(std::int32_t s, std::int32_t now, std::span<const double> weights,
                     std::span<const double> value, std::span<const double> visits) const {
    const auto states = static_cast<std::size_t>(models_.front().states());
    Change best{s, now, 0};
    for (const std::int32_t k : models_.front().pairs_of(s)) {
      double gain = 0;
      for (std::size_t i = 0; i < models_.size() && k != now; ++i) {
        const double weight = weights[i] * visits[i * states + static_cast<std::size_t>(s)];
        if (weight == 0) continue;
        const Row row = models_[i].row(k);
        double next = 0;
        for (std::size_t j = 0; j < row.size(); ++j)
          next += row.probability[j] * value[i * states + static_cast<std::size_t>(row.next_state[j])];
        gain += weight * (models_[i].reward()[k] + models_[i].discount() * next -
                          value[i * states + static_cast<std::size_t>(s)]);
      }
      if (gain > best.gain) best = {s, k, gain};
    }
    return best;
  }

  std::span<const Mdp> models_;
  const SeveralModelsOptions& options_;
  base::Threads threads_;
  double better_by_ = 0;
  std::vector<Solution> solutions_;
  std::int64_t evaluations_ = 0;
  Judged worst_;
};

// The models with the largest weights, none of weight 0; ties in their order.
std::vector<std::size_t> heaviest(std::span<const double> weights, std::size_t most) {
  std::vector<std::size_t> order(weights.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::erase_if(order, [&](std::size_t i) { return weights[i] == 0; });
  std::ranges::stable_sort(order, std::ranges::greater(), [&](std::size_t i) { return weights[i]; });
  order.resize(std::min(order.size(), most));
  return order;
}

// w_i <- w_i exp(-rate (V_i - min V) / (max V - min V)), normalised; no change where all values are equal.
void move_to_the_worst(std::vector<double>& weights, std::span<const double> value, double rate) {
  const double low = least(value), range = *std::ranges::max_element(value) - low;
  if (!(range > 0)) return;
  double sum = 0;
  for (std::size_t i = 0; i < weights.size(); ++i)
    sum += weights[i] *= std::exp(-rate * (value[i] - low) / range);
  for (double& w : weights) w /= sum;
}

}  // namespace

std::vector<std::size_t> possible_models(std::span<const double> weights) {
  constexpr double kPossible = 1e-2;
  std::vector<std::size_t> possible;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    if (weights[i] * static_cast<double>(weights.size()) >= kPossible) possible.push_back(i);
  }
  return possible;
}

void SeveralModelsOptions::validate() const {
  base::check_nonnegative("several models", "first_policies", first_policies);
  base::check_range("several models", "max_evaluations", static_cast<double>(max_evaluations), 1, 1e15);
  base::check_nonnegative("several models", "single_changes_up_to", single_changes_up_to);
  base::check_positive("several models", "tolerance", tolerance);
}

void RobustOptions::validate() const {
  search.validate();
  base::check_range("robust_policy", "rounds", static_cast<double>(rounds), 1, 1e9);
}

SeveralModelsPolicy average_policy(std::span<const Mdp> models, std::span<const double> weights,
                                   const SeveralModelsOptions& options) {
  options.validate();
  check_same_pairs(models);
  base::check_size("average_policy", "weights", weights.size(), models.size());
  base::check_simplex("average_policy", "weights", weights);
  PolicySearch search(models, options);
  std::vector<Pairs> first = {search.optimum_of_mean(weights)};
  for (const std::size_t i : heaviest(weights, static_cast<std::size_t>(options.first_policies)))
    first.push_back(search.optimum(i));
  const Judged best = search.best_average(weights, first);
  return search.result(best, weighted_mean(weights, best.value),
                       weighted_mean(weights, search.upper_bounds()), weights);
}

SeveralModelsPolicy robust_policy(std::span<const Mdp> models, const RobustOptions& options) {
  options.validate();
  check_same_pairs(models);
  PolicySearch search(models, options.search);
  const double bound = least(search.upper_bounds());
  const auto size = static_cast<double>(models.size());
  const double rate = std::sqrt(8 * std::log(size) / static_cast<double>(options.rounds));
  std::vector<double> weights(models.size(), 1 / size), answered = weights;
  for (std::size_t i = 0; i < models.size(); ++i) search.judge(search.optimum(i));
  Judged answer = search.best_in_worst();
  for (std::int64_t round = 0; round < options.rounds; ++round) {
    const double before = least(search.best_in_worst().value);
    std::vector<Pairs> first = {answer.pairs};  // later weights differ little from those before
    if (round == 0) first.push_back(search.optimum_of_mean(weights));
    answer = search.best_average(weights, first);
    if (least(search.best_in_worst().value) > before) answered = weights;
    if (least(search.best_in_worst().value) >= bound - search.better_by()) break;
    move_to_the_worst(weights, answer.value, rate);
  }
  Judged best = search.best_in_worst();
  search.change_single_states(best, least, search.evaluations() + options.search.max_evaluations);
  return search.result(best, least(best.value), bound, answered);
}

}  // namespace mindgap::mdp

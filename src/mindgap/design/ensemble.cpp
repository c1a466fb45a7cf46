#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <numeric>

#include "mindgap/base/check.h"
#include "mindgap/design/target.h"
#include "mindgap/gap/member_models.h"
#include "mindgap/mdp/resolvent.h"
#include "mindgap/mdp/solve.h"

namespace mindgap::design {
namespace {

using gap::PvvWeights;
using mdp::Mdp;
using mdp::Policy;

constexpr std::int64_t kExactLimit = 20'000;  // members x states
constexpr std::int64_t kBatch = 16;           // members whose weights are in memory at once
constexpr std::int32_t kGroups = 8;           // of probes at most, as gap::pvv_weights makes them

// Calls make(i) for all i, a batch at a time on all threads, and add(i, result) in order of i.
template <typename Result, typename Make, typename Add>
void in_batches(std::int64_t size, const base::Threads& threads, Make make, Add add) {
  for (std::int64_t begin = 0; begin < size; begin += kBatch) {
    std::vector<Result> results(static_cast<std::size_t>(std::min(kBatch, size - begin)));
    threads.for_each_chunk(static_cast<std::int64_t>(results.size()),
                           [&](std::int64_t i) { results[i] = make(begin + i); });
    for (std::size_t i = 0; i < results.size(); ++i) {
      add(begin + static_cast<std::int64_t>(i), results[i]);
    }
  }
}

void add_scaled(std::vector<double>& sum, double scale, const std::vector<double>& term) {
  if (sum.empty()) sum.resize(term.size());
  for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += scale * term[i];
}

// A target's loads, as a part of a sum of targets.
void add_loads(PvvWeights& sum, double share, const PvvWeights& target) {
  const auto add = [share](std::vector<std::vector<double>>& all, const std::vector<double>& load) {
    all.emplace_back(load);
    for (double& x : all.back()) x *= std::sqrt(share);
  };
  for (const std::vector<double>& load : target.loads) add(sum.loads, load);
  for (const std::vector<double>& load : target.member_loads) add(sum.member_loads, load);
}

// w(s) of a deterministic policy: sum_a W_r(s,a), since pi^2 = pi.
std::vector<double> state_weights(const Mdp& mdp, const PvvWeights& weights) {
  std::vector<double> w(static_cast<std::size_t>(mdp.states()));
  for (std::int32_t s = 0; s < mdp.states(); ++s) {
    for (const std::int32_t k : mdp.pairs_of(s)) w[s] += weights.reward[k];
  }
  return w;
}

// The average of weights, group by group: `groups` and `state` are sums of share w_group and share w until
// finish() divides them.
class Average {
 public:
  Average(const Mdp& mdp, std::int32_t groups) : mdp_(mdp), groups_(static_cast<std::size_t>(groups)) {}

  void add(double share, const PvvWeights& member) {
    add_scaled(sum_.reward, share, member.reward);
    add_scaled(sum_.transition, share, member.transition);
    add_scaled(sum_.visitation, share, member.visitation);
    add_scaled(sum_.value, share, member.value);
    add_loads(sum_, share, member);
    const std::vector<double> w = state_weights(mdp_, member);
    add_scaled(state_, share, w);
    for (std::size_t group = 0; group < groups_.size(); ++group) {
      std::vector<double> of_group = w;  // exact weights are the same in every group
      if (!member.groups.empty()) {
        const auto& factor = member.groups[group];
        for (std::size_t s = 0; s < w.size(); ++s) of_group[s] *= factor[s];
      }
      add_scaled(groups_[group], share, of_group);
    }
    if (member.method == gap::WeightsMethod::probing) sum_.method = gap::WeightsMethod::probing;
  }

  PvvWeights finish() {
    gap::compress_loads(sum_);
    if (sum_.method == gap::WeightsMethod::exact) return std::move(sum_);
    for (auto& group : groups_) {
      for (std::size_t s = 0; s < group.size(); ++s) group[s] = state_[s] > 0 ? group[s] / state_[s] : 0;
    }
    sum_.groups = std::move(groups_);
    return std::move(sum_);
  }

 private:
  const Mdp& mdp_;
  PvvWeights sum_;
  std::vector<double> state_;
  std::vector<std::vector<double>> groups_;
};

// A policy's occupancy and value in the mean model: one transposed and one forward solve.
struct Course {
  std::vector<double> occupancy;  // pi(a|s) (rho'R)(s), per pair
  std::vector<double> value;
};

Course course_of(const Mdp& mdp, const Policy& policy, mdp::LinearMethod linear) {
  mdp::Resolvent resolvent(mdp, policy, {.method = linear});
  Course result{policy.probability_of_pair(mdp), std::vector<double>(static_cast<std::size_t>(mdp.states()))};
  resolvent.apply(resolvent.reward(), result.value);
  std::vector<double> visits(result.value.size());
  resolvent.apply_transpose(mdp.start(), visits);
  for (std::int32_t s = 0; s < mdp.states(); ++s) {
    for (const std::int32_t k : mdp.pairs_of(s)) {
      result.occupancy[k] *= std::max(0.0, visits[s]);
    }
  }
  return result;
}

// The policy's value from the start in every member of an ensemble of models, where there is one.
std::vector<double> values_at_start(const Mdp& mdp, const Policy& policy, const gap::MemberModels* members,
                                    int threads) {
  std::vector<double> at_start;
  if (members == nullptr) return at_start;
  for (const std::vector<double>& value : members->values(policy, threads))
    at_start.push_back(std::inner_product(value.begin(), value.end(), mdp.start().begin(), 0.0));
  return at_start;
}

// Var over the next state of a.occupancy V_a - b.occupancy V_b.
double next_variance(const Mdp& mdp, std::int32_t k, const Course& a, const Course& b) {
  const auto entries = mdp.entries_of(k);
  const double of_a = a.occupancy[k], of_b = b.occupancy[k];
  if (entries.size() == 1 || (of_a == 0 && of_b == 0)) return 0;
  const auto f = [&](std::int64_t i) {
    const std::int32_t next = mdp.next_state()[i];
    return of_a * a.value[next] - of_b * b.value[next];
  };
  double sum = 0, mean = 0, spread = 0;
  for (const std::int64_t i : entries) {
    sum += mdp.probability()[i];
    mean += mdp.probability()[i] * f(i);
  }
  mean /= sum;
  for (const std::int64_t i : entries) {
    spread += mdp.probability()[i] * (f(i) - mean) * (f(i) - mean);
  }
  return spread / sum;
}

void check_shares(const char* function, std::span<const Member> members) {
  std::vector<double> shares;
  for (const Member& member : members) shares.push_back(member.share);
  base::check_simplex(function, "shares of members", shares);
}

}  // namespace

std::vector<Member> draw_members(const belief::Belief& belief, std::int32_t count,
                                 const std::vector<double>& first_guess, const TargetOptions& options) {
  base::check_range("draw_members", "members", count, 1, 1'000'000);
  const base::Threads threads(options.run.threads);
  std::vector<Member> members;
  std::map<std::vector<std::int32_t>, std::size_t> place;
  std::int64_t done = 0;
  in_batches<Policy>(
      count, threads,
      [&](std::int64_t draw) {
        const Mdp model = belief.sample(options.run.seed, static_cast<std::uint64_t>(draw));
        return mdp::solve(model, {.tolerance = options.tolerance, .threads = 1, .initial_value = first_guess})
            .policy;
      },
      [&](std::int64_t, Policy& policy) {
        const auto pairs = policy.pair_of_state();
        const auto found = place.try_emplace({pairs.begin(), pairs.end()}, members.size()).first->second;
        if (found == members.size()) members.push_back({std::move(policy), 0});
        members[found].share += 1.0 / count;
        options.run.listener.tell("drawing the target", ++done, count);
      });
  return members;
}

PvvWeights ensemble_weights(const Mdp& mean, std::span<const Member> members, const TargetOptions& options) {
  options.validate();
  check_shares("ensemble_weights", members);
  const base::Threads threads(options.run.threads);
  const auto size = static_cast<std::int64_t>(members.size());
  gap::WeightsOptions how = options.weights;
  how.run.threads = size == 1 ? options.run.threads : 1;
  if (how.method == gap::WeightsMethod::automatic) {
    how.method =
        size * mean.states() <= kExactLimit ? gap::WeightsMethod::exact : gap::WeightsMethod::probing;
  }
  if (size > 1) how.probes = options.member_probes;
  Average average(mean, std::min(kGroups, how.probes));
  in_batches<PvvWeights>(
      size, threads,
      [&](std::int64_t m) {
        gap::WeightsOptions own = how;
        own.run.seed += static_cast<std::uint64_t>(m);  // probes of different members are independent
        return gap::pvv_weights(mean, members[m].policy, own);
      },
      [&](std::int64_t m, const PvvWeights& weights) { average.add(members[m].share, weights); });
  return average.finish();
}

PvvWeights difference_weights(const Mdp& mean, std::span<const Member> members, const Policy& current,
                              const TargetOptions& options) {
  options.validate();
  check_shares("difference_weights", members);
  const base::Threads threads(options.run.threads);
  const mdp::LinearMethod linear = mdp::Resolvent(mean, current).method();
  const Course now = course_of(mean, current, linear);
  const gap::MemberModels* models = options.weights.member_models.get();
  const std::vector<double> now_at_start = values_at_start(mean, current, models, options.run.threads);
  const double g = mean.discount();
  PvvWeights sum;
  sum.reward.resize(now.occupancy.size());
  sum.transition.resize(now.occupancy.size());
  in_batches<PvvWeights>(
      static_cast<std::int64_t>(members.size()), threads,
      [&](std::int64_t m) {
        PvvWeights own;
        if (members[m].policy == current) return own;
        const Course then = course_of(mean, members[m].policy, linear);
        own.reward.resize(now.occupancy.size());
        own.transition.resize(now.occupancy.size());
        for (std::int32_t k = 0; k < mean.pairs(); ++k) {
          const double off = then.occupancy[k] - now.occupancy[k];
          own.reward[k] = off * off;
          if (options.weights.loads) own.loads.resize(1), own.loads.front().push_back(off);
          own.transition[k] = g * g * next_variance(mean, k, then, now);
        }
        if (models != nullptr) {
          std::vector<double> off = values_at_start(mean, members[m].policy, models, 1);
          for (std::size_t i = 0; i < off.size(); ++i) off[i] -= now_at_start[i];
          own.member_loads.push_back(models->load(off));
        }
        return own;
      },
      [&](std::int64_t m, const PvvWeights& own) {
        if (own.reward.empty()) return;
        add_scaled(sum.reward, members[m].share, own.reward);
        add_scaled(sum.transition, members[m].share, own.transition);
        add_loads(sum, members[m].share, own);
      });
  gap::compress_loads(sum);
  sum.value = now.value;
  sum.visitation.resize(now.value.size());
  for (std::int32_t s = 0; s < mean.states(); ++s) {
    for (const std::int32_t k : mean.pairs_of(s)) {
      sum.visitation[s] += (1 - g) * now.occupancy[k];
    }
  }
  return sum;
}

}  // namespace mindgap::design

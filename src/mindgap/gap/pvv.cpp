#include "mindgap/gap/pvv.h"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>

#include "mindgap/base/check.h"
#include "mindgap/base/error.h"
#include "mindgap/base/parallel.h"
#include "mindgap/base/random.h"
#include "mindgap/belief/kernel_factors.h"
#include "mindgap/gap/member_models.h"
#include "mindgap/mdp/graph.h"
#include "mindgap/mdp/resolvent.h"

namespace mindgap::gap {
namespace {

using mdp::Mdp;
using mdp::Policy;

constexpr std::int64_t kExactLimit = 5000;  // states the target visits
constexpr std::int64_t kExactLoads = 256;   // the same where loads are wanted
constexpr std::int32_t kMostLoads = 128;
constexpr std::int64_t kChunks = 8;  // of linear solves, and groups of probes

// What one chunk of right-hand sides adds to w, and the rows it is the sum of squares of, where wanted.
struct WeightsPart {
  std::vector<double> sum;
  std::vector<std::vector<double>> rows;
};

// sum of scale * (x(s) - shift * center(s))^2 over the solutions x = R' b of one chunk of right-hand sides.
class SquareSum {
 public:
  SquareSum(const Mdp& mdp, const Policy& target, const mdp::ResolventOptions& options, bool rows)
      : resolvent_(mdp, target, options), x_(static_cast<std::size_t>(mdp.states())), keep_rows_(rows) {
    part_.sum.resize(x_.size());
  }

  void add(std::span<const double> b, double scale, std::span<const double> center, double shift) {
    std::fill(x_.begin(), x_.end(), 0.0);
    resolvent_.apply_transpose(b, x_);
    const double root = std::sqrt(scale);
    for (std::size_t s = 0; s < x_.size(); ++s) {
      const double x = x_[s] - shift * center[s];
      part_.sum[s] += scale * x * x;
      x_[s] = root * x;
    }
    if (keep_rows_) part_.rows.push_back(x_);
  }
  WeightsPart take() { return std::move(part_); }

 private:
  mdp::Resolvent resolvent_;
  std::vector<double> x_;
  bool keep_rows_;
  WeightsPart part_;
};

// Both ways below give w less the squares of the mean row m(s) = sum_u d(u) R[u,s] = `center`, which one
// solve finds: w(s) = m(s)^2 + sum_u d(u) (R[u,s] - m(s))^2. What is left to sum is small where the policy
// soon forgets its start, and so is then the error of probing.

// Row u of R is R' e_u: one solve for each state the target visits.
std::vector<WeightsPart> exact_parts(const Mdp& mdp, const Policy& target, std::span<const double> visitation,
                                     std::span<const double> center, const std::vector<std::int32_t>& visited,
                                     const WeightsOptions& options, mdp::LinearMethod linear,
                                     const base::Threads& threads) {
  const auto size = static_cast<std::int64_t>(visited.size());
  const std::int64_t chunks = std::min(kChunks, size);
  std::vector<WeightsPart> parts(static_cast<std::size_t>(chunks));
  threads.for_each_chunk(chunks, [&](std::int64_t chunk) {
    SquareSum sum(mdp, target, {.method = linear, .tolerance = 1e-12}, options.loads);
    std::vector<double> unit(visitation.size());
    const base::Range range = base::chunk_range(size, chunks, chunk);
    for (std::int64_t i = range.begin; i < range.end; ++i) {
      unit[visited[i]] = 1;
      sum.add(unit, visitation[visited[i]], center, 1);
      unit[visited[i]] = 0;
    }
    parts[chunk] = sum.take();
  });
  return parts;
}

// E[(sum_u z_u sqrt(d(u)) (R[u,s] - m(s)))^2] for random signs z, one part per group of probes, each times
// its share of the probes.
std::vector<WeightsPart> probed_parts(const Mdp& mdp, const Policy& target,
                                      std::span<const double> visitation, std::span<const double> center,
                                      const WeightsOptions& options, mdp::LinearMethod linear,
                                      const base::Threads& threads) {
  const std::int64_t chunks = std::min<std::int64_t>(kChunks, options.probes);
  std::vector<WeightsPart> parts(static_cast<std::size_t>(chunks));
  threads.for_each_chunk(chunks, [&](std::int64_t chunk) {
    SquareSum sum(mdp, target, {.method = linear, .tolerance = 1e-8}, options.loads);
    std::vector<double> probe(visitation.size());
    const base::Range range = base::chunk_range(options.probes, chunks, chunk);
    for (std::int64_t i = range.begin; i < range.end; ++i) {
      base::Stream stream({options.run.seed, base::Purpose::analysis, static_cast<std::uint64_t>(i)});
      std::uint64_t bits = 0;
      double total = 0;
      for (std::size_t s = 0; s < probe.size(); ++s) {
        if (s % 64 == 0) bits = stream.next();
        const double root = std::sqrt(std::max(0.0, visitation[s]));
        probe[s] = (bits >> (s % 64) & 1) != 0 ? root : -root;
        total += probe[s];
      }
      sum.add(probe, 1.0 / static_cast<double>(options.probes), center, total);
    }
    parts[chunk] = sum.take();
  });
  return parts;
}

// w per state; sets the method, the groups and the loads (here per state) of `weights`, whose visitation is
// given.
std::vector<double> state_weights(const Mdp& mdp, const Policy& target, const WeightsOptions& options,
                                  std::span<const double> center, mdp::LinearMethod linear,
                                  PvvWeights& weights) {
  const base::Threads threads(options.run.threads);
  std::vector<std::int32_t> visited;
  for (std::int32_t s = 0; s < mdp.states(); ++s) {
    if (weights.visitation[s] > 0) visited.push_back(s);
  }
  const auto count = static_cast<std::int64_t>(visited.size());
  const std::int64_t limit = options.loads ? kExactLoads : kExactLimit;
  const bool small = count <= options.probes || (count <= limit && mdp.states() <= kExactLimit);
  const bool exact =
      options.method == WeightsMethod::automatic ? small : options.method == WeightsMethod::exact;
  weights.method = exact ? WeightsMethod::exact : WeightsMethod::probing;
  std::vector<WeightsPart> parts =
      exact ? exact_parts(mdp, target, weights.visitation, center, visited, options, linear, threads)
            : probed_parts(mdp, target, weights.visitation, center, options, linear, threads);
  std::vector<double> w(center.size());
  for (std::size_t s = 0; s < w.size(); ++s) {
    w[s] = center[s] * center[s];
    for (const WeightsPart& part : parts) w[s] += part.sum[s];
  }
  if (options.loads) {
    weights.loads.emplace_back(center.begin(), center.end());
    for (WeightsPart& part : parts)
      std::move(part.rows.begin(), part.rows.end(), std::back_inserter(weights.loads));
  }
  if (exact) return w;
  const auto groups = static_cast<std::int64_t>(parts.size());
  for (std::int64_t group = 0; group < groups; ++group) {
    const base::Range range = base::chunk_range(options.probes, groups, group);
    const double scale = static_cast<double>(options.probes) / static_cast<double>(range.end - range.begin);
    for (std::size_t s = 0; s < w.size(); ++s) {
      const double of_group = center[s] * center[s] + parts[group].sum[s] * scale;
      parts[group].sum[s] = w[s] > 0 ? of_group / w[s] : 0;
    }
    weights.groups.push_back(std::move(parts[group].sum));
  }
  return w;
}

void check_sizes(const char* function, const PvvWeights& weights, const Precision& precision,
                 std::span<const double> counts) {
  const std::size_t pairs = weights.reward.size();
  base::check_size(function, "reward_variance", precision.reward_variance.size(), pairs);
  base::check_size(function, "observation_precision", precision.observation_precision.size(), pairs);
  base::check_size(function, "transition_strength", precision.transition_strength.size(), pairs);
  if (!counts.empty()) base::check_size(function, "counts", counts.size(), pairs);
  base::check_nonnegative(function, "counts", counts);
}

// The standard error of a sum that is linear in w, from its values in the groups of probes.
double group_standard_error(const Mdp& mdp, const PvvWeights& weights, std::span<const double> terms) {
  const auto groups = static_cast<double>(weights.groups.size());
  if (groups < 2) return 0;
  std::vector<double> of_state(static_cast<std::size_t>(mdp.states()));
  for (std::int32_t s = 0; s < mdp.states(); ++s) {
    for (const std::int32_t k : mdp.pairs_of(s)) of_state[s] += terms[k];
  }
  double mean = 0, squares = 0;
  std::vector<double> totals;
  for (const auto& group : weights.groups) {
    totals.push_back(std::inner_product(group.begin(), group.end(), of_state.begin(), 0.0));
    mean += totals.back() / groups;
  }
  for (const double total : totals) squares += (total - mean) * (total - mean);
  return std::sqrt(squares / (groups - 1) / groups);
}

}  // namespace

std::string_view to_string(WeightsMethod method) {
  switch (method) {
    case WeightsMethod::automatic:
      return "automatic";
    case WeightsMethod::exact:
      return "exact";
    case WeightsMethod::probing:
      return "probing";
  }
  return "unknown";
}

void WeightsOptions::validate() const {
  base::check_range("pvv_weights", "probes", probes, 2, 1'000'000);
}

void next_value_variance(const mdp::Numbers& model, std::span<const double> value,
                         std::span<double> variance) {
  const std::int64_t* row = model.shape.row_begin().data();
  const std::int32_t* next_state = model.shape.next_state().data();
  const double* p = model.probability.data();
  base::check_size("next_value_variance", "value", value.size(),
                   static_cast<std::size_t>(model.shape.states()));
  base::check_size("next_value_variance", "variance", variance.size(),
                   static_cast<std::size_t>(model.shape.pairs()));
  for (std::size_t k = 0; k < variance.size(); ++k) {
    double mean = 0, sum = 0, spread = 0;
    for (std::int64_t i = row[k]; i < row[k + 1]; ++i) {
      sum += p[i];
      mean += p[i] * value[next_state[i]];
    }
    mean /= sum;
    for (std::int64_t i = row[k]; i < row[k + 1]; ++i) {
      const double off = value[next_state[i]] - mean;
      spread += p[i] * off * off;
    }
    variance[k] = row[k + 1] - row[k] == 1 ? 0 : spread / sum;
  }
}

std::vector<double> next_value_variance(const Mdp& mdp, std::span<const double> value) {
  std::vector<double> variance(static_cast<std::size_t>(mdp.pairs()));
  next_value_variance(mdp::Numbers(mdp), value, variance);
  return variance;
}

PvvWeights pvv_weights(const Mdp& mdp, const Policy& target, const WeightsOptions& options) {
  options.validate();
  const std::vector<double> pi = target.probability_of_pair(mdp);
  PvvWeights weights;
  weights.value.resize(static_cast<std::size_t>(mdp.states()));
  weights.visitation.resize(weights.value.size());
  std::vector<double> center(weights.value.size());
  mdp::Resolvent resolvent(mdp, target);
  resolvent.apply(resolvent.reward(), weights.value);
  resolvent.apply_transpose(mdp.start(), weights.visitation);
  // A linear solve leaves rounding where the target cannot be at all, and a wide prior would make it count.
  const std::vector<std::uint8_t> possible = mdp::reachable(mdp, mdp::start_states(mdp), &target);
  for (std::size_t s = 0; s < possible.size(); ++s) {
    weights.visitation[s] =
        possible[s] != 0 ? std::max(0.0, weights.visitation[s]) * (1 - mdp.discount()) : 0;
  }
  resolvent.apply_transpose(weights.visitation, center);
  const std::vector<double> w = state_weights(mdp, target, options, center, resolvent.method(), weights);
  const double g = mdp.discount();
  weights.reward.resize(pi.size());
  weights.transition = next_value_variance(mdp, weights.value);
  for (std::int32_t s = 0; s < mdp.states(); ++s) {
    for (const std::int32_t k : mdp.pairs_of(s)) {
      weights.reward[k] = possible[s] != 0 ? w[s] * pi[k] * pi[k] : 0;
      weights.transition[k] *= g * g * weights.reward[k];
    }
  }
  for (std::vector<double>& load : weights.loads) {
    std::vector<double> of_pair(pi.size());
    for (std::int32_t s = 0; s < mdp.states(); ++s) {
      for (const std::int32_t k : mdp.pairs_of(s)) of_pair[k] = possible[s] != 0 ? load[s] * pi[k] : 0;
    }
    load = std::move(of_pair);
  }
  if (options.member_models)
    add_member_loads(weights, *options.member_models, mdp, target, options.run.threads);
  return weights;
}

void compress_loads(std::vector<std::vector<double>>& loads) {
  if (loads.size() <= static_cast<std::size_t>(kMostLoads)) return;
  std::vector<std::int32_t> used;  // pairs that some load is about
  for (std::size_t k = 0; k < loads.front().size(); ++k) {
    if (std::any_of(loads.begin(), loads.end(), [k](const auto& load) { return load[k] != 0; }))
      used.push_back(static_cast<std::int32_t>(k));
  }
  Eigen::MatrixXd all(static_cast<Eigen::Index>(used.size()), static_cast<Eigen::Index>(loads.size()));
  for (std::size_t t = 0; t < loads.size(); ++t) {
    for (std::size_t i = 0; i < used.size(); ++i)
      all(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(t)) = loads[t][used[i]];
  }
  const belief::KernelFactors kept = belief::kernel_factors(
      all.rows(), [&](std::int64_t i, std::int64_t j) { return all.row(i).dot(all.row(j)); }, 1 - 1e-6,
      kMostLoads);
  std::vector<std::vector<double>> fewer(static_cast<std::size_t>(kept.factors),
                                         std::vector<double>(loads.front().size()));
  for (std::size_t i = 0; i < used.size(); ++i) {
    for (std::size_t t = 0; t < fewer.size(); ++t) fewer[t][used[i]] = kept.loadings[i * fewer.size() + t];
  }
  loads = std::move(fewer);
}

void compress_loads(PvvWeights& weights) {
  if (weights.member_loads.empty()) return compress_loads(weights.loads);
  if (weights.loads.size() <= static_cast<std::size_t>(kMostLoads)) return;
  const auto size = [](const std::vector<std::vector<double>>& loads) {
    double squares = 0;
    for (const auto& load : loads) squares += std::inner_product(load.begin(), load.end(), load.begin(), 0.0);
    return std::sqrt(squares);
  };
  const double of_pairs = size(weights.loads), of_members = size(weights.member_loads);
  const double scale = of_pairs > 0 && of_members > 0 ? of_pairs / of_members : 1;
  const std::size_t pairs = weights.loads.front().size();
  std::vector<std::vector<double>> joint = std::move(weights.loads);
  for (std::size_t t = 0; t < joint.size(); ++t) {
    for (const double l : weights.member_loads[t]) joint[t].push_back(scale * l);
  }
  compress_loads(joint);
  weights.member_loads.clear();
  for (std::vector<double>& load : joint) {
    std::vector<double>& of_member = weights.member_loads.emplace_back();
    for (std::size_t i = pairs; i < load.size(); ++i) of_member.push_back(load[i] / scale);
    load.resize(pairs);
  }
  weights.loads = std::move(joint);
}

WeightsOptions for_belief(WeightsOptions options, const belief::Belief& belief) {
  options.loads = belief.learns_jointly();
  if (belief.ensemble() != nullptr)
    options.member_models = std::make_shared<const MemberModels>(*belief.ensemble());
  return options;
}

Precision precision_of(const belief::Belief& belief) {
  if (belief.ensemble() != nullptr) return precision_of(*belief.ensemble());
  Precision precision{.reward_variance = belief.reward_variances(),
                      .observation_precision = {},
                      .transition_strength = belief.transition_strengths()};
  for (std::int32_t k = 0; k < belief.simulator().pairs(); ++k) {
    precision.observation_precision.push_back(belief.observation_precision(k));
  }
  if (!belief.shared().none()) precision.dependence = shared_pairs(belief.factors().left());
  return precision;
}

std::vector<double> pvv_contributions(const PvvWeights& weights, const Precision& precision,
                                      std::span<const double> counts) {
  check_sizes("pvv_contributions", weights, precision, counts);
  Dependence::Terms terms = precision.dependence->terms(weights, precision, counts);
  for (std::size_t k = 0; k < terms.reward.size(); ++k) terms.reward[k] += terms.transition[k];
  return std::move(terms.reward);
}

Pvv pvv(const Mdp& mdp, const PvvWeights& weights, const Precision& precision,
        std::span<const double> counts) {
  check_sizes("pvv", weights, precision, counts);
  Dependence::Terms terms = precision.dependence->terms(weights, precision, counts);
  Pvv result;
  for (std::size_t k = 0; k < terms.reward.size(); ++k) {
    result.reward += terms.reward[k];
    result.transition += terms.transition[k];
    terms.reward[k] += terms.transition[k];
  }
  result.total = result.reward + result.transition;
  result.standard_error = group_standard_error(mdp, weights, terms.reward);
  return result;
}

double transition_block(std::span<const double> p0, std::span<const double> p, std::span<const double> value,
                        double alpha0, double n) {
  base::check_size("transition_block", "p", p.size(), p0.size());
  base::check_size("transition_block", "value", value.size(), p0.size());
  base::check_positive("transition_block", "alpha0", alpha0);
  base::check_nonnegative("transition_block", "n", n);
  double sum = 0, mean = 0, spread = 0;
  const auto q = [&](std::size_t i) { return 1 / (alpha0 / p0[i] + n / p[i]); };
  for (std::size_t i = 0; i < p0.size(); ++i) {
    base::check_positive("transition_block", "p0", p0[i]);
    base::check_positive("transition_block", "p", p[i]);
    sum += q(i);
    mean += q(i) * value[i];
  }
  mean /= sum;
  for (std::size_t i = 0; i < p0.size(); ++i) spread += q(i) * (value[i] - mean) * (value[i] - mean);
  return spread;
}

}  // namespace mindgap::gap

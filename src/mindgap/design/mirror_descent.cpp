#include "mindgap/design/mirror_descent.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>

#include "mindgap/base/check.h"
#include "mindgap/base/parallel.h"
#include "mindgap/design/policy_flow.h"
#include "mindgap/mdp/policy.h"

namespace mindgap::design {
namespace {

constexpr double kFloor = 1e-12;  // of probabilities
// Accuracy of the evaluations as a share of the wanted gap.
constexpr double kMassAccuracy = 1e-3, kValueAccuracy = 1e-2;
constexpr double kAccuracyLimit = 1e-15;

// A policy and what follows from it.
struct Descended {
  std::vector<double> pi, mass, counts;
  double value = 0;
};

class Descent {
 public:
  Descent(const Objective& objective, const Occupancy& occupancies, const MirrorDescentOptions& options)
      : objective_(objective),
        occupancies_(occupancies),
        mdp_(occupancies.mdp()),
        options_(options),
        threads_(options.threads),
        certificate_(objective, occupancies, options.threads),
        flow_(policy_flow(occupancies, options.threads)),
        pairs_(static_cast<std::size_t>(mdp_.pairs())),
        states_(static_cast<std::size_t>(mdp_.states())),
        steps_(static_cast<std::size_t>(occupancies.steps())),
        price_(pairs_),
        stiffness_(pairs_),
        advantage_(steps_ * pairs_),
        accuracy_(std::clamp(kMassAccuracy * options.relative_gap, 1e-13, 1e-6)) {}

  Minimum run();

 private:
  void begin();
  void set_counts(Descended& point) const;
  double estimate() const;  // of the gap, from the advantages at hand
  bool certified();
  void step();
  double set_stiffness();
  void mirror();
  void look_closer();
  double share_of_trial() const;
  void mix(double share);
  Minimum finish(MinimumStatus status);
  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - started_).count();
  }
  // visit(node, begin, end) for every node = step * states + state, in parallel; pi[begin] .. pi[end - 1] are
  // its probabilities.
  template <typename Visit>
  void for_each(Visit visit) const {
    const auto nodes = static_cast<std::int64_t>(steps_ * states_);
    base::parallel_for(threads_, nodes, kGrain, [&](std::int64_t first, std::int64_t last) {
      for (auto node = static_cast<std::size_t>(first); node < static_cast<std::size_t>(last); ++node) {
        const std::size_t offset = node / states_ * pairs_, s = node % states_;
        const auto pairs = mdp_.pairs_of(static_cast<std::int32_t>(s));
        visit(node, offset + static_cast<std::size_t>(pairs.first()),
              offset + static_cast<std::size_t>(pairs.last()));
      }
    });
  }

  const Objective& objective_;
  const Occupancy& occupancies_;
  const mdp::Mdp& mdp_;
  const MirrorDescentOptions& options_;
  base::Threads threads_;
  Certificate certificate_;
  std::unique_ptr<PolicyFlow> flow_;
  std::size_t pairs_, states_, steps_;
  Descended now_, trial_;
  std::vector<double> price_, stiffness_, advantage_;
  double accuracy_;  // of masses, as a share of the budget
  double eta_ = 1;
  std::int64_t iterations_ = 0, next_certificate_ = 0;
  bool stalled_ = false;
  std::chrono::steady_clock::time_point started_ = std::chrono::steady_clock::now();
};

// No probability below the floor, so that every action keeps a probability to grow from.
void raise_to_floor(std::span<double> pi) {
  double sum = 0;
  for (double& p : pi) sum += p = std::max(p, kFloor);
  for (double& p : pi) p /= sum;
}

void Descent::begin() {
  if (options_.initial_pi.empty()) {
    const std::vector<double> uniform = mdp::Policy::uniform(mdp_).probability_of_pair(mdp_);
    for (std::size_t t = 0; t < steps_; ++t) now_.pi.insert(now_.pi.end(), uniform.begin(), uniform.end());
  } else {
    now_.pi = options_.initial_pi;
    for_each([&](std::size_t, std::size_t begin, std::size_t end) {
      raise_to_floor(std::span(now_.pi).subspan(begin, end - begin));
    });
  }
  now_.mass = flow_->first_mass();
  flow_->forward(now_.pi, now_.mass, accuracy_);
  now_.counts.resize(pairs_);
  set_counts(now_);
  trial_ = now_;
}

// n(k) = sum over the steps of mass pi, and f there.
void Descent::set_counts(Descended& point) const {
  base::parallel_for(threads_, mdp_.states(), kGrain, [&](std::int64_t begin, std::int64_t end) {
    for (auto s = static_cast<std::size_t>(begin); s < static_cast<std::size_t>(end); ++s) {
      for (const std::int32_t pair : mdp_.pairs_of(static_cast<std::int32_t>(s))) {
        const auto k = static_cast<std::size_t>(pair);
        double n = 0;
        for (std::size_t t = 0; t < steps_; ++t) n += point.mass[t * states_ + s] * point.pi[t * pairs_ + k];
        point.counts[k] = n;
      }
    }
  });
  point.value = objective_.value(point.counts);
}

// By the performance difference lemma the gap is sum_s mass'(s) max_a A(s,a) at most, with mass' of the best
// corner for these prices; here with the mass at hand instead.
double Descent::estimate() const {
  double sum = 0;
  for (std::size_t node = 0; node < steps_ * states_; ++node) {
    const std::size_t offset = node / states_ * pairs_, s = node % states_;
    double most = 0;
    for (const std::int32_t k : mdp_.pairs_of(static_cast<std::int32_t>(s))) {
      most = std::max(most, advantage_[offset + static_cast<std::size_t>(k)]);
    }
    sum += now_.mass[node] * most;
  }
  return sum;
}

// A certificate where it is likely to end the descent, and not more often than pays.
bool Descent::certified() {
  const double wanted = options_.relative_gap * now_.value;
  if (iterations_ < next_certificate_ || estimate() > wanted) return certificate_.gap(now_.value) <= wanted;
  next_certificate_ = iterations_ + std::max<std::int64_t>(2, iterations_ / 8);
  certificate_.raise(now_.counts, .05 * wanted,
                     occupancies_.is_finite() ? std::span<const double>{} : flow_->value());
  return certificate_.gap(now_.value) <= wanted;
}

// n f'' of each pair, and its mean over the observations: how fast the price of a pair falls as the logarithm
// of its probability grows.
double Descent::set_stiffness() {
  double sum = 0;
  for (std::size_t k = 0; k < pairs_; ++k) {
    stiffness_[k] *= now_.counts[k];
    sum += stiffness_[k] * now_.counts[k];
  }
  return sum / occupancies_.budget();
}

// trial = the policy a mirror step away, with a step of eta / (what a state's own pairs say + the mean, which
// stands for what lies beyond them). Without any curvature f is linear, and any large step will do.
void Descent::mirror() {
  const double mean = set_stiffness();
  for_each([&](std::size_t node, std::size_t begin, std::size_t end) {
    const std::size_t offset = node / states_ * pairs_;
    double own = 0, most = advantage_[begin];
    for (std::size_t i = begin; i < end; ++i) {
      own += now_.pi[i] * stiffness_[i - offset];
      most = std::max(most, advantage_[i]);
    }
    const double eta = eta_ / std::max(own + mean, std::numeric_limits<double>::min());
    double sum = 0;
    for (std::size_t i = begin; i < end; ++i) {
      const double behind = most - advantage_[i];
      sum += trial_.pi[i] = behind > 0 ? now_.pi[i] * std::exp(-eta * behind) : now_.pi[i];
    }
    for (std::size_t i = begin; i < end; ++i) trial_.pi[i] = sum > 0 ? trial_.pi[i] / sum : now_.pi[i];
    raise_to_floor(std::span(trial_.pi).subspan(begin, end - begin));
  });
}

// Where f is least on the line from now (0) to trial (1), by Newton steps kept inside a bracket: f is convex,
// so its slope rises through 0 once.
double Descent::share_of_trial() const {
  std::vector<double> counts(pairs_), gradient(pairs_), curvature(pairs_);
  double low = 0, high = 1, share = .5;
  for (int i = 0; i < 12; ++i) {
    for (std::size_t k = 0; k < pairs_; ++k) {
      counts[k] = now_.counts[k] + share * (trial_.counts[k] - now_.counts[k]);
    }
    objective_.derivatives(counts, gradient, curvature);
    double slope = 0, bend = 0;
    for (std::size_t k = 0; k < pairs_; ++k) {
      const double d = trial_.counts[k] - now_.counts[k];
      slope += gradient[k] * d;
      bend += curvature[k] * d * d;
    }
    (slope > 0 ? high : low) = share;
    const double newton = bend > 0 ? share - slope / bend : share;
    const double next = newton > low && newton < high ? newton : (low + high) / 2;
    if (std::abs(next - share) <= .01 * share) return next;
    share = next;
  }
  return share;
}

// trial = the policy whose counts are those of now and trial mixed.
void Descent::mix(double share) {
  for_each([&](std::size_t node, std::size_t begin, std::size_t end) {
    const double keep = (1 - share) * now_.mass[node], take = share * trial_.mass[node];
    if (!(keep + take > 0)) return;
    for (std::size_t i = begin; i < end; ++i) {
      trial_.pi[i] = (keep * now_.pi[i] + take * trial_.pi[i]) / (keep + take);
    }
    raise_to_floor(std::span(trial_.pi).subspan(begin, end - begin));
    trial_.mass[node] = keep + take;
  });
  set_counts(trial_);
}

// Evaluates a hundred times more exactly from now on.
void Descent::look_closer() {
  accuracy_ = std::max(kAccuracyLimit, accuracy_ * .01);
  flow_->forward(now_.pi, now_.mass, accuracy_);
  set_counts(now_);
}

void Descent::step() {
  mirror();
  std::copy(now_.mass.begin(), now_.mass.end(), trial_.mass.begin());
  flow_->forward(trial_.pi, trial_.mass, accuracy_);
  set_counts(trial_);
  ++iterations_;
  double slope = 0;  // of f from now towards trial
  for (std::size_t k = 0; k < pairs_; ++k) slope -= price_[k] * (trial_.counts[k] - now_.counts[k]);
  if (!(slope < 0)) {  // the evaluations are not exact enough for the advantages that are left
    stalled_ = accuracy_ <= kAccuracyLimit;
    look_closer();
    eta_ *= .5;
    return;
  }
  if (trial_.value < now_.value) {
    eta_ *= 2;
  } else {
    const double share = share_of_trial();
    eta_ *= std::max(share, .1);
    mix(share);
  }
  std::swap(now_, trial_);
}

Minimum Descent::run() {
  begin();
  for (;;) {
    certificate_.price(now_.counts, price_, stiffness_);
    const double exact = kValueAccuracy * accuracy_ / kMassAccuracy * now_.value / occupancies_.budget();
    flow_->advantages(now_.pi, price_, advantage_, exact);
    if (certified()) {
      Minimum result = finish(MinimumStatus::converged);
      if (result.relative_gap <= options_.relative_gap) return result;
      if (accuracy_ > kAccuracyLimit) {  // the exact counts are worse than those at hand
        look_closer();
        continue;
      }
    }
    if (stalled_) return finish(MinimumStatus::precision_limit);
    if (iterations_ >= options_.max_iterations) return finish(MinimumStatus::iteration_limit);
    if (seconds() > options_.time_limit) return finish(MinimumStatus::time_limit);
    step();
    if (options_.on_iteration) {
      options_.on_iteration(certificate_.lower_bound() > 0 ? certificate_.relative_gap(now_.value)
                                                           : std::numeric_limits<double>::infinity(),
                            options_.relative_gap);
    }
  }
}

// The counts of the policy itself, from an exact solve, and the gap there.
Minimum Descent::finish(MinimumStatus status) {
  Minimum result;
  result.status = status;
  result.pi = now_.pi;
  result.counts = occupancies_.counts(now_.pi);
  result.value = objective_.value(result.counts);
  if (certificate_.relative_gap(result.value) > options_.relative_gap) {
    certificate_.raise(result.counts, .01 * options_.relative_gap * result.value,
                       occupancies_.is_finite() ? std::span<const double>{} : flow_->value());
  }
  result.gap = certificate_.gap(result.value);
  result.relative_gap = certificate_.relative_gap(result.value);
  if (result.relative_gap <= options_.relative_gap) result.status = MinimumStatus::converged;
  result.iterations = iterations_;
  result.seconds = seconds();
  return result;
}

}  // namespace

void MirrorDescentOptions::validate(const Occupancy& occupancies) const {
  const char* function = "mirror_descent";
  base::check_positive(function, "relative_gap", relative_gap);
  base::check_range(function, "relative_gap", relative_gap, 0, 1);
  base::check_range(function, "max_iterations", static_cast<double>(max_iterations), 0, 1e18);
  base::check_range(function, "time_limit", time_limit, 0, std::numeric_limits<double>::infinity());
  base::check_range(function, "threads", threads, 0, 4096);
  if (initial_pi.empty()) return;
  const mdp::Mdp& mdp = occupancies.mdp();
  const auto pairs = static_cast<std::size_t>(mdp.pairs());
  base::check_size(function, "initial_pi", initial_pi.size(),
                   pairs * static_cast<std::size_t>(occupancies.steps()));
  for (std::size_t i = 0; i < initial_pi.size(); i += pairs) {
    const auto of_step = std::span(initial_pi).subspan(i, pairs);
    mdp::Policy::stochastic(mdp, std::vector<double>(of_step.begin(), of_step.end()));
  }
}

Minimum mirror_descent(const Objective& objective, const Occupancy& occupancies,
                       const MirrorDescentOptions& options) {
  options.validate(occupancies);
  return Descent(objective, occupancies, options).run();
}

}  // namespace mindgap::design

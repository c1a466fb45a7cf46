#include "mindgap/belief/reward_belief.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "mindgap/base/check.h"
#include "mindgap/base/distributions.h"
#include "mindgap/base/error.h"
#include "mindgap/belief/at_least.h"

namespace mindgap::belief {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNearestToTheEnds = .01;  // of a Bernoulli mean, see beta_prior()
constexpr double kWeakestBeta = 2;

// The bounds must be possible for the simulator itself. `stated_as` is how a user says them.
void check_within(const mdp::Mdp& simulator, const RewardBounds& bounds, const char* stated_as) {
  for (std::int32_t k = 0; k < simulator.pairs(); ++k) {
    const double r = simulator.reward()[k];
    if (r >= bounds.lower && r <= bounds.upper) continue;
    throw InvalidArgument(fmt::format(
        "the simulated mean reward of state '{}', action '{}' is {}, but true mean rewards are "
        "said to lie from "
        "{} to {} ({})",
        base::printable(simulator.state_name(simulator.state_of_pair(k))),
        base::printable(simulator.action_name_of_pair(k)), r, bounds.lower, bounds.upper, stated_as));
  }
}

// The Gaussian without its bounds: the precisions 1/sd^2 and n/v add up, and the mean is weighted by them.
double gaussian_mean(const PairReward& pair) {
  const double r = pair.prior_mean, sd = pair.prior_sd, v = pair.observation_variance;
  const SampleSummary& seen = pair.seen;
  if (seen.count == 0 || sd == 0) return r;
  if (v == 0) return seen.mean;
  const double weight = seen.count * sd * sd / (seen.count * sd * sd + v);
  return r + weight * (seen.mean - r);
}

double gaussian_variance(const PairReward& pair) {
  const double sd = pair.prior_sd, v = pair.observation_variance, n = pair.seen.count;
  if (sd == 0 || n == 0) return sd * sd;
  return v == 0 ? 0 : sd * sd * (v / (v + n * sd * sd));
}

// What takes N(m, 1/p) to N(m', 1/p') is n = v (p' - p) observations of mean m + (m' - m) p' / (p' - p): the
// update of gaussian.h, solved for them.
template <typename Update>
SampleSummary after_bound(const PairReward& pair, double bound, double weight, Update update_by_bound) {
  SampleSummary seen = pair.seen;
  const double v = pair.observation_variance, spread = gaussian_variance(pair);
  if (v == 0 || spread == 0) return seen;
  const Gaussian now{gaussian_mean(pair), 1 / spread};
  const Gaussian then = update_by_bound(now, bound, v);
  const double gained = then.precision - now.precision;
  if (!(gained > 0)) return seen;  // a bound far on the other side says nothing
  const double part = weight * v * gained;
  seen.count += part;
  seen.mean += part / seen.count * (now.mean + (then.mean - now.mean) * then.precision / gained - seen.mean);
  return seen;
}

// A draw of what is known. It takes the word that a Gaussian draw takes, which is what the draws after it
// begin behind.
double known(const PairReward& pair, base::Stream& stream) {
  stream.next();
  return pair.prior_mean;
}

// What Gaussian rewards have in common, whether their variance is known or not.
class GaussianRewards : public RewardBelief {
 public:
  double draw_reward(double mean, double observation_variance, base::Stream& stream) const override {
    return mean + std::sqrt(observation_variance) * base::normal(stream);
  }
};

class KnownVariance final : public GaussianRewards {
 public:
  explicit KnownVariance(const RewardBounds& bounds) : bounds_(bounds), bounded_(bounded(bounds)) {
    if (bounded_ && !(bounds.lower < bounds.upper))
      throw InvalidArgument(fmt::format("Belief: reward_min is {}, but must be below reward_max, {}",
                                        bounds.lower, bounds.upper));
  }

  double mean(const PairReward& pair) const override {
    if (pair.prior_sd == 0) return pair.prior_mean;
    return bounded_ ? within_bounds(pair).mean : gaussian_mean(pair);
  }
  double variance(const PairReward& pair) const override {
    if (pair.prior_sd == 0) return 0;
    return bounded_ ? within_bounds(pair).variance : gaussian_variance(pair);
  }
  double sample(const PairReward& pair, base::Stream& stream) const override {
    const GaussianReward law = unbounded(pair);
    if (bounded_) return sample_truncated(law.mean, law.sd, bounds_, stream);
    return law.mean + law.sd * base::normal(stream);
  }
  std::optional<GaussianReward> gaussian(const PairReward& pair) const override {
    return bounded_ ? std::nullopt : std::optional(unbounded(pair));
  }
  double observation_precision(const PairReward& pair) const override {
    return 1 / pair.observation_variance;
  }
  SampleSummary after_at_least(const PairReward& pair, double bound, double weight) const override {
    return after_bound(pair, bound, weight, update_at_least);
  }
  SampleSummary after_at_most(const PairReward& pair, double bound, double weight) const override {
    return after_bound(pair, bound, weight, update_at_most);
  }
  std::string wanted_of(double reward, double observation_variance) const override {
    if (observation_variance > 0 || (reward >= bounds_.lower && reward <= bounds_.upper)) return {};
    return fmt::format("from {} to {} (reward_min, reward_max), as rewards have no noise here", bounds_.lower,
                       bounds_.upper);
  }
  void check(const mdp::Mdp& simulator, std::span<const double>) const override {
    if (bounded_) check_within(simulator, bounds_, "reward_min, reward_max");
  }
  RewardSupport support() const override { return {.mean = bounds_}; }
  std::vector<double> identity() const override {
    if (!bounded_) return {};
    return {bounds_.lower, bounds_.upper, static_cast<double>(RewardModel::known_variance)};
  }

 private:
  static GaussianReward unbounded(const PairReward& pair) {
    return {gaussian_mean(pair), std::sqrt(gaussian_variance(pair))};
  }
  TruncatedMoments within_bounds(const PairReward& pair) const {
    const GaussianReward law = unbounded(pair);
    return truncated_moments(law.mean, law.sd, bounds_);
  }

  RewardBounds bounds_;
  bool bounded_;
};

class EstimatedVariance final : public GaussianRewards {
 public:
  double mean(const PairReward& pair) const override {
    return pair.prior_sd == 0 || pair.seen.count == 0 ? pair.prior_mean : posterior(pair).mean;
  }
  double variance(const PairReward& pair) const override {
    if (pair.prior_sd == 0) return 0;
    return pair.seen.count == 0 ? pair.prior_sd * pair.prior_sd : belief::variance(posterior(pair));
  }
  double sample(const PairReward& pair, base::Stream& stream) const override {
    if (pair.prior_sd > 0) return belief::sample(posterior(pair), stream).mean;
    return known(pair, stream);
  }
  double observation_precision(const PairReward& pair) const override {
    return pair.prior_sd > 0 ? mean_precision(posterior(pair)) : 1 / pair.observation_variance;
  }
  SampleSummary after_at_least(const PairReward& pair, double, double) const override { return pair.seen; }
  SampleSummary after_at_most(const PairReward& pair, double, double) const override { return pair.seen; }
  std::string wanted_of(double, double) const override { return {}; }
  void check(const mdp::Mdp&, std::span<const double> observation_variance) const override {
    for (const double v : observation_variance) base::check_positive("Belief", "observation_variance", v);
  }
  std::vector<double> identity() const override {
    return {-kInfinity, kInfinity, static_cast<double>(RewardModel::estimated_variance)};
  }

 private:
  // The Normal-Inverse-Gamma with shape 2 and scale 2 v (stated_normal_inverse_gamma), and a strength such
  // that the prior variance of the mean, scale / ((shape - 1) strength), is sd^2.
  static NormalInverseGamma posterior(const PairReward& pair) {
    NormalInverseGamma prior = stated_normal_inverse_gamma(pair.prior_mean, 1, pair.observation_variance);
    prior.strength = prior.scale / ((prior.shape - 1) * pair.prior_sd * pair.prior_sd);
    return update(prior, pair.seen);
  }
};

class Bernoulli final : public RewardBelief {
 public:
  double mean(const PairReward& pair) const override {
    return pair.prior_sd == 0 ? pair.prior_mean : posterior(pair).mean;
  }
  double variance(const PairReward& pair) const override {
    if (pair.prior_sd == 0) return 0;
    const BetaPrior now = posterior(pair);
    return now.mean * (1 - now.mean) / (now.strength + 1);
  }
  double sample(const PairReward& pair, base::Stream& stream) const override {
    if (pair.prior_sd == 0) return known(pair, stream);
    const BetaPrior now = posterior(pair);
    return base::beta(stream, now.strength * now.mean, now.strength * (1 - now.mean));
  }
  double observation_precision(const PairReward& pair) const override {
    const double m = mean(pair);
    return 1 / (m * (1 - m));
  }
  SampleSummary after_at_least(const PairReward& pair, double bound, double weight) const override {
    base::check_range("observe_at_least", "the lower bound of a reward that is 0 or 1", bound, -kInfinity, 1);
    SampleSummary all = pair.seen;
    if (bound > 0) add(all, 1, weight);
    return all;
  }
  SampleSummary after_at_most(const PairReward& pair, double bound, double weight) const override {
    base::check_range("observe_at_most", "the upper bound of a reward that is 0 or 1", bound, 0, kInfinity);
    SampleSummary all = pair.seen;
    if (bound < 1) add(all, 0, weight);
    return all;
  }
  std::string wanted_of(double reward, double) const override {
    return reward == 0 || reward == 1 ? "" : "0 or 1 (rewards = \"bernoulli\")";
  }
  double draw_reward(double mean, double, base::Stream& stream) const override {
    return base::uniform(stream) < mean ? 1.0 : 0.0;
  }
  void check(const mdp::Mdp& simulator, std::span<const double>) const override {
    check_within(simulator, {0, 1}, "rewards = \"bernoulli\"");
  }
  RewardSupport support() const override { return {.values = {0, 1}, .law = "Bernoulli"}; }
  std::vector<double> identity() const override {
    return {-kInfinity, kInfinity, static_cast<double>(RewardModel::bernoulli)};
  }

 private:
  static BetaPrior posterior(const PairReward& pair) {
    const BetaPrior prior = beta_prior(pair.prior_mean, pair.prior_sd);
    const double strength = prior.strength + pair.seen.count;
    return {prior.mean + pair.seen.count / strength * (pair.seen.mean - prior.mean), strength};
  }
};

}  // namespace

std::shared_ptr<const RewardBelief> reward_belief(RewardModel model, const RewardBounds& bounds) {
  if (model == RewardModel::known_variance) return std::make_shared<KnownVariance>(bounds);
  const bool bernoulli = model == RewardModel::bernoulli;
  if (bounded(bounds)) {
    throw InvalidArgument(bernoulli
                              ? "Belief: Bernoulli rewards lie from 0 to 1, no other bounds can be stated"
                              : "Belief: bounds on mean rewards need a variance that is not estimated");
  }
  if (bernoulli) return std::make_shared<Bernoulli>();
  return std::make_shared<EstimatedVariance>();
}

void add(SampleSummary& summary, double value, double weight) {  // Welford (1962), West (1979)
  summary.count += weight;
  const double before = value - summary.mean;
  summary.mean += weight * before / summary.count;
  summary.squared_deviations += weight * before * (value - summary.mean);
}

BetaPrior beta_prior(double mean, double sd) {
  base::check_range("beta_prior", "mean", mean, 0, 1);
  base::check_positive("beta_prior", "sd", sd);
  const double end = std::min(kNearestToTheEnds, sd);
  const double m = std::clamp(mean, end, 1 - end);
  return {m, std::max(kWeakestBeta, m * (1 - m) / (sd * sd) - 1)};
}

}  // namespace mindgap::belief

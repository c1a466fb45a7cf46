#include "mindgap/gap/batch_evpi.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "mindgap/base/error.h"
#include "mindgap/base/parallel.h"
#include "mindgap/mdp/model_batch.h"
#include "mindgap/mdp/solve.h"

namespace mindgap::gap {
namespace {

constexpr double kDeployedAccuracy = 1e-12;  // of shares of discounted time: the deployed policy's,
constexpr double kMeanVisitAccuracy = 1e-7;  // the optimal ones' on average,
constexpr double kVisitAccuracy = 1e-9;      // and of theirs outside, without a price
// Of one draw's local value, as a share of what the draw adds to the value of information: far below what
// draws differ by.
constexpr double kLocalAccuracy = 5e-5;
constexpr int kMostPrices = 200;

// After so many steps less than this share of discounted time is left.
std::int64_t steps_until(double discount, double share) {
  return discount == 0 ? 1 : static_cast<std::int64_t>(std::ceil(std::log(share) / std::log(discount))) + 1;
}

// One part of the draws: gap_decomposition() of every model, each step for all models at once. A policy is a
// line in the price of visits outside, value - price * excess.
class Part {
 public:
  Part(mdp::ModelBatch& batch, const EvpiOptions& options)
      : batch_(batch), options_(options), models_(static_cast<std::size_t>(batch.models())) {}

  void run(const mdp::Policy& deployed, std::span<const double> guess, std::span<const double> factor,
           std::vector<double>& visitation) {
    const mdp::Mdp& shape = batch_.shape();
    const double g = shape.discount();
    const mdp::ModelBatch::Followed now =
        batch_.follow(deployed.pair_of_state(), shape.start(), g, steps_until(g, kDeployedAccuracy));
    allowed_ = batch_.mark_outside(options_.support_threshold);
    level_ = {now.reward, std::vector<double>(models_, 0.0)};
    for (const double size : batch_.reward_magnitude()) {
      tolerance_.push_back(options_.tolerance * std::max(size / (1 - g), 1e-300));
      wanted_.push_back(tolerance_.back() / 4);  // so that two values are told apart by the tolerance
    }
    batch_.set_value(guess);
    active_.assign(models_, 1);
    price_.assign(models_, 0.0);
    error_.assign(models_, 0.0);
    visit_accuracy_ = kVisitAccuracy / (1 - g);
    solve();
    batch_.follow_best(shape.start(), g, steps_until(g, kMeanVisitAccuracy));
    const std::vector<double> visits = batch_.sum_visits(factor);
    for (std::size_t s = 0; s < visits.size(); ++s) visitation[s] += (1 - g) * visits[s];
    visit();
    falling_ = line_;
    optimal_.resize(models_);
    for (std::size_t m = 0; m < models_; ++m) optimal_[m] = std::max(falling_.value[m], level_.value[m]);
    local_ = optimal_;
    search();
  }

  double deployed(std::size_t m) const { return level_at_first_[m]; }
  double optimal(std::size_t m) const { return optimal_[m]; }
  double local(std::size_t m) const { return std::clamp(local_[m], deployed(m), optimal(m)); }
  double error(std::size_t m) const { return error_[m]; }

 private:
  struct Lines {
    std::vector<double> value, excess;
  };

  // With the prices as they are: value_ becomes V* of the rewards less the price.
  void solve() {
    batch_.solve(batch_.shape().start(), price_, active_, wanted_, certified_);
    for (std::size_t m = 0; m < models_; ++m) {
      if (active_[m] != 0) error_[m] = std::max(error_[m], certified_.half_width[m]);
    }
  }
  // And line_ the lines of the policies that were found.
  void visit() {
    batch_.visit_outside(batch_.shape().start(), active_, visit_accuracy_, outside_);
    line_.value.resize(models_);
    line_.excess.resize(models_);
    for (std::size_t m = 0; m < models_; ++m) {
      if (active_[m] == 0) continue;
      line_.value[m] = certified_.value[m] + price_[m] * outside_[m];
      line_.excess[m] = outside_[m] - allowed_[m];
    }
  }

  // As in gap_decomposition(): the least upper bound of all lines is lowest where one that falls and one that
  // does not cross, unless a third lies above. Visits are found so well that what they are off by counts for
  // a part of the tolerance at the price there is; what exceeds by less does not exceed.
  // Lines are off by a third of the tolerance, so the local value by less than twice of it.
  void search() {
    level_at_first_ = level_.value;
    for (std::size_t m = 0; m < models_; ++m) {
      tolerance_[m] = std::max(tolerance_[m], kLocalAccuracy * (optimal_[m] - level_.value[m]));
      wanted_[m] = tolerance_[m] / 4;
      active_[m] = exceeds(m, falling_) && falling_.value[m] > level_.value[m] + tolerance_[m] ? 1 : 0;
      if (active_[m] != 0) error_[m] = std::max(error_[m], 2 * tolerance_[m]);
    }
    for (int round = 0; std::ranges::any_of(active_, [](std::uint8_t a) { return a != 0; }); ++round) {
      if (round > kMostPrices)
        throw NumericalError("batch_evpi: no end after 200 prices of the unreached states");
      set_prices();
      solve();
      for (std::size_t m = 0; m < models_; ++m) {
        if (active_[m] != 0 && certified_.value[m] + price_[m] * allowed_[m] <= local_[m] + tolerance_[m])
          active_[m] = 0;
      }
      visit();
      for (std::size_t m = 0; m < models_; ++m) {
        if (active_[m] == 0) continue;
        Lines& replaced = exceeds(m, line_) ? falling_ : level_;
        replaced.value[m] = line_.value[m];
        replaced.excess[m] = line_.excess[m];
      }
    }
  }

  bool exceeds(std::size_t m, const Lines& lines) const { return lines.excess[m] > 3 * visit_accuracy_; }

  // Where two lines differ by less than is known of them the search is over.
  void set_prices() {
    visit_accuracy_ = std::numeric_limits<double>::infinity();
    for (std::size_t m = 0; m < models_; ++m) {
      if (active_[m] == 0) continue;
      const double apart = falling_.excess[m] - level_.excess[m], ahead = falling_.value[m] - level_.value[m];
      if (!(apart > 0 && ahead > 0)) {
        active_[m] = 0;
        continue;
      }
      price_[m] = ahead / apart;
      local_[m] = falling_.value[m] - price_[m] * falling_.excess[m];
      visit_accuracy_ = std::min(visit_accuracy_, tolerance_[m] / (12 * price_[m]));
    }
  }

  mdp::ModelBatch& batch_;
  const EvpiOptions& options_;
  std::size_t models_;
  double visit_accuracy_ = 0;
  Lines level_, falling_, line_;
  std::vector<double> level_at_first_, allowed_, outside_, tolerance_, wanted_, price_, optimal_, local_,
      error_;
  std::vector<std::uint8_t> active_;
  mdp::ModelBatch::Certified certified_;
};

}  // namespace

Evpi batch_evpi(const belief::Belief& belief, const mdp::Policy& deployed, std::int64_t draws,
                const EvpiOptions& options) {
  if (!deployed.is_deterministic())
    throw InvalidArgument("batch_evpi: the deployed policy must take one action in each state");
  const mdp::Mdp mean = belief.mean();
  if (mean.discount() == 1) throw InvalidArgument("batch_evpi: discount is 1, but must be below 1");
  const std::vector<double> guess =
      mdp::solve(mean, {.tolerance = 1e-6, .threads = options.run.threads}).value;
  const base::Threads threads(options.run.threads);
  mdp::ModelBatch batch(*options.engine, mean, mdp::ModelBatch::part_that_fits(*options.engine, mean, draws));
  Evpi result;
  result.draws = draws;
  result.optimal_visitation.assign(guess.size(), 0.0);
  std::vector<double> total, local, reach;
  for (std::int64_t first = 0; first < draws; first += batch.models()) {
    const std::int64_t last = std::min<std::int64_t>(first + batch.models(), draws);
    belief.sample_batch(batch, options.run.seed, static_cast<std::uint64_t>(first), threads);
    // Models past the last draw count for nothing.
    std::vector<double> factor(static_cast<std::size_t>(batch.models()), 0.0);
    std::fill_n(factor.begin(), last - first, 1 / static_cast<double>(draws));
    Part part(batch, options);
    part.run(deployed, guess, factor, result.optimal_visitation);
    for (std::size_t m = 0; m < static_cast<std::size_t>(last - first); ++m) {
      total.push_back(part.optimal(m) - part.deployed(m));
      local.push_back(part.local(m) - part.deployed(m));
      reach.push_back(part.optimal(m) - part.local(m));
      result.error_bound = std::max(result.error_bound, part.error(m));
    }
    options.run.listener.tell("drawing models", last, draws);
  }
  result.total = estimate(total);
  result.local = estimate(local);
  result.reach = estimate(reach);
  return result;
}

}  // namespace mindgap::gap

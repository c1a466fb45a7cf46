#include "mindgap/mdp/model_batch.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "mindgap/base/check.h"
#include "mindgap/base/error.h"
#include "mindgap/base/listener.h"
#include "mindgap/base/random.h"
#include "mindgap/mdp/bellman.h"

namespace mindgap::mdp {
namespace {

constexpr std::int32_t kEvaluations = 9;  // sweeps of the best actions between two Bellman sweeps
constexpr std::int64_t kMostRounds = 1'000'000;

MindgapShape shape_of(const Mdp& mdp) {
  return {mdp.states(),           mdp.pairs(),
          mdp.nonzeros(),         mdp.pair_begin().data(),
          mdp.row_begin().data(), mdp.next_state().data()};
}

bool same_transitions(const Mdp& a, const Mdp& b) {
  return std::ranges::equal(a.pair_begin(), b.pair_begin()) &&
         std::ranges::equal(a.row_begin(), b.row_begin()) &&
         (a.next_state().data() == b.next_state().data() ||
          std::ranges::equal(a.next_state(), b.next_state()));
}

bool any(std::span<const std::uint8_t> flags) {
  return std::any_of(flags.begin(), flags.end(), [](std::uint8_t flag) { return flag != 0; });
}

}  // namespace

ModelBatch::ModelBatch(const MindgapEngine& engine, const Mdp& shape, std::int32_t models)
    : engine_(engine), shape_(shape), models_(models) {
  base::check_positive("ModelBatch", "models", models);
  const MindgapShape arrays = shape_of(shape_);
  check(engine_.create(&arrays, models, &batch_));
}

ModelBatch::~ModelBatch() {
  engine_.destroy(batch_);
}

std::int32_t ModelBatch::part_that_fits(const MindgapEngine& engine, const Mdp& shape, std::int64_t models) {
  const MindgapShape arrays = shape_of(shape);
  const std::int64_t most = engine.capacity(&arrays);
  if (most < 0) throw NumericalError(fmt::format("{}: {}", engine.device, engine.message()));
  if (most == 0) {
    throw InvalidArgument(
        fmt::format("models of {} states and {} transitions do not fit into the memory of {}", shape.states(),
                    shape.nonzeros(), engine.device));
  }
  const std::int64_t parts = (models + most - 1) / most;
  return static_cast<std::int32_t>((models + parts - 1) / parts);
}

void ModelBatch::check(int status) const {
  if (status != 0) throw NumericalError(fmt::format("{}: {}", engine_.device, engine_.message()));
}

void ModelBatch::load(std::int32_t model, const Mdp& mdp) {
  if (!same_transitions(shape_, mdp))
    throw InvalidArgument("ModelBatch::load: the model has other transitions than the batch");
  row_sum_min_.clear();
  visited_ = false;
  check(engine_.load(batch_, model, mdp.reward().data(), mdp.probability().data()));
}

void ModelBatch::draw(const IndependentLaw& law, std::uint64_t seed, std::uint64_t first) {
  const auto pairs = static_cast<std::size_t>(shape_.pairs());
  base::check_size("ModelBatch::draw", "reward_mean", law.reward_mean.size(), pairs);
  base::check_size("ModelBatch::draw", "reward_sd", law.reward_sd.size(), pairs);
  base::check_size("ModelBatch::draw", "alpha", law.alpha.size(),
                   static_cast<std::size_t>(shape_.nonzeros()));
  row_sum_min_.clear();
  visited_ = false;
  const MindgapLaw arrays{law.reward_mean.data(), law.reward_sd.data(), law.alpha.data(), seed,
                          static_cast<std::uint64_t>(base::Purpose::belief)};
  check(engine_.draw(batch_, &arrays, first));
}

Mdp ModelBatch::read(std::int32_t model) const {
  std::vector<double> reward(static_cast<std::size_t>(shape_.pairs()));
  std::vector<double> probability(static_cast<std::size_t>(shape_.nonzeros()));
  check(engine_.read(batch_, model, reward.data(), probability.data()));
  return shape_.with_probability(std::move(probability)).with_reward(std::move(reward));
}

ModelBatch::Followed ModelBatch::follow(std::span<const std::int32_t> pair_of_state,
                                        std::span<const double> weights, double discount,
                                        std::int64_t steps) {
  const auto states = static_cast<std::size_t>(shape_.states());
  base::check_size("ModelBatch::follow", "pair_of_state", pair_of_state.size(), states);
  base::check_size("ModelBatch::follow", "weights", weights.size(), states);
  Followed followed{std::vector<double>(models_), std::vector<double>(models_)};
  check(engine_.follow(batch_, pair_of_state.data(), weights.data(), discount, steps, followed.total.data(),
                       followed.reward.data()));
  return followed;
}

ModelBatch::Followed ModelBatch::follow_best(std::span<const double> weights, double discount,
                                             std::int64_t steps) {
  base::check_size("ModelBatch::follow_best", "weights", weights.size(),
                   static_cast<std::size_t>(shape_.states()));
  Followed followed{std::vector<double>(models_), std::vector<double>(models_)};
  check(engine_.follow(batch_, nullptr, weights.data(), discount, steps, followed.total.data(),
                       followed.reward.data()));
  return followed;
}

std::vector<double> ModelBatch::mark_outside(double threshold) {
  std::vector<double> outside(models_);
  check(engine_.mark_outside(batch_, threshold, outside.data()));
  return outside;
}

std::vector<double> ModelBatch::sum_visits(std::span<const double> factor) const {
  base::check_size("ModelBatch::sum_visits", "factor", factor.size(), static_cast<std::size_t>(models_));
  std::vector<double> visits(static_cast<std::size_t>(shape_.states()));
  check(engine_.sum_visits(batch_, factor.data(), visits.data()));
  return visits;
}

void ModelBatch::finite_horizon(double discount, std::int64_t steps, std::span<const double> weights,
                                std::span<const double> price, std::span<const std::uint8_t> active,
                                Point& point) {
  const auto models = static_cast<std::size_t>(models_);
  base::check_size("ModelBatch::finite_horizon", "price", price.size(), models);
  base::check_size("ModelBatch::finite_horizon", "active", active.size(), models);
  point.reward.resize(models);
  point.outside.resize(models);
  check(engine_.finite_horizon(batch_, discount, steps, weights.data(), price.data(), active.data(),
                               point.reward.data(), point.outside.data()));
}

void ModelBatch::set_value(std::span<const double> value) {
  base::check_size("ModelBatch::set_value", "value", value.size(), static_cast<std::size_t>(shape_.states()));
  check(engine_.set_value(batch_, value.data()));
}

void ModelBatch::find_ranges() {
  if (!row_sum_min_.empty()) return;
  row_sum_min_.resize(models_);
  row_sum_max_.resize(models_);
  reward_magnitude_.resize(models_);
  check(engine_.ranges(batch_, row_sum_min_.data(), row_sum_max_.data(), reward_magnitude_.data()));
}

std::span<const double> ModelBatch::reward_magnitude() {
  find_ranges();
  return reward_magnitude_;
}

// Each round is a few sweeps of the current policy and one Bellman sweep, whose change gives the bounds
// (bounds_from). A model that is done is left alone while others go on.
void ModelBatch::solve(std::span<const double> weights, std::span<const double> price,
                       std::span<const std::uint8_t> active, std::span<const double> half_width,
                       Certified& result) {
  find_ranges();
  const auto models = static_cast<std::size_t>(models_);
  base::check_size("ModelBatch::solve", "weights", weights.size(), static_cast<std::size_t>(shape_.states()));
  for (const std::size_t size : {price.size(), active.size(), half_width.size()})
    base::check_size("ModelBatch::solve", "per model", size, models);
  std::vector<std::uint8_t> going(active.begin(), active.end());
  std::vector<double> low(models), high(models), magnitude(models), middle(models);
  result.value.resize(models);
  result.half_width.resize(models);
  for (std::int64_t round = 0; any(going); ++round) {
    base::interruption_point();
    if (round == kMostRounds)
      throw NumericalError("ModelBatch::solve: values do not converge to what was asked");
    check(engine_.improve(batch_, shape_.discount(), price.data(), going.data(),
                          round == 0 ? 0 : kEvaluations, low.data(), high.data(), magnitude.data()));
    for (std::size_t m = 0; m < models; ++m) {
      if (going[m] == 0) continue;
      const Bounds bounds = bounds_from({shape_.discount(), row_sum_min_[m], row_sum_max_[m],
                                         reward_magnitude_[m] + std::abs(price[m]), shape_.row_length_max()},
                                        {low[m], high[m], magnitude[m]});
      if (!std::isfinite(bounds.width()))
        throw NumericalError("ModelBatch::solve: values are beyond double precision; scale the rewards");
      if (bounds.width() / 2 > half_width[m] && bounds.width() > 2 * bounds.floor) continue;
      middle[m] = (bounds.lower + bounds.upper) / 2;
      result.half_width[m] = bounds.width() / 2;
      going[m] = 0;
    }
  }
  std::vector<double> value(models);
  check(engine_.weigh_value(batch_, weights.data(), value.data()));
  double all = 0;
  for (const double weight : weights) all += weight;
  for (std::size_t m = 0; m < models; ++m) {
    if (active[m] != 0) result.value[m] = value[m] + all * middle[m];
  }
}

// O = 1_outside + g P O is a value, too: after a sweep with changes in [low, high] it lies in
// LO + g/(1-g) [low, high], up to what row sums are off.
void ModelBatch::visit_outside(std::span<const double> weights, std::span<const std::uint8_t> active,
                               double accuracy, std::vector<double>& outside) {
  constexpr std::int32_t kSweeps = 16;
  const auto models = static_cast<std::size_t>(models_);
  const double g = shape_.discount(), tail = g / (1 - g);
  base::check_size("ModelBatch::visit_outside", "active", active.size(), models);
  std::vector<std::uint8_t> going(active.begin(), active.end());
  std::vector<double> low(models), high(models), visits(models), before(models, 0.0);
  outside.resize(models);
  double all = 0;
  for (const double weight : weights) all += weight;
  for (std::int64_t round = 0; any(going); ++round) {
    base::interruption_point();
    if (round == kMostRounds)
      throw NumericalError("ModelBatch::visit_outside: visits do not converge to what was asked");
    check(engine_.visit_outside(batch_, g, weights.data(), going.data(), kSweeps, visited_ ? 0 : 1,
                                low.data(), high.data(), visits.data()));
    visited_ = true;
    for (std::size_t m = 0; m < models; ++m) {
      if (going[m] == 0) continue;
      const double spread = high[m] - low[m];
      // Rounding leaves a spread that does not fall any further.
      const bool stuck = round > 0 && spread >= before[m] && tail * spread < 1e3 * accuracy;
      before[m] = spread;
      if (all * tail * spread / 2 > accuracy && !stuck) continue;
      outside[m] = visits[m] + all * tail * (low[m] + high[m]) / 2;
      going[m] = 0;
    }
  }
}

ModelBatch::Value ModelBatch::read_value(std::int32_t model) const {
  Value value{std::vector<double>(static_cast<std::size_t>(shape_.states())), {}};
  value.pair.resize(value.value.size());
  check(engine_.read_value(batch_, model, value.value.data(), value.pair.data()));
  return value;
}

}  // namespace mindgap::mdp

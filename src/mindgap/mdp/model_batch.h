#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "mindgap/mdp/engine_abi.h"
#include "mindgap/mdp/mdp.h"

namespace mindgap::mdp {

/// Gaussian mean rewards and Dirichlet rows, all independent, from which an engine can draw models itself.
struct IndependentLaw {
  std::vector<double> reward_mean, reward_sd;  // per pair
  std::vector<double> alpha;                   // per nonzero
};

/// Many models that share their transitions, on an engine. What each function does is said in engine_abi.h.
/// Throws NumericalError with the engine's reason where it fails. Not thread-safe.
class ModelBatch {
 public:
  /// `shape` has the transitions and the discount; its numbers do not matter.
  ModelBatch(const MindgapEngine& engine, const Mdp& shape, std::int32_t models);
  ~ModelBatch();
  ModelBatch(const ModelBatch&) = delete;
  ModelBatch& operator=(const ModelBatch&) = delete;

  /// How many of `models` to take at a time: all, or about equal parts that fit into the engine's memory.
  static std::int32_t part_that_fits(const MindgapEngine& engine, const Mdp& shape, std::int64_t models);

  std::int32_t models() const { return models_; }
  const Mdp& shape() const { return shape_; }

  void load(std::int32_t model, const Mdp& mdp);
  /// As belief::Belief::sample(seed, first + i) of such a belief.
  void draw(const IndependentLaw& law, std::uint64_t seed, std::uint64_t first);
  /// One model as it stands; for tests.
  Mdp read(std::int32_t model) const;

  struct Followed {
    std::vector<double> total, reward;  // per model
  };
  Followed follow(std::span<const std::int32_t> pair_of_state, std::span<const double> weights,
                  double discount, std::int64_t steps);
  Followed follow_best(std::span<const double> weights, double discount, std::int64_t steps);
  std::vector<double> mark_outside(double threshold);
  std::vector<double> sum_visits(std::span<const double> factor) const;

  struct Point {
    std::vector<double> reward, outside;  // per model
  };
  void finite_horizon(double discount, std::int64_t steps, std::span<const double> weights,
                      std::span<const double> price, std::span<const std::uint8_t> active, Point& point);

  /// Certified values: modified policy iteration from where the values stand until V* of every active model
  /// is known to lie within `half_width` of the value that is weighed below; to what rounding leaves, where
  /// that is less. Writes the value from `weights` and the half width that was reached. Throws NumericalError
  /// where it does not come to an end.
  struct Certified {
    std::vector<double> value, half_width;  // per model
  };
  void set_value(std::span<const double> value);
  void solve(std::span<const double> weights, std::span<const double> price,
             std::span<const std::uint8_t> active, std::span<const double> half_width, Certified& result);
  /// Discounted visits outside of the best actions that solve() found, from `weights`, off by at most
  /// `accuracy`.
  void visit_outside(std::span<const double> weights, std::span<const std::uint8_t> active, double accuracy,
                     std::vector<double>& outside);
  struct Value {
    std::vector<double> value;
    std::vector<std::int32_t> pair;
  };
  Value read_value(std::int32_t model) const;

  /// The largest |reward| of each model.
  std::span<const double> reward_magnitude();

 private:
  void check(int status) const;
  void find_ranges();

  const MindgapEngine& engine_;
  Mdp shape_;
  std::int32_t models_;
  MindgapBatch* batch_ = nullptr;
  bool visited_ = false;  // visits outside of these models were found before: a start for the next ones
  std::vector<double> row_sum_min_, row_sum_max_, reward_magnitude_;  // empty: not known yet
};

}  // namespace mindgap::mdp

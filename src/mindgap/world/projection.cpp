#include "mindgap/world/projection.h"

#include <numeric>
#include <span>

namespace mindgap::world {
namespace {

std::span<double> part(std::vector<double>& values, std::int32_t row, std::int32_t hidden) {
  return std::span(values).subspan(static_cast<std::size_t>(row) * static_cast<std::size_t>(hidden),
                                   static_cast<std::size_t>(hidden));
}

// Divides by the sum; returns false, and changes nothing, where it is 0.
bool normalise(std::span<double> weights) {
  const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
  if (sum <= 0) return false;
  if (sum != 1) {
    for (double& weight : weights) weight /= sum;
  }
  return true;
}

// The law of h per cell that does not depend on the action.
std::vector<double> per_cell(const HiddenModel& world, std::span<const double> law_of_state) {
  std::vector<double> weight(world.reward().size());
  for (std::int32_t s = 0; s < world.states(); ++s) {
    for (const std::int32_t k : world.pairs_of(s)) {
      for (std::int32_t h = 0; h < world.hidden(); ++h) {
        weight[world.cell(k, h)] = law_of_state[world.cell(s, h)];
      }
      normalise(part(weight, k, world.hidden()));
    }
  }
  return weight;
}

mdp::Mdp average(const HiddenModel& world, const std::vector<double>& weight) {
  mdp::MdpArrays arrays;
  arrays.discount = world.discount();
  arrays.reward_max = world.reward_max();
  arrays.pair_begin.assign(world.pair_begin().begin(), world.pair_begin().end());
  arrays.pair_action.assign(world.pair_action().begin(), world.pair_action().end());
  arrays.start.assign(world.start().begin(), world.start().end());
  arrays.actions = world.actions();
  arrays.labels = world.labels();
  arrays.row_begin = {0};
  for (std::int32_t k = 0; k < world.pairs(); ++k) {
    double reward = 0;
    for (std::int32_t h = 0; h < world.hidden(); ++h) {
      const std::size_t cell = world.cell(k, h);
      const double w = weight[cell];
      if (w == 0) continue;
      reward += w * world.reward()[cell];
      for (const std::int64_t i : world.entries_of(cell)) {
        arrays.next_state.push_back(world.next_state()[i]);
        arrays.probability.push_back(w * world.probability()[i]);
      }
    }
    arrays.reward.push_back(reward);
    arrays.row_begin.push_back(static_cast<std::int64_t>(arrays.next_state.size()));
  }
  return mdp::Mdp(std::move(arrays));  // which adds what goes to the same next state
}

std::vector<double> mixed_variance(const HiddenModel& world, const std::vector<double>& weight) {
  std::vector<double> result(static_cast<std::size_t>(world.pairs()));
  for (std::int32_t k = 0; k < world.pairs(); ++k) {
    double mean = 0, variance = 0;
    for (std::int32_t h = 0; h < world.hidden(); ++h) {
      const std::size_t cell = world.cell(k, h);
      mean += weight[cell] * world.reward()[cell];
    }
    for (std::int32_t h = 0; h < world.hidden(); ++h) {
      const std::size_t cell = world.cell(k, h);
      const double off = world.reward()[cell] - mean;
      variance += weight[cell] * (world.variance()[cell] + off * off);
    }
    result[k] = variance;
  }
  return result;
}

}  // namespace

mdp::Mdp deployment_projection(const HiddenModel& world) {
  return average(world, per_cell(world, world.deployment()));
}

mdp::Mdp calibration_kernel(const HiddenModel& world) {
  return average(world, hidden_given_pair(world));
}

mdp::Mdp calibration_marginal(const HiddenModel& world) {
  return average(world, per_cell(world, world.calibration()));
}

std::vector<double> hidden_given_pair(const HiddenModel& world) {
  const std::vector<double> marginal = per_cell(world, world.calibration());
  std::vector<double> weight(marginal.size());
  for (std::size_t c = 0; c < weight.size(); ++c) weight[c] = marginal[c] * world.behaviour()[c];
  for (std::int32_t k = 0; k < world.pairs(); ++k) {
    if (normalise(part(weight, k, world.hidden()))) continue;
    for (std::int32_t h = 0; h < world.hidden(); ++h) {
      weight[world.cell(k, h)] = marginal[world.cell(k, h)];
    }
  }
  return weight;
}

std::vector<double> do_variance(const HiddenModel& world) {
  return mixed_variance(world, per_cell(world, world.deployment()));
}

std::vector<double> observational_variance(const HiddenModel& world) {
  return mixed_variance(world, hidden_given_pair(world));
}

}  // namespace mindgap::world

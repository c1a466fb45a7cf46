#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "mdp/random_models.h"
#include "mindgap/base/distributions.h"
#include "mindgap/belief/ensemble.h"

// Small ensembles for tests.
namespace mindgap::belief {

inline std::vector<double> per_pair(const Members& members, double value) {
  return std::vector<double>(static_cast<std::size_t>(members.mean().pairs()), value);
}

/// Two states, two actions: reward per pair, and per pair the probability of state 0.
inline mdp::Mdp two_by_two(std::vector<double> reward, const std::vector<double>& stay) {
  mdp::MdpArrays arrays;
  arrays.discount = .9;
  arrays.pair_begin = {0, 2, 4};
  arrays.pair_action = {0, 1, 0, 1};
  arrays.row_begin = {0};
  for (const double p : stay) {
    arrays.next_state.insert(arrays.next_state.end(), {0, 1});
    arrays.probability.insert(arrays.probability.end(), {p, 1 - p});
    arrays.row_begin.push_back(static_cast<std::int64_t>(arrays.next_state.size()));
  }
  arrays.reward = std::move(reward);
  return mdp::Mdp(std::move(arrays));
}

/// Three members, with which the golden numbers (golden_shared_errors.json, `ensemble`) were computed in
/// Python.
inline Members golden_members() {
  return Members(
      {two_by_two({.2, .5, .1, .9}, {.9, .3, .5, .2}), two_by_two({.6, .5, .3, .2}, {.6, .3, .7, .2}),
       two_by_two({.4, .1, .8, .5}, {.8, .6, .1, .4})},
      {.5, .3, .2});
}

inline Ensemble golden_ensemble() {
  const Members members = golden_members();
  return {members, {per_pair(members, .2), per_pair(members, 8)}, per_pair(members, .25)};
}

/// Models with the same pairs, of which each drops some moves of the first one's rows. Rewards differ.
inline std::vector<mdp::Mdp> differing_models(std::uint64_t seed, std::size_t size, std::int32_t states) {
  const mdp::Mdp first = mdp::random_mdp(seed, {.states = states, .successors = 4});
  std::vector<mdp::Mdp> models;
  base::Stream stream({seed, base::Purpose::test});
  for (std::size_t i = 0; i < size; ++i) {
    std::vector<double> p(first.probability().begin(), first.probability().end());
    std::vector<double> reward(first.reward().begin(), first.reward().end());
    for (double& r : reward) r += base::normal(stream);
    mdp::MdpArrays arrays;
    for (std::int32_t k = 0; k < first.pairs(); ++k) {
      double sum = 0;
      for (const std::int64_t j : first.entries_of(k)) {
        const bool only = first.row(k).size() == 1 || j == first.entries_of(k).first();
        p[j] = !only && base::uniform(stream) < .3 ? 0 : p[j] * base::exponential(stream);
        sum += p[j];
      }
      for (const std::int64_t j : first.entries_of(k)) p[j] /= sum;
    }
    arrays.discount = first.discount();
    arrays.actions = first.actions();
    arrays.pair_begin.assign(first.pair_begin().begin(), first.pair_begin().end());
    arrays.pair_action.assign(first.pair_action().begin(), first.pair_action().end());
    arrays.row_begin.assign(first.row_begin().begin(), first.row_begin().end());
    arrays.next_state.assign(first.next_state().begin(), first.next_state().end());
    arrays.probability = std::move(p);
    arrays.reward = std::move(reward);
    models.emplace_back(std::move(arrays));
  }
  return models;
}

/// Observes every pair `times` times in a world.
inline void observe_world(Ensemble& ensemble, const mdp::Mdp& world, int times, base::Stream& stream) {
  for (std::int32_t k = 0; k < world.pairs(); ++k) {
    for (int i = 0; i < times; ++i) {
      const double noise = std::sqrt(ensemble.observation_variance()[k]) * base::normal(stream);
      const std::int32_t next = base::categorical(stream, world.row(k).probability);
      ensemble.observe(
          {.pair = k, .reward = world.reward()[k] + noise, .next_state = world.row(k).next_state[next]});
    }
  }
}

}  // namespace mindgap::belief

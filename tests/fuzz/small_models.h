#pragma once

#include <string>
#include <vector>

#include "mindgap/mdp/builder.h"
#include "mindgap/mdp/model.h"

// Small models that have, together, everything a model's file can hold: what fuzz targets start from.
namespace mindgap::mdp {

inline Mdp small_mdp(bool named, double reward = 2) {
  MdpBuilder builder = named ? MdpBuilder(0.9) : MdpBuilder(0.9, 2, 2);
  if (named) {
    builder.add_state("left, \"L\"", {.group = "north", .x = 0, .y = 1, .start = 0.25});
    builder.add_state("right", {.x = 1, .y = -1.5, .start = 0.75});
    builder.add_action("stay");
    builder.add_action("go");
  }
  builder.set_reward(0, 0, 1e-3);
  builder.set_reward(0, 1, -1);
  builder.set_reward(1, 0, reward);
  builder.add_transition(0, 0, 0, 1);
  builder.add_transition(0, 1, 0, 0.12345678901234567);
  builder.add_transition(0, 1, 1, 1 - 0.12345678901234567);
  builder.add_transition(1, 0, 1, 1);
  return builder.build();
}

/// Episodes that end in state 1. One name is so much longer than the others that HDF5 keeps them one by one.
inline Mdp small_episodes() {
  MdpBuilder builder(0.5);
  builder.add_state(std::string(100, 'n'), {.start = 1});
  for (const char* name : {"finish", "pass", "quay", "road", "shop"}) builder.add_state(name);
  builder.add_action("go");
  for (int s = 0; s < 6; ++s) {
    builder.set_reward(s, 0, s == 1 ? 0 : s);
    builder.add_transition(s, 0, 1, 1);
  }
  return builder.build();
}

/// What a folder can hold as well.
inline std::vector<Model> small_models() {
  return {
      {.name = "plain", .mdp = small_mdp(true)},
      {.name = "unnamed", .mdp = small_mdp(false)},
      {.name = "scalars",
       .mdp = small_mdp(true),
       .variance = {1, 0, 2},
       .reward_variance = 1.5,
       .prior = PriorSpec{.reward_sd = 1, .transition_strength = 5, .odds = 2, .drift_sd = 0.5}},
      {.name = "pairs",
       .mdp = small_mdp(true),
       .prior = PriorSpec{.pair_reward_sd = {1, 2, 3}, .pair_transition_strength = {4, 5, 6}},
       .coverage = {7, 8, 9}},
  };
}

/// What is kept in HDF5 files, or not in all folders.
inline std::vector<Model> further_models() {
  const Members members({small_mdp(true), small_mdp(true, 3)}, {.25, .75}, {"low", "high"});
  Model ensemble{.name = "ensemble", .mdp = members.mean(), .members = members};
  ensemble.parameters = {{"slope", {1, 2}}};
  Model shared{.name = "shared errors", .mdp = small_mdp(true), .reward_variance = 1};
  shared.coverage = {3, 2, 1};
  shared.coverage_is_sampled = true;
  shared.prior = PriorSpec{.reward_sd = 1, .transition_strength = 5, .unseen = .125, .unseen_strength = 3};
  shared.prior->shared = {.group_sds = {.75},
                          .kernel = KernelSpec{.sd = .375, .length = 2.5},
                          .factors = {"season"},
                          .loadings = {{0, 0, .625}, {2, 0, -.625}}};
  Model ends{.name = "ends", .mdp = small_episodes(), .ends = {1}};
  ends.prior = PriorSpec{.reward_sd = .5, .transition_strength = 4, .reward_min = -7, .reward_max = 11};
  ends.about.reward_unit = "euros";
  ends.about.sources = "the census";
  return {ensemble, shared, ends};
}

}  // namespace mindgap::mdp

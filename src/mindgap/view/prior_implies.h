#pragma once

#include <string>
#include <vector>

#include "mindgap/belief/knowledge.h"
#include "mindgap/gap/prior_implies.h"
#include "mindgap/view/json.h"

// What a prior implies, in words and for programs: `check` and `decide` show the same.
namespace mindgap::view {

/// Lines under a heading.
std::string text_of(const mdp::Mdp& mdp, const gap::PriorImplies& implied);
Json json_of(const mdp::Mdp& mdp, const gap::PriorImplies& implied);

/// What a prior takes as known or caps although nobody said so, in sentences.
std::vector<std::string> notes_on_prior(const belief::Knowledge& knowledge);

/// What is taken for granted about rewards: a phrase, "true mean rewards lie from 0 to 1", and a sentence.
/// "" for Gaussian rewards without bounds.
std::string rewards_in_words(const belief::RewardSupport& support);
std::string reward_assumption(const belief::RewardSupport& support);

/// Where PriorImplies::simulator_best is earned: "in the simulator".
const char* where_simulated(const gap::PriorImplies& implied);

/// Why nothing should rest on that prior yet, in a sentence; "" where it is not too good.
std::string prior_warning(const mdp::Mdp& mdp, const gap::PriorImplies& implied);

}  // namespace mindgap::view

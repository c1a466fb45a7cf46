#pragma once

#include <filesystem>
#include <memory>
#include <vector>

#include "mindgap/mdp/model.h"
#include "mindgap/trial/case.h"

namespace mindgap::trial {

/// A truth that a user wrote down (a folder with world.toml) as a case: every tabular planner in it, 100
/// units, 100 steps.
///  - simulator: the model that planners are given, with its prior. Without one it is what endless history
///    would estimate, the calibration kernel, and the prior is wide: sd reward_max for rewards, 5
///    pseudo-observations for transitions (the paper's listing), unless reward-sd or transition-strength say
///    otherwise.
///  - reward-sd, transition-strength: override the prior.
const std::vector<trial::CaseOption>& world_options();
std::unique_ptr<trial::Case> make_world_case(const std::filesystem::path& world,
                                             const trial::CaseRequest& request);
/// The same with a simulator in memory; the option of that name is not considered.
std::unique_ptr<trial::Case> make_world_case(const std::filesystem::path& world,
                                             const trial::CaseRequest& request, const mdp::Model& simulator);

}  // namespace mindgap::trial

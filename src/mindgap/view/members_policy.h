#pragma once

#include <string>

#include "mindgap/mdp/model.h"
#include "mindgap/mdp/several_models.h"
#include "mindgap/view/json.h"

// The faces of one policy for all members of an ensemble: `mindgap solve --policy average|robust`.
namespace mindgap::view {

struct MembersPolicyView {
  const mdp::Model& model;  // an ensemble
  const mdp::SeveralModelsPolicy& found;
  bool robust = false;   // best in the worst member, not on average
  std::string out = {};  // where the policy was written, or empty
};

std::string text_of(const MembersPolicyView& view);
Json json_of(const MembersPolicyView& view);

}  // namespace mindgap::view

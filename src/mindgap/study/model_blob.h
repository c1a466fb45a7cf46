#pragma once

#include <string>
#include <string_view>

#include "mindgap/mdp/model.h"

// A whole model as bytes, so that a study needs no other file.
namespace mindgap::study {

/// decode_model(encode_model(m)) is m, bit for bit. Throws StoreError where the bytes are not a model's.
std::string encode_model(const mdp::Model& model);
mdp::Model decode_model(std::string_view bytes);

/// The first difference that a person would want to hear of, or "" where there is none: "state 'a', action
/// 'b': the reward is 2, in the study 1.5".
std::string model_difference(const mdp::Model& study, const mdp::Model& other);

}  // namespace mindgap::study

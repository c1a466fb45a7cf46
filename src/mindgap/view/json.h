#pragma once

#include <nlohmann/json.hpp>

#include "mindgap/decide/stopping.h"
#include "mindgap/mdp/model.h"

// What results say as JSON, whoever asks: the command line prints it, Python reads it.
namespace mindgap::view {

using Json = nlohmann::ordered_json;

/// What every result says of its model first: name, sizes, discount.
Json json_of_model(const mdp::Model& model);

/// JSON has no infinity: null stands for it, and for what is not a number.
Json finite_or_null(double value);

/// A pair: state and action.
Json json_of_pair(const mdp::Mdp& mdp, std::int32_t pair);

/// What the next batch of an experiment is worth and costs.
Json json_of_price(const decide::BatchPrice& price);

/// Names come from files, and files hold any bytes: what is not UTF-8 is replaced, not refused.
std::string dumped(const Json& json);

}  // namespace mindgap::view

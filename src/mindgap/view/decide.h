#pragma once

#include <string>
#include <vector>

#include "mindgap/decide/decide.h"
#include "mindgap/decide/tipping.h"
#include "mindgap/view/json.h"

namespace mindgap::view {

/// What a decision's text and JSON are made from.
struct DecideView {
  const mdp::Model& model;
  const decide::Situation& situation;
  const decide::DecideOptions& options;
  const decide::Decision& decision;
  const std::vector<decide::TippingMap>& tipping;
  const std::vector<std::string>& unit_names;
  std::string report = {}, plan = {};  // files written, or empty
};

std::string text_of(const DecideView& view);
Json json_of(const DecideView& view);

}  // namespace mindgap::view

#pragma once

#include <string>
#include <vector>

#include "mindgap/design/design.h"
#include "mindgap/design/navigated_pilot.h"
#include "mindgap/design/size_table.h"

#include "mindgap/view/json.h"

// The two faces of `mindgap design`: text for people, JSON for programs, from the same design.
namespace mindgap::view {

struct DesignView {
  const mdp::Model& model;
  const design::Design& design;
  const design::DesignOptions& options;
  std::size_t top = 10;                                    // how many pairs and routes to list; 0: all
  std::string out;                                         // where the plan was written, or empty
  std::vector<std::string> notes = {};                     // on errors that pairs share
  const design::NavigationFindings* navigation = nullptr;  // where the units navigate
  const design::SizeTable* sizes = nullptr;                // of other pilots, where they are wanted
};

std::string text_of(const DesignView& view);
Json json_of(const DesignView& view);

}  // namespace mindgap::view

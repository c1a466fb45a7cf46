#pragma once

#include <optional>
#include <string>

#include "mindgap/mdp/model.h"
#include "mindgap/view/json.h"

namespace mindgap::command {

struct ConvertRequest {
  std::optional<mdp::Model> model = {};  // must be there
  std::string to = {};                   // a folder, or a file ending in .h5 or .hdf5
};

/// What was written, and where.
struct ConvertAnswer {
  mdp::Model model;
  std::string written;

  std::string text() const;
  view::Json json() const;
};

/// Writes a model in the format that the ending asks for. Throws StoreError.
ConvertAnswer convert(const ConvertRequest& request);

}  // namespace mindgap::command

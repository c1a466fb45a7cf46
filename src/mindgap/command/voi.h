#pragma once

#include <optional>
#include <string>

#include "mindgap/base/run.h"
#include "mindgap/command/source.h"
#include "mindgap/report/page.h"
#include "mindgap/view/json.h"
#include "mindgap/voi/samples.h"

namespace mindgap::command {

struct VoiRequest {
  std::optional<Source> draws = {};  // one line a world; must be there
  voi::Columns plans = {};           // columns with the worth of each plan
  std::vector<voi::Columns> about = {}, data = {};
  double scale = 1;
  std::vector<double> cost = {};
  base::Run run = {};

  /// Throws InvalidArgument in the words of whoever asks.
  voi::SamplesOptions options() const;
};

struct VoiAnswer {
  voi::SampledValue value;

  std::string text() const;
  view::Json json() const;
  report::Page page() const;
};

/// Value of information from a table of sampled models. Throws InvalidArgument, InvalidModel with file,
/// line and column, and StoreError.
VoiAnswer value_of_information(const VoiRequest& request);

}  // namespace mindgap::command

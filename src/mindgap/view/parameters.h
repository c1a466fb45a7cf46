#pragma once

#include <string>
#include <vector>

#include "mindgap/belief/ensemble.h"
#include "mindgap/mdp/model.h"
#include "mindgap/report/figure.h"
#include "mindgap/report/table.h"
#include "mindgap/view/json.h"

// What is known about the parameters that tell the members of an ensemble apart.
namespace mindgap::view {

/// One parameter, before any data and now: over the members by their weights.
struct KnownParameter {
  std::string name;
  double mean_before = 0, sd_before = 0;
  double mean = 0, sd = 0;
  double lower = 0, upper = 0;  // 5th and 95th percentile now
};

/// In the model's order; none where members have no parameters.
std::vector<KnownParameter> known_parameters(const mdp::Model& model, const belief::Ensemble& ensemble);

/// Lines under a heading; "" where there are none.
std::string parameters_text(const std::vector<KnownParameter>& known);
report::Table parameters_table(const std::vector<KnownParameter>& known);
Json json_of(const std::vector<KnownParameter>& known);

/// How likely each parameter is to lie below a value, before and now: a small picture for each of the first
/// eight.
report::Figure parameters_figure(const mdp::Model& model, const belief::Ensemble& ensemble);

}  // namespace mindgap::view

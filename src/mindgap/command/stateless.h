#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "mindgap/report/page.h"
#include "mindgap/view/json.h"
#include "mindgap/view/stateless.h"

namespace mindgap::command {

struct StatelessRequest {
  std::int64_t units = 0;
  double discount = 1;
  double variance = 0;                    // of one unit's outcome
  std::optional<double> lead = {};        // by how much the favoured action is believed to be better
  std::optional<double> sd = {};          // of that
  std::vector<double> means = {};         // in place of both: mean outcome of each of several actions
  std::vector<double> sds = {};           // of those
  std::vector<std::string> actions = {};  // their names; none: numbers from 1
};

struct StatelessAnswer {
  std::optional<view::TwoActions> two;
  std::optional<view::ManyActions> many;

  std::string text() const;
  view::Json json() const;
  report::Page page() const;
};

/// Whether to experiment where there is no state, and on how many units. Throws InvalidArgument in the words
/// of whoever asks.
StatelessAnswer stateless(const StatelessRequest& request);

}  // namespace mindgap::command

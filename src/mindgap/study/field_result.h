#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "mindgap/mdp/observation_log.h"

namespace mindgap::study {

/// One result as somebody in the field sent it; names as they were given.
struct FieldResult {
  std::string unit;
  std::int64_t step = 0;
  std::optional<std::string> state = {};   // none: as assigned
  std::optional<std::string> action = {};  // none: as assigned
  std::optional<double> reward = {};
  mdp::Censoring bound = mdp::Censoring::none;
  std::optional<std::string> next_state = {};
  bool is_void = false;
  bool correct = false;  // replaces the result that holds

  bool operator==(const FieldResult&) const = default;
};

/// As the log keeps it; field_result_from(to_json(r)) is r. Throws StoreError where it is none.
std::string to_json(const FieldResult& result);
FieldResult field_result_from(const std::string& text);

}  // namespace mindgap::study

#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "mindgap/base/run.h"
#include "mindgap/belief/knowledge.h"
#include "mindgap/design/limits.h"

namespace mindgap::study {

/// What is settled when a study begins, and never changes.
struct StudyOptions {
  std::int64_t horizon = 0;   // steps of every unit
  double control_share = .2;  // of the units, which follow the current policy throughout; in [0, 1)
  std::int64_t batch_steps =
      0;  // steps that one design looks ahead; 0: 15, or half the horizon where that is less
  /// The policy is found again, from the results so far, when the first unit comes to a step that is a
  /// multiple of this; 0: only at a redesign.
  std::int64_t update_every = 5;
  /// What explorers should find out counts from where all units are; false: from the model's start.
  bool count_from_units = true;
  design::Limits limits;  // what explorers must keep to
  belief::PriorOverrides prior;
  std::vector<double> coverage;  // history's counts per pair; empty: the prior is as the model states it
  std::string log;               // observations from before the study, the text of a log; "": none
  std::string plan;              // the plan it begins with (plan.h), as JSON; "": the first design is its own
  /// Results may name states that the model does not have: it grows by them (mdp/extend_states.h).
  bool allow_new_states = false;
  /// Arms with few units are compared by permutation.
  bool compare_few = true;
  std::string model_path;    // where the model came from
  std::string model_sha256;  // of its bytes in the log
  std::uint64_t seed = base::Run().seed;

  /// batch_steps, or its default.
  std::int64_t steps_of_batch() const;
  /// Throws InvalidArgument.
  void validate() const;
};

/// What the log keeps of them; from_json(to_json(o)) is o, bit for bit. Where update_every,
/// count_from_units and compare_few are not said (studies begun before there were such) they are 0 and false.
std::string to_json(const StudyOptions& options);
StudyOptions options_from_json(const std::string& text);

/// Limits as an object; limits_from_json(limits_to_json(l)) is l.
std::string limits_to_json(const design::Limits& limits);
design::Limits limits_from_json(const std::string& text);

/// What a user said of the prior, as an object; prior_from_json(prior_to_json(p)) is p.
std::string prior_to_json(const belief::PriorOverrides& prior);
belief::PriorOverrides prior_from_json(const std::string& text);

}  // namespace mindgap::study

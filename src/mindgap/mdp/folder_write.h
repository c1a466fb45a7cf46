#pragma once

#include <cstdint>
#include <span>

#include "mindgap/mdp/mdp.h"
#include "mindgap/mdp/output.h"

// What the folders of models and worlds write alike.
namespace mindgap::mdp {

/// How names are spelt in CSV; numbers where there are none.
class FieldNames {
 public:
  /// `names` must outlive this.
  explicit FieldNames(const NameTable& names);
  void write(TextWriter& out, std::int32_t index) const;

 private:
  const NameTable& names_;
  bool plain_ = true;
};

/// The text of states.csv, without a start column where the start is uniform.
void write_states(TextWriter& out, const Labels& labels, std::span<const double> start);

}  // namespace mindgap::mdp

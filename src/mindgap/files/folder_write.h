#pragma once

#include <cstdint>
#include <span>

#include "mindgap/files/output.h"
#include "mindgap/mdp/mdp.h"

// What the folders of models and worlds write alike.
namespace mindgap::files {

/// How names are spelt in CSV; numbers where there are none.
class FieldNames {
 public:
  /// `names` must outlive this.
  explicit FieldNames(const mdp::NameTable& names);
  void write(TextWriter& out, std::int32_t index) const;

 private:
  const mdp::NameTable& names_;
  bool plain_ = true;
};

/// The text of states.csv, without a start column where the start is uniform.
void write_states(TextWriter& out, const mdp::Labels& labels, std::span<const double> start);

}  // namespace mindgap::files

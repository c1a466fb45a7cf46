#include "mindgap/files/folder_write.h"

#include <algorithm>

namespace mindgap::files {

using namespace mdp;  // what these files hold
namespace {

bool is_uniform(std::span<const double> start) {
  const double share = 1.0 / static_cast<double>(start.size());
  return std::all_of(start.begin(), start.end(), [&](double p) { return p == share; });
}

}  // namespace

FieldNames::FieldNames(const NameTable& names) : names_(names) {
  for (std::int32_t i = 0; i < names.size() && plain_; ++i) {
    plain_ = names[i].find_first_of(",\"\r\n") == std::string_view::npos;
  }
}

void FieldNames::write(TextWriter& out, std::int32_t index) const {
  if (names_.empty()) {
    out.number(std::int64_t{index});
  } else if (plain_) {
    out.text(names_[index]);
  } else {
    out.field(names_[index]);
  }
}

void write_states(TextWriter& out, const Labels& labels, std::span<const double> start) {
  const FieldNames names(labels.states);
  const bool groups = !labels.group_of_state.empty(), coordinates = !labels.x.empty();
  const bool stated = !is_uniform(start);
  out.text("name")
      .text(groups ? ",group" : "")
      .text(coordinates ? ",x,y" : "")
      .text(stated ? ",start\n" : "\n");
  for (std::size_t s = 0; s < start.size(); ++s) {
    names.write(out, static_cast<std::int32_t>(s));
    if (groups) {
      const std::int32_t group = labels.group_of_state[s];
      out.text(",").field(group < 0 ? std::string_view() : labels.groups[group]);
    }
    if (coordinates) out.text(",").number(labels.x[s]).text(",").number(labels.y[s]);
    if (stated) out.text(",").number(start[s]);
    out.text("\n");
  }
}

}  // namespace mindgap::files

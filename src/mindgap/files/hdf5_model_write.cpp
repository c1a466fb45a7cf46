#include "mindgap/files/hdf5_model.h"

#include <fmt/format.h>

#include <algorithm>

#include "mindgap/base/error.h"
#include "mindgap/files/model_toml.h"

namespace mindgap::files {

using namespace mdp;  // what these files hold
namespace {

void write_names_and_states(const Mdp& mdp, Hdf5Writer& out) {
  const Labels& labels = mdp.labels();
  const auto states = static_cast<std::size_t>(mdp.states());
  const auto write_names = [&](const char* name, const NameTable& names) {
    if (names.empty()) return;
    out.strings(name, static_cast<std::size_t>(names.size()),
                [&](std::size_t i) { return names[static_cast<std::int32_t>(i)]; });
  };
  write_names("state_names", labels.states);
  write_names("action_names", labels.actions);
  if (!labels.group_of_state.empty()) {
    out.strings("state_groups", states, [&](std::size_t s) {
      const std::int32_t group = labels.group_of_state[s];
      return group < 0 ? std::string_view() : labels.groups[group];
    });
  }
  if (!labels.x.empty()) {
    out.numbers("x", labels.x);
    out.numbers("y", labels.y);
  }
  const double share = 1.0 / mdp.states();
  const bool uniform =
      std::all_of(mdp.start().begin(), mdp.start().end(), [&](double p) { return p == share; });
  if (!uniform) out.numbers("start", mdp.start());
}

void write_rows(const Mdp& mdp, Hdf5Writer& out) {
  std::vector<std::int32_t> state_of_row(static_cast<std::size_t>(mdp.pairs()));
  for (std::int32_t s = 0; s < mdp.states(); ++s) {
    for (const std::int32_t k : mdp.pairs_of(s)) state_of_row[k] = s;
  }
  out.int32s("state_of_row", state_of_row);
  out.int32s("action_of_row", mdp.pair_action());
  out.int64s("indptr", mdp.row_begin());
  out.int32s("indices", mdp.next_state());
}

}  // namespace

void write_content(const Model& model, Hdf5Writer& out) {
  const Mdp& mdp = model.mdp;
  out.text_attribute("format", kModelFormat);
  out.text_attribute("name", model.name);
  for (const AboutKey& key : kAboutKeys) {
    if (const std::string& text = model.about.*key.text; !text.empty())
      out.text_attribute(fmt::format("about_{}", key.name).c_str(), text);
  }
  out.number_attribute("discount", mdp.discount());
  if (mdp.reward_max() != mdp.reward_magnitude()) out.number_attribute("reward_max", mdp.reward_max());
  if (model.reward_variance) out.number_attribute("reward_variance", *model.reward_variance);
  if (model.coverage_is_sampled) out.integer_attribute("coverage_is_sampled", 1);
  if (mdp.labels().actions.empty()) out.integer_attribute("actions", mdp.actions());
  write_names_and_states(mdp, out);
  write_rows(mdp, out);
  if (model.members) {
    write_members(model, out);
  } else {
    out.numbers("data", mdp.probability());
    out.numbers("reward", mdp.reward());
  }
  if (!model.variance.empty()) out.numbers("variance", model.variance);
  if (!model.coverage.empty()) out.numbers("coverage", model.coverage);
  if (!model.ends.empty() && !model.members) out.int32s("restart", model.ends);
  if (model.prior) write_prior(mdp, *model.prior, out);
}

}  // namespace mindgap::files

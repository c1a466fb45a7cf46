#include "mindgap/command/inputs.h"

namespace mindgap::command {
namespace {

void add_numbers(base::Fingerprint& inputs, const mdp::Mdp& mdp) {
  inputs.add(mdp.pair_begin()).add(mdp.pair_action()).add(mdp.row_begin()).add(mdp.next_state());
  inputs.add(mdp.probability()).add(mdp.reward()).add(mdp.start()).add(mdp.discount());
}

// One drawn model tells beliefs of any kind apart: it depends on all of what they know.
void add_belief(base::Fingerprint& inputs, const belief::Belief& belief) {
  constexpr std::uint64_t kSeed = 1, kDraw = std::uint64_t{1} << 58;
  add_numbers(inputs, belief.mean());
  add_numbers(inputs, belief.sample(kSeed, kDraw));
}

struct AddLimit {
  base::Fingerprint& inputs;

  void operator()(const char*, const std::vector<std::pair<std::string, double>>& shares) const {
    inputs.add(static_cast<std::uint64_t>(shares.size()));
    for (const auto& [name, share] : shares) inputs.add(name).add(share);
  }
  template <typename Number>
  void operator()(const char*, const std::vector<Number>& values) const {
    inputs.add(std::span<const Number>(values));
  }
  void operator()(const char*, const std::optional<double>& value) const {
    inputs.add(value ? 1.0 : 0.0).add(value.value_or(0));
  }
};

}  // namespace

void add_inputs(base::Fingerprint& inputs, const mdp::Model& model, const belief::Knowledge& knowledge) {
  add_numbers(inputs, model.mdp);
  for (std::int32_t s = 0; s < model.mdp.states(); ++s) inputs.add(model.mdp.state_name(s));
  inputs.add(std::span<const std::int32_t>(model.mdp.labels().group_of_state));
  inputs.add(std::span<const double>(knowledge.variance));
  add_belief(inputs, knowledge.before);
  add_belief(inputs, knowledge.now);
}

void add_inputs(base::Fingerprint& inputs, const design::Limits& limits) {
  design::for_each_limit(limits, AddLimit{inputs});
}

}  // namespace mindgap::command

#include "mindgap/command/evidence.h"

#include <array>

#include "mindgap/files/log_file.h"
#include "mindgap/files/unknown_states.h"
#include "mindgap/mdp/extend_states.h"
#include "mindgap/view/print.h"

namespace mindgap::command {

Source open_source(const std::filesystem::path& path) {
  return {files::open_text_file(path)};
}

std::optional<Source> source_of(const std::filesystem::path& path) {
  if (path.empty()) return std::nullopt;
  return open_source(path);
}

std::span<const Option<belief::PriorOverrides>> prior_options() {
  using Prior = belief::PriorOverrides;
  static const std::string kinds = [] {  // "what one reward is: gaussian, a number around its mean, or ..."
    std::string said = "what one reward is: ";
    for (const mdp::RewardKindName& kind : mdp::reward_kinds()) {
      if (&kind != &mdp::reward_kinds().front()) said += ", or ";
      said += std::string(kind.name) + ", " + std::string(kind.meaning);
    }
    return said;
  }();
  static const auto options = std::to_array<Option<Prior>>({
      {"odds",
       "with --coverage: how strongly history's actions may have followed what it does not show, from 1 = "
       "not at all; adds to the doubt about every pair that history saw",
       &Prior::odds},
      {"drift_sd",
       "smallest standard deviation allowed for any mean reward, to cover change since the data were "
       "collected",
       &Prior::drift_sd},
      {"unseen",
       "probability that a simulated transition row is wrong about what is possible (0 to below 1; "
       "default: 0 until an impossible move is seen)",
       &Prior::unseen},
      {"reward_sd",
       "sd of the true mean reward around the simulator's, for all pairs, instead of the model's",
       &Prior::reward_sd},
      {"reward_min", "smallest value that a true mean reward can have; beliefs and drawn models keep to it",
       &Prior::reward_min},
      {"reward_max", "largest value that a true mean reward can have", &Prior::reward_max},
      {"rewards", kinds, &Prior::rewards},
      {"shared_sd",
       "sd of an error of mean rewards that states share, beside --reward-sd: of all states of a group, "
       "or with --shared-length of neighbours",
       &Prior::shared_sd},
      {"shared_length",
       "over what distance that error fades: in units of the states' x and y, or in steps where they "
       "have none",
       &Prior::shared_length},
      {"transition_strength",
       "pseudo-observations behind each simulated row, for all pairs, instead of the model's",
       &Prior::transition_strength},
  });
  return options;
}

Known read_evidence(mdp::Model model, const Evidence& evidence) {
  Known known{std::move(model), std::nullopt, std::nullopt, {}};
  if (evidence.allow_new_states) {
    for (const std::optional<Source>* source : {&evidence.coverage, &evidence.log}) {
      if (!*source) continue;
      const std::vector<std::string> names = files::unknown_states((*source)->file, known.model.mdp);
      if (!names.empty()) known.model = mdp::extend_states(known.model, names);
    }
    if (!known.model.added.empty()) known.warnings.push_back(view::new_states_in_words(known.model));
  }
  if (evidence.log) known.log = files::parse_log(evidence.log->file, known.model.mdp);
  if (evidence.coverage) known.coverage = files::parse_coverage(evidence.coverage->file, known.model.mdp);
  return known;
}

}  // namespace mindgap::command

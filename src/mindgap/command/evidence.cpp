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

std::vector<std::string> unknown_states(const Source& source, const mdp::Model& model) {
  return files::unknown_states(source.file, model.mdp);
}

std::span<const Option<belief::PriorOverrides>> prior_options() {
  using Prior = belief::PriorOverrides;
  static const std::string kKinds = [] {  // "what one reward is: gaussian, a number around its mean, or ..."
    std::string said = "what one reward is: ";
    for (const mdp::RewardKindName& kind : mdp::reward_kinds()) {
      if (&kind != &mdp::reward_kinds().front()) said += ", or ";
      said += std::string(kind.name) + ", " + std::string(kind.meaning);
    }
    return said;
  }();
  static const auto kOptions = std::to_array<Option<Prior>>({
      {"odds",
       "with --coverage: the odds bound M, how many times likelier or rarer an unrecorded factor may have "
       "made an action in the historical data. 1 = no such factor; more widens the prior of every pair that "
       "occurs in the data",
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
       "standard deviation of the true mean reward around the simulator's, for all pairs, instead of the "
       "model's",
       &Prior::reward_sd},
      {"reward_min", "smallest value that a true mean reward can have; beliefs and sampled models keep to it",
       &Prior::reward_min},
      {"reward_max", "largest value that a true mean reward can have", &Prior::reward_max},
      {"rewards", kKinds, &Prior::rewards},
      {"shared_sd",
       "standard deviation of an error of mean rewards that states share, in addition to --reward-sd: all "
       "states of a group or, with --shared-length, neighbours",
       &Prior::shared_sd},
      {"shared_length",
       "distance over which that shared error fades, in units of the states' x and y, or in steps if they "
       "have none",
       &Prior::shared_length},
      {"transition_strength",
       "number of observations that each simulated transition distribution is worth, for all pairs, instead "
       "of the model's",
       &Prior::transition_strength},
  });
  return kOptions;
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

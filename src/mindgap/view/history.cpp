#include "mindgap/view/history.h"

#include <fmt/format.h>

#include <algorithm>

#include "mindgap/base/option_name.h"
#include "mindgap/base/remedy.h"
#include "mindgap/files/text_file.h"
#include "mindgap/view/number.h"

namespace mindgap::view {

bool looks_like_history(const mdp::ObservationLog& log) {
  constexpr std::size_t kMany = 20;
  if (!log.probability.empty() || log.size() < kMany) return false;
  std::vector<std::int32_t> units = log.unit;
  std::sort(units.begin(), units.end());
  return std::adjacent_find(units.begin(), units.end()) == units.end();
}

std::string log_warning(const mdp::ObservationLog& log) {
  if (!looks_like_history(log)) return {};
  return fmt::format(
      "{} looks like history: {} units with one step each and no probabilities of actions. It was taken as a "
      "pilot's log, so its rewards and moves count as evidence about the truth. That is right only if "
      "actions "
      "were assigned without regard to anything unrecorded; if operators chose them, give the file as "
      "coverage "
      "instead: then it only says how often the simulator's data show each state-action pair",
      log.file, log.size());
}

std::string coverage_warning(const files::TextFile& file) {
  const std::string_view header = file.text.substr(0, file.text.find_first_of("\r\n"));
  if (header.find("next_state") == std::string_view::npos || header.find("count") != std::string_view::npos)
    return {};
  return fmt::format(
      "{} is a log and was taken as history: only how often each state-action pair occurs counts, its "
      "rewards "
      "and moves do not. If its actions were assigned as in an experiment, give it as log instead: then they "
      "are evidence about the truth",
      file.name);
}

std::vector<std::string> sample_warnings(const belief::Knowledge& knowledge) {
  if (knowledge.samples == belief::SampleCounts::history) {
    return {fmt::format(
        "the model's table was made from samples of a simulator, and no prior is stated: the counts of these "
        "samples are taken for observations of the real system, as if nothing but their sampling error could "
        "be wrong. State how far the simulator may be off, with reward_sd and transition_strength ({}); the "
        "counts then only say how precisely its table is known. If the real system itself was sampled, say "
        "so "
        "with {}",
        base::how_to(base::Remedy::state_prior),
        base::told("--coverage", "Mdp.with_coverage(model.coverage)"))};
  }
  if (knowledge.samples == belief::SampleCounts::precision && knowledge.odds != 1) {
    return {
        fmt::format("odds {} is stated, but changes nothing: it is about history, and the model's counts are "
                    "of samples of "
                    "a simulator",
                    number(knowledge.odds, 6))};
  }
  return {};
}

}  // namespace mindgap::view

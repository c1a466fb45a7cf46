#include "mindgap/view/history.h"

#include <fmt/format.h>

#include <algorithm>
#include "mindgap/files/text_file.h"

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

}  // namespace mindgap::view

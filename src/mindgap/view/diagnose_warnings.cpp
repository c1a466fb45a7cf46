#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "mindgap/files/matrix_file.h"
#include "mindgap/view/diagnose.h"
#include "mindgap/view/number.h"

namespace mindgap::view {
namespace {

// "3, 17, 20 and 4 more"
std::string line_list(std::span<const std::int64_t> lines) {
  constexpr std::size_t kMost = 10;
  std::string text;
  for (std::size_t i = 0; i < std::min(kMost, lines.size()); ++i) {
    text += fmt::format("{}{}", i == 0 ? "" : ", ", lines[i]);
  }
  return lines.size() > kMost ? text + fmt::format(" and {} more", lines.size() - kMost) : text;
}

}  // namespace

std::string large_rewards_problem(const DiagnoseView& view, const std::string& log) {
  if (view.large_reward_lines.empty()) return "";
  return fmt::format(
      "{}: {} beyond reward_max = {} by more than 6 standard deviations of one observation, in {} {}", log,
      view.large_reward_lines.size() == 1 ? "a reward lies" : "rewards lie",
      number(view.model.mdp.reward_max(), 6), view.place, line_list(view.large_reward_lines));
}

void add_contraction(DiagnoseView& view, const files::SquareMatrix& jacobian) {
  const auto steps = static_cast<std::int64_t>(std::ceil(1 / (1 - view.model.mdp.discount())));
  view.contraction = gap::contraction(jacobian.entries, jacobian.size, steps);
  if (view.contraction->contracting) return;
  view.warnings.push_back(fmt::format(
      "the hidden dynamics do not contract (spectral radius {}, at least 1): what happened early is "
      "not forgotten, and the bound on the history error does not apply",
      number(view.contraction->spectral_radius, 6)));
}

void add_log_warnings(DiagnoseView& view, const std::string& log) {
  const gap::PilotFindings& pilot = *view.diagnosis.pilot;
  if (const std::string problem = large_rewards_problem(view, log); !problem.empty())
    view.warnings.push_back(problem);
  if (!view.repeated_lines.empty()) {
    view.warnings.push_back(
        fmt::format("{}: a unit and step that came before, most likely entered twice, in {} {}", log,
                    view.place, line_list(view.repeated_lines)));
  }
  if (pilot.censored_rewards > 0) {
    view.warnings.push_back(
        fmt::format("{}: {} rewards are censored (only a bound is known); they enter mean rewards and "
                    "transitions as such, but no test",
                    log, pilot.censored_rewards));
  }
  if (!pilot.off_support.empty()) {
    const belief::Refutation found = view.diagnosis.knowledge->now.refutation();
    view.warnings.push_back(fmt::format(
        "the simulator is refuted: {} of {} observed moves are ones it calls impossible, in {} of {} rows "
        "that "
        "were tried{}",
        found.off_moves, found.moves, found.refuted, found.visited,
        found.share > 0
            ? fmt::format(". Those rows are now estimated from the moves seen, and every other row "
                          "is taken to be wrong with probability {}",
                          number(found.share, 2))
            : std::string(" (unseen = 0: what is said of values, information and routes does not "
                          "know of them)")));
  }
  if (view.diagnosis.knowledge->variance_estimated) {
    view.warnings.emplace_back(
        "the model states no variance of one observed reward: one number for all pairs was estimated from "
        "the log");
  }
}

}  // namespace mindgap::view

#include "print.h"

#include <fmt/format.h>

#include <algorithm>

#include "mindgap/base/error.h"

namespace mindgap::app {

std::string count(std::int64_t n, const std::string& noun) {
  return fmt::format("{} {}{}", n, noun, n == 1 ? "" : "s");
}

std::string percent(double share) {
  if (share > 0 && share < 0.0005) return "< 0.1 %";
  return fmt::format("{:.1f} %", 100 * share);
}

std::string state_list(const mdp::Mdp& mdp, std::span<const std::int32_t> states, std::size_t most) {
  std::string text;
  const std::size_t shown = std::min(most, states.size());
  for (std::size_t i = 0; i < shown; ++i) {
    text += fmt::format("{}{}", i == 0 ? "" : ", ", base::printable(mdp.state_name(states[i])));
  }
  if (shown < states.size()) text += fmt::format(" and {} more", states.size() - shown);
  return text;
}

std::string headline(const mdp::Model& model) {
  const mdp::Mdp& mdp = model.mdp;
  return fmt::format("{}: {}, {}, {}, {}, discount {}\n",
                     model.name.empty() ? "Model" : base::printable(model.name), count(mdp.states(), "state"),
                     count(mdp.actions(), "action"), count(mdp.pairs(), "pair"),
                     count(mdp.nonzeros(), "transition"), mdp.discount());
}

}  // namespace mindgap::app

#include "mindgap/view/print.h"

#include <fmt/format.h>

#include <algorithm>

#include "mindgap/base/error.h"
#include "mindgap/base/option_name.h"

namespace mindgap::view {

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
  const std::string added = model.added.empty()
                                ? ""
                                : fmt::format(" ({} of them new to the simulator: {})", model.added.size(),
                                              state_list(mdp, model.added));
  return fmt::format("{}: {}{}, {}, {}, {}, discount {}\n",
                     model.name.empty() ? "Model" : base::printable(model.name), count(mdp.states(), "state"),
                     added, count(mdp.actions(), "action"), count(mdp.pairs(), "pair"),
                     count(mdp.nonzeros(), "transition"), mdp.discount());
}

std::string wrapped(const std::string& head, const std::string& text) {
  constexpr std::size_t kColumns = 110;
  std::string out = head;
  std::size_t column = head.size();
  std::size_t begin = 0;
  while (begin < text.size()) {
    const std::size_t end = std::min(text.find(' ', begin), text.size());
    if (column + 1 + (end - begin) > kColumns && column > head.size()) {
      out += "\n" + std::string(head.size(), ' ');
      column = head.size();
    } else if (column > head.size()) {
      out += ' ';
      ++column;
    }
    out += text.substr(begin, end - begin);
    column += end - begin;
    begin = end + 1;
  }
  return out + "\n";
}

std::string title_of(const mdp::Model& model, const std::string& what) {
  return fmt::format("{}: {}", model.name.empty() ? "A model" : base::printable(model.name, 200), what);
}

std::string new_states_in_words(const mdp::Model& model) {
  if (model.added.empty()) return "";
  return fmt::format(
      "the data show {} that the simulator does not have: {}. They are taken in with every action, a wide "
      "prior "
      "and no simulated move into them",
      count(static_cast<std::int64_t>(model.added.size()), "state"), state_list(model.mdp, model.added));
}

std::string whole_plan() {
  return fmt::format("the plan that {} writes", base::told("--out", "write_plan()"));
}

}  // namespace mindgap::view

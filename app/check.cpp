#include <fmt/format.h>

#include <cmath>
#include <memory>

#include "command.h"
#include "mindgap/base/error.h"
#include "mindgap/mdp/graph.h"

namespace mindgap::app {
namespace {

using mdp::Mdp;
using mdp::Model;

struct Findings {
  std::vector<std::int32_t> unreachable;
  std::vector<std::int32_t> absorbing;
  std::int32_t components = 0;
  std::int32_t closed = 0;
  std::vector<std::string> warnings;
};

std::vector<std::string> warnings_about(const Model& model, const Findings& findings) {
  const Mdp& mdp = model.mdp;
  std::vector<std::string> warnings;
  if (!findings.unreachable.empty()) {
    warnings.push_back(fmt::format("{} cannot be reached from the start by any actions: {}",
                                   count(static_cast<std::int64_t>(findings.unreachable.size()), "state"),
                                   state_list(mdp, findings.unreachable)));
  }
  if (mdp.discount() == 1) warnings.emplace_back("the discount is 1: solve needs --horizon");
  if (mdp.reward_max() < mdp.reward_magnitude()) {
    warnings.push_back(fmt::format("reward_max is {}, but a reward of magnitude {} is there",
                                   mdp.reward_max(), mdp.reward_magnitude()));
  }
  const double off = std::max(std::abs(mdp.row_sum_min() - 1), std::abs(mdp.row_sum_max() - 1));
  if (off > 1e-12) {
    warnings.push_back(
        fmt::format("rows of transitions sum to 1 only within {:.2g}; bounds allow for it", off));
  }
  std::vector<std::uint8_t> used(mdp.actions(), 0);
  for (const std::int32_t action : mdp.pair_action()) used[action] = 1;
  for (std::int32_t a = 0; a < mdp.actions(); ++a) {
    if (!used[a])
      warnings.push_back(
          fmt::format("action '{}' is available nowhere", base::printable(mdp.action_name(a))));
  }
  if (!model.prior) {
    warnings.emplace_back(
        "the model states no prior: how far the simulator may be wrong is not known from it");
  }
  return warnings;
}

Findings look(const Model& model) {
  const Mdp& mdp = model.mdp;
  Findings findings;
  const std::vector<std::uint8_t> reached = mdp::reachable(mdp, mdp::start_states(mdp));
  for (std::int32_t s = 0; s < mdp.states(); ++s) {
    if (!reached[s]) findings.unreachable.push_back(s);
  }
  findings.absorbing = mdp::absorbing_states(mdp);
  const mdp::Components components = mdp::strongly_connected_components(mdp);
  findings.components = components.count;
  for (const std::uint8_t closed : components.closed) findings.closed += closed;
  findings.warnings = warnings_about(model, findings);
  return findings;
}

std::string text_of(const Model& model, const Findings& findings) {
  const Mdp& mdp = model.mdp;
  const auto reachable = mdp.states() - static_cast<std::int64_t>(findings.unreachable.size());
  std::string text = headline(model);
  text += fmt::format("  reachable from the start   {} of {}\n", reachable, count(mdp.states(), "state"));
  text += fmt::format("  strongly connected         {}, {} closed (once in, never out)\n",
                      count(findings.components, "component"), findings.closed);
  text += fmt::format("  absorbing                  {}{}\n",
                      count(static_cast<std::int64_t>(findings.absorbing.size()), "state"),
                      findings.absorbing.empty() ? "" : ": " + state_list(mdp, findings.absorbing));
  if (!mdp.labels().groups.empty()) {
    std::vector<std::int64_t> size(mdp.labels().groups.size(), 0);
    for (const std::int32_t group : mdp.labels().group_of_state) {
      if (group >= 0) ++size[group];
    }
    text += "  groups                     ";
    for (std::size_t g = 0; g < size.size(); ++g) {
      text += fmt::format("{}{} ({})", g == 0 ? "" : ", ",
                          base::printable(mdp.labels().groups[static_cast<std::int32_t>(g)]),
                          count(size[g], "state"));
    }
    text += "\n";
  }
  for (const std::string& warning : findings.warnings) text += "  warning: " + warning + "\n";
  text += "The model is well formed.\n";
  return text;
}

Json json_of(const Model& model, const Findings& findings) {
  const Mdp& mdp = model.mdp;
  Json json = json_of_model(model);
  json["reachable_states"] = mdp.states() - static_cast<std::int64_t>(findings.unreachable.size());
  json["components"] = findings.components;
  json["closed_components"] = findings.closed;
  json["absorbing_states"] = findings.absorbing.size();
  json["warnings"] = findings.warnings;
  return json;
}

}  // namespace

void add_check(CLI::App& app, CommonOptions& common, Action& chosen) {
  CLI::App& command = add_command(app, "check", "is this model well formed, and what is in it",
                                  "mindgap check examples/vans", common);
  const auto path = std::make_shared<std::string>();
  command.add_option("MODEL", *path, "a model folder or an HDF5 file")->required();
  command.callback([&common, &chosen, path] {
    chosen = [&common, path] {
      const Model model = load_model(*path, common);
      const Findings findings = look(model);
      print_result(common, text_of(model, findings), json_of(model, findings));
      return kDone;
    };
  });
}

}  // namespace mindgap::app

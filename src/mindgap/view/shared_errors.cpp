#include "mindgap/view/shared_errors.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <optional>

#include "mindgap/base/error.h"
#include "mindgap/belief/surprise.h"
#include "mindgap/view/number.h"
#include "mindgap/view/print.h"

namespace mindgap::view {
namespace {

// Which errors are shared, one phrase for each kind.
std::string kinds_of_shared(const mdp::Mdp& mdp, const mdp::SharedSpec& shared) {
  std::vector<std::string> kinds;
  if (shared.group_sd)
    kinds.push_back(fmt::format("all states of a group (sd {})", number(*shared.group_sd)));
  for (std::size_t g = 0; g < shared.group_sds.size(); ++g) {
    if (shared.group_sds[g] > 0)
      kinds.push_back(fmt::format("all states of group {} (sd {})",
                                  base::printable(mdp.labels().groups[static_cast<std::int32_t>(g)]),
                                  number(shared.group_sds[g])));
  }
  if (shared.kernel)
    kinds.push_back(fmt::format("neighbouring states (sd {}, fading over {}{})", number(shared.kernel->sd),
                                number(shared.kernel->length),
                                shared.kernel->over == mdp::KernelOver::graph ? " steps" : " in x and y"));
  if (!shared.loadings.empty())
    kinds.push_back(fmt::format("the pairs of {}",
                                count(static_cast<std::int64_t>(shared.factors.size()), "stated factor")));
  return fmt::format("{}", fmt::join(kinds, "; "));
}

double share_of(const belief::Belief& before) {
  return belief::shared_share(before.shared(), before.prior().reward_sd);
}

std::string text_of_shared(const belief::Knowledge& knowledge) {
  const belief::Belief& before = knowledge.before;
  return fmt::format(
      "Errors of mean rewards are shared by {}: {} of their prior variance, in {}. One observation says "
      "something about all that share its error.",
      kinds_of_shared(before.simulator(), knowledge.shared), percent(share_of(before)),
      count(before.shared().factors(), "factor"));
}

// How well the stated prior explains what was seen; none where only bounds of some rewards were.
std::optional<double> surprise_of(const belief::Knowledge& knowledge) {
  if (knowledge.now.censored_rewards() > 0) return std::nullopt;
  return knowledge.now.factors().surprise();
}

std::string text_of_surprise(double surprise) {
  return fmt::format(
      "The stated prior does not explain the rewards that were observed: fewer than one data set in {} from "
      "it "
      "lies as far off. State a larger reward_sd or other shared errors.",
      surprise > 1e-6 ? number(std::floor(1 / surprise)) : "a million");
}

}  // namespace

std::vector<std::string> notes_on_shared(const belief::Knowledge& knowledge) {
  if (knowledge.now.shared().none()) return {};
  std::vector<std::string> notes{text_of_shared(knowledge)};
  const std::optional<double> surprise = surprise_of(knowledge);
  if (surprise && *surprise < belief::kSurprising) notes.push_back(text_of_surprise(*surprise));
  return notes;
}

Json json_of_shared(const belief::Knowledge& knowledge) {
  if (knowledge.now.shared().none()) return nullptr;
  const std::optional<double> surprise = surprise_of(knowledge);
  return {{"share", share_of(knowledge.before)},
          {"factors", knowledge.before.shared().factors()},
          {"surprise", surprise ? Json(*surprise) : Json()}};
}

}  // namespace mindgap::view

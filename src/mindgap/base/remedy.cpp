#include "mindgap/base/remedy.h"

#include "mindgap/base/option_name.h"

namespace mindgap::base {

std::string_view how_to(Remedy remedy) {
  switch (remedy) {
    case Remedy::allow_new_states:
      return told("--allow-new-states", "states=\"all\"");
    case Remedy::allow_new_states_of_study:
      return told("study init --allow-new-states", "Study.init(states=\"all\")");
    case Remedy::sign_study:
      return told("study verify DIR --sign --head HEAD", "Study.verify(sign=True, head=...)");
    case Remedy::write_plan:
      return told("decide --out", "Decision.write_plan()");
    case Remedy::state_prior:
      return told("[prior] in model.toml, or --reward-sd and --transition-strength", "Mdp.with_prior()");
    case Remedy::give_coverage:
      return told("--coverage", "coverage= or Mdp.with_coverage()");
    case Remedy::state_variance:
      return told("reward_variance ([observation] in model.toml) or a column `variance` of the rewards",
                  "Mdp.with_variance()");
    case Remedy::allow_outside:
      return told("--allow-outside", "read_model(path, allow_outside=True)");
    case Remedy::give_key:
      return told("--key", "Study(folder, key=...)");
  }
  return "";
}

}  // namespace mindgap::base

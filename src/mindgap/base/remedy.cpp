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
      return told("study verify DIR --sign", "Study.verify(sign=True)");
    case Remedy::write_plan:
      return told("decide --out", "Decision.write_plan()");
  }
  return "";
}

}  // namespace mindgap::base

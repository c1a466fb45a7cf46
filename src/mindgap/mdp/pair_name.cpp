#include "mindgap/mdp/pair_name.h"

#include "mindgap/base/error.h"
#include "mindgap/mdp/mdp.h"

namespace mindgap::mdp {

std::string pair_name(const Mdp& mdp, std::int32_t pair, std::size_t limit) {
  return base::printable(mdp.state_name(mdp.state_of_pair(pair)), limit) + " / " +
         base::printable(mdp.action_name_of_pair(pair), limit);
}

}  // namespace mindgap::mdp

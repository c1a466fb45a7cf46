#include "mindgap/mdp/without_rows.h"

namespace mindgap::mdp {

MdpArrays without_rows(const Mdp& mdp) {
  MdpArrays arrays;
  arrays.discount = mdp.discount();
  arrays.reward_max = mdp.reward_max();
  arrays.pair_begin.assign(mdp.pair_begin().begin(), mdp.pair_begin().end());
  arrays.pair_action.assign(mdp.pair_action().begin(), mdp.pair_action().end());
  arrays.reward.assign(mdp.reward().begin(), mdp.reward().end());
  arrays.start.assign(mdp.start().begin(), mdp.start().end());
  arrays.actions = mdp.actions();
  arrays.labels = mdp.labels();
  arrays.row_begin = {0};
  return arrays;
}

}  // namespace mindgap::mdp

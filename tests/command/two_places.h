#pragma once

#include "mindgap/mdp/builder.h"
#include "mindgap/mdp/model.h"

namespace mindgap::command {

/// Here, where staying pays 1, and there, where it pays 2 and nobody comes back from.
inline mdp::Model two_places(double discount = .5) {
  mdp::MdpBuilder builder(discount, 2, 2);
  builder.set_reward(0, 0, 1);
  builder.add_transition(0, 0, 0, 1);
  builder.set_reward(0, 1, 0);
  builder.add_transition(0, 1, 1, 1);
  builder.set_reward(1, 0, 2);
  builder.add_transition(1, 0, 1, 1);
  return {"two places", builder.build().with_start({1, 0})};
}

}  // namespace mindgap::command

#pragma once

#include <string_view>

// What a message tells its reader to do, where the command line and Python do it in different ways. Rooms
// that know nothing of commands name the remedy; how it is written is here.
namespace mindgap::base {

enum class Remedy {
  allow_new_states,           // take in states that the simulator does not have
  allow_new_states_of_study,  // the same when a study begins
  sign_study,                 // check a study's log and sign its pages
  write_plan,                 // write a decision's plan
  state_prior,                // say how far the truth may be from the simulator
  give_coverage,              // say how often history saw each pair
  state_variance,             // say the variance of one observed reward
  allow_outside,              // read files of a model that lie outside its folder
  give_key,                   // say which key signs what is written to a study
};

/// As whoever reads the messages of this process writes it (see option_name.h).
std::string_view how_to(Remedy remedy);

}  // namespace mindgap::base

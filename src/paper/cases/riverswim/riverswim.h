#pragma once

#include <cstdint>

#include "mindgap/trial/tabular_case.h"
#include "paper/cases/registry.h"

// RiverSwim: a chain of places in a river whose current runs to the left. A small reward waits at the left
// end, where everybody starts, a large one at the right end, a long swim away. Introduced by Strehl and
// Littman (2008, "An analysis of model-based interval estimation for Markov decision processes", J. Comput.
// Syst. Sci. 74); the constants are those of Osband, Russo and Van Roy (2013, "(More) efficient reinforcement
// learning via posterior sampling", NIPS).
namespace mindgap::cases::riverswim {

struct Options {
  std::int32_t length = 6;  // places; 2 or more
  double discount = .95;    // in [0, 1)
  double noise = .01;       // variance of one reward; 0 as published
  double history = 1000;    // times that history took `left` at the left end
  double reward_sd = 1;     // of the rewards that history never saw
};

/// The river itself, mean rewards. With n places 1 .. n:
///   left:  from i to i-1 for certain (1 stays), reward .005 at place 1;
///   right: at place 1      .4 stay, .6 on;
///          in between      .05 back, .6 stay, .35 on;
///          at place n      .4 back, .6 stay; reward 1.
/// All other rewards are 0; the start is place 1. The optimal value of place 1 is 4.6693001607 for n = 6 and
/// discount .95.
mdp::Mdp river(const Options& options);

/// What somebody would believe whose history let itself drift: it stood at the left end and took `left`.
///  - That reward is known, up to sqrt(noise / history).
///  - `left` follows the current: where it leads is certain.
///  - Of every other reward the simulator says 0, with sd reward_sd: a reward lies between 0 and 1, so 1 is
///    wide. In particular it says that nothing is to be had at the right end.
///  - A swim ends one place back, where it began, or one place on: which is unknown. The row says that all
///  are
///    as likely, with the strength of one pseudo-observation each, that is a flat Dirichlet.
/// (Mean 0, sd 1 and one pseudo-observation each are also what Osband et al. start posterior sampling from;
/// they put them on all states, where we know the neighbours.)
/// Its optimal policy is to stay at the left end for ever.
mdp::Mdp simulator(const Options& options);
belief::Prior prior(const Options& options);

/// Throws InvalidArgument where an option is out of its domain.
trial::Problem problem(const Options& options);

CaseInfo info();

}  // namespace mindgap::cases::riverswim

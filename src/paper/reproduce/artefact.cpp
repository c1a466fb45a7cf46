#include "paper/reproduce/artefact.h"

#include <cmath>

#include "mindgap/base/error.h"
#include "mindgap/base/suggest.h"
#include "paper/reproduce/fork.h"
#include "paper/reproduce/hiv.h"
#include "paper/reproduce/lock.h"
#include "paper/reproduce/schematic.h"
#include "paper/reproduce/stateless.h"
#include "paper/reproduce/treasure.h"
#include "paper/reproduce/vending.h"

namespace mindgap::reproduce {

double Line::tolerance() const {
  return std::hypot(published_error, interval ? (interval->upper - interval->lower) / 2 : 0);
}

bool Line::undecided() const {
  return published && agrees() && tolerance() > std::sqrt(2.0) * published_error &&
         std::abs(ours - *published) > published_error;
}

bool Line::agrees() const {
  if (not_reproduced) return false;
  return !published || std::abs(ours - *published) <= tolerance();
}

const std::vector<Artefact>& artefacts() {
  static const std::vector<Artefact> kAll = {
      schematic_artefact(),
      stateless_artefact(),
      lock_artefact(),
      fork_artefact(),
      treasure_artefact(),
      {"hiv-table", "hiv", "HIV testing: planners by horizon (table ucrl2-hiv)", hiv_table},
      {"hiv-paired", "hiv", "HIV testing: paired differences (tables paired-v3 and paired)", hiv_paired},
      {"hiv-sweep", "hiv", "HIV testing: the simulator's underestimate (table hiv-magnitude-sweep)",
       hiv_sweep},
      {"hiv-slopes", "hiv", "HIV testing: is the gap linear? (figure unnormalized-gaps, panel b)",
       hiv_slopes},
      {"hiv-figure", "hiv", "HIV testing: infections, cases and visits (figure hiv)", hiv_figure},
      {"hiv-contraction", "hiv", "HIV testing: does history wash out? (prop. eps-hist-hiv)", hiv_contraction},
      {"hiv-bounds", "hiv",
       "HIV testing: delta method and navigation (rem. hiv-delta-method-ok, eq. kappa-hiv)", hiv_bounds},
      {"vending-table", "vending", "Vending: cash by planner and horizon (tab:horizon, tab:sim-results)",
       vending::table},
      {"vending-paired", "vending", "Vending: paired differences (tab:paired)", vending::paired},
      {"vending-ablation", "vending", "Vending: without confounding, without drift (tab:ablation)",
       vending::ablation},
      {"vending-conditional", "vending",
       "Vending: where the pilot finds the wrong machines (tab:vending-conditional)", vending::conditional},
      {"vending-gains", "vending",
       "Vending: cash above the SOP's, in dollars (figure unnormalized-gaps, panel a)", vending::gains},
      {"vending-crossover", "vending",
       "Vending: from the pilot's residuals to the crossover, in sample and held out "
       "(app:post-pilot-residuals)",
       vending::crossover},
      {"vending-log", "vending", "Vending: 90 days of SEP (fig:exp_log)", vending::log},
  };
  return kAll;
}

const Artefact& find_artefact(std::string_view name) {
  std::vector<std::string> names;
  for (const Artefact& artefact : artefacts()) {
    if (artefact.name == name) return artefact;
    names.push_back(artefact.name);
  }
  throw InvalidArgument(base::unknown_name("artefact", name, names));
}

}  // namespace mindgap::reproduce

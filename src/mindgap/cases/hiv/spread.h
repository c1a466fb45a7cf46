#pragma once

#include <span>
#include <vector>

#include "mindgap/cases/hiv/geography.h"

namespace mindgap::cases::hiv {

/// How infection spreads, which everyone knows.
struct Transmission {
  double within = .002, between = .0005, treatment = .9;
  std::vector<double> population = {};  // N per zone
};
Transmission transmission_of(const HivOptions& options, const Geography& geography);

constexpr double kLowestPrevalence = .001, kHighestPrevalence = .80;

/// Effectively infectious people per head of each zone (paper, eq. hiv-infectious):
///   I_j / N_j = (p_j max(0, N_j - D_j) + (1 - treatment) D_j) / N_j.
void infectious_share(const Transmission& transmission, std::span<const double> prevalence,
                      std::span<const double> diagnosed, std::span<double> share);

/// One day, all zones at once (paper, eq. hiv-sis-update):
///   F_j = within I_j/N_j + between sum over neighbours k of I_k/N_k,
///   p_j <- clip(p_j + (1 - p_j) F_j, .001, .80).
/// There is no recovery: prevalence never falls. `share` is room for one number per zone.
void spread_one_day(const Geography& geography, const Transmission& transmission,
                    std::span<const double> diagnosed, std::span<double> prevalence, std::span<double> share);

/// The Jacobian of that map at `prevalence` with nobody diagnosed, row after row:
///   dp'_j/dp_j = 1 - F_j + (1 - p_j) within,  dp'_j/dp_k = (1 - p_j) between for neighbours.
/// Where the clip does not bind.
std::vector<double> spread_jacobian(const Geography& geography, const Transmission& transmission,
                                    std::span<const double> prevalence);

}  // namespace mindgap::cases::hiv

#pragma once

#include <span>
#include <vector>

#include "paper/cases/hiv/geography.h"
#include "paper/variates/aligned.h"

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

/// Prevalence that lives by that map, day after day, while the diagnosed of a few zones change at a time. It
/// differs from spread_one_day() by rounding only: I_j / N_j is computed as p_j + D_j/N_j (1 - treatment -
/// p_j).
class Epidemic {
 public:
  /// `prevalence` is the first day's, with nobody diagnosed.
  Epidemic(const Geography& geography, const Transmission& transmission, std::span<const double> prevalence);

  std::span<const double> prevalence() const { return std::span(prevalence_).first(zones_); }
  /// Of this zone so many are diagnosed by now, at most all.
  void diagnose(std::size_t zone, double diagnosed) { known_[zone] = diagnosed * per_head_[zone]; }
  void spread_one_day();

 private:
  std::size_t zones_, columns_;
  double within_, between_, untreated_;
  std::vector<double> per_head_;  // 1 / N
  // With room for whole vectors of zones, where all numbers are 0.
  variates::AlignedVector<double> prevalence_, known_;  // known is D/N
  variates::AlignedVector<double> left_, right_;  // 1 where there is a way to the left, to the right, else 0
  variates::AlignedVector<double> share_;         // with a row of zeros before and behind
};

/// The Jacobian of that map at `prevalence` with nobody diagnosed, row after row:
///   dp'_j/dp_j = 1 - F_j + (1 - p_j) within,  dp'_j/dp_k = (1 - p_j) between for neighbours.
/// Where the clip does not bind.
std::vector<double> spread_jacobian(const Geography& geography, const Transmission& transmission,
                                    std::span<const double> prevalence);

}  // namespace mindgap::cases::hiv

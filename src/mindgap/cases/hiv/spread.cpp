#include "mindgap/cases/hiv/spread.h"

#include <algorithm>

namespace mindgap::cases::hiv {

Transmission transmission_of(const HivOptions& options, const Geography& geography) {
  Transmission transmission = {options.within, options.between, options.treatment, {}};
  for (Zone j = 0; j < geography.zones(); ++j) {
    transmission.population.push_back(geography.in_b(j) ? options.population_b : options.population_a);
  }
  return transmission;
}

void infectious_share(const Transmission& transmission, std::span<const double> prevalence,
                      std::span<const double> diagnosed, std::span<double> share) {
  const double untreated = 1 - transmission.treatment;
  for (std::size_t j = 0; j < share.size(); ++j) {
    const double people = transmission.population[j];
    share[j] = (prevalence[j] * std::max(0.0, people - diagnosed[j]) + untreated * diagnosed[j]) / people;
  }
}

void spread_one_day(const Geography& geography, const Transmission& transmission,
                    std::span<const double> diagnosed, std::span<double> prevalence,
                    std::span<double> share) {
  infectious_share(transmission, prevalence, diagnosed, share);
  for (std::size_t j = 0; j < prevalence.size(); ++j) {
    double around = 0;
    for (const Zone k : geography.neighbours(static_cast<Zone>(j)))
      around += share[static_cast<std::size_t>(k)];
    const double force = transmission.within * share[j] + transmission.between * around;
    const double next = prevalence[j] + (1 - prevalence[j]) * force;
    prevalence[j] = std::clamp(next, kLowestPrevalence, kHighestPrevalence);
  }
}

std::vector<double> spread_jacobian(const Geography& geography, const Transmission& transmission,
                                    std::span<const double> prevalence) {
  const std::size_t zones = prevalence.size();
  std::vector<double> jacobian(zones * zones, 0.0);
  for (std::size_t j = 0; j < zones; ++j) {
    double around = 0;
    for (const Zone neighbour : geography.neighbours(static_cast<Zone>(j))) {
      const auto k = static_cast<std::size_t>(neighbour);
      around += prevalence[k];
      jacobian[j * zones + k] = (1 - prevalence[j]) * transmission.between;
    }
    const double force = transmission.within * prevalence[j] + transmission.between * around;
    jacobian[j * zones + j] = 1 - force + (1 - prevalence[j]) * transmission.within;
  }
  return jacobian;
}

}  // namespace mindgap::cases::hiv

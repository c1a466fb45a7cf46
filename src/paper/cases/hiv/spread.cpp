#include "paper/cases/hiv/spread.h"

#include <algorithm>
#include <cstring>

#include "paper/variates/clones.h"

namespace mindgap::cases::hiv {
namespace {

constexpr std::size_t kSpreadLanes = 4;  // zones side by side (a language extension of g++ and clang)
using Reals = double __attribute__((vector_size(8 * kSpreadLanes)));

// Zones up to the next multiple of kSpreadLanes. The neighbours of zone j are j - columns, j + columns, j -
// 1, j + 1; those that are not there have the share 0 or the factor 0.
MINDGAP_CLONES void spread_zones(std::size_t zones, std::size_t columns, double within, double between,
                                 double untreated, double least, double most, const double* known,
                                 const double* left, const double* right, double* share, double* prevalence) {
  // Copies to and from vectors are all in one function: another would be compiled without wide ones.
  constexpr std::size_t kBytes = sizeof(Reals);
  for (std::size_t j = 0; j < zones; j += kSpreadLanes) {
    Reals p, diagnosed;
    std::memcpy(&p, prevalence + j, kBytes);
    std::memcpy(&diagnosed, known + j, kBytes);
    p = p + diagnosed * (untreated - p);
    std::memcpy(share + j, &p, kBytes);
  }
  const Reals lowest = Reals{} + least, highest = Reals{} + most;
  for (std::size_t j = 0; j < zones; j += kSpreadLanes) {
    Reals p, here, up, down, west, east, open_west, open_east;
    std::memcpy(&p, prevalence + j, kBytes);
    std::memcpy(&here, share + j, kBytes);
    std::memcpy(&up, share + j - columns, kBytes);
    std::memcpy(&down, share + j + columns, kBytes);
    std::memcpy(&west, share + j - 1, kBytes);
    std::memcpy(&east, share + j + 1, kBytes);
    std::memcpy(&open_west, left + j, kBytes);
    std::memcpy(&open_east, right + j, kBytes);
    const Reals force = within * here + between * (up + down + open_west * west + open_east * east);
    const Reals after = p + (1 - p) * force, raised = after > lowest ? after : lowest;
    p = raised < highest ? raised : highest;
    std::memcpy(prevalence + j, &p, kBytes);
  }
}

}  // namespace

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

Epidemic::Epidemic(const Geography& geography, const Transmission& transmission,
                   std::span<const double> prevalence)
    : zones_(prevalence.size()),
      columns_(static_cast<std::size_t>(geography.columns())),
      within_(transmission.within),
      between_(transmission.between),
      untreated_(1 - transmission.treatment),
      per_head_(zones_) {
  const std::size_t room = (zones_ + kSpreadLanes - 1) / kSpreadLanes * kSpreadLanes;
  for (variates::AlignedVector<double>* numbers : {&prevalence_, &known_, &left_, &right_}) {
    numbers->resize(room, 0.0);
  }
  share_.resize(room + 2 * columns_, 0.0);
  std::copy(prevalence.begin(), prevalence.end(), prevalence_.begin());
  for (std::size_t j = 0; j < zones_; ++j) {
    per_head_[j] = 1 / transmission.population[j];
    left_[j] = geography.after_move(static_cast<Zone>(j), 2) >= 0 ? 1 : 0;
    right_[j] = geography.after_move(static_cast<Zone>(j), 3) >= 0 ? 1 : 0;
  }
}

void Epidemic::spread_one_day() {
  spread_zones(zones_, columns_, within_, between_, untreated_, kLowestPrevalence, kHighestPrevalence,
               known_.data(), left_.data(), right_.data(), share_.data() + columns_, prevalence_.data());
  // Zones that are not there have been clipped, too.
  std::fill(prevalence_.begin() + static_cast<std::ptrdiff_t>(zones_), prevalence_.end(), 0.0);
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

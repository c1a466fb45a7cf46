#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <string_view>
#include <vector>

// What is not known about a program: its parameters, and draws of them.
namespace mindgap::program {

enum class Law : std::uint8_t {
  uniform,    // from a to b
  normal,     // mean a, standard deviation b
  lognormal,  // the logarithm is normal: its mean a, its standard deviation b
  beta,       // shapes a and b, on [low, high] instead of [0, 1]
  gamma,      // shape a, scale b
  choice      // one of `values`, with `weights`
};

/// How likely each value of a parameter is. `low` and `high` cut a normal, lognormal or gamma off.
struct Distribution {
  Law law = Law::uniform;
  double a = 0, b = 1;
  double low = -std::numeric_limits<double>::infinity(), high = std::numeric_limits<double>::infinity();
  std::vector<double> values = {};   // of a choice
  std::vector<double> weights = {};  // of a choice, positive; empty: all equal
};

/// Throws InvalidArgument, with `name`, unless every number is in its domain.
void check_distribution(std::string_view name, const Distribution& distribution);

/// The value with the share u of the probability below it, 0 < u < 1.
double quantile(const Distribution& distribution, double u);
/// The smallest and the largest value that is possible.
double lowest(const Distribution& distribution);
double highest(const Distribution& distribution);

/// So many draws of all parameters, [draw][parameter]: of each parameter one draw in every `draws`-th of its
/// probability, in an order of its own (McKay, Beckman, Conover, Technometrics 21:239, 1979). Means over
/// draws vary less than with independent draws, and each draw is one from the distributions. Parameter k has
/// the stream (seed, Purpose::belief, k, 0).
std::vector<double> latin_hypercube(std::span<const Distribution> parameters, std::int32_t draws,
                                    std::uint64_t seed);

}  // namespace mindgap::program

#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "mindgap/base/run.h"

namespace mindgap::voi {

/// Inputs up to which splines with interactions are fitted; above, additive splines or a Gaussian process.
constexpr std::size_t kMostInputsOfSplines = 3;
/// Draws below which no regression is tried.
constexpr std::int64_t kFewestDraws = 50;

struct ConditionalMeanOptions {
  std::int64_t folds = 5;
  base::Run run = {};  // its seed says who is in which fold
};

/// E[outcome | inputs] at every draw.
struct ConditionalMean {
  std::vector<double> fitted;    // with all draws
  std::vector<double> left_out;  // with the draws of other folds only
  std::string_view model;        // of `fitted`: "constant", "additive splines", "splines", "Gaussian process"
};

/// Fits each outcome on the inputs, whose order, scale and distribution do not matter (normal scores). Of
/// several models (the constant; additive splines; up to 3 inputs splines with interactions, of two strengths
/// of smoothing against the main effects; above a Gaussian process) each fit takes the one that generalised
/// cross-validation prefers on the draws that it is allowed to see. One span per input and per outcome, all
/// of one length of at least kFewestDraws; inputs that are constant are refused by whoever asks.
std::vector<ConditionalMean> conditional_means(std::span<const std::span<const double>> inputs,
                                               std::span<const std::vector<double>> outcomes,
                                               const ConditionalMeanOptions& options = {});

}  // namespace mindgap::voi

#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "mindgap/decide/information.h"
#include "mindgap/mdp/model_batch.h"

namespace mindgap::decide {

/// split_information() of all models of a batch, each step for all of them at once.
std::vector<InformationSplit> split_batch(mdp::ModelBatch& batch, const mdp::Policy& deployed,
                                          std::span<const double> positions, std::int64_t steps,
                                          double discount, double threshold, double accuracy);

/// The same without the local value, which is much cheaper.
std::vector<InformationSplit> values_of_batch(mdp::ModelBatch& batch, const mdp::Policy& deployed,
                                              std::span<const double> positions, std::int64_t steps,
                                              double discount);

}  // namespace mindgap::decide

#include <algorithm>

#include "mindgap/gap/factor_criterion.h"
#include "mindgap/gap/pvv.h"

namespace mindgap::gap {
namespace {

FactorModel factor_model(const belief::SharedErrors& left) {
  FactorModel model{.factors = left.factors()};
  for (std::size_t k = 0; k < left.pairs(); ++k) {
    const auto pair = static_cast<std::int32_t>(k);
    model.own_variance.push_back(left.own_variance(pair));
    const std::span<const double> row = left.loadings(pair);
    if (std::any_of(row.begin(), row.end(), [](double u) { return u != 0; }))
      model.reward_pairs.push_back(pair);
  }
  model.reward_loading.resize(left.factors(), static_cast<Eigen::Index>(model.reward_pairs.size()));
  model.move_loading.resize(left.factors(), 0);
  for (std::size_t i = 0; i < model.reward_pairs.size(); ++i) {
    const std::span<const double> row = left.loadings(model.reward_pairs[i]);
    std::copy(row.begin(), row.end(), model.reward_loading.col(static_cast<Eigen::Index>(i)).begin());
  }
  return model;
}

}  // namespace

std::shared_ptr<const Dependence> shared_pairs(const belief::SharedErrors& left) {
  return factor_pairs(factor_model(left));
}

}  // namespace mindgap::gap

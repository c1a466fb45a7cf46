#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <limits>

#include "mindgap/gap/factor_criterion.h"
#include "mindgap/gap/member_models.h"

namespace mindgap::gap {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;

bool any_nonzero(std::span<const double> numbers) {
  return std::any_of(numbers.begin(), numbers.end(), [](double x) { return x != 0; });
}

// Columns A, as few as possible, with A A' = B B' within rounding: the observations P_kj'z of one pair sum to
// 0, and no more than there are members say anything.
MatrixXd fewest_columns(const MatrixXd& b) {
  const bool tall = b.rows() >= b.cols();
  const Eigen::SelfAdjointEigenSolver<MatrixXd> eigen(tall ? MatrixXd(b.transpose() * b)
                                                           : MatrixXd(b * b.transpose()));
  const Eigen::VectorXd& size = eigen.eigenvalues();  // ascending
  constexpr double kRounding = 1e-14;
  Index first = 0;
  while (first + 1 < size.size() && size[first] <= kRounding * size[size.size() - 1]) ++first;
  const Index kept = size.size() - first;
  const MatrixXd vectors = eigen.eigenvectors().rightCols(kept);
  if (tall) return b * vectors;
  return vectors * size.tail(kept).cwiseMax(0).cwiseSqrt().asDiagonal();
}

// P_kj of one pair: the loads of its probabilities, over the roots of their means. n moves have the
// information n sum_j P_kj P_kj' about z, where their row is known given z.
MatrixXd move_loadings(const MemberModels& members, const mdp::Mdp& mean, std::int32_t pair) {
  const mdp::Row row = mean.row(pair);
  MatrixXd loading(members.size(), static_cast<Index>(row.size()));
  std::vector<double> p(static_cast<std::size_t>(members.size()));
  bool any = false;
  for (std::size_t j = 0; j < row.size(); ++j) {
    for (std::int32_t i = 0; i < members.size(); ++i)
      p[static_cast<std::size_t>(i)] = members.model(i).row(pair).probability[j];
    const std::vector<double> load = members.load(p);
    any = any || any_nonzero(load);
    loading.col(static_cast<Index>(j)) =
        Eigen::Map<const Eigen::VectorXd>(load.data(), members.size()) / std::sqrt(row.probability[j]);
  }
  return any ? fewest_columns(loading) : MatrixXd(members.size(), 0);
}

MatrixXd side_by_side(Index rows, const std::vector<MatrixXd>& blocks) {
  Index columns = 0;
  for (const MatrixXd& block : blocks) columns += block.cols();
  MatrixXd all(rows, columns);
  columns = 0;
  for (const MatrixXd& block : blocks) {
    all.middleCols(columns, block.cols()) = block;
    columns += block.cols();
  }
  return all;
}

FactorModel factors_of(const belief::Ensemble& ensemble, const MemberModels& members) {
  const mdp::Mdp mean = ensemble.mean();
  FactorModel model{.factors = members.size(), .move_begin = {0}, .member_loads = true};
  std::vector<MatrixXd> rewards, moves;
  std::vector<double> reward(static_cast<std::size_t>(members.size()));
  for (std::int32_t k = 0; k < mean.pairs(); ++k) {
    model.own_variance.push_back(ensemble.reward_variance_within(k));
    model.strength.push_back(ensemble.transition_strength_within(k));
    for (std::int32_t i = 0; i < members.size(); ++i)
      reward[static_cast<std::size_t>(i)] = members.model(i).reward()[k];
    const std::vector<double> load = members.load(reward);
    if (any_nonzero(load)) {
      model.reward_pairs.push_back(k);
      rewards.emplace_back(Eigen::Map<const Eigen::VectorXd>(load.data(), members.size()));
    }
    MatrixXd loading = move_loadings(members, mean, k);
    if (loading.cols() == 0) continue;
    model.move_pairs.push_back(k);
    model.move_begin.push_back(model.move_begin.back() + loading.cols());
    moves.push_back(std::move(loading));
  }
  model.reward_loading = side_by_side(members.size(), rewards);
  model.move_loading = side_by_side(members.size(), moves);
  return model;
}

}  // namespace

std::shared_ptr<const Dependence> member_pairs(const belief::Ensemble& ensemble) {
  const auto members = std::make_shared<const MemberModels>(ensemble);
  return factor_pairs(factors_of(ensemble, *members), members);
}

Precision precision_of(const belief::Ensemble& ensemble) {
  Precision precision{.reward_variance = ensemble.reward_variances(),
                      .observation_precision = {},
                      .transition_strength = ensemble.transition_strengths(),
                      .dependence = member_pairs(ensemble)};
  for (const double v : ensemble.observation_variance())
    precision.observation_precision.push_back(v > 0 ? 1 / v : std::numeric_limits<double>::infinity());
  return precision;
}

}  // namespace mindgap::gap

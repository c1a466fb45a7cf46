#include "mindgap/belief/shared_errors.h"

#include <fmt/format.h>

#include <Eigen/Dense>
#include <algorithm>
#include <boost/math/special_functions/gamma.hpp>
#include <cmath>
#include <map>
#include <numbers>

#include "mindgap/base/check.h"
#include "mindgap/base/distributions.h"
#include "mindgap/base/error.h"
#include "mindgap/belief/kernel.h"
#include "mindgap/belief/kernel_factors.h"

namespace mindgap::belief {
namespace {

using Eigen::Index;
using Eigen::Map;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr double kNoiseless = 1e-9;  // of the shared variance, where an observation has none of its own

Map<const VectorXd> vector_of(std::span<const double> numbers) {
  return {numbers.data(), static_cast<Index>(numbers.size())};
}

// What an observed average says about U_k'z: w = n / (v + n s^2), and how much of what is not shared it
// leaves, 1 - f = v / (v + n s^2).
struct Pull {
  double weight = 0;
  double left = 1;
};

Pull pull_of(const FactorEvidence& pair, double shared_variance) {
  if (pair.count == 0) return {};
  double v = pair.observation_variance;
  if (v == 0 && pair.own_variance == 0) v = kNoiseless * shared_variance;
  const double total = v + pair.count * pair.own_variance;
  return total > 0 ? Pull{pair.count / total, v / total} : Pull{0, 0};
}

// Loadings side by side: columns are added factor by factor, and pairs with equal rows get one.
class Columns {
 public:
  explicit Columns(std::int32_t pairs) : rows_(static_cast<std::size_t>(pairs)) {}

  std::int32_t factors() const { return factors_; }
  std::int32_t add_factors(std::int32_t count) {
    factors_ += count;
    for (auto& row : rows_) row.resize(static_cast<std::size_t>(factors_), 0.0);
    return factors_ - count;
  }
  double& at(std::int32_t pair, std::int32_t factor) {
    return rows_[static_cast<std::size_t>(pair)][static_cast<std::size_t>(factor)];
  }

  SharedErrors finish(std::vector<double> own_variance) const {
    std::map<std::vector<double>, std::int32_t> place;
    std::vector<double> loadings;
    std::vector<std::int32_t> row_of_pair;
    for (const auto& row : rows_) {
      const auto [found, is_new] = place.try_emplace(row, static_cast<std::int32_t>(place.size()));
      if (is_new) loadings.insert(loadings.end(), row.begin(), row.end());
      row_of_pair.push_back(found->second);
    }
    return {factors_, std::move(loadings), std::move(row_of_pair), std::move(own_variance)};
  }

 private:
  std::int32_t factors_ = 0;
  std::vector<std::vector<double>> rows_;
};

// One factor for each group with states.
void add_groups(const mdp::Mdp& mdp, const mdp::SharedSpec& spec, Columns& columns) {
  const mdp::Labels& labels = mdp.labels();
  const auto groups = static_cast<std::int32_t>(labels.groups.size());
  if (groups == 0)
    throw InvalidArgument(
        "errors that groups share need groups: the model's states have none (column group of states.csv)");
  const std::int32_t first = columns.add_factors(groups);
  for (std::int32_t s = 0; s < mdp.states(); ++s) {
    const std::int32_t group = labels.group_of_state[static_cast<std::size_t>(s)];
    if (group < 0) continue;
    const double sd = spec.group_sd ? *spec.group_sd : spec.group_sds[static_cast<std::size_t>(group)];
    for (const std::int32_t k : mdp.pairs_of(s)) columns.at(k, first + group) = sd;
  }
}

KernelFactors factors_of(const mdp::Mdp& mdp, const mdp::KernelSpec& kernel) {
  const mdp::Labels& labels = mdp.labels();
  if (kernel.over == mdp::KernelOver::graph) {
    const Kernel matrix =
        graph_kernel(mdp, {.variance = kernel.sd * kernel.sd, .lengthscale = kernel.length});
    return kernel_factors(mdp.states(), matrix);
  }
  if (labels.x.empty())
    throw InvalidArgument(
        "a kernel over places needs coordinates: the model's states have none (columns x and y of "
        "states.csv); "
        "over = \"graph\" needs none");
  return kernel_factors(mdp.states(), [&](std::int64_t i, std::int64_t j) {
    const auto a = static_cast<std::size_t>(i), b = static_cast<std::size_t>(j);
    return kernel.sd * kernel.sd *
           squared_exponential(std::hypot(labels.x[a] - labels.x[b], labels.y[a] - labels.y[b]),
                               kernel.length);
  });
}

// All actions of a state have the state's error.
void add_kernel(const mdp::Mdp& mdp, const mdp::KernelSpec& kernel, Columns& columns,
                std::vector<double>& own_variance) {
  const KernelFactors found = factors_of(mdp, kernel);
  const std::int32_t first = columns.add_factors(found.factors);
  for (std::int32_t s = 0; s < mdp.states(); ++s) {
    const auto row = static_cast<std::size_t>(s) * static_cast<std::size_t>(found.factors);
    for (const std::int32_t k : mdp.pairs_of(s)) {
      for (std::int32_t j = 0; j < found.factors; ++j)
        columns.at(k, first + j) = found.loadings[row + static_cast<std::size_t>(j)];
      own_variance[static_cast<std::size_t>(k)] += found.rest[static_cast<std::size_t>(s)];
    }
  }
}

}  // namespace

SharedErrors::SharedErrors(std::int32_t factors, std::vector<double> loadings,
                           std::vector<std::int32_t> row_of_pair, std::vector<double> own_variance) {
  const char* function = "SharedErrors";
  base::check_range(function, "factors", factors, 0, 1'000'000);
  base::check_finite(function, "loadings", loadings);
  base::check_size(function, "own_variance", own_variance.size(), row_of_pair.size());
  base::check_nonnegative(function, "own_variance", own_variance);
  if (factors == 0) return;
  const std::size_t rows = loadings.size() / static_cast<std::size_t>(factors);
  const double last_row = static_cast<double>(rows) - 1;
  for (const std::int32_t row : row_of_pair) base::check_range(function, "row_of_pair", row, 0, last_row);
  parts_ = std::make_shared<const Parts>(
      Parts{factors, std::move(loadings), std::move(row_of_pair), std::move(own_variance)});
}

std::int64_t SharedErrors::rows() const {
  return none() ? 0 : static_cast<std::int64_t>(parts_->loadings.size()) / parts_->factors;
}

std::span<const double> SharedErrors::row(std::int64_t row) const {
  const auto q = static_cast<std::size_t>(parts_->factors);
  return std::span(parts_->loadings).subspan(static_cast<std::size_t>(row) * q, q);
}

double SharedErrors::own_variance(std::int32_t pair) const {
  return none() ? 0 : parts_->own_variance[static_cast<std::size_t>(pair)];
}

double SharedErrors::variance(std::int32_t pair) const {
  return none() ? 0 : vector_of(loadings(pair)).squaredNorm();
}

SharedErrors SharedErrors::scaled(double factor) const {
  base::check_nonnegative("SharedErrors::scaled", "factor", factor);
  if (none()) return {};
  Parts parts = *parts_;
  for (double& loading : parts.loadings) loading *= factor;
  for (double& own : parts.own_variance) own *= factor * factor;
  SharedErrors result;
  result.parts_ = std::make_shared<const Parts>(std::move(parts));
  return result;
}

bool SharedErrors::operator==(const SharedErrors& other) const {
  if (none() || other.none()) return none() == other.none();
  return *parts_ == *other.parts_;
}

SharedErrors shared_errors(const mdp::Mdp& mdp, const mdp::SharedSpec& spec) {
  if (!spec.any()) return {};
  Columns columns(mdp.pairs());
  std::vector<double> own_variance(static_cast<std::size_t>(mdp.pairs()), 0.0);
  if (spec.group_sd || !spec.group_sds.empty()) add_groups(mdp, spec, columns);
  if (spec.kernel && spec.kernel->sd > 0) add_kernel(mdp, *spec.kernel, columns, own_variance);
  const std::int32_t first = columns.add_factors(static_cast<std::int32_t>(spec.factors.size()));
  for (const mdp::Loading& one : spec.loadings) columns.at(one.pair, first + one.factor) += one.loading;
  return columns.finish(std::move(own_variance));
}

FactorPosterior::FactorPosterior(const SharedErrors& shared, std::span<const FactorEvidence> pairs)
    : shared_(shared), pairs_(pairs.begin(), pairs.end()) {
  const auto q = static_cast<Index>(shared.factors());
  const auto rows = static_cast<std::size_t>(shared.rows());
  std::vector<double> weight(rows, 0.0), pull(rows, 0.0);
  double squares = 0, logs = 0;
  for (std::size_t k = 0; k < pairs_.size(); ++k) {
    const auto pair = static_cast<std::int32_t>(k);
    const Pull by = pull_of(pairs_[k], pairs_[k].count > 0 ? shared.variance(pair) : 0);
    if (by.weight == 0) continue;
    const auto row = static_cast<std::size_t>(shared.row_of(pair));
    ++seen_pairs_;
    weight[row] += by.weight;
    pull[row] += by.weight * pairs_[k].off;
    squares += by.weight * pairs_[k].off * pairs_[k].off;
    logs += std::log(2 * std::numbers::pi / by.weight);
  }
  std::vector<std::size_t> seen;
  for (std::size_t r = 0; r < rows; ++r) {
    if (weight[r] > 0) seen.push_back(r);
  }
  MatrixXd information = MatrixXd::Identity(q, q), scaled(q, static_cast<Index>(seen.size()));
  VectorXd right = VectorXd::Zero(q);
  for (std::size_t i = 0; i < seen.size(); ++i) {
    const auto loadings = vector_of(shared.row(static_cast<std::int64_t>(seen[i])));
    scaled.col(static_cast<Index>(i)) = std::sqrt(weight[seen[i]]) * loadings;
    right += pull[seen[i]] * loadings;
  }
  if (!seen.empty()) information.selfadjointView<Eigen::Lower>().rankUpdate(scaled);
  const Eigen::LLT<MatrixXd> factor(information);
  const MatrixXd root = factor.matrixL();
  const VectorXd mean = factor.solve(right);
  root_.assign(root.data(), root.data() + root.size());
  mean_.assign(mean.begin(), mean.end());
  for (std::size_t r = 0; r < rows; ++r)
    row_shift_.push_back(vector_of(shared.row(static_cast<std::int64_t>(r))).dot(mean));
  // log N(off; 0, diag(1/w) + U U') by the determinant lemma and Woodbury's identity
  distance_ = squares - mean.dot(right);
  log_evidence_ = -(logs + 2 * root.diagonal().array().log().sum() + distance_) / 2;
}

double FactorPosterior::surprise() const {
  if (seen_pairs_ == 0) return 1;
  return boost::math::gamma_q(static_cast<double>(seen_pairs_) / 2, std::max(0.0, distance_) / 2);
}

double FactorPosterior::reward_variance(std::int32_t pair) const {
  const auto q = static_cast<Index>(mean_.size());
  const Map<const MatrixXd> root(root_.data(), q, q);
  const FactorEvidence& own = pairs_[static_cast<std::size_t>(pair)];
  const double left = pull_of(own, shared_.variance(pair)).left;
  const double shared =
      root.triangularView<Eigen::Lower>().solve(vector_of(shared_.loadings(pair))).squaredNorm();
  return left * (own.own_variance + left * shared);
}

std::vector<double> FactorPosterior::reward_variances() const {
  const SharedErrors now = left();
  std::vector<double> of_row, result;
  for (std::int64_t r = 0; r < now.rows(); ++r) of_row.push_back(vector_of(now.row(r)).squaredNorm());
  for (std::int32_t k = 0; k < static_cast<std::int32_t>(pairs_.size()); ++k)
    result.push_back(now.own_variance(k) + of_row[static_cast<std::size_t>(now.row_of(k))]);
  return result;
}

std::vector<double> FactorPosterior::draw(base::Stream& stream) const {
  const auto q = static_cast<Index>(mean_.size());
  const Map<const MatrixXd> root(root_.data(), q, q);
  VectorXd z(q);
  for (Index j = 0; j < q; ++j) z[j] = base::normal(stream);
  z = root.triangularView<Eigen::Lower>().transpose().solve(z).eval();
  z += vector_of(mean_);
  std::vector<double> shift;
  shift.reserve(row_shift_.size());
  for (std::int64_t r = 0; r < shared_.rows(); ++r) shift.push_back(vector_of(shared_.row(r)).dot(z));
  return shift;
}

SharedErrors FactorPosterior::left() const {
  const auto q = static_cast<Index>(mean_.size());
  const Map<const MatrixXd> root(root_.data(), q, q);
  const Map<const MatrixXd> before(shared_.row(0).data(), q, static_cast<Index>(shared_.rows()));
  const MatrixXd after = root.triangularView<Eigen::Lower>().solve(before);
  std::vector<double> loadings(after.data(), after.data() + after.size()), own_variance;
  std::vector<std::int32_t> row_of_pair;
  auto rows = static_cast<std::int32_t>(shared_.rows());
  for (std::size_t k = 0; k < pairs_.size(); ++k) {
    const auto pair = static_cast<std::int32_t>(k);
    const Pull by = pull_of(pairs_[k], pairs_[k].count > 0 ? shared_.variance(pair) : 0);
    own_variance.push_back(by.left * pairs_[k].own_variance);
    row_of_pair.push_back(shared_.row_of(pair));
    if (by.left == 1) continue;
    row_of_pair.back() = rows++;
    for (Index j = 0; j < q; ++j) loadings.push_back(by.left * after(j, shared_.row_of(pair)));
  }
  return {shared_.factors(), std::move(loadings), std::move(row_of_pair), std::move(own_variance)};
}

double shared_share(const SharedErrors& shared, std::span<const double> reward_sd) {
  double together = 0, alone = 0;
  for (std::size_t k = 0; k < reward_sd.size(); ++k) {
    together += shared.variance(static_cast<std::int32_t>(k));
    alone += reward_sd[k] * reward_sd[k] + shared.own_variance(static_cast<std::int32_t>(k));
  }
  return together > 0 ? together / (together + alone) : 0;
}

}  // namespace mindgap::belief

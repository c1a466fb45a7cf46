#include "mindgap/gap/factor_criterion.h"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <numeric>

#include "mindgap/base/check.h"
#include "mindgap/base/error.h"
#include "mindgap/gap/pvv.h"

namespace mindgap::gap {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

Index at(std::size_t i) {
  return static_cast<Index>(i);
}

// q(n) = (a + 1) n / (a + n) and its derivatives, with b = 1/a so that a row that is known (a infinite) has
// q = n.
struct MovePrecision {
  double now, slope, bend;
};

MovePrecision move_precision(double strength, double n) {
  const double b = 1 / strength, below = 1 + b * n, slope = (1 + b) / (below * below);
  return {(1 + b) * n / below, slope, -2 * b * slope / below};
}

// A narrow K with K K' = X X': sums of squares over targets need no more columns than there are factors.
MatrixXd narrow(const MatrixXd& x) {
  if (x.cols() <= x.rows()) return x;
  const Eigen::SelfAdjointEigenSolver<MatrixXd> eigen(x * x.transpose());
  return eigen.eigenvectors() * eigen.eigenvalues().cwiseMax(0).cwiseSqrt().asDiagonal();
}

// sum += A A', of its lower triangle. Eigen divides by the number of columns.
void add_square(MatrixXd& sum, const MatrixXd& a, double scale = 1) {
  if (a.cols() > 0) sum.selfadjointView<Eigen::Lower>().rankUpdate(a, scale);
}

// The variance of a target's value l_t'z + c_t'delta (and what its moves add, pair by pair) in a FactorModel,
// after n_k observations of each pair. Given z and the data, delta_k has mean f_k (y_k - U_k'z) and variance
// s_k^2 (1 - f_k), so with
//   g_k = 1 - f_k = 1 / (1 + n_k tau_k s_k^2),  w_k = n_k tau_k g_k,
//   I_z = I + sum_k w_k U_k U_k' + sum_kj q_k(n_k) P_kj P_kj',
//   h_t = l_t - sum_k c_tk f_k U_k = e_t + sum_k c_tk g_k U_k,  e_t = l_t - sum_k c_tk U_k,  x_t = I_z^-1
//   h_t: variance = sum_t [ sum_k c_tk^2 s_k^2 g_k + h_t'x_t ], C_tk = Cov(value_t, r_k) = g_k (c_tk s_k^2 +
//   U_k'x_t),  its covariance with P_kj'z is P_kj'x_t, derivative by n_k = -sum_t [ tau_k C_tk^2 + q_k'(n_k)
//   sum_j (P_kj'x_t)^2 ]
// (docs/math/shared-errors.md). e_t is what moves have to do with the factors, 0 where these are about
// rewards alone.
//
// Convex: it is b'J(n)^-1 b for b = (l_t, c_t) and the information J(n) about (z, delta), which is linear in
// n through rewards and concave in n (in the order of matrices) through q_k; b'J^-1 b is convex and
// decreasing in J. Second derivatives, exact: with J_k = dJ/dn_k,
//   2 b'J^-1 J_j J^-1 J_k J^-1 b - [j = k] sum_i q_k''(n_k) (P_ki'x)^2,
// both positive semidefinite since q'' <= 0.
class FactorCriterion final : public Criterion {
 public:
  FactorCriterion(std::shared_ptr<const FactorModel> model, const PvvWeights& weights,
                  const Precision& precision, Block block, std::span<const double> credit);

  std::size_t size() const override { return separable_->size(); }
  double value(std::span<const double> n) const override;
  double derivatives(std::span<const double> n, std::span<double> gradient,
                     std::span<double> curvature) const override;
  std::vector<double> shared_curvature(std::span<const double> n,
                                       std::span<const std::span<const double>> directions) const override;
  std::unique_ptr<const Around> around(std::span<const double> n) const override;
  void worth_of_one_more(std::span<const double> n, std::span<double> worth) const override;
  std::vector<std::int32_t> relevant() const override;
  std::vector<double> contributions(std::span<const double> n) const override;
  std::vector<double> reducible(std::span<const double> n) const override;

  /// What rewards and moves contribute, pair by pair, beyond what is separable.
  Dependence::Terms linked_terms(std::span<const double> n) const;

 private:
  // Everything above at one n. Rewards are those of FactorModel::reward_pairs.
  struct Place {
    VectorXd g;     // per reward
    MatrixXd root;  // L, with I_z = L L'
    MatrixXd x;     // factors x targets
    double value = 0;
  };
  Place place(std::span<const double> n) const;
  MatrixXd spread(const Place& here) const;  // C, rewards x targets
  MatrixXd whitened(const MatrixXd& root, const MatrixXd& loading) const {
    return root.triangularView<Eigen::Lower>().solve(loading);
  }
  MovePrecision moves_of(std::size_t i, double n) const {
    const auto k = static_cast<std::size_t>(model_->move_pairs[i]);
    return move_precision(model_->strength[k], n + credit_[at(k)]);
  }
  // The columns of one of the pairs with moves.
  auto columns(const MatrixXd& all, std::size_t i) const {
    return all.middleCols(model_->move_begin[i], model_->move_begin[i + 1] - model_->move_begin[i]);
  }
  // Factors that some target's value depends on, now or after observations of others.
  std::vector<std::uint8_t> factors_in_play() const;
  void set_loads(const PvvWeights& weights, Block block);

  class AroundCounts final : public Around {
   public:
    AroundCounts(const FactorCriterion& all, std::span<const double> n);
    double change(std::span<const std::int32_t> pairs, std::span<const double> after) const override;

   private:
    const FactorCriterion& all_;
    VectorXd counts_;
    Place now_;
    MatrixXd spread_;
    MatrixXd rewards_;  // L^-1 g_k U_k: posterior covariances of different pairs are products of columns
    MatrixXd moves_;    // L^-1 P_kj
    std::unique_ptr<const Around> separable_;
  };

  std::shared_ptr<const FactorModel> model_;
  MatrixXd load_;                                   // c, rewards x targets
  MatrixXd extra_;                                  // e, factors x targets
  VectorXd own_;                                    // s^2 per reward
  VectorXd tau_;                                    // per reward
  VectorXd credit_;                                 // per pair
  VectorXd blame_;                                  // per pair: the share of e_t'x_t that is put down to it
  std::vector<std::int32_t> reward_of_, moves_of_;  // per pair its place in the lists of the model, or -1
  std::shared_ptr<const Criterion> separable_;
};

std::vector<std::int32_t> places(const std::vector<std::int32_t>& list, std::size_t pairs) {
  std::vector<std::int32_t> place(pairs, -1);
  for (std::size_t i = 0; i < list.size(); ++i)
    place[static_cast<std::size_t>(list[i])] = static_cast<std::int32_t>(i);
  return place;
}

void check_loads(const FactorModel& model, const PvvWeights& weights, Block block) {
  const bool wanted = block != Block::transitions || model.member_loads;
  if (wanted && weights.loads.empty() &&
      std::any_of(weights.reward.begin(), weights.reward.end(), [](double w) { return w > 0; }))
    throw InvalidArgument(
        "Objective: errors are shared, but the target has no loads (WeightsOptions::loads)");
  for (const std::vector<double>& load : weights.loads)
    base::check_size("Objective", "load", load.size(), weights.transition.size());
  if (!model.member_loads) return;
  if (weights.member_loads.size() != weights.loads.size())
    throw InvalidArgument(
        "Objective: the belief is an ensemble of models, but the target has no loads on its members "
        "(WeightsOptions::member_models)");
  for (const std::vector<double>& load : weights.member_loads)
    base::check_size("Objective", "member load", load.size(), static_cast<std::size_t>(model.factors));
}

// Rewards that no factor moves and the moves' own errors are independent between pairs. Squares of loads
// instead of the reward weights, so that compressed loads mean the same everywhere.
PvvWeights alone(const FactorModel& model, const PvvWeights& weights, Block block) {
  const std::size_t pairs = weights.transition.size();
  PvvWeights result{
      .reward = std::vector<double>(pairs, 0.0),
      .transition = block == Block::rewards ? std::vector<double>(pairs, 0.0) : weights.transition};
  if (block == Block::transitions) return result;
  for (const std::vector<double>& load : weights.loads) {
    for (std::size_t k = 0; k < pairs; ++k) result.reward[k] += load[k] * load[k];
  }
  for (const std::int32_t k : model.reward_pairs) result.reward[static_cast<std::size_t>(k)] = 0;
  return result;
}

// What is known of each pair given the factors.
Precision within(const FactorModel& model, const Precision& precision) {
  return {.reward_variance = model.own_variance,
          .observation_precision = precision.observation_precision,
          .transition_strength = model.strength.empty() ? precision.transition_strength : model.strength};
}

FactorCriterion::FactorCriterion(std::shared_ptr<const FactorModel> model, const PvvWeights& weights,
                                 const Precision& precision, Block block, std::span<const double> credit)
    : model_(std::move(model)) {
  const std::size_t pairs = weights.transition.size();
  base::check_size("Objective", "shared errors", model_->own_variance.size(), pairs);
  check_loads(*model_, weights, block);
  separable_ = independent_pairs()->criterion(alone(*model_, weights, block), within(*model_, precision),
                                              Block::both, credit);
  reward_of_ = places(model_->reward_pairs, pairs);
  moves_of_ = places(model_->move_pairs, pairs);
  own_.resize(at(model_->reward_pairs.size()));
  tau_.resize(own_.size());
  for (Index i = 0; i < own_.size(); ++i) {
    const auto k = static_cast<std::size_t>(model_->reward_pairs[static_cast<std::size_t>(i)]);
    own_[i] = model_->own_variance[k];
    const double variance = own_[i] + model_->reward_loading.col(i).squaredNorm();
    tau_[i] = variance > 0 ? std::min(precision.observation_precision[k], kNoiseless / variance) : 0;
  }
  credit_ = VectorXd::Zero(at(pairs));
  std::copy(credit.begin(), credit.end(), credit_.begin());
  set_loads(weights, block);
}

// The target by block: of rewards alone it is c'r, of transitions alone what is left of its value.
void FactorCriterion::set_loads(const PvvWeights& weights, Block block) {
  const bool any = block != Block::transitions || model_->member_loads;
  const Index targets = any ? at(weights.loads.size()) : 0;
  load_ = MatrixXd::Zero(own_.size(), targets);
  extra_ = MatrixXd::Zero(model_->factors, targets);
  for (Index t = 0; t < targets; ++t) {
    const std::vector<double>& load = weights.loads[static_cast<std::size_t>(t)];
    for (Index i = 0; i < own_.size(); ++i)
      load_(i, t) = load[static_cast<std::size_t>(model_->reward_pairs[static_cast<std::size_t>(i)])];
  }
  if (model_->member_loads && block != Block::rewards) {
    for (Index t = 0; t < targets; ++t)
      extra_.col(t) = Eigen::Map<const VectorXd>(weights.member_loads[static_cast<std::size_t>(t)].data(),
                                                 model_->factors);
    extra_ -= model_->reward_loading * load_;
  }
  if (block == Block::transitions) load_.setZero();

  // By Cauchy-Schwarz a pair's rows move the value by at most W_p sum_j |P_kj|^2, in squares.
  blame_ = VectorXd::Zero(credit_.size());
  for (std::size_t i = 0; i < model_->move_pairs.size(); ++i) {
    const auto k = static_cast<std::size_t>(model_->move_pairs[i]);
    blame_[at(k)] = weights.transition[k] * columns(model_->move_loading, i).squaredNorm();
  }
  if (!(blame_.sum() > 0)) blame_.setOnes();
  blame_ /= blame_.sum();
}

FactorCriterion::Place FactorCriterion::place(std::span<const double> n) const {
  Place here;
  const Index q = model_->factors;
  here.g.resize(own_.size());
  MatrixXd information = MatrixXd::Identity(q, q);
  std::vector<Index> seen;
  std::vector<double> root;
  for (Index i = 0; i < own_.size(); ++i) {
    const auto k = static_cast<std::size_t>(model_->reward_pairs[static_cast<std::size_t>(i)]);
    const double looks = (n[k] + credit_[at(k)]) * tau_[i];
    here.g[i] = 1 / (1 + looks * own_[i]);
    if (looks == 0) continue;
    seen.push_back(i);
    root.push_back(std::sqrt(looks * here.g[i]));
  }
  const auto rewards = seen.size();
  for (std::size_t i = 0; i < model_->move_pairs.size(); ++i) {
    const double precision = moves_of(i, n[static_cast<std::size_t>(model_->move_pairs[i])]).now;
    for (Index j = model_->move_begin[i]; precision > 0 && j < model_->move_begin[i + 1]; ++j) {
      seen.push_back(j);
      root.push_back(std::sqrt(precision));
    }
  }
  MatrixXd scaled(q, at(seen.size()));
  for (std::size_t i = 0; i < seen.size(); ++i)
    scaled.col(at(i)) =
        root[i] * (i < rewards ? model_->reward_loading.col(seen[i]) : model_->move_loading.col(seen[i]));
  add_square(information, scaled);
  const Eigen::LLT<MatrixXd> factor(information);
  here.root = factor.matrixL();
  const MatrixXd weighed = here.g.asDiagonal() * load_;
  const MatrixXd h = extra_ + model_->reward_loading * weighed;
  here.x = factor.solve(h);
  here.value = load_.cwiseProduct(own_.asDiagonal() * weighed).sum() + h.cwiseProduct(here.x).sum();
  return here;
}

MatrixXd FactorCriterion::spread(const Place& here) const {
  return here.g.asDiagonal() * (own_.asDiagonal() * load_ + model_->reward_loading.transpose() * here.x);
}

double FactorCriterion::value(std::span<const double> n) const {
  return separable_->value(n) + (load_.cols() == 0 ? 0 : place(n).value);
}

double FactorCriterion::derivatives(std::span<const double> n, std::span<double> gradient,
                                    std::span<double> curvature) const {
  const double separable = separable_->derivatives(n, gradient, curvature);
  if (load_.cols() == 0) return separable;
  const Place here = place(n);
  const VectorXd squares = spread(here).rowwise().squaredNorm();
  for (Index i = 0; i < own_.size(); ++i) {
    const auto k = static_cast<std::size_t>(model_->reward_pairs[static_cast<std::size_t>(i)]);
    gradient[k] -= tau_[i] * squares[i];
    if (!curvature.empty()) curvature[k] += 2 * tau_[i] * tau_[i] * own_[i] * here.g[i] * squares[i];
  }
  if (model_->move_pairs.empty()) return separable + here.value;
  const VectorXd of_moves = (narrow(here.x).transpose() * model_->move_loading).colwise().squaredNorm();
  for (std::size_t i = 0; i < model_->move_pairs.size(); ++i) {
    const auto k = static_cast<std::size_t>(model_->move_pairs[i]);
    const MovePrecision precision = moves_of(i, n[k]);
    const Index begin = model_->move_begin[i], end = model_->move_begin[i + 1];
    const double sum = of_moves.segment(begin, end - begin).sum();
    gradient[k] -= precision.slope * sum;
    if (!curvature.empty()) curvature[k] -= precision.bend * sum;
  }
  return separable + here.value;
}

// 2 sum_t Y_t'Y_t with Y_t = J^-1/2 sum_k d_k J_k J^-1 b_t for directions d, of which the part that pairs
// share is L^-1 sum_k d_k [tau_k g_k C_tk U_k + q_k' sum_j (P_kj'x_t) P_kj].
std::vector<double> FactorCriterion::shared_curvature(
    std::span<const double> n, std::span<const std::span<const double>> directions) const {
  const Index m = at(directions.size());
  MatrixXd bend = MatrixXd::Zero(m, m);
  if (load_.cols() > 0) {
    const Place here = place(n);
    const MatrixXd covariance = spread(here);
    MatrixXd along(own_.size(), m), along_moves(at(model_->move_pairs.size()), m);
    for (Index d = 0; d < m; ++d) {
      const std::span<const double> direction = directions[static_cast<std::size_t>(d)];
      for (Index i = 0; i < own_.size(); ++i)
        along(i, d) = tau_[i] * here.g[i] *
                      direction[static_cast<std::size_t>(model_->reward_pairs[static_cast<std::size_t>(i)])];
      for (std::size_t i = 0; i < model_->move_pairs.size(); ++i) {
        const auto k = static_cast<std::size_t>(model_->move_pairs[i]);
        along_moves(at(i), d) = moves_of(i, n[k]).slope * direction[k];
      }
    }
    const MatrixXd rewards = whitened(here.root, model_->reward_loading);
    const MatrixXd moves = whitened(here.root, model_->move_loading);
    MatrixXd pull(model_->factors, along_moves.rows());
    for (Index t = 0; t < load_.cols(); ++t) {
      MatrixXd y = rewards * (covariance.col(t).asDiagonal() * along);
      const VectorXd of_moves = model_->move_loading.transpose() * here.x.col(t);
      for (std::size_t i = 0; i < model_->move_pairs.size(); ++i) {
        const Index begin = model_->move_begin[i], size = model_->move_begin[i + 1] - begin;
        pull.col(at(i)) = columns(moves, i) * of_moves.segment(begin, size);
      }
      y += pull * along_moves;
      add_square(bend, y.transpose(), 2);
    }
  }
  bend = MatrixXd(bend.selfadjointView<Eigen::Lower>());
  return {bend.data(), bend.data() + bend.size()};
}

FactorCriterion::AroundCounts::AroundCounts(const FactorCriterion& all, std::span<const double> n)
    : all_(all),
      counts_(Eigen::Map<const VectorXd>(n.data(), at(n.size()))),
      now_(all.place(n)),
      spread_(all.spread(now_)),
      rewards_(all.whitened(now_.root, all.model_->reward_loading * now_.g.asDiagonal())),
      moves_(all.whitened(now_.root, all.model_->move_loading)),
      separable_(all.separable_->around(n)) {}

// With P_S the covariance of what the changed pairs show, D the changes of its precision and C_S its
// covariances with the targets, Woodbury gives the change as -sum_t C_tS' (D^-1 + P_S)^-1 C_tS, written
// without D^-1: -C_tS' D (I + P_S D)^-1 C_tS.
double FactorCriterion::AroundCounts::change(std::span<const std::int32_t> pairs,
                                             std::span<const double> after) const {
  const double separable = separable_->change(pairs, after);
  if (all_.load_.cols() == 0) return separable;
  const FactorModel& model = *all_.model_;
  Index size = 0;
  for (const std::int32_t pair : pairs) {
    const auto k = static_cast<std::size_t>(pair);
    if (all_.reward_of_[k] >= 0) ++size;
    if (all_.moves_of_[k] >= 0)
      size += all_.columns(moves_, static_cast<std::size_t>(all_.moves_of_[k])).cols();
  }
  if (size == 0) return separable;
  MatrixXd left(model.factors, size), covariance(size, all_.load_.cols());
  VectorXd more(size), own = VectorXd::Zero(size);
  Index row = 0;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const auto k = static_cast<std::size_t>(pairs[i]);
    if (const Index r = all_.reward_of_[k]; r >= 0) {
      left.col(row) = rewards_.col(r);
      covariance.row(row) = spread_.row(r);
      own[row] = all_.own_[r] * now_.g[r];
      more[row++] = all_.tau_[r] * (after[i] - counts_[at(k)]);
    }
    if (all_.moves_of_[k] < 0) continue;
    const auto place = static_cast<std::size_t>(all_.moves_of_[k]);
    const auto loading = all_.columns(model.move_loading, place);
    left.middleCols(row, loading.cols()) = all_.columns(moves_, place);
    covariance.middleRows(row, loading.cols()) = loading.transpose() * now_.x;
    more.segment(row, loading.cols())
        .setConstant(all_.moves_of(place, after[i]).now - all_.moves_of(place, counts_[at(k)]).now);
    row += loading.cols();
  }
  MatrixXd joint = left.transpose() * left;
  joint.diagonal() += own;
  const MatrixXd inside = MatrixXd::Identity(size, size) + joint * more.asDiagonal();
  const MatrixXd solved = inside.partialPivLu().solve(covariance);
  return separable - (more.asDiagonal() * solved).cwiseProduct(covariance).sum();
}

std::unique_ptr<const Criterion::Around> FactorCriterion::around(std::span<const double> n) const {
  return std::make_unique<AroundCounts>(*this, n);
}

void FactorCriterion::worth_of_one_more(std::span<const double> n, std::span<double> worth) const {
  separable_->worth_of_one_more(n, worth);
  if (load_.cols() == 0) return;
  const Place here = place(n);
  const MatrixXd left = whitened(here.root, model_->reward_loading * here.g.asDiagonal());
  const VectorXd squares = spread(here).rowwise().squaredNorm();
  for (Index i = 0; i < own_.size(); ++i) {
    const auto k = static_cast<std::size_t>(model_->reward_pairs[static_cast<std::size_t>(i)]);
    const double variance = own_[i] * here.g[i] + left.col(i).squaredNorm();
    worth[k] += tau_[i] * squares[i] / (1 + tau_[i] * variance);
  }
  if (model_->move_pairs.empty()) return;
  const AroundCounts counts(*this, n);
  for (const std::int32_t pair : model_->move_pairs) {
    const double more = n[static_cast<std::size_t>(pair)] + 1;
    worth[static_cast<std::size_t>(pair)] = -counts.change({&pair, 1}, {&more, 1});
  }
}

// Whatever loads on two factors makes them dependent once it is observed. So all factors that a chain of
// pairs links to a factor of some target's value are in play.
std::vector<std::uint8_t> FactorCriterion::factors_in_play() const {
  std::vector<Index> parent(static_cast<std::size_t>(model_->factors));
  std::iota(parent.begin(), parent.end(), Index{0});
  const auto top = [&](Index j) {
    while (parent[static_cast<std::size_t>(j)] != j) {
      auto& above = parent[static_cast<std::size_t>(j)];
      above = parent[static_cast<std::size_t>(above)];
      j = above;
    }
    return j;
  };
  for (const MatrixXd* loading : {&model_->reward_loading, &model_->move_loading}) {
    for (Index i = 0; i < loading->cols(); ++i) {
      Index first = -1;
      for (Index j = 0; j < loading->rows(); ++j) {
        if ((*loading)(j, i) == 0) continue;
        if (first < 0) first = j;
        parent[static_cast<std::size_t>(top(j))] = top(first);
      }
    }
  }
  const VectorXd loads = load_.cwiseAbs().rowwise().sum();
  const VectorXd touched = extra_.cwiseAbs().rowwise().sum() + model_->reward_loading.cwiseAbs() * loads;
  std::vector<std::uint8_t> top_in_play(parent.size()), in_play(parent.size());
  for (Index j = 0; j < touched.size(); ++j)
    if (touched[j] > 0) top_in_play[static_cast<std::size_t>(top(j))] = 1;
  for (std::size_t j = 0; j < parent.size(); ++j)
    in_play[j] = top_in_play[static_cast<std::size_t>(top(at(j)))];
  return in_play;
}

std::vector<std::int32_t> FactorCriterion::relevant() const {
  std::vector<std::uint8_t> matters(size());
  for (const std::int32_t k : separable_->relevant()) matters[static_cast<std::size_t>(k)] = 1;
  const std::vector<std::uint8_t> in_play = factors_in_play();
  const auto mark = [&](std::int32_t pair, const auto& loading) {
    for (Index j = 0; j < loading.rows(); ++j)
      if (in_play[static_cast<std::size_t>(j)] != 0 && !loading.row(j).isZero(0))
        matters[static_cast<std::size_t>(pair)] = 1;
  };
  for (Index i = 0; i < own_.size(); ++i)
    if (tau_[i] > 0) mark(model_->reward_pairs[static_cast<std::size_t>(i)], model_->reward_loading.col(i));
  for (std::size_t i = 0; i < model_->move_pairs.size(); ++i)
    mark(model_->move_pairs[i], columns(model_->move_loading, i));
  std::vector<std::int32_t> result;
  for (std::size_t k = 0; k < size(); ++k)
    if (matters[k] != 0) result.push_back(static_cast<std::int32_t>(k));
  return result;
}

// The variance is sum_t Cov(value_t, value_t): rewards have sum_k c_tk C_tk of it, and e_t'x_t is due to
// where members lead, which is shared out by `blame_`.
Dependence::Terms FactorCriterion::linked_terms(std::span<const double> n) const {
  Dependence::Terms terms{std::vector<double>(size()), std::vector<double>(size())};
  if (load_.cols() == 0) return terms;
  const Place here = place(n);
  const VectorXd rewards = load_.cwiseProduct(spread(here)).rowwise().sum();
  for (Index i = 0; i < own_.size(); ++i)
    terms.reward[static_cast<std::size_t>(model_->reward_pairs[static_cast<std::size_t>(i)])] = rewards[i];
  const double moves = extra_.cwiseProduct(here.x).sum();
  for (std::size_t k = 0; k < size(); ++k) terms.transition[k] = moves * blame_[at(k)];
  return terms;
}

std::vector<double> with_linked(std::vector<double> parts, const Dependence::Terms& linked) {
  for (std::size_t k = 0; k < parts.size(); ++k) parts[k] += linked.reward[k] + linked.transition[k];
  return parts;
}

std::vector<double> FactorCriterion::contributions(std::span<const double> n) const {
  return with_linked(separable_->contributions(n), linked_terms(n));
}

// What observations of this pair or any other can reduce: where nothing can be observed at all, nothing.
std::vector<double> FactorCriterion::reducible(std::span<const double> n) const {
  const bool seen = !model_->move_pairs.empty() || (tau_.size() > 0 && tau_.maxCoeff() > 0);
  return seen ? with_linked(separable_->reducible(n), linked_terms(n)) : separable_->reducible(n);
}

}  // namespace

std::shared_ptr<const Criterion> factor_criterion(std::shared_ptr<const FactorModel> model,
                                                  const PvvWeights& weights, const Precision& precision,
                                                  Block block, std::span<const double> credit) {
  return std::make_shared<FactorCriterion>(std::move(model), weights, precision, block, credit);
}

Dependence::Terms factor_terms(std::shared_ptr<const FactorModel> model, const PvvWeights& weights,
                               const Precision& precision, std::span<const double> counts) {
  const std::vector<double> none(weights.transition.size(), 0.0);
  const std::span<const double> n = counts.empty() ? std::span<const double>(none) : counts;
  Dependence::Terms result =
      independent_pairs()->terms(alone(*model, weights, Block::both), within(*model, precision), n);
  const FactorCriterion criterion(std::move(model), weights, precision, Block::both, {});
  const Dependence::Terms linked = criterion.linked_terms(n);
  for (std::size_t k = 0; k < n.size(); ++k) {
    result.reward[k] += linked.reward[k];
    result.transition[k] += linked.transition[k];
  }
  return result;
}

}  // namespace mindgap::gap

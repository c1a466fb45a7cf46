#include "mindgap/mdp/resolvent.h"

#include <fmt/format.h>
#include <klu.h>

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "mindgap/base/check.h"
#include "mindgap/base/error.h"
#include "mindgap/mdp/krylov.h"

namespace mindgap::mdp {
namespace {

constexpr std::int32_t kDenseStates = 300;
// A sparse LU is worth it while its factors are at most this many times the matrix.
constexpr double kFillLimit = 20;

// I - g P of the policy, entries of a row in order and its diagonal always stored.
SparseRows system_matrix(const Mdp& mdp, const std::vector<double>& probability) {
  const double g = mdp.discount();
  std::vector<double> row(mdp.states(), 0.0);
  std::vector<std::uint8_t> used(mdp.states(), 0);
  std::vector<std::int32_t> columns;
  std::vector<std::int32_t> begin{0}, column;
  std::vector<double> value;
  for (std::int32_t s = 0; s < mdp.states(); ++s) {
    columns.assign(1, s);
    used[s] = 1;
    for (std::int32_t k = mdp.pair_begin()[s]; k < mdp.pair_begin()[s + 1]; ++k) {
      if (!(probability[k] > 0)) continue;
      for (std::int64_t i = mdp.row_begin()[k]; i < mdp.row_begin()[k + 1]; ++i) {
        const std::int32_t next = mdp.next_state()[i];
        if (!used[next]) columns.push_back(next);
        used[next] = 1;
        row[next] += probability[k] * mdp.probability()[i];
      }
    }
    std::sort(columns.begin(), columns.end());
    for (const std::int32_t next : columns) {
      column.push_back(next);
      value.push_back((next == s ? 1.0 : 0.0) - g * row[next]);
      row[next] = 0;
      used[next] = 0;
    }
    if (column.size() > static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max())) {
      throw NumericalError("Resolvent: the policy's matrix has more than 2^31 entries");
    }
    begin.push_back(static_cast<std::int32_t>(column.size()));
  }
  return Eigen::Map<const SparseRows>(mdp.states(), mdp.states(), static_cast<std::int32_t>(column.size()),
                                      begin.data(), column.data(), value.data());
}

// KLU's factors of one matrix. KLU wants columns; our rows are the columns of the transpose, so the two
// solves change places.
class KluFactors {
 public:
  KluFactors(SparseRows& matrix, double fill_limit) {
    klu_defaults(&common_);
    const auto n = static_cast<std::int32_t>(matrix.rows());
    symbolic_ = klu_analyze(n, matrix.outerIndexPtr(), matrix.innerIndexPtr(), &common_);
    if (!symbolic_ || symbolic_->lnz + symbolic_->unz > fill_limit * static_cast<double>(matrix.nonZeros()))
      return;
    numeric_ =
        klu_factor(matrix.outerIndexPtr(), matrix.innerIndexPtr(), matrix.valuePtr(), symbolic_, &common_);
    size_ = n;
  }
  ~KluFactors() {
    if (numeric_) klu_free_numeric(&numeric_, &common_);
    if (symbolic_) klu_free_symbolic(&symbolic_, &common_);
  }
  KluFactors(const KluFactors&) = delete;
  KluFactors& operator=(const KluFactors&) = delete;

  bool ok() const { return numeric_ != nullptr; }
  void solve(double* x) { klu_tsolve(symbolic_, numeric_, size_, 1, x, &common_); }
  void solve_transpose(double* x) { klu_solve(symbolic_, numeric_, size_, 1, x, &common_); }

 private:
  klu_common common_{};
  klu_symbolic* symbolic_ = nullptr;
  klu_numeric* numeric_ = nullptr;
  std::int32_t size_ = 0;
};

}  // namespace

std::string_view to_string(LinearMethod method) {
  switch (method) {
    case LinearMethod::automatic:
      return "auto";
    case LinearMethod::dense:
      return "dense";
    case LinearMethod::sparse_lu:
      return "sparse-lu";
    case LinearMethod::krylov:
      return "krylov";
  }
  return "unknown";
}

void ResolventOptions::validate() const {
  base::check_range("Resolvent", "tolerance", tolerance, 0, 1);
}

struct Resolvent::Impl {
  SparseRows matrix, transposed;  // transposed only once it is asked for
  Eigen::VectorXd reward;
  double shrink = 0;  // 1 - g times the largest row sum: |x| <= |(I - g P) x| / shrink
  double tolerance = 0;
  LinearMethod method = LinearMethod::automatic;
  std::unique_ptr<Eigen::PartialPivLU<Eigen::MatrixXd>> dense;
  std::unique_ptr<KluFactors> klu;
  std::unique_ptr<KrylovSolver> krylov, krylov_transposed;

  void choose(LinearMethod wanted) {
    const auto n = static_cast<std::int32_t>(matrix.rows());
    method = wanted;
    if (method == LinearMethod::automatic && n <= kDenseStates) method = LinearMethod::dense;
    if (method == LinearMethod::dense) {
      dense = std::make_unique<Eigen::PartialPivLU<Eigen::MatrixXd>>(Eigen::MatrixXd(matrix));
      return;
    }
    if (method != LinearMethod::krylov) {
      const double limit =
          method == LinearMethod::sparse_lu ? std::numeric_limits<double>::infinity() : kFillLimit;
      klu = std::make_unique<KluFactors>(matrix, limit);
      if (klu->ok()) {
        method = LinearMethod::sparse_lu;
        return;
      }
      klu.reset();
      if (method == LinearMethod::sparse_lu) throw NumericalError("Resolvent: the sparse LU failed");
    }
    method = LinearMethod::krylov;
  }

  // The system for one direction, its solver and the norm its error is bounded in.
  struct Side {
    const SparseRows& matrix;
    std::unique_ptr<KrylovSolver>& krylov;
    bool transpose;
  };
  Side side(bool transpose) {
    if (transpose && transposed.rows() == 0) transposed = SparseRows(matrix.transpose());
    return {transpose ? transposed : matrix, transpose ? krylov_transposed : krylov, transpose};
  }

  static double norm(const Eigen::VectorXd& v, bool transpose) {
    return transpose ? v.cwiseAbs().sum() : v.cwiseAbs().maxCoeff();
  }

  double solve(bool transpose, std::span<const double> b_span, std::span<double> x_span) {
    base::check_size("Resolvent", "b", b_span.size(), static_cast<std::size_t>(matrix.rows()));
    base::check_size("Resolvent", "x", x_span.size(), static_cast<std::size_t>(matrix.rows()));
    base::check_finite("Resolvent", "b", b_span);
    base::check_finite("Resolvent", "x (the first guess)", x_span);
    const Side system = side(transpose);
    const Eigen::Map<const Eigen::VectorXd> b_map(b_span.data(), matrix.rows());
    Eigen::Map<Eigen::VectorXd> result(x_span.data(), matrix.rows());
    const Eigen::VectorXd b = b_map;
    Eigen::VectorXd x = result;
    const double wanted = tolerance * norm(b, transpose);  // of the residual; over `shrink` it is the error
    if (method == LinearMethod::krylov) {
      iterate(system, b, x, wanted);
    } else {
      direct(transpose, b, x);
      const Eigen::VectorXd left = b - system.matrix * x;
      if (norm(left, transpose) > wanted) {  // one step of refinement
        Eigen::VectorXd step(x.size());
        direct(transpose, left, step);
        x += step;
      }
    }
    const double residual = norm(Eigen::VectorXd(b - system.matrix * x), transpose);
    // Rounding alone leaves a residual near u |x|; anything well above both is a failure, not a result.
    const double rounding = 1e-14 * norm(x, transpose) * std::sqrt(static_cast<double>(x.size()));
    if (!(residual <= std::max({100 * wanted, rounding, 1e-6 * wanted / std::max(tolerance, 1e-300)}))) {
      throw NumericalError(
          fmt::format("Resolvent: the linear solve stopped at a residual of {:.3g}", residual));
    }
    result = x;
    return residual / shrink;
  }

  void direct(bool transpose, const Eigen::VectorXd& b, Eigen::VectorXd& x) {
    if (dense) {
      if (transpose) {
        x = dense->transpose().solve(b);
      } else {
        x = dense->solve(b);
      }
    } else {
      x = b;
      transpose ? klu->solve_transpose(x.data()) : klu->solve(x.data());
    }
  }

  // Krylov first; should it stall, plain sweeps x <- b + g P x, which always shrink the error by g.
  void iterate(const Side& system, const Eigen::VectorXd& b, Eigen::VectorXd& x, double wanted) {
    if (!system.krylov) system.krylov = std::make_unique<KrylovSolver>(system.matrix);
    std::int64_t iterations = 0;
    // The 1-norm of a residual is at most n times its largest entry.
    const double largest_wanted = system.transpose ? wanted / static_cast<double>(x.size()) : wanted;
    if (system.krylov->solve(b, x, largest_wanted, iterations) <= largest_wanted) return;
    Eigen::VectorXd left = b - system.matrix * x;
    double now = norm(left, system.transpose);
    const auto limit = static_cast<std::int64_t>(40 / shrink);
    for (std::int64_t sweep = 0; sweep < limit && now > wanted; ++sweep) {
      const Eigen::VectorXd better = x + left;
      left = b - system.matrix * better;
      now = norm(left, system.transpose);
      x = better;
    }
  }
};

Resolvent::Resolvent(const Mdp& mdp, const Policy& policy, const ResolventOptions& options)
    : impl_(std::make_unique<Impl>()) {
  options.validate();
  base::check_size("Resolvent", "policy", static_cast<std::size_t>(policy.states()),
                   static_cast<std::size_t>(mdp.states()));
  if (!(mdp.discount() < 1)) throw InvalidArgument("Resolvent: the discount must be below 1");
  const std::vector<double> probability = policy.probability_of_pair(mdp);
  base::check_size("Resolvent", "policy's pairs", probability.size(), static_cast<std::size_t>(mdp.pairs()));
  impl_->matrix = system_matrix(mdp, probability);
  impl_->reward.setZero(mdp.states());
  for (std::int32_t s = 0; s < mdp.states(); ++s) {
    for (std::int32_t k = mdp.pair_begin()[s]; k < mdp.pair_begin()[s + 1]; ++k) {
      impl_->reward[s] += probability[k] * mdp.reward()[k];
    }
  }
  impl_->shrink = 1 - mdp.discount() * mdp.row_sum_max();
  if (!(impl_->shrink > 0))
    throw NumericalError("Resolvent: the discount is too close to 1 for these row sums");
  impl_->tolerance = options.tolerance;
  impl_->choose(options.method);
}

Resolvent::~Resolvent() = default;
Resolvent::Resolvent(Resolvent&&) noexcept = default;
Resolvent& Resolvent::operator=(Resolvent&&) noexcept = default;

double Resolvent::apply(std::span<const double> b, std::span<double> x) {
  return impl_->solve(false, b, x);
}
double Resolvent::apply_transpose(std::span<const double> b, std::span<double> x) {
  return impl_->solve(true, b, x);
}

std::vector<double> Resolvent::dense(std::int32_t limit) {
  const std::int32_t n = states();
  if (n > limit) {
    throw InvalidArgument(fmt::format("Resolvent::dense: {} states are more than the limit of {}", n, limit));
  }
  const Eigen::MatrixXd inverse = Eigen::MatrixXd(impl_->matrix).partialPivLu().inverse();
  std::vector<double> rows(static_cast<std::size_t>(n) * n);
  Eigen::Map<Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>(rows.data(), n, n) =
      inverse;
  return rows;
}

std::span<const double> Resolvent::reward() const {
  return {impl_->reward.data(), static_cast<std::size_t>(impl_->reward.size())};
}
std::int32_t Resolvent::states() const {
  return static_cast<std::int32_t>(impl_->matrix.rows());
}
LinearMethod Resolvent::method() const {
  return impl_->method;
}

}  // namespace mindgap::mdp

#include "mindgap/mdp/resolvent.h"

#include <fmt/format.h>
#include <klu.h>

#include <Eigen/LU>
#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <optional>

#include "mindgap/base/check.h"
#include "mindgap/base/error.h"
#include "mindgap/base/readable.h"
#include "mindgap/mdp/krylov.h"
#include "mindgap/mdp/underflow.h"

namespace mindgap::mdp {
namespace {

constexpr std::int32_t kDenseStates = 300;
// A sparse LU is worth it while its factors are at most this many times the matrix.
constexpr double kFillLimit = 20;
constexpr double kWorkLimit = 1e4;  // operations per entry of the matrix

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
    if (!symbolic_ || !worth_it(fill_limit, static_cast<double>(matrix.nonZeros()))) return;
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
  // KLU counts the entries of its factors in an int: above 2^31 the estimate is negative, or wraps to
  // anything. That of the operations is a double.
  bool worth_it(double fill_limit, double nonzeros) const {
    if (fill_limit == std::numeric_limits<double>::infinity()) return true;
    return symbolic_->lnz >= 0 && symbolic_->unz >= 0 &&
           symbolic_->lnz + symbolic_->unz <= fill_limit * nonzeros &&
           symbolic_->est_flops <= kWorkLimit * nonzeros;
  }

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
  double shrink = 0;        // 1 - g times the largest row sum: |x| <= |(I - g P) x| / shrink
  double terms = 0;         // additions that made an entry of the residual, for its rounding
  double reward_error = 0;  // rounding of `reward`
  ResolventOptions options;
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
    const double wanted =
        options.tolerance * norm(b, transpose);  // of the residual; over `shrink` it is the error
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
    const double rounding = rounding_of_residual(b, x, transpose);
    if (!options.best_effort &&
        !(residual <= std::max({100 * wanted, 100 * rounding, 1e-6 * norm(b, transpose)}))) {
      throw NumericalError(
          fmt::format("Resolvent: the linear solve stopped at a residual of {}", base::number(residual, 3)));
    }
    result = x;
    return (residual + rounding) / shrink;
  }

  // What a computed residual b - (I - g P) x may be off by, the rounding of P itself included.
  double rounding_of_residual(const Eigen::VectorXd& b, const Eigen::VectorXd& x, bool transpose) const {
    const double unit = std::numeric_limits<double>::epsilon() / 2;
    const double magnitude = norm(b, transpose) + 2 * norm(x, transpose);
    const double lines = transpose ? static_cast<double>(x.size()) : 1.0;
    return terms * unit * magnitude + underflow(lines * terms, magnitude);
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

  // Krylov first. It breaks down on right-hand sides that touch few states (the start of a unit), since then
  // its vectors can be exactly orthogonal: plain sweeps x <- b + g P x spread them, and it tries again.
  // Should it stall for good, sweeps alone shrink the error by g until rounding stops them.
  void iterate(const Side& system, const Eigen::VectorXd& b, Eigen::VectorXd& x, double wanted) {
    const auto started = std::chrono::steady_clock::now();
    if (!system.krylov) system.krylov = std::make_unique<KrylovSolver>(system.matrix);
    const auto done = [&](const Eigen::VectorXd& left, const Eigen::VectorXd& at) {
      const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - started;
      return norm(left, system.transpose) <=
                 std::max(wanted, rounding_of_residual(b, at, system.transpose)) ||
             spent.count() > options.time_limit;
    };
    constexpr int kAttempts = 4, kSpread = 20;
    for (int attempt = 0; attempt < kAttempts; ++attempt) {
      if (system.krylov->solve(b, x, done)) return;
      if (sweep(system, b, x, done, kSpread)) return;
    }
    sweep(system, b, x, done, std::numeric_limits<std::int64_t>::max());
  }

  // Plain sweeps, at most `limit` or until 50 of them no longer lower the residual; true where `done`.
  bool sweep(const Side& system, const Eigen::VectorXd& b, Eigen::VectorXd& x, const KrylovSolver::Done& done,
             std::int64_t limit) const {
    constexpr int kCheck = 50;
    double last = std::numeric_limits<double>::infinity();
    Eigen::VectorXd left = b - system.matrix * x;
    for (std::int64_t i = 0; i < limit; ++i) {
      if (done(left, x)) return true;
      if (i % kCheck == 0) {
        const double now = norm(left, system.transpose);
        if (!(now < last)) return false;
        last = now;
      }
      x += left;
      left = b - system.matrix * x;
    }
    return done(left, x);
  }
};

namespace {

// The most entries in a row or a column of the matrix.
std::int32_t longest_line(const SparseRows& matrix) {
  std::vector<std::int32_t> in_column(matrix.cols(), 0);
  std::int32_t longest = 0;
  for (Eigen::Index i = 0; i < matrix.rows(); ++i) {
    longest = std::max(longest, matrix.outerIndexPtr()[i + 1] - matrix.outerIndexPtr()[i]);
  }
  for (Eigen::Index j = 0; j < matrix.nonZeros(); ++j) {
    longest = std::max(longest, ++in_column[matrix.innerIndexPtr()[j]]);
  }
  return longest;
}

}  // namespace

Resolvent::Resolvent(const Mdp& mdp, const Policy& policy, const ResolventOptions& options)
    : impl_(std::make_unique<Impl>()) {
  options.validate();
  if (!(mdp.discount() < 1)) throw InvalidArgument("Resolvent: the discount must be below 1");
  const std::vector<double> probability = policy.probability_of_pair(mdp);
  impl_->matrix = system_matrix(mdp, probability);
  impl_->reward.setZero(mdp.states());
  double most_mass = 1;
  std::int32_t most_actions = 0;
  for (std::int32_t s = 0; s < mdp.states(); ++s) {
    double mass = 0;
    for (std::int32_t k = mdp.pair_begin()[s]; k < mdp.pair_begin()[s + 1]; ++k) {
      impl_->reward[s] += probability[k] * mdp.reward()[k];
      mass += probability[k];
    }
    most_mass = std::max(most_mass, mass);
    most_actions = std::max(most_actions, mdp.pair_begin()[s + 1] - mdp.pair_begin()[s]);
  }
  const double unit = std::numeric_limits<double>::epsilon() / 2;
  impl_->terms = longest_line(impl_->matrix) + most_actions + 4;
  impl_->reward_error = (most_actions + 1) * unit * mdp.reward_magnitude() +
                        underflow(most_actions + 1, mdp.reward_magnitude());
  impl_->shrink = 1 - mdp.discount() * mdp.row_sum_max() * most_mass * (1 + impl_->terms * unit);
  if (!(impl_->shrink > 0)) {
    throw NumericalError("Resolvent: the discount is too close to 1 for these row sums");
  }
  impl_->options = options;
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
double Resolvent::reward_error() const {
  return impl_->reward_error / impl_->shrink;
}
std::int32_t Resolvent::states() const {
  return static_cast<std::int32_t>(impl_->matrix.rows());
}
LinearMethod Resolvent::method() const {
  return impl_->method;
}

}  // namespace mindgap::mdp

#include "mindgap/gap/contraction.h"

#include <fmt/format.h>

#include <Eigen/Dense>
#include <cmath>

#include "mindgap/base/check.h"
#include "mindgap/base/error.h"

namespace mindgap::gap {
namespace {

using RowMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

double row_sum_norm(const RowMatrix& matrix) {
  return matrix.cwiseAbs().rowwise().sum().maxCoeff();
}

// exp(log_scale) * matrix, the matrix of norm 1 (or 0).
struct Scaled {
  RowMatrix matrix;
  double log_scale = 0;

  void normalise() {
    const double largest = matrix.cwiseAbs().maxCoeff();
    if (largest == 0) return;
    matrix /= largest;  // first, so that the sum of huge entries is not infinite
    const double norm = row_sum_norm(matrix);
    matrix /= norm;
    log_scale += std::log(largest) + std::log(norm);
  }
};

Scaled product(const Scaled& left, const Scaled& right) {
  Scaled result{left.matrix * right.matrix, left.log_scale + right.log_scale};
  result.normalise();
  return result;
}

double power_norm(const RowMatrix& matrix, std::int64_t steps) {
  if (steps == 0) return 1;
  if (steps == 1) return row_sum_norm(matrix);
  Scaled square{matrix, 0}, power{RowMatrix::Identity(matrix.rows(), matrix.cols()), 0};
  square.normalise();
  for (std::int64_t left = steps; left > 0; left /= 2) {
    if (left % 2 == 1) power = product(power, square);
    if (left > 1) square = product(square, square);
  }
  return row_sum_norm(power.matrix) * std::exp(power.log_scale);
}

double spectral_radius(const RowMatrix& matrix) {
  const double largest = matrix.cwiseAbs().maxCoeff();
  if (largest == 0) return 0;
  const Eigen::EigenSolver<Eigen::MatrixXd> solver(matrix / largest, false);
  if (solver.info() != Eigen::Success) {
    throw NumericalError("contraction: the eigenvalues of the Jacobian did not converge");
  }
  return solver.eigenvalues().cwiseAbs().maxCoeff() * largest;
}

}  // namespace

Contraction contraction(std::span<const double> jacobian, std::int32_t size, std::int64_t steps) {
  const char* function = "contraction";
  if (size < 1) throw InvalidArgument(fmt::format("{}: size is {}, but must be positive", function, size));
  if (steps < 0) {
    throw InvalidArgument(fmt::format("{}: steps is {}, but must be zero or more", function, steps));
  }
  base::check_size(function, "jacobian", jacobian.size(), static_cast<std::size_t>(size) * size);
  base::check_finite(function, "jacobian", jacobian);

  const RowMatrix matrix = Eigen::Map<const RowMatrix>(jacobian.data(), size, size);
  Contraction result;
  result.spectral_radius = spectral_radius(matrix);
  result.contracting = result.spectral_radius < 1;
  result.steps = steps;
  result.rate = std::pow(result.spectral_radius, static_cast<double>(steps));
  result.norm = power_norm(matrix, steps);
  return result;
}

}  // namespace mindgap::gap

#include "mindgap/belief/kernel.h"

#include <fmt/format.h>

#include <Eigen/Dense>
#include <cmath>

#include "mindgap/base/check.h"
#include "mindgap/base/error.h"

namespace mindgap::belief {
namespace {

void check_states(const char* function, std::int64_t states, const KernelOptions& options) {
  options.validate();
  if (states > options.max_states) {
    throw InvalidArgument(
        fmt::format("{}: {} states need a dense matrix of {} numbers; raise max_states ({}) "
                    "to ask for it",
                    function, states, states * states, options.max_states));
  }
}

// I + lengthscale^2 L
Eigen::MatrixXd regularised_laplacian(const mdp::Mdp& mdp, double lengthscale) {
  const double weight = lengthscale * lengthscale;
  Eigen::MatrixXd matrix = Eigen::MatrixXd::Identity(mdp.states(), mdp.states());
  for (std::int32_t s = 0; s < mdp.states(); ++s) {
    for (const std::int64_t i : mdp.entries_of_state(s)) {
      const std::int32_t next = mdp.next_state()[static_cast<std::size_t>(i)];
      if (next == s || matrix(s, next) != 0) continue;
      matrix(s, next) = matrix(next, s) = -weight;
      matrix(s, s) += weight;
      matrix(next, next) += weight;
    }
  }
  return matrix;
}

}  // namespace

void KernelOptions::validate() const {
  base::check_positive("KernelOptions", "variance", variance);
  base::check_positive("KernelOptions", "lengthscale", lengthscale);
  base::check_range("KernelOptions", "lengthscale", lengthscale, 1e-100, 1e100);  // its square is a number
  base::check_range("KernelOptions", "max_states", static_cast<double>(max_states), 1, 1e9);
}

double squared_exponential(double distance, double lengthscale) {
  const double d = distance / lengthscale;
  return std::exp(-d * d / 2);
}

Kernel graph_kernel(const mdp::Mdp& mdp, const KernelOptions& options) {
  check_states("graph_kernel", mdp.states(), options);
  const std::int64_t n = mdp.states();
  const Eigen::LLT<Eigen::MatrixXd> factor(regularised_laplacian(mdp, options.lengthscale));
  const Eigen::MatrixXd inverse = factor.solve(Eigen::MatrixXd::Identity(n, n));
  Kernel kernel{n, std::vector<double>(static_cast<std::size_t>(n * n), options.variance)};
  for (std::int64_t i = 0; i < n; ++i) {
    for (std::int64_t j = 0; j < i; ++j) {
      const double value = options.variance * inverse(i, j) / std::sqrt(inverse(i, i) * inverse(j, j));
      kernel.values[static_cast<std::size_t>(i * n + j)] = value;
      kernel.values[static_cast<std::size_t>(j * n + i)] = value;
    }
  }
  return kernel;
}

}  // namespace mindgap::belief

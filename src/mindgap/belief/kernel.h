#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "mindgap/mdp/mdp.h"

// Covariances between the states of a model, for beliefs in which seeing one state says something of others.
namespace mindgap::belief {

/// A symmetric matrix with one row per state, row by row.
struct Kernel {
  std::int64_t states = 0;
  std::vector<double> values;

  double operator()(std::int64_t i, std::int64_t j) const {
    return values[static_cast<std::size_t>(i * states + j)];
  }
  bool operator==(const Kernel&) const = default;
};

struct KernelOptions {
  double variance = 1;             // of a state before any observation, > 0
  double lengthscale = 1;          // in units of the coordinates, or in steps of the graph; > 0
  std::int64_t max_states = 2000;  // a kernel is a dense matrix: more states are refused unless asked for

  void validate() const;
};

/// exp(-d^2 / (2 lengthscale^2)), d the distance of two states. Positive definite over coordinates.
double squared_exponential(double distance, double lengthscale);

/// The regularised Laplacian of the graph in which two states are linked where some action of either moves to
/// the other (undirected, unweighted, L = degrees - adjacency):
///   G = (I + lengthscale^2 L)^-1,  K_ij = variance G_ij / sqrt(G_ii G_jj).
/// On a long path the correlation at distance d is nearly exp(-d/lengthscale). Preferred to the diffusion
/// kernel exp(-t L): one factorisation in place of a spectral decomposition, never ill-conditioned (the
/// eigenvalues of G lie in [1/(1 + 2 lengthscale^2 max degree), 1]), and it does not vanish faster than
/// exponentially with the distance, so neighbours of neighbours still count. All entries are zero or more,
/// and zero exactly between states that no path joins. Walls are respected: what matters is how far a unit
/// has to walk, not how near two states lie on the map.
Kernel graph_kernel(const mdp::Mdp& mdp, const KernelOptions& options = {});

}  // namespace mindgap::belief

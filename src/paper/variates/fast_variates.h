#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <span>

#include "mindgap/base/distributions.h"
#include "paper/variates/fast_stream.h"

// Variates from a FastStream where speed counts for more than a fixed number of words: of the same laws as
// those of distributions.h, by other ways. All use a variable number of words.
namespace mindgap::variates {

/// Uniform strictly inside (0, 1).
inline double fast_uniform(FastStream& stream) {
  return base::to_unit_interval(stream.next());
}

/// The ziggurat of the half normal f(x) = exp(-x^2/2): 256 layers of the same area. Layer 0 is the tail
/// beyond edge[1] and the rectangle below it, as wide as a rectangle of that area would be; layer i > 0 goes
/// from f(edge[i]) up to f(edge[i+1]), where edge[256] = 0.
struct NormalZiggurat {
  static constexpr std::size_t kLayers = 256;

  NormalZiggurat();

  std::array<double, kLayers + 1> edge;    // falls
  std::array<double, kLayers + 1> height;  // f(edge)
  std::array<double, kLayers> scale;       // edge[i] 2^-52
};
extern const NormalZiggurat kNormalZiggurat;

/// x of a word, whose lowest bits are the layer.
inline double normal_in_layer(std::uint64_t word, std::size_t layer) {
  return static_cast<double>(static_cast<std::int64_t>(word) >> 11) * kNormalZiggurat.scale[layer];
}
/// What follows where x, drawn in this layer, is not below the curve for certain.
double normal_at_the_edge(FastStream& stream, std::size_t layer, double x);

/// Standard normal (Marsaglia and Tsang 2000, "The ziggurat method for generating random variables"). The
/// layer is in bits of the word that x does not use (Doornik 2005). One word in 98.8 % of cases.
inline double fast_normal(FastStream& stream) {
  const std::uint64_t word = stream.next();
  const std::size_t layer = word % NormalZiggurat::kLayers;
  const double x = normal_in_layer(word, layer);
  if (std::abs(x) < kNormalZiggurat.edge[layer + 1]) [[likely]]
    return x;
  return normal_at_the_edge(stream, layer, x);
}

/// Beta(a[i], b[i]) into out[i], all of one size: X / (X + Y) of gammas X, Y of these shapes, which are in
/// [1, 1e100]. Throws InvalidArgument for other shapes.
void fast_betas(FastStream& stream, std::span<const double> a, std::span<const double> b,
                std::span<double> out);

}  // namespace mindgap::variates

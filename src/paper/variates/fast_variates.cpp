#include "paper/variates/fast_variates.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <numbers>

#include "mindgap/base/check.h"
#include "mindgap/base/log1p_remainder.h"
#include "paper/variates/clones.h"

namespace mindgap::variates {
namespace {

// Where the tail begins so that 256 layers of one area v = r f(r) + integral of f beyond r end at f = 1.
constexpr double kTail = 3.6541528853610088;

constexpr std::size_t kBlock = 64;
constexpr double kLargestShape = 1e100;

// Four numbers side by side (a language extension of g++ and clang).
constexpr std::size_t kLanes = 4;
using Reals = double __attribute__((vector_size(8 * kLanes)));
using Wholes = std::int64_t __attribute__((vector_size(8 * kLanes)));

// Gammas on the way.
struct Proposals {
  alignas(64) std::array<double, kBlock> shape, root;  // root is sqrt(shape - 1/3)
  alignas(64) std::array<double, kBlock> z;            // normals
  std::array<std::uint64_t, kBlock / 8> bits;          // 8 bits of the uniform u that decides, for each

  std::uint8_t bits_of(std::size_t i) const {
    return static_cast<std::uint8_t>(bits[i / 8] >> (8 * (i % 8)));
  }
};
struct Pairs {
  Proposals x, y;
  alignas(64) std::array<double, kBlock> ratio;
};

// Marsaglia and Tsang (2000), "A simple method for generating gamma variables": with z normal, d = shape -
// 1/3, t = z / (3 sqrt(d)) and u uniform, d (1+t)^3 is accepted when t > -1 and u < exp(h),
//   h = 3 d [log(1+t) - t + t^2/2 - t^3/3] = -3 d t^4 [1/4 - t/5 + t^2/6 - ...].
double gamma_from(FastStream& stream, double shape, double z, std::uint8_t bits) {
  base::check_range("fast_betas", "shape", shape, 1, kLargestShape);
  const double d = shape - 1.0 / 3, root = 3 * std::sqrt(d);
  double u = (bits + fast_uniform(stream)) * 0x1p-8;
  for (;;) {
    const double t = z / root;
    if (t > -1 && (u < 1 - 0.0331 * (z * z) * (z * z) || std::log(u) < 3 * d * base::log1p_remainder(t))) {
      return d * ((1 + t) * (1 + t) * (1 + t));
    }
    z = fast_normal(stream);
    u = fast_uniform(stream);
  }
}

// X / (X + Y) with X = d (1+t)^3 = (r+s)^3 / r, r = sqrt(d), s = z/3, t = s/r, and Y likewise; but -1 unless
// both are accepted whatever the other bits of u are. The bracket above is at most 1/4 for t >= 0, and 1/4 (1
// + |t| + t^2 + ...) <= 1/2 for -1/2 <= t < 0; so, with exp(h) >= 1 + h, u is low enough for certain below 1
// - 3/4 d t^4 and 1 - 3/2 d t^4, where d t^4 = s^4/d. Further left it is below their own 1 - .0331 z^4. The
// highest u with these bits is (bits + 1) / 256. All times 256 d. Up to the next multiple of kLanes.
MINDGAP_CLONES void propose(Pairs& pairs, std::size_t count) {
  const Wholes shift = {0, 8, 16, 24};
  for (Proposals* side : {&pairs.x, &pairs.y}) {
    for (std::size_t i = 0; i < count; ++i) side->root[i] = std::sqrt(side->shape[i] - 1.0 / 3);
  }
  for (std::size_t i = 0; i < count; i += kLanes) {
    Reals root[2], cube[2], margin[2];  // sure where no margin is below 0
    for (int k = 0; k < 2; ++k) {
      const Proposals& side = k == 0 ? pairs.x : pairs.y;
      Reals shape, r, s, spare;
      std::memcpy(&shape, &side.shape[i], sizeof shape);
      std::memcpy(&r, &side.root[i], sizeof r);
      std::memcpy(&s, &side.z[i], sizeof s);
      s *= 1.0 / 3;
      // 2^52 + 255 - bits, written into the digits of a double.
      const Wholes word = Wholes{} + static_cast<std::int64_t>(~side.bits[i / 8] >> (8 * (i % 8)));
      const Wholes digits = ((word >> shift) & 255) | std::bit_cast<std::int64_t>(0x1p52);
      std::memcpy(&spare, &digits, sizeof spare);
      const Reals d = shape - 1.0 / 3, sum = r + s, power = (s * s) * (s * s);
      const Reals left = s > -0.5 * r ? 384 * power : (256 * 81 * 0.0331) * power * d;
      const Reals lost = s > 0 ? 192 * power : left;
      const Reals room = (spare - 0x1p52) * d - lost;  // not a number where the shape is not
      const Reals above = shape - 1, below = kLargestShape - shape, domain = above < below ? above : below;
      const Reals least = sum < domain ? sum : domain;
      margin[k] = least < room ? least : room;
      root[k] = r;
      cube[k] = sum * sum * sum;
    }
    const Reals x = cube[0] * root[1], y = cube[1] * root[0];
    const Reals sure = margin[0] >= 0 ? margin[1] : Reals{} - 1;
    const Reals ratio = sure >= 0 ? x / (x + y) : Reals{} - 1;
    std::memcpy(&pairs.ratio[i], &ratio, sizeof ratio);
  }
}

void draw_proposals(FastStream& stream, std::span<const double> shape, Proposals& to) {
  const std::size_t count = shape.size();
  std::copy(shape.begin(), shape.end(), to.shape.begin());
  alignas(64) std::array<std::uint64_t, kBlock> words;
  stream.fill(std::span(words).first(count));
  stream.fill(std::span(to.bits).first((count + 7) / 8));
  std::array<std::uint32_t, kBlock> outside;  // of the part of the layer that is below the curve for certain
  std::size_t open = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t layer = words[i] % NormalZiggurat::kLayers;
    to.z[i] = normal_in_layer(words[i], layer);
    outside[open] = static_cast<std::uint32_t>(i);
    open += std::abs(to.z[i]) < kNormalZiggurat.edge[layer + 1] ? 0 : 1;
  }
  for (std::size_t k = 0; k < open; ++k) {
    const std::size_t i = outside[k];
    to.z[i] = normal_at_the_edge(stream, words[i] % NormalZiggurat::kLayers, to.z[i]);
  }
  for (std::size_t i = count; i % kLanes != 0; ++i) to.shape[i] = to.root[i] = to.z[i] = 1;
}

// Closer looks are rare and come last, so that the loops over all have no branch.
void betas_of_a_block(FastStream& stream, std::span<const double> a, std::span<const double> b,
                      std::span<double> out) {
  Pairs pairs;
  draw_proposals(stream, a, pairs.x);
  draw_proposals(stream, b, pairs.y);
  propose(pairs, a.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    out[i] = pairs.ratio[i];
    if (out[i] >= 0) [[likely]]
      continue;
    const double x = gamma_from(stream, a[i], pairs.x.z[i], pairs.x.bits_of(i));
    out[i] = x / (x + gamma_from(stream, b[i], pairs.y.z[i], pairs.y.bits_of(i)));
  }
}

}  // namespace

const NormalZiggurat kNormalZiggurat;

NormalZiggurat::NormalZiggurat() {
  const auto f = [](double x) { return std::exp(-x * x / 2); };
  const double area =
      kTail * f(kTail) + std::sqrt(std::numbers::pi / 2) * std::erfc(kTail / std::numbers::sqrt2);
  edge[0] = area / f(kTail);
  edge[1] = kTail;
  for (std::size_t i = 1; i + 1 < kLayers; ++i) {
    edge[i + 1] = std::sqrt(-2 * std::log(area / edge[i] + f(edge[i])));
  }
  edge[kLayers] = 0;
  for (std::size_t i = 0; i <= kLayers; ++i) height[i] = f(edge[i]);
  for (std::size_t i = 0; i < kLayers; ++i) scale[i] = edge[i] * 0x1p-52;
}

// Layer 0: the tail by Marsaglia (1964), r + x with x = -log(u)/r accepted where 2 (-log v) > x^2. Others: a
// uniform height in the layer below f(x), else all anew.
double normal_at_the_edge(FastStream& stream, std::size_t layer, double x) {
  if (layer == 0) {
    for (;;) {
      const double beyond = -std::log(fast_uniform(stream)) / kTail;
      if (-2 * std::log(fast_uniform(stream)) > beyond * beyond) {
        return x < 0 ? -kTail - beyond : kTail + beyond;
      }
    }
  }
  const double low = kNormalZiggurat.height[layer], high = kNormalZiggurat.height[layer + 1];
  if (low + fast_uniform(stream) * (high - low) < std::exp(-x * x / 2)) return x;
  return fast_normal(stream);
}

void fast_betas(FastStream& stream, std::span<const double> a, std::span<const double> b,
                std::span<double> out) {
  base::check_size("fast_betas", "b", b.size(), a.size());
  base::check_size("fast_betas", "out", out.size(), a.size());
  for (std::size_t first = 0; first < a.size(); first += kBlock) {
    const std::size_t count = std::min(kBlock, a.size() - first);
    betas_of_a_block(stream, a.subspan(first, count), b.subspan(first, count), out.subspan(first, count));
  }
}

}  // namespace mindgap::variates

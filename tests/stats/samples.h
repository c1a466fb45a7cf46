#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "mindgap/base/distributions.h"
#include "mindgap/base/random.h"

// Fixed-seed samples for the tests of stats.
namespace mindgap::stats::samples {

inline base::Stream stream(std::uint64_t seed, std::uint64_t trial = 0) {
  return base::Stream({seed, base::Purpose::test, trial});
}

inline std::vector<double> normals(base::Stream& from, std::size_t size) {
  std::vector<double> sample(size);
  for (double& value : sample) value = base::normal(from);
  return sample;
}

// Whole numbers from -largest to largest: ties and zeros.
inline std::vector<double> whole_numbers(base::Stream& from, std::size_t size, std::int64_t largest) {
  std::vector<double> sample(size);
  for (double& value : sample) {
    value = static_cast<double>(base::uniform_index(from, 2 * largest + 1) - largest);
  }
  return sample;
}

inline std::vector<double> times(std::vector<double> values, double factor) {
  for (double& value : values) value *= factor;
  return values;
}

}  // namespace mindgap::stats::samples

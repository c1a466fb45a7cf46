// The bandwidth of triad loops (triad.h) on all cores at a time in GB/s: what bench/run tells by whether the
// machine is quiet.
#include <algorithm>
#include <cstdio>
#include <thread>
#include <vector>

#include "triad.h"

int main() {
  // As much memory in all as one thread would take.
  const std::size_t cores = std::max(1U, std::thread::hardware_concurrency());
  const std::size_t elements = std::max((std::size_t{1} << 25) / cores, std::size_t{1} << 21);
  std::vector<double> bandwidth(cores);
  {
    std::vector<std::jthread> threads;
    threads.reserve(cores);
    for (double& own : bandwidth)
      threads.emplace_back([&own, elements] { own = mindgap::bench::triad_bandwidth(elements, 10); });
  }
  double sum = 0;
  for (const double own : bandwidth) sum += own;
  std::printf("%.2f\n", sum / 1e9);
}

// The bandwidth of a triad loop (triad.h) in GB/s: what bench/run tells by whether the machine is quiet.
#include <cstdio>

#include "triad.h"

int main() {
  std::printf("%.2f\n", mindgap::bench::triad_bandwidth(std::size_t{1} << 24, 5) / 1e9);
}

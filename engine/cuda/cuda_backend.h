#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <stdexcept>
#include <string>

#include "kernels.h"

// The Backend (batch.h) on a CUDA device. Everything goes to the default stream, one thing after the other.
namespace mindgap::engine {

inline void check_cuda(cudaError_t status, const char* what) {
  if (status != cudaSuccess)
    throw std::runtime_error(std::string("CUDA: ") + what + ": " + cudaGetErrorString(status));
}

// A warp is 32 models that are chosen, of one range of rows; the ranges of one group of models follow each
// other, so that values which rows gather stay in the cache while the group is swept.
template <typename Kernel>
__global__ void __launch_bounds__(256)
    run_ranges(std::int32_t rows, std::int32_t length, Chosen chosen, Kernel kernel) {
  const std::int64_t range = std::int64_t{blockIdx.x} * blockDim.y + threadIdx.y;
  const auto place = static_cast<std::int32_t>(blockIdx.y * 32 + threadIdx.x);
  const std::int64_t begin = range * length;
  if (place >= chosen.count || begin >= rows) return;
  const std::int64_t end = begin + length < rows ? begin + length : rows;
  kernel(static_cast<std::int32_t>(begin), static_cast<std::int32_t>(end), chosen(place));
}

template <typename Kernel>
__global__ void __launch_bounds__(256) run_rows(std::int32_t rows, Kernel kernel) {
  const std::int64_t row = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (row < rows) kernel(static_cast<std::int32_t>(row));
}

struct CudaBackend {
  template <typename T>
  class Buffer {
   public:
    Buffer() = default;
    Buffer(const Buffer&) = delete;
    Buffer& operator=(const Buffer&) = delete;
    ~Buffer() { cudaFree(data_); }

    void allocate(std::int64_t n) {
      cudaFree(data_);
      data_ = nullptr;
      size_ = 0;
      check_cuda(cudaMalloc(reinterpret_cast<void**>(&data_), bytes(n)), "no memory on the device");
      size_ = n;
    }
    void reserve(std::int64_t n) {
      if (size_ < n) allocate(n);
    }
    void reserve_upload(const T* from, std::int64_t n) {
      reserve(n);
      check_cuda(cudaMemcpy(data_, from, bytes(n), cudaMemcpyHostToDevice), "copy to the device");
    }
    void download(T* to, std::int64_t n) const {
      check_cuda(cudaMemcpy(to, data_, bytes(n), cudaMemcpyDeviceToHost), "copy from the device");
    }
    void zero() { check_cuda(cudaMemset(data_, 0, bytes(size_)), "clear"); }
    std::int64_t size() const { return size_; }
    T* data() { return data_; }
    const T* data() const { return data_; }

   private:
    static std::size_t bytes(std::int64_t n) { return static_cast<std::size_t>(n) * sizeof(T); }
    T* data_ = nullptr;
    std::int64_t size_ = 0;
  };

  template <typename Kernel>
  static void launch(std::int32_t rows, const Chosen& chosen, const Kernel& kernel) {
    if (rows == 0 || chosen.count == 0) return;
    // Ranges as long as still leave a few of them for every place on the device.
    constexpr std::int64_t kWarps = 132 * 64 * 4;
    const std::int64_t groups = (chosen.count + 31) / 32;
    std::int64_t length = std::int64_t{rows} * groups / kWarps;
    length = length < 1 ? 1 : length > 16 ? 16 : length;
    const std::int64_t ranges = (rows + length - 1) / length;
    const dim3 grid(static_cast<unsigned>((ranges + 7) / 8), static_cast<unsigned>(groups));
    run_ranges<<<grid, dim3(32, 8)>>>(rows, static_cast<std::int32_t>(length), chosen, kernel);
    check_cuda(cudaGetLastError(), "launch");
  }
  template <typename Kernel>
  static void launch_rows(std::int32_t rows, const Kernel& kernel) {
    if (rows == 0) return;
    run_rows<<<static_cast<unsigned>((std::int64_t{rows} + 255) / 256), 256>>>(rows, kernel);
    check_cuda(cudaGetLastError(), "launch");
  }
  static void finish() { check_cuda(cudaDeviceSynchronize(), "run"); }
  static std::int64_t free_bytes() {
    std::size_t free = 0, all = 0;
    check_cuda(cudaMemGetInfo(&free, &all), "memory");
    return static_cast<std::int64_t>(free);
  }
};

}  // namespace mindgap::engine

#include "batch.h"
#include "cuda_backend.h"

// What libmindgap_cuda.so exports (engine_abi.h).
extern "C" __attribute__((visibility("default"))) const MindgapEngine* mindgap_open_engine(const char** why) {
  int devices = 0;
  const cudaError_t status = cudaGetDeviceCount(&devices);
  if (status != cudaSuccess || devices == 0) {
    *why = status == cudaSuccess ? "there is no CUDA device" : cudaGetErrorString(status);
    return nullptr;
  }
  static cudaDeviceProp device;
  if (const cudaError_t known = cudaGetDeviceProperties(&device, 0); known != cudaSuccess) {
    *why = cudaGetErrorString(known);
    return nullptr;
  }
  return mindgap::engine::Engine<mindgap::engine::CudaBackend>::table(device.name);
}

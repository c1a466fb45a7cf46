// The bytes are an HDF5 file. Whatever they are, the reader returns a model that passes check_model, or
// throws an Error.
#include <cstddef>
#include <cstdint>
#include <span>

#include "mindgap/base/error.h"
#include "mindgap/mdp/model_hdf5.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    check_model(mindgap::mdp::parse_model_hdf5(std::as_bytes(std::span(data, size)), "fuzz.h5"));
  } catch (const mindgap::Error&) {
  }
  return 0;
}

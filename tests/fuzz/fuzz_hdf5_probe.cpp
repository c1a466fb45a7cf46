// The bytes are an HDF5 file. Whatever they are, the reader returns a model that passes check_model, or
// throws an Error. The HDF5 library itself crashes and loops on some damaged files: the reader tries them in
// a copy of the process, and what happens there is not a finding. A process for each input makes this slow:
// it is run for seconds, as tools/fuzz does, not for millions of inputs. The fast ones are fuzz_model_hdf5
// and fuzz_hdf5_made, whose files HDF5 can be trusted with. It is a target of its own because its inputs are
// files and theirs are not.
#include <pthread.h>
#include <sanitizer/common_interface_defs.h>

#include <cstddef>
#include <cstdint>
#include <span>

#include "mindgap/base/error.h"
#include "mindgap/files/model_hdf5.h"

// The library also leaks on damaged files.
extern "C" const char* __asan_default_options() {
  return "detect_leaks=0";
}

extern "C" int LLVMFuzzerInitialize(int*, char***) {
  // In a copy of the process libFuzzer must not write down the input as one that crashed.
  return pthread_atfork(nullptr, nullptr, [] { __sanitizer_set_death_callback([] {}); });
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    check_model(mindgap::files::parse_model_hdf5(std::as_bytes(std::span(data, size)), "fuzz.h5"));
  } catch (const mindgap::Error&) {
  }
  return 0;
}

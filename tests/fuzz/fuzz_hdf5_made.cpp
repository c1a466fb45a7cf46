// An HDF5 file that the HDF5 library itself writes, in memory, with datasets and attributes of our names but
// of any type, size and content: the file is sound, its content is not. No copy of the process is needed, so
// this is fast.
#include <fuzzer/FuzzedDataProvider.h>

#include <string>
#include <vector>

#include "mindgap/base/error.h"
#include "mindgap/files/hdf5_model.h"

namespace {

using mindgap::files::Hdf5Handle;

hid_t any_type(FuzzedDataProvider& from) {
  switch (from.ConsumeIntegralInRange(0, 6)) {
    case 0:
      return H5T_NATIVE_INT32;
    case 1:
      return H5T_NATIVE_INT64;
    case 2:
      return H5T_STD_U8BE;
    case 3:
      return H5T_NATIVE_FLOAT;
    case 4:
      return H5T_C_S1;
    default:
      return H5T_NATIVE_DOUBLE;
  }
}

double any_number(FuzzedDataProvider& from) {
  const double usual[] = {0, 1, 2, .5, .25, -1, 3, 1e300, 5e-324};
  return from.ConsumeBool() ? from.PickValueInArray(usual) : from.ConsumeFloatingPoint<double>();
}

void add_dataset(hid_t file, const std::string& name, FuzzedDataProvider& from) {
  const int rank = from.ConsumeIntegralInRange(0, 2);
  hsize_t extent[2] = {from.ConsumeIntegralInRange<hsize_t>(0, 6),
                       from.ConsumeIntegralInRange<hsize_t>(0, 3)};
  const Hdf5Handle space(rank == 0 ? H5Screate(H5S_SCALAR) : H5Screate_simple(rank, extent, nullptr),
                         H5Sclose);
  const Hdf5Handle type(H5Tcopy(any_type(from)), H5Tclose);
  const bool text = H5Tget_class(type.get()) == H5T_STRING;
  if (text) H5Tset_size(type.get(), from.ConsumeIntegralInRange<std::size_t>(1, 9));
  const Hdf5Handle set(
      H5Dcreate2(file, name.c_str(), type.get(), space.get(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
      H5Dclose);
  const auto size = static_cast<std::size_t>(H5Sget_simple_extent_npoints(space.get()));
  if (!set || size == 0) return;
  if (text) {
    std::string bytes = from.ConsumeBytesAsString(size * H5Tget_size(type.get()));
    bytes.resize(size * H5Tget_size(type.get()));
    H5Dwrite(set.get(), type.get(), H5S_ALL, H5S_ALL, H5P_DEFAULT, bytes.data());
  } else {
    std::vector<double> values(size);
    for (double& value : values) value = any_number(from);
    H5Dwrite(set.get(), H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data());
  }
}

void add_attribute(hid_t file, const std::string& name, FuzzedDataProvider& from) {
  const Hdf5Handle space(H5Screate(H5S_SCALAR), H5Sclose);
  const bool text = name == "format" || name == "name" || from.ConsumeProbability<float>() < .1F;
  std::string words = name == "format" ? "mindgap-model/1" : from.ConsumeRandomLengthString(12);
  words.resize(words.size() + 1);
  const Hdf5Handle type(H5Tcopy(text ? H5T_C_S1 : H5T_NATIVE_DOUBLE), H5Tclose);
  if (text) H5Tset_size(type.get(), words.size());
  const Hdf5Handle attribute(
      H5Acreate2(file, name.c_str(), type.get(), space.get(), H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
  const double number = any_number(from);
  if (attribute)
    H5Awrite(attribute.get(), type.get(), text ? static_cast<const void*>(words.data()) : &number);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  FuzzedDataProvider from(data, size);
  const mindgap::files::Hdf5Session session;
  const Hdf5Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
  H5Pset_fapl_core(access.get(), 1 << 14, false);
  const Hdf5Handle file(H5Fcreate("made.h5", H5F_ACC_TRUNC, H5P_DEFAULT, access.get()), H5Fclose);
  for (const std::string_view name : mindgap::files::known_attributes())
    if (name == "format" || name == "discount" || from.ConsumeBool())
      add_attribute(file.get(), std::string(name), from);
  for (const std::string_view name : mindgap::files::known_datasets())
    if (from.ConsumeProbability<float>() < .6F) add_dataset(file.get(), std::string(name), from);
  H5Fflush(file.get(), H5F_SCOPE_GLOBAL);
  try {
    const mindgap::files::Hdf5Reader reader(file.get(), "made.h5");
    check_model(mindgap::files::read_content(reader));
  } catch (const mindgap::Error&) {
  }
  return 0;
}

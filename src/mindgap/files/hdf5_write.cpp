#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "mindgap/base/error.h"
#include "mindgap/files/hdf5_file.h"

namespace mindgap::files {
namespace {

// A type for `width` bytes of UTF-8, or for strings of any length.
Hdf5Handle text_type(std::size_t width) {
  Hdf5Handle type(H5Tcopy(H5T_C_S1), H5Tclose);
  H5Tset_size(type.get(), width);
  H5Tset_cset(type.get(), H5T_CSET_UTF8);
  if (width != H5T_VARIABLE) H5Tset_strpad(type.get(), H5T_STR_NULLPAD);
  return type;
}

}  // namespace

void Hdf5Writer::check(bool good, const char* name) const {
  if (!good) throw StoreError(fmt::format("{}: cannot write '{}'", name_, name));
}

void Hdf5Writer::attribute(const char* name, hid_t type, const void* value) {
  const Hdf5Handle space(H5Screate(H5S_SCALAR), H5Sclose);
  const Hdf5Handle handle(H5Acreate2(file_, name, type, space.get(), H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
  check(handle && H5Awrite(handle.get(), type, value) >= 0, name);
}

void Hdf5Writer::text_attribute(const char* name, std::string_view text) {
  // Variable length: a fixed one cannot be empty, and attributes above 64 KiB do not fit into their header.
  const Hdf5Handle type = text_type(H5T_VARIABLE);
  const std::string terminated(text);
  const char* const bytes = terminated.c_str();
  attribute(name, type.get(), static_cast<const void*>(&bytes));
}

void Hdf5Writer::number_attribute(const char* name, double value) {
  attribute(name, H5T_IEEE_F64LE, &value);
}

void Hdf5Writer::integer_attribute(const char* name, std::int64_t value) {
  attribute(name, H5T_STD_I64LE, &value);
}

void Hdf5Writer::dataset(const char* name, hid_t file_type, hid_t memory_type, hid_t space,
                         const void* values) {
  const Hdf5Handle handle(H5Dcreate2(file_, name, file_type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
                          H5Dclose);
  check(handle && H5Dwrite(handle.get(), memory_type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0, name);
}

void Hdf5Writer::vector(const char* name, hid_t file_type, hid_t memory_type, std::size_t size,
                        const void* values) {
  const hsize_t extent = size;
  const Hdf5Handle space(H5Screate_simple(1, &extent, nullptr), H5Sclose);
  dataset(name, file_type, memory_type, space.get(), values);
}

void Hdf5Writer::scalar(const char* name, double value) {
  const Hdf5Handle space(H5Screate(H5S_SCALAR), H5Sclose);
  dataset(name, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, space.get(), &value);
}

void Hdf5Writer::numbers(const char* name, std::span<const double> values) {
  vector(name, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, values.size(), values.data());
}

void Hdf5Writer::matrix(const char* name, std::size_t rows, std::span<const double> values) {
  const hsize_t extent[2] = {rows, rows == 0 ? 0 : values.size() / rows};
  const Hdf5Handle space(H5Screate_simple(2, extent, nullptr), H5Sclose);
  dataset(name, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, space.get(), values.data());
}

void Hdf5Writer::int32s(const char* name, std::span<const std::int32_t> values) {
  vector(name, H5T_STD_I32LE, H5T_NATIVE_INT32, values.size(), values.data());
}

void Hdf5Writer::int64s(const char* name, std::span<const std::int64_t> values) {
  vector(name, H5T_STD_I64LE, H5T_NATIVE_INT64, values.size(), values.data());
}

void Hdf5Writer::strings(const char* name, std::size_t count,
                         const std::function<std::string_view(std::size_t)>& text) {
  std::size_t width = 1, total = 0;
  for (std::size_t i = 0; i < count; ++i) {
    width = std::max(width, text(i).size());
    total += text(i).size();
  }
  // Strings of one width are read and written ten times faster, unless a single long one blows all up.
  if (width <= 64 || width * count <= 4 * total) {
    std::vector<char> bytes(width * count, '\0');
    for (std::size_t i = 0; i < count; ++i) {
      const std::string_view one = text(i);
      std::copy(one.begin(), one.end(), bytes.begin() + static_cast<std::ptrdiff_t>(i * width));
    }
    const Hdf5Handle type = text_type(width);
    vector(name, type.get(), type.get(), count, bytes.data());
    return;
  }
  std::vector<std::string> terminated(count);
  std::vector<const char*> pointers(count);
  for (std::size_t i = 0; i < count; ++i) {
    terminated[i] = text(i);
    pointers[i] = terminated[i].c_str();
  }
  const Hdf5Handle type = text_type(H5T_VARIABLE);
  vector(name, type.get(), type.get(), count, static_cast<const void*>(pointers.data()));
}

}  // namespace mindgap::files

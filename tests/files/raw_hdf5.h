#pragma once

#include <hdf5.h>

#include <filesystem>
#include <string>
#include <vector>

namespace mindgap::files {

/// Writes HDF5 by its plain interface, as other programs do.
class RawFile {
 public:
  explicit RawFile(const std::filesystem::path& path)
      : file_(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT)) {}
  RawFile(const std::filesystem::path& path, std::nullptr_t)
      : file_(H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT)) {}
  ~RawFile() { H5Fclose(file_); }
  RawFile(const RawFile&) = delete;
  RawFile& operator=(const RawFile&) = delete;

  template <typename T>
  void put(const char* name, hid_t type, const std::vector<T>& values, hid_t memory,
           hid_t create = H5P_DEFAULT) {
    remove(name);
    const hsize_t size = values.size();
    const hid_t space = H5Screate_simple(1, &size, nullptr);
    put(name, type, space, memory, values.data(), create);
  }
  void put(const char* name, hid_t type, hid_t space, hid_t memory, const void* values,
           hid_t create = H5P_DEFAULT) {
    remove(name);
    const hid_t set = H5Dcreate2(file_, name, type, space, H5P_DEFAULT, create, H5P_DEFAULT);
    if (values != nullptr) H5Dwrite(set, memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, values);
    H5Dclose(set);
    H5Sclose(space);
  }
  void doubles(const char* name, const std::vector<double>& values) {
    put(name, H5T_IEEE_F64LE, values, H5T_NATIVE_DOUBLE);
  }
  void matrix(const char* name, hsize_t rows, const std::vector<double>& values, bool compressed = false) {
    const hsize_t extent[2] = {rows, rows == 0 ? 0 : values.size() / rows};
    hid_t create = H5P_DEFAULT;
    if (compressed) {
      create = H5Pcreate(H5P_DATASET_CREATE);
      H5Pset_chunk(create, 2, extent);
      H5Pset_deflate(create, 4);
    }
    put(name, H5T_IEEE_F64LE, H5Screate_simple(2, extent, nullptr), H5T_NATIVE_DOUBLE, values.data(), create);
    if (compressed) H5Pclose(create);
  }
  void ints(const char* name, const std::vector<int>& values, hid_t type = H5T_STD_I64LE) {
    put(name, type, values, H5T_NATIVE_INT);
  }
  void strings(const char* name, const std::vector<const char*>& values) {
    const hid_t type = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, H5T_VARIABLE);
    put(name, type, values, type);
    H5Tclose(type);
  }
  void attribute(const char* name, double value) {
    if (H5Aexists(file_, name) > 0) H5Adelete(file_, name);
    const hid_t space = H5Screate(H5S_SCALAR);
    const hid_t id = H5Acreate2(file_, name, H5T_IEEE_F32LE, space, H5P_DEFAULT, H5P_DEFAULT);
    H5Awrite(id, H5T_NATIVE_DOUBLE, &value);
    H5Aclose(id);
    H5Sclose(space);
  }
  void attribute(const char* name, const std::string& text) {
    if (H5Aexists(file_, name) > 0) H5Adelete(file_, name);
    const hid_t space = H5Screate(H5S_SCALAR), type = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, text.size() + 1);
    const hid_t id = H5Acreate2(file_, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    H5Awrite(id, type, text.c_str());
    H5Aclose(id);
    H5Tclose(type);
    H5Sclose(space);
  }
  void remove(const char* name) {
    if (H5Lexists(file_, name, H5P_DEFAULT) > 0) H5Ldelete(file_, name, H5P_DEFAULT);
  }
  void remove_attribute(const char* name) { H5Adelete(file_, name); }
  hid_t id() const { return file_; }

 private:
  hid_t file_;
};

}  // namespace mindgap::files

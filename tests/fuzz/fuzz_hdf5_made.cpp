// An HDF5 file that the HDF5 library itself writes, in memory, with datasets and attributes of our names but
// of any type, size and content: the file is sound, its content is not. No copy of the process is needed. And
// as HDF5 takes longer to make a file than we take to read it, all inputs share one: it holds a small model,
// in which an input replaces, adds and drops what it names, and which is put back in order afterwards.
#include <fuzzer/FuzzedDataProvider.h>

#include <map>
#include <string>
#include <vector>

#include "mindgap/base/error.h"
#include "mindgap/files/hdf5_model.h"

namespace {

using mindgap::files::Hdf5Handle;

// What every model must have: two states with three rows.
const std::map<std::string_view, std::vector<double>> kUsual = {
    {"state_of_row", {0, 0, 1}}, {"action_of_row", {0, 1, 0}}, {"indptr", {0, 1, 3, 4}},
    {"indices", {0, 0, 1, 1}},   {"data", {1, .5, .5, 1}},     {"reward", {1, -1, 2}}};
constexpr double kUsualDiscount = .9;

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

// To convert a few numbers HDF5 would clear a megabyte for each dataset.
hid_t transfer() {
  static const hid_t list = [] {
    const hid_t made = H5Pcreate(H5P_DATASET_XFER);
    H5Pset_buffer(made, 1024, nullptr, nullptr);
    return made;
  }();
  return list;
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
    H5Dwrite(set.get(), H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, transfer(), values.data());
  }
}

// A text, or where there is none the number.
void write_attribute(hid_t file, const char* name, const std::string* text, double number) {
  const Hdf5Handle space(H5Screate(H5S_SCALAR), H5Sclose);
  const Hdf5Handle type(H5Tcopy(text ? H5T_C_S1 : H5T_NATIVE_DOUBLE), H5Tclose);
  if (text) H5Tset_size(type.get(), text->size() + 1);
  const Hdf5Handle attribute(H5Acreate2(file, name, type.get(), space.get(), H5P_DEFAULT, H5P_DEFAULT),
                             H5Aclose);
  if (attribute)
    H5Awrite(attribute.get(), type.get(), text ? static_cast<const void*>(text->c_str()) : &number);
}

void add_attribute(hid_t file, std::string_view name, FuzzedDataProvider& from) {
  const bool text = name == "name" || from.ConsumeProbability<float>() < .1F;
  const std::string words = from.ConsumeRandomLengthString(12);
  write_attribute(file, name.data(), text ? &words : nullptr, any_number(from));
}

class SharedFile {
 public:
  SharedFile() {
    H5set_free_list_limits(-1, -1, -1, -1, -1, -1);
    const Hdf5Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose),
        create(H5Pcreate(H5P_FILE_CREATE), H5Pclose);
    H5Pset_fapl_core(access.get(), 1 << 16, false);
    H5Pset_libver_bounds(access.get(), H5F_LIBVER_LATEST, H5F_LIBVER_LATEST);
    H5Pset_sieve_buf_size(access.get(), 0);
    // Names stay in one place, however many there are.
    H5Pset_link_phase_change(create.get(), 64, 32);
    H5Pset_attr_phase_change(create.get(), 64, 32);
    file_ = {H5Fcreate("made.h5", H5F_ACC_TRUNC, create.get(), access.get()), H5Fclose};
    for (const auto& [name, values] : kUsual) {
      const bool whole = name != "data" && name != "reward";
      const hsize_t size = values.size();
      const Hdf5Handle space(H5Screate_simple(1, &size, nullptr), H5Sclose);
      Hdf5Handle set(H5Dcreate2(file_.get(), name.data(), whole ? H5T_NATIVE_INT32 : H5T_NATIVE_DOUBLE,
                                space.get(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
                     H5Dclose);
      H5Dwrite(set.get(), H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, transfer(), values.data());
      usual_.emplace(name, std::move(set));
    }
    const std::string format = "mindgap-model/1";
    write_attribute(file_.get(), "format", &format, 0);
    write_attribute(file_.get(), "discount", nullptr, kUsualDiscount);
  }

  hid_t get() const { return file_.get(); }

  // Of all that may be there most is left as it is: one fault at a time leads furthest.
  void change(FuzzedDataProvider& from) {
    for (const std::string_view name : mindgap::files::known_attributes()) {
      if (name == "format" || from.ConsumeIntegral<std::uint8_t>() < 230) continue;
      if (name == "discount") H5Adelete(file_.get(), name.data());
      add_attribute(file_.get(), name, from);
      attributes_.emplace_back(name);
    }
    for (const std::string_view name : mindgap::files::known_datasets()) {
      const auto choice = from.ConsumeIntegral<std::uint8_t>();
      if (choice < 230) continue;
      if (usual_.contains(name)) H5Ldelete(file_.get(), name.data(), H5P_DEFAULT);
      if (choice < 255) add_dataset(file_.get(), std::string(name), from);
      datasets_.emplace_back(name);
    }
  }

  void put_back() {
    for (const std::string& name : attributes_) {
      H5Adelete(file_.get(), name.c_str());
      if (name == "discount") write_attribute(file_.get(), "discount", nullptr, kUsualDiscount);
    }
    for (const std::string& name : datasets_) {
      if (H5Lexists(file_.get(), name.c_str(), H5P_DEFAULT) > 0)
        H5Ldelete(file_.get(), name.c_str(), H5P_DEFAULT);
      if (const auto usual = usual_.find(name); usual != usual_.end())
        H5Olink(usual->second.get(), file_.get(), name.c_str(), H5P_DEFAULT, H5P_DEFAULT);
    }
    attributes_.clear();
    datasets_.clear();
  }

 private:
  Hdf5Handle file_;
  std::map<std::string, Hdf5Handle, std::less<>> usual_;  // without a link they live on while they are open
  std::vector<std::string> attributes_, datasets_;        // that this input has changed
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  FuzzedDataProvider from(data, size);
  const mindgap::files::Hdf5Session session;
  static SharedFile& file = *new SharedFile;  // HDF5 itself closes it at the end
  file.change(from);
  try {
    const mindgap::files::Hdf5Reader reader(file.get(), "made.h5");
    check_model(mindgap::files::read_content(reader));
  } catch (const mindgap::Error&) {
  }
  file.put_back();
  return 0;
}

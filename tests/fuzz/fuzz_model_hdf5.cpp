// Files as write_model_hdf5() writes them, in which numbers, names and texts are changed and nothing else:
// the file is sound, its content is not. HDF5 reads such a file without harm, so it is read right here,
// thousands of times a second. What HDF5's own structures can do to the reader is up to fuzz_hdf5_probe,
// which must start a process for each input; what types and shapes can do, to fuzz_hdf5_made.
#include <fuzzer/FuzzedDataProvider.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <string>
#include <vector>

#include "fuzz/small_models.h"
#include "mindgap/base/error.h"
#include "mindgap/files/hdf5_model.h"

namespace {

using mindgap::files::Hdf5Handle;
using mindgap::files::Hdf5Reader;

// Where content lies: `count` elements of one kind.
struct Place {
  std::size_t at, count, width;
  H5T_class_t kind;
};

struct Image {
  std::string bytes;
  std::vector<Place> places;
};

// In memory, without a file, and without the large buffers that HDF5 would clear for each.
hid_t access() {
  static const hid_t list = [] {
    H5set_free_list_limits(-1, -1, -1, -1, -1, -1);
    const hid_t made = H5Pcreate(H5P_FILE_ACCESS);
    H5Pset_fapl_core(made, 1 << 14, false);
    H5Pset_sieve_buf_size(made, 0);
    return made;
  }();
  return list;
}

// Of a text that is there only once: elsewhere it might be part of HDF5's structure.
void add_text(Image& image, std::string_view text) {
  const std::size_t at = text.size() < 4 ? std::string::npos : image.bytes.find(text);
  if (at != std::string::npos && image.bytes.find(text, at + 1) == std::string::npos)
    image.places.push_back({at, text.size(), 1, H5T_STRING});
}

void add_dataset(Image& image, const Hdf5Reader& reader, hid_t file, const char* name) {
  const Hdf5Handle set(H5Dopen2(file, name, H5P_DEFAULT), H5Dclose);
  const Hdf5Handle type(H5Dget_type(set.get()), H5Tclose);
  if (H5Tis_variable_str(type.get()) > 0) {  // the dataset itself leads to the texts
    reader.strings(reader.get(name), [&](std::string_view text) { add_text(image, text); });
    return;
  }
  const H5T_class_t kind = H5Tget_class(type.get());
  const std::size_t width = kind == H5T_STRING ? 1 : H5Tget_size(type.get());
  image.places.push_back({H5Dget_offset(set.get()),
                          static_cast<std::size_t>(H5Dget_storage_size(set.get())) / width, width, kind});
}

std::string bytes_of(hid_t file) {
  H5Fflush(file, H5F_SCOPE_GLOBAL);
  std::string bytes(static_cast<std::size_t>(H5Fget_file_image(file, nullptr, 0)), '\0');
  H5Fget_file_image(file, bytes.data(), bytes.size());
  return bytes;
}

// A number is found by the bytes that differ while another one is there.
void add_attribute(Image& image, const Hdf5Reader& reader, hid_t file, const char* name) {
  const Hdf5Handle attribute(H5Aopen(file, name, H5P_DEFAULT), H5Aclose);
  const Hdf5Handle type(H5Aget_type(attribute.get()), H5Tclose);
  if (H5Tget_class(type.get()) == H5T_STRING) return add_text(image, *reader.text_attribute(name));
  std::uint64_t value = 0, other = 0;
  H5Aread(attribute.get(), type.get(), &value);
  other = ~value;
  H5Awrite(attribute.get(), type.get(), &other);
  const std::string changed = bytes_of(file);
  H5Awrite(attribute.get(), type.get(), &value);
  const auto at = std::mismatch(changed.begin(), changed.end(), image.bytes.begin()).first - changed.begin();
  image.places.push_back({static_cast<std::size_t>(at), 1, sizeof value, H5Tget_class(type.get())});
}

Image image_of(const mindgap::mdp::Model& model) {
  const Hdf5Handle file(H5Fcreate("image.h5", H5F_ACC_TRUNC, H5P_DEFAULT, access()), H5Fclose);
  mindgap::files::Hdf5Writer writer(file.get(), "image.h5");
  write_content(model, writer);
  Image image{bytes_of(file.get()), {}};
  const Hdf5Reader reader(file.get(), "image.h5");
  for (const std::string_view name : mindgap::files::known_datasets())
    if (reader.has(name.data())) add_dataset(image, reader, file.get(), name.data());
  for (const std::string_view name : mindgap::files::known_attributes())
    if (H5Aexists(file.get(), name.data()) > 0) add_attribute(image, reader, file.get(), name.data());
  return image;
}

std::vector<Image> images() {
  std::vector<Image> made;
  for (const auto& model : mindgap::mdp::small_models()) made.push_back(image_of(model));
  for (const auto& model : mindgap::mdp::further_models()) made.push_back(image_of(model));
  return made;
}

void change(FuzzedDataProvider& from, Image& image) {
  const Place& place = image.places[from.ConsumeIntegralInRange<std::size_t>(0, image.places.size() - 1)];
  const auto element = from.ConsumeIntegralInRange<std::size_t>(0, place.count - 1);
  std::int64_t whole = 0;
  if (place.kind == H5T_INTEGER || place.kind == H5T_STRING) {
    whole = from.ConsumeBool() ? from.ConsumeIntegralInRange(-2, 9) : from.ConsumeIntegral<std::int64_t>();
  } else {
    const double usual[] = {0, 1, 2, .5, .25, -1, 3, 1e300, 5e-324};
    const double number = from.ConsumeBool() ? from.PickValueInArray(usual)
                                             : std::bit_cast<double>(from.ConsumeIntegral<std::int64_t>());
    whole = std::bit_cast<std::int64_t>(number);
  }
  std::memcpy(image.bytes.data() + place.at + element * place.width, &whole, place.width);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const mindgap::files::Hdf5Session session;
  static const std::vector<Image> untouched = images();
  FuzzedDataProvider from(data, size);
  Image image = untouched[from.ConsumeIntegralInRange<std::size_t>(0, untouched.size() - 1)];
  while (from.remaining_bytes() > 0) change(from, image);
  H5Pset_file_image(access(), image.bytes.data(), image.bytes.size());
  const Hdf5Handle file(H5Fopen("image.h5", H5F_ACC_RDONLY, access()), H5Fclose);
  try {
    const Hdf5Reader reader(file.get(), "image.h5");
    check_model(mindgap::files::read_content(reader));
  } catch (const mindgap::Error&) {
  }
  return 0;
}

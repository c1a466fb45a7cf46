// Files as write_model_hdf5() writes them, in which numbers, names and texts are changed and nothing else:
// the file is sound, its content is not. HDF5 reads such a file without harm, so it is read right here,
// thousands of times a second. What HDF5's own structures can do to the reader is up to fuzz_hdf5_probe,
// which must start a process for each input; what types and shapes can do, to fuzz_hdf5_made.
//
// HDF5 takes longer to open a file than we take to read it. So most inputs write to a file that stays open,
// through HDF5, and put back what was there; the others, and those that change texts which lie in a heap,
// change the bytes of a file that is then opened.
#include <fuzzer/FuzzedDataProvider.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "fuzz/small_models.h"
#include "mindgap/base/error.h"
#include "mindgap/files/hdf5_model.h"

namespace {

using mindgap::files::Hdf5Handle;
using mindgap::files::Hdf5Reader;

// A dataset or an attribute that can be written to while the file is open, and what it holds.
struct Field {
  Hdf5Handle handle, type;
  bool is_attribute;
  std::string content;

  void write(const std::string& bytes) const {
    if (is_attribute)
      H5Awrite(handle.get(), type.get(), bytes.data());
    else
      H5Dwrite(handle.get(), type.get(), H5S_ALL, H5S_ALL, H5P_DEFAULT, bytes.data());
  }
};

// Where content lies: `count` elements of one kind.
struct Place {
  std::size_t at, count, width;
  H5T_class_t kind;
  std::ptrdiff_t field;  // -1: none
};

struct Edit {
  const Place* place;
  std::size_t element;
  std::int64_t value;

  void apply(std::size_t begin, std::string& bytes) const {
    std::memcpy(bytes.data() + begin + element * place->width, &value, place->width);
  }
};

struct Image {
  std::string bytes;
  std::vector<Place> places;
  std::vector<Field> fields;
  Hdf5Handle file;

  std::ptrdiff_t last_field() const { return static_cast<std::ptrdiff_t>(fields.size()) - 1; }
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
void add_text(Image& image, std::string_view text, std::ptrdiff_t field) {
  const std::size_t at = text.size() < 4 ? std::string::npos : image.bytes.find(text);
  if (at != std::string::npos && image.bytes.find(text, at + 1) == std::string::npos)
    image.places.push_back({at, text.size(), 1, H5T_STRING, field});
}

void add_dataset(Image& image, const Hdf5Reader& reader, const char* name) {
  Hdf5Handle set(H5Dopen2(image.file.get(), name, H5P_DEFAULT), H5Dclose);
  Hdf5Handle type(H5Dget_type(set.get()), H5Tclose);
  if (H5Tis_variable_str(type.get()) > 0) {  // the dataset itself leads to the texts
    reader.strings(reader.get(name), [&](std::string_view text) { add_text(image, text, -1); });
    return;
  }
  const H5T_class_t kind = H5Tget_class(type.get());
  const std::size_t width = kind == H5T_STRING ? 1 : H5Tget_size(type.get());
  const auto at = static_cast<std::size_t>(H5Dget_offset(set.get()));
  const auto size = static_cast<std::size_t>(H5Dget_storage_size(set.get()));
  image.fields.push_back({std::move(set), std::move(type), false, image.bytes.substr(at, size)});
  image.places.push_back({at, size / width, width, kind, image.last_field()});
}

std::string bytes_of(hid_t file) {
  H5Fflush(file, H5F_SCOPE_GLOBAL);
  std::string bytes(static_cast<std::size_t>(H5Fget_file_image(file, nullptr, 0)), '\0');
  H5Fget_file_image(file, bytes.data(), bytes.size());
  return bytes;
}

// A number is found by the bytes that differ while another one is there.
void add_attribute(Image& image, const Hdf5Reader& reader, const char* name) {
  Hdf5Handle attribute(H5Aopen(image.file.get(), name, H5P_DEFAULT), H5Aclose);
  Hdf5Handle type(H5Aget_type(attribute.get()), H5Tclose);
  const H5T_class_t kind = H5Tget_class(type.get());
  if (H5Tis_variable_str(type.get()) > 0) return add_text(image, *reader.text_attribute(name), -1);
  std::string content(H5Tget_size(type.get()), '\0');
  H5Aread(attribute.get(), type.get(), content.data());
  image.fields.push_back({std::move(attribute), std::move(type), true, content});
  if (kind == H5T_STRING) return add_text(image, content.c_str(), image.last_field());
  std::string other = content;
  for (char& byte : other) byte = static_cast<char>(~byte);
  image.fields.back().write(other);
  const std::string changed = bytes_of(image.file.get());
  image.fields.back().write(content);
  const auto at = std::mismatch(changed.begin(), changed.end(), image.bytes.begin()).first - changed.begin();
  image.places.push_back({static_cast<std::size_t>(at), 1, content.size(), kind, image.last_field()});
}

// HDF5 has no two files of one name open.
Image image_of(const mindgap::mdp::Model& model) {
  const std::string name = model.name + ".h5";
  Image image{"", {}, {}, {H5Fcreate(name.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access()), H5Fclose}};
  mindgap::files::Hdf5Writer writer(image.file.get(), name);
  write_content(model, writer);
  image.bytes = bytes_of(image.file.get());
  const Hdf5Reader reader(image.file.get(), name);
  for (const std::string_view set : mindgap::files::known_datasets())
    if (reader.has(set.data())) add_dataset(image, reader, set.data());
  for (const std::string_view attribute : mindgap::files::known_attributes())
    if (H5Aexists(image.file.get(), attribute.data()) > 0) add_attribute(image, reader, attribute.data());
  return image;
}

std::vector<Image> images() {
  std::vector<Image> made;
  for (const auto& model : mindgap::mdp::small_models()) made.push_back(image_of(model));
  for (const auto& model : mindgap::mdp::further_models()) made.push_back(image_of(model));
  return made;
}

Edit any_edit(FuzzedDataProvider& from, const Image& image) {
  const Place& place = image.places[from.ConsumeIntegralInRange<std::size_t>(0, image.places.size() - 1)];
  const auto element = from.ConsumeIntegralInRange<std::size_t>(0, place.count - 1);
  if (place.kind == H5T_INTEGER || place.kind == H5T_STRING) {
    return {&place, element,
            from.ConsumeBool() ? from.ConsumeIntegralInRange(-2, 9) : from.ConsumeIntegral<std::int64_t>()};
  }
  const double usual[] = {0, 1, 2, .5, .25, -1, 3, 1e300, 5e-324};
  const double number = from.ConsumeBool() ? from.PickValueInArray(usual)
                                           : std::bit_cast<double>(from.ConsumeIntegral<std::int64_t>());
  return {&place, element, std::bit_cast<std::int64_t>(number)};
}

void read(hid_t file) {
  try {
    const Hdf5Reader reader(file, "image.h5");
    check_model(mindgap::files::read_content(reader));
  } catch (const mindgap::Error&) {
  }
}

void read_open_file(const Image& image, const std::vector<Edit>& edits) {
  std::map<const Field*, std::string> changed;
  for (const Edit& edit : edits) {
    const Field& field = image.fields[static_cast<std::size_t>(edit.place->field)];
    edit.apply(0, changed.try_emplace(&field, field.content).first->second);
  }
  for (const auto& [field, bytes] : changed) field->write(bytes);
  read(image.file.get());
  for (const auto& [field, bytes] : changed) field->write(field->content);
}

void read_new_file(const Image& image, const std::vector<Edit>& edits) {
  std::string bytes = image.bytes;
  for (const Edit& edit : edits) edit.apply(edit.place->at, bytes);
  H5Pset_file_image(access(), bytes.data(), bytes.size());
  const Hdf5Handle file(H5Fopen("image.h5", H5F_ACC_RDONLY, access()), H5Fclose);
  read(file.get());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const mindgap::files::Hdf5Session session;
  static const std::vector<Image>& all = *new std::vector<Image>(images());  // HDF5 itself closes them
  // By a hash: by a byte of it, the fuzzer would choose.
  const std::size_t hash = std::hash<std::string_view>()({reinterpret_cast<const char*>(data), size});
  FuzzedDataProvider from(data, size);
  const Image& image = all[from.ConsumeIntegralInRange<std::size_t>(0, all.size() - 1)];
  std::vector<Edit> edits;
  while (from.remaining_bytes() > 0) edits.push_back(any_edit(from, image));
  const bool in_heap =
      std::any_of(edits.begin(), edits.end(), [](const Edit& edit) { return edit.place->field < 0; });
  hash % 32 == 0 || in_heap ? read_new_file(image, edits) : read_open_file(image, edits);
  return 0;
}

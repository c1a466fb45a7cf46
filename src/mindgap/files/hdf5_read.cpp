#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstring>
#include <limits>

#include "mindgap/base/error.h"
#include "mindgap/files/hdf5_file.h"
#include "mindgap/files/text_file.h"
#include "mindgap/mdp/memory.h"

namespace mindgap::files {

using namespace mdp;  // what these files hold
namespace {

constexpr std::size_t kPieceBytes = std::size_t{1} << 22;
// No lossless filter of HDF5's makes more than this out of a byte (deflate's limit is 1032).
constexpr std::uint64_t kInflationMax = 1100;

std::mutex& session_mutex() {
  static std::mutex mutex;
  return mutex;
}

// Only the plain machine types: what NumPy writes, and nothing that sends HDF5 into rarely used conversions.
// Each name stands for a call of HDF5, hence static; the usual ones come first.
bool is_plain_integer(hid_t type) {
  if (H5Tget_class(type) != H5T_INTEGER) return false;
  static const hid_t kPlain[] = {H5T_STD_I32LE, H5T_STD_I64LE, H5T_STD_I8LE,  H5T_STD_I16LE,
                                 H5T_STD_U8LE,  H5T_STD_U16LE, H5T_STD_U32LE, H5T_STD_U64LE,
                                 H5T_STD_I8BE,  H5T_STD_I16BE, H5T_STD_I32BE, H5T_STD_I64BE,
                                 H5T_STD_U8BE,  H5T_STD_U16BE, H5T_STD_U32BE, H5T_STD_U64BE};
  return std::any_of(std::begin(kPlain), std::end(kPlain),
                     [&](hid_t other) { return H5Tequal(type, other) > 0; });
}

bool is_plain_float(hid_t type) {
  if (H5Tget_class(type) != H5T_FLOAT) return false;
  static const hid_t kPlain[] = {H5T_IEEE_F64LE, H5T_IEEE_F32LE, H5T_IEEE_F64BE, H5T_IEEE_F32BE};
  return std::any_of(std::begin(kPlain), std::end(kPlain),
                     [&](hid_t other) { return H5Tequal(type, other) > 0; });
}

// The text of a fixed-length string: the padding is not part of it.
std::string_view unpadded(const char* bytes, std::size_t size, H5T_str_t padding) {
  std::string_view text(bytes, size);
  text = text.substr(0, text.find('\0'));
  if (padding == H5T_STR_SPACEPAD) text = text.substr(0, text.find_last_not_of(' ') + 1);
  return text;
}

bool is_tool_attribute(std::string_view name) {
  return name.starts_with('_') ||
         std::none_of(name.begin(), name.end(), [](unsigned char c) { return std::islower(c) != 0; });
}

bool contains(std::span<const std::string_view> list, std::string_view name) {
  return std::find(list.begin(), list.end(), name) != list.end();
}

// The name that `get(buffer, size)` gives, which returns its length. Longer than any of ours: cut.
template <typename Get>
std::string name_from(Get get) {
  char buffer[256] = {};
  const ssize_t length = get(buffer, sizeof buffer);
  return length < 0 ? "?" : std::string(buffer);
}

}  // namespace

Hdf5Session::Hdf5Session() : lock_(session_mutex()) {
  H5Eget_auto2(H5E_DEFAULT, &print_, &print_data_);
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
}

Hdf5Session::~Hdf5Session() {
  H5Eset_auto2(H5E_DEFAULT, print_, print_data_);
}

Hdf5Handle& Hdf5Handle::operator=(Hdf5Handle&& other) noexcept {
  std::swap(id_, other.id_);
  std::swap(close_, other.close_);
  return *this;
}

bool Hdf5Handle::reset() {
  const bool good = id_ < 0 || close_(id_) >= 0;
  id_ = -1;
  return good;
}

Hdf5Reader::Hdf5Reader(hid_t file, std::string name) : file_(file), name_(std::move(name)) {
  hsize_t size = 0;
  if (H5Fget_filesize(file, &size) < 0) fail("the size of the file is not known");
  file_size_ = size;
}

void Hdf5Reader::fail(const std::string& problem, std::string value) const {
  throw InvalidModel(problem, {.file = name_, .value = std::move(value)});
}

void Hdf5Reader::check_known(std::span<const std::string_view> datasets,
                             std::span<const std::string_view> attributes) const {
  H5G_info_t group{};
  H5O_info_t object{};
  if (H5Gget_info(file_, &group) < 0 || H5Oget_info2(file_, &object, H5O_INFO_NUM_ATTRS) < 0) {
    fail("the root group cannot be read");
  }
  for (hsize_t i = 0; i < group.nlinks; ++i) {
    const std::string name = name_from([&](char* buffer, std::size_t size) {
      return H5Lget_name_by_idx(file_, ".", H5_INDEX_NAME, H5_ITER_NATIVE, i, buffer, size, H5P_DEFAULT);
    });
    if (!contains(datasets, name)) fail("unknown dataset", name);
  }
  for (hsize_t i = 0; i < object.num_attrs; ++i) {
    const std::string name = name_from([&](char* buffer, std::size_t size) {
      return H5Aget_name_by_idx(file_, ".", H5_INDEX_NAME, H5_ITER_NATIVE, i, buffer, size, H5P_DEFAULT);
    });
    if (!contains(attributes, name) && !is_tool_attribute(name)) fail("unknown attribute", name);
  }
}

void Hdf5Reader::probe(std::span<const std::string_view> datasets,
                       std::span<const std::string_view> attributes, const GoesOn& goes_on) const {
  // Each part by itself: an error in one must not keep the others from being tried.
  const auto attempt = [&](const auto& deed) {
    try {
      goes_on(kProbeSeconds);
      deed();
    } catch (const InvalidModel&) {
    }
  };
  attempt([&] { check_known(datasets, attributes); });
  for (const std::string_view name : attributes) {
    attempt([&] { text_attribute(std::string(name).c_str()); });
    attempt([&] { number_attribute(std::string(name).c_str()); });
  }
  for (const std::string_view name : datasets) {
    attempt([&] {
      int rank = 0;
      if (const std::optional<Hdf5Dataset> dataset = find(std::string(name).c_str(), 2, rank))
        probe(*dataset, goes_on);
    });
  }
}

void Hdf5Reader::probe(const Hdf5Dataset& dataset, const GoesOn& goes_on) const {
  constexpr double kBytesPerSecond = 20e6;  // that a slow machine unpacks
  const double seconds =
      kProbeSeconds + static_cast<double>(dataset.chunk_bytes * dataset.line_of_chunks) / kBytesPerSecond;
  goes_on(seconds);
  if (H5Tget_class(dataset.type.get()) == H5T_STRING) {
    std::size_t count = 0;
    strings(dataset, [&](std::string_view) {
      if (++count % 65536 == 0) goes_on(seconds);
    });
  } else if (dataset.scalar) {
    numbers(dataset);
  } else if (dataset.chunked) {
    pieces(dataset, [&](std::size_t, std::span<const double>) { goes_on(seconds); });
  }
}

std::optional<std::string> Hdf5Reader::text_attribute(const char* name) const {
  if (H5Aexists(file_, name) <= 0) return std::nullopt;
  const Hdf5Handle attribute(H5Aopen(file_, name, H5P_DEFAULT), H5Aclose);
  const Hdf5Handle type(H5Aget_type(attribute.get()), H5Tclose);
  const Hdf5Handle space(H5Aget_space(attribute.get()), H5Sclose);
  const bool one = type && space && H5Tget_class(type.get()) == H5T_STRING &&
                   H5Sget_simple_extent_npoints(space.get()) == 1;
  if (!one) fail(fmt::format("the attribute '{}' must be a string", name));
  if (H5Tis_variable_str(type.get()) > 0) {
    const Hdf5Handle memory(H5Tcopy(type.get()), H5Tclose);
    char* text = nullptr;
    if (H5Aread(attribute.get(), memory.get(), static_cast<void*>(&text)) < 0) {
      fail(fmt::format("the attribute '{}' cannot be read", name));
    }
    std::string result = text == nullptr ? "" : text;
    H5free_memory(text);
    return result;
  }
  const std::size_t size = H5Tget_size(type.get());
  if (size > file_size_) fail(fmt::format("the attribute '{}' claims more bytes than the file holds", name));
  std::string bytes(size, '\0');
  if (H5Aread(attribute.get(), type.get(), bytes.data()) < 0) {
    fail(fmt::format("the attribute '{}' cannot be read", name));
  }
  return std::string(unpadded(bytes.data(), size, H5Tget_strpad(type.get())));
}

std::optional<double> Hdf5Reader::number_attribute(const char* name) const {
  if (H5Aexists(file_, name) <= 0) return std::nullopt;
  const Hdf5Handle attribute(H5Aopen(file_, name, H5P_DEFAULT), H5Aclose);
  const Hdf5Handle type(H5Aget_type(attribute.get()), H5Tclose);
  const Hdf5Handle space(H5Aget_space(attribute.get()), H5Sclose);
  double value = 0;
  const bool one = type && space && (is_plain_float(type.get()) || is_plain_integer(type.get())) &&
                   H5Sget_simple_extent_npoints(space.get()) == 1;
  if (!one) fail(fmt::format("the attribute '{}' must be a number", name));
  if (H5Aread(attribute.get(), H5T_NATIVE_DOUBLE, &value) < 0) {
    fail(fmt::format("the attribute '{}' cannot be read", name));
  }
  return value;
}

std::optional<Hdf5Dataset> Hdf5Reader::find(const char* name) const {
  int rank = 0;
  return find(name, 1, rank);
}

std::optional<Hdf5Dataset> Hdf5Reader::find_matrix(const char* name) const {
  int rank = 0;
  std::optional<Hdf5Dataset> dataset = find(name, 2, rank);
  if (dataset && rank != 2) fail(fmt::format("dataset '{}' has rank {}, expected 2", name, rank));
  return dataset;
}

std::optional<Hdf5Dataset> Hdf5Reader::find(const char* name, int most, int& rank) const {
  if (H5Lexists(file_, name, H5P_DEFAULT) <= 0) return std::nullopt;
  H5L_info_t link{};
  // Links and datasets that lead out of the file could read any file of the user's.
  if (H5Lget_info(file_, name, &link, H5P_DEFAULT) < 0 || link.type != H5L_TYPE_HARD) {
    fail(fmt::format("'{}' is a link, expected a dataset", name));
  }
  Hdf5Dataset dataset{.handle = {H5Dopen2(file_, name, H5P_DEFAULT), H5Dclose}, .name = name};
  if (!dataset.handle) {
    H5O_info_t object{};
    if (H5Oget_info_by_name2(file_, name, &object, H5O_INFO_BASIC, H5P_DEFAULT) < 0 ||
        object.type != H5O_TYPE_DATASET)
      fail(fmt::format("'{}' is not a dataset", name));
  }
  dataset.type = {H5Dget_type(dataset.handle.get()), H5Tclose};
  const Hdf5Handle space(H5Dget_space(dataset.handle.get()), H5Sclose);
  rank = space ? H5Sget_simple_extent_ndims(space.get()) : -1;
  if (!dataset.handle || !dataset.type || rank < 0) fail(fmt::format("dataset '{}' cannot be read", name));
  if (rank > most || H5Sget_simple_extent_type(space.get()) == H5S_NULL) {
    fail(fmt::format("dataset '{}' has rank {}, expected {}", name, rank, most));
  }
  dataset.scalar = rank == 0;
  dataset.size = static_cast<std::size_t>(H5Sget_simple_extent_npoints(space.get()));
  if (rank == 2) {
    hsize_t extent[2] = {0, 0};
    H5Sget_simple_extent_dims(space.get(), extent, nullptr);
    dataset.columns = static_cast<std::size_t>(extent[1]);
  }
  check_storage(dataset);
  widen_cache(dataset);
  return dataset;
}

// HDF5 unpacks a chunk that its cache of 1 MiB cannot hold again for every piece that is read of it.
void Hdf5Reader::widen_cache(Hdf5Dataset& dataset) const {
  constexpr std::size_t kUsual = std::size_t{1} << 20, kMost = std::size_t{1} << 30;
  const std::size_t wanted = dataset.chunk_bytes * dataset.line_of_chunks;
  if (dataset.chunk_bytes == 0 || wanted <= kUsual || wanted > kMost) return;
  const Hdf5Handle access(H5Pcreate(H5P_DATASET_ACCESS), H5Pclose);
  H5Pset_chunk_cache(access.get(), H5D_CHUNK_CACHE_NSLOTS_DEFAULT, wanted, 1.0);
  dataset.handle.reset();
  dataset.handle = {H5Dopen2(file_, dataset.name.c_str(), access.get()), H5Dclose};
  if (!dataset.handle) fail(fmt::format("dataset '{}' cannot be read", dataset.name));
}

Hdf5Dataset Hdf5Reader::get(const char* name) const {
  std::optional<Hdf5Dataset> dataset = find(name);
  if (!dataset) fail(fmt::format("the dataset '{}' is missing", name));
  if (dataset->scalar) fail(fmt::format("dataset '{}' has rank 0, expected 1", name));
  return std::move(*dataset);
}

// Refuses data that lie in other files, and sizes that the bytes of this file cannot amount to.
void Hdf5Reader::check_storage(Hdf5Dataset& dataset) const {
  const Hdf5Handle properties(H5Dget_create_plist(dataset.handle.get()), H5Pclose);
  if (!properties) fail(fmt::format("dataset '{}' cannot be read", dataset.name));
  const H5D_layout_t layout = H5Pget_layout(properties.get());
  const bool inside = layout == H5D_COMPACT || layout == H5D_CHUNKED ||
                      (layout == H5D_CONTIGUOUS && H5Pget_external_count(properties.get()) == 0);
  if (!inside) fail(fmt::format("dataset '{}' keeps its data in other files", dataset.name));
  dataset.chunked = layout == H5D_CHUNKED;
  const std::size_t width = H5Tget_size(dataset.type.get());
  hsize_t chunk[2] = {0, 0};
  const int rank = dataset.chunked ? H5Pget_chunk(properties.get(), 2, chunk) : 0;
  if (rank > 0) dataset.chunk_bytes = width * chunk[0] * (rank == 2 ? chunk[1] : 1);
  if (rank == 2 && chunk[1] > 0) dataset.line_of_chunks = (dataset.columns + chunk[1] - 1) / chunk[1];
  const bool filtered = layout == H5D_CHUNKED && H5Pget_nfilters(properties.get()) > 0;
  const std::uint64_t limit = file_size_ * (filtered ? kInflationMax : 1);
  if (width == 0 || dataset.size > limit / width) {
    fail(fmt::format("dataset '{}' claims {} elements, more than the file can hold", dataset.name,
                     dataset.size));
  }
}

void Hdf5Reader::check_numeric(const Hdf5Dataset& dataset, bool integer) const {
  const hid_t type = dataset.type.get();
  if (is_plain_integer(type) || (!integer && is_plain_float(type))) return;
  fail(fmt::format("dataset '{}' must hold {}", dataset.name, integer ? "integers" : "numbers"));
}

void Hdf5Reader::read(const Hdf5Dataset& dataset, hid_t type, void* out) const {
  if (dataset.size == 0) return;
  if (H5Dread(dataset.handle.get(), type, H5S_ALL, H5S_ALL, H5P_DEFAULT, out) < 0) {
    fail(fmt::format("dataset '{}' cannot be read", dataset.name));
  }
}

std::uint64_t Hdf5Reader::place(const Hdf5Dataset& dataset, hid_t type) const {
  constexpr const char* kRemedy = "`mindgap convert` writes files that can be mapped";
  const haddr_t place = dataset.chunked ? HADDR_UNDEF : H5Dget_offset(dataset.handle.get());
  if (H5Tequal(dataset.type.get(), type) <= 0 || place == HADDR_UNDEF) {
    fail(fmt::format("dataset '{}' cannot be mapped: expected {} in one uncompressed piece; {}", dataset.name,
                     H5Tget_class(type) == H5T_FLOAT ? "64-bit floats" : "32-bit integers", kRemedy));
  }
  if (place % H5Tget_size(type) != 0) {
    fail(fmt::format("dataset '{}' cannot be mapped: it begins at byte {}, expected a multiple of {}; {}",
                     dataset.name, place, H5Tget_size(type), kRemedy));
  }
  return place;
}

std::vector<double> Hdf5Reader::numbers(const Hdf5Dataset& dataset) const {
  check_numeric(dataset, false);
  std::vector<double> values;
  resize_on_large_pages(values, dataset.size);
  read(dataset, H5T_NATIVE_DOUBLE, values.data());
  return values;
}

std::vector<std::int32_t> Hdf5Reader::int32s(const Hdf5Dataset& dataset) const {
  check_numeric(dataset, true);
  std::vector<std::int32_t> values;
  resize_on_large_pages(values, dataset.size);
  read(dataset, H5T_NATIVE_INT32, values.data());
  return values;
}

std::vector<std::int64_t> Hdf5Reader::int64s(const Hdf5Dataset& dataset) const {
  check_numeric(dataset, true);
  std::vector<std::int64_t> values;
  resize_on_large_pages(values, dataset.size);
  read(dataset, H5T_NATIVE_INT64, values.data());
  return values;
}

void Hdf5Reader::read_piece(const Hdf5Dataset& dataset, hid_t type, std::size_t begin, std::size_t count,
                            void* out) const {
  // Of a matrix, whole rows.
  const hsize_t start[2] = {begin / dataset.columns, 0},
                extent[2] = {count / dataset.columns, dataset.columns};
  const hsize_t all = count;
  const Hdf5Handle from(H5Dget_space(dataset.handle.get()), H5Sclose);
  const Hdf5Handle to(H5Screate_simple(1, &all, nullptr), H5Sclose);
  if (dataset.scalar || !from || !to ||
      H5Sselect_hyperslab(from.get(), H5S_SELECT_SET, start, nullptr, extent, nullptr) < 0 ||
      H5Dread(dataset.handle.get(), type, to.get(), from.get(), H5P_DEFAULT, out) < 0) {
    fail(fmt::format("dataset '{}' cannot be read", dataset.name));
  }
}

template <typename T>
std::vector<T> Hdf5Reader::read_part(const Hdf5Dataset& dataset, hid_t type, std::size_t begin,
                                     std::size_t count) const {
  if (begin > dataset.size || count > dataset.size - begin)
    fail(fmt::format("dataset '{}' has {} entries, expected {}", dataset.name, dataset.size, begin + count));
  std::vector<T> values;
  resize_on_large_pages(values, count);
  if (count > 0) read_piece(dataset, type, begin, count, values.data());
  return values;
}

std::vector<double> Hdf5Reader::numbers(const Hdf5Dataset& dataset, std::size_t begin,
                                        std::size_t count) const {
  check_numeric(dataset, false);
  return read_part<double>(dataset, H5T_NATIVE_DOUBLE, begin, count);
}

std::vector<std::int32_t> Hdf5Reader::int32s(const Hdf5Dataset& dataset, std::size_t begin,
                                             std::size_t count) const {
  check_numeric(dataset, true);
  return read_part<std::int32_t>(dataset, H5T_NATIVE_INT32, begin, count);
}

std::vector<std::int64_t> Hdf5Reader::int64s(const Hdf5Dataset& dataset, std::size_t begin,
                                             std::size_t count) const {
  check_numeric(dataset, true);
  return read_part<std::int64_t>(dataset, H5T_NATIVE_INT64, begin, count);
}

template <typename T, typename Take>
void Hdf5Reader::read_pieces(const Hdf5Dataset& dataset, hid_t type, const Take& take) const {
  const std::size_t rows =
      std::max<std::size_t>(1, kPieceBytes / sizeof(T) / std::max<std::size_t>(1, dataset.columns));
  const std::size_t step = rows * dataset.columns;
  std::vector<T> values(std::min(step, dataset.size));
  for (std::size_t begin = 0; begin < dataset.size; begin += step) {
    const std::size_t count = std::min(step, dataset.size - begin);
    read_piece(dataset, type, begin, count, values.data());
    take(begin, std::span<const T>(values).first(count));
  }
}

void Hdf5Reader::pieces(const Hdf5Dataset& dataset,
                        const std::function<void(std::size_t, std::span<const double>)>& take) const {
  check_numeric(dataset, false);
  read_pieces<double>(dataset, H5T_NATIVE_DOUBLE, take);
}

void Hdf5Reader::pieces(const Hdf5Dataset& dataset,
                        const std::function<void(std::size_t, std::span<const std::int32_t>)>& take) const {
  check_numeric(dataset, true);
  read_pieces<std::int32_t>(dataset, H5T_NATIVE_INT32, take);
}

void Hdf5Reader::strings(const Hdf5Dataset& dataset,
                         const std::function<void(std::string_view)>& take) const {
  if (H5Tget_class(dataset.type.get()) != H5T_STRING) {
    fail(fmt::format("dataset '{}' must hold strings", dataset.name));
  }
  if (H5Tis_variable_str(dataset.type.get()) > 0) {
    variable_strings(dataset, take);
  } else {
    fixed_strings(dataset, take);
  }
}

void Hdf5Reader::fixed_strings(const Hdf5Dataset& dataset,
                               const std::function<void(std::string_view)>& take) const {
  const std::size_t width = H5Tget_size(dataset.type.get());
  const H5T_str_t padding = H5Tget_strpad(dataset.type.get());
  const std::size_t step = std::max<std::size_t>(1, kPieceBytes / width);
  std::vector<char> bytes(std::min(step, dataset.size) * width);
  for (std::size_t begin = 0; begin < dataset.size; begin += step) {
    const std::size_t count = std::min(step, dataset.size - begin);
    read_piece(dataset, dataset.type.get(), begin, count, bytes.data());
    for (std::size_t i = 0; i < count; ++i) take(unpadded(bytes.data() + i * width, width, padding));
  }
}

void Hdf5Reader::variable_strings(const Hdf5Dataset& dataset,
                                  const std::function<void(std::string_view)>& take) const {
  // HDF5 allocates the strings of a piece; they are given back even where `take` throws.
  struct Piece {
    std::vector<char*> texts;
    ~Piece() {
      for (char* text : texts) H5free_memory(text);
    }
  };
  constexpr std::size_t kStep = 65536;
  for (std::size_t begin = 0; begin < dataset.size; begin += kStep) {
    const std::size_t count = std::min(kStep, dataset.size - begin);
    Piece piece{std::vector<char*>(count, nullptr)};
    read_piece(dataset, dataset.type.get(), begin, count, static_cast<void*>(piece.texts.data()));
    for (const char* text : piece.texts) take(text == nullptr ? std::string_view() : std::string_view(text));
  }
}

}  // namespace mindgap::files

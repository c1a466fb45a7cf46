#pragma once

#include <hdf5.h>

#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "mindgap/files/isolation.h"

// The little of HDF5 that models need, with every size and type checked before memory is taken or read. Not a
// public header: it shows <hdf5.h>.
namespace mindgap::files {

/// Processor time in which HDF5 reads anything small, on a slow machine.
constexpr double kProbeSeconds = 2;

/// While one lives, HDF5 is ours alone (the library is not built for threads) and prints nothing by itself.
class Hdf5Session {
 public:
  Hdf5Session();
  ~Hdf5Session();
  Hdf5Session(const Hdf5Session&) = delete;
  Hdf5Session& operator=(const Hdf5Session&) = delete;

 private:
  std::lock_guard<std::mutex> lock_;
  H5E_auto2_t print_ = nullptr;
  void* print_data_ = nullptr;
};

/// Owns an HDF5 identifier.
class Hdf5Handle {
 public:
  Hdf5Handle() = default;
  Hdf5Handle(hid_t id, herr_t (*close)(hid_t)) : id_(id), close_(close) {}
  ~Hdf5Handle() { reset(); }
  Hdf5Handle(Hdf5Handle&& other) noexcept : id_(other.id_), close_(other.close_) { other.id_ = -1; }
  Hdf5Handle& operator=(Hdf5Handle&& other) noexcept;

  hid_t get() const { return id_; }
  explicit operator bool() const { return id_ >= 0; }
  /// Closes now; false where HDF5 reports an error, such as a full disk.
  bool reset();

 private:
  hid_t id_ = -1;
  herr_t (*close_)(hid_t) = nullptr;
};

/// A dataset of rank 0, 1 or 2 in the root group whose claimed size the file can hold.
struct Hdf5Dataset {
  Hdf5Handle handle, type;
  std::string name;
  bool scalar = false;
  bool chunked = false;
  std::size_t size = 0;            // number of elements
  std::size_t columns = 1;         // of a matrix
  std::size_t chunk_bytes = 0;     // of one chunk as it is in memory, where chunked
  std::size_t line_of_chunks = 1;  // of a matrix: how many chunks lie side by side

  std::size_t rows() const { return columns == 0 ? 0 : size / columns; }
};

/// Reads the root group of an open file. Everything wrong throws InvalidModel with the file's name.
class Hdf5Reader {
 public:
  Hdf5Reader(hid_t file, std::string name);

  const std::string& name() const { return name_; }
  /// Refuses datasets not in `datasets`, and attributes not in `attributes` other than those that tools put
  /// there (in capitals, or with a leading underscore).
  void check_known(std::span<const std::string_view> datasets,
                   std::span<const std::string_view> attributes) const;

  /// Reads whatever makes HDF5 interpret the file (the data of contiguous numbers aside) and forgets it.
  /// `goes_on` is told after every piece how much processor time the next may need.
  void probe(std::span<const std::string_view> datasets, std::span<const std::string_view> attributes,
             const GoesOn& goes_on) const;

  std::optional<std::string> text_attribute(const char* name) const;
  std::optional<double> number_attribute(const char* name) const;

  bool has(const char* name) const { return H5Lexists(file_, name, H5P_DEFAULT) > 0; }
  std::optional<Hdf5Dataset> find(const char* name) const;
  std::optional<Hdf5Dataset> find_matrix(const char* name) const;  // of rank 2
  Hdf5Dataset get(const char* name) const;                         // throws where it is missing

  std::vector<double> numbers(const Hdf5Dataset& dataset) const;
  /// Integers that do not fit are clipped to the nearest that does.
  std::vector<std::int32_t> int32s(const Hdf5Dataset& dataset) const;
  std::vector<std::int64_t> int64s(const Hdf5Dataset& dataset) const;
  /// The same of `count` elements from `begin` on, which must be there.
  std::vector<double> numbers(const Hdf5Dataset& dataset, std::size_t begin, std::size_t count) const;
  std::vector<std::int32_t> int32s(const Hdf5Dataset& dataset, std::size_t begin, std::size_t count) const;
  std::vector<std::int64_t> int64s(const Hdf5Dataset& dataset, std::size_t begin, std::size_t count) const;
  /// Calls `take` with each string in order.
  void strings(const Hdf5Dataset& dataset, const std::function<void(std::string_view)>& take) const;
  /// Calls `take(first element, elements)` for pieces of the dataset in order, so that little memory is used.
  void pieces(const Hdf5Dataset& dataset,
              const std::function<void(std::size_t, std::span<const double>)>& take) const;
  void pieces(const Hdf5Dataset& dataset,
              const std::function<void(std::size_t, std::span<const std::int32_t>)>& take) const;

  /// Where the numbers of a dataset begin in the file. Throws where they do not lie there as they are in
  /// memory: in one piece, of this type, and at a multiple of their size.
  std::uint64_t place(const Hdf5Dataset& dataset, hid_t type) const;

  [[noreturn]] void fail(const std::string& problem, std::string value = {}) const;

 private:
  // Ranks up to `most`.
  std::optional<Hdf5Dataset> find(const char* name, int most, int& rank) const;
  void check_storage(Hdf5Dataset& dataset) const;
  void probe(const Hdf5Dataset& dataset, const GoesOn& goes_on) const;
  void widen_cache(Hdf5Dataset& dataset) const;
  void check_numeric(const Hdf5Dataset& dataset, bool integer) const;
  void read(const Hdf5Dataset& dataset, hid_t type, void* out) const;
  void read_piece(const Hdf5Dataset& dataset, hid_t type, std::size_t begin, std::size_t count,
                  void* out) const;
  template <typename T>
  std::vector<T> read_part(const Hdf5Dataset& dataset, hid_t type, std::size_t begin,
                           std::size_t count) const;
  template <typename T, typename Take>
  void read_pieces(const Hdf5Dataset& dataset, hid_t type, const Take& take) const;
  void fixed_strings(const Hdf5Dataset& dataset, const std::function<void(std::string_view)>& take) const;
  void variable_strings(const Hdf5Dataset& dataset, const std::function<void(std::string_view)>& take) const;

  hid_t file_;
  std::string name_;
  std::uint64_t file_size_ = 0;
};

/// Writes to the root group of a new file. Whatever fails throws StoreError with the file's name.
class Hdf5Writer {
 public:
  Hdf5Writer(hid_t file, std::string name) : file_(file), name_(std::move(name)) {}

  void text_attribute(const char* name, std::string_view text);
  void number_attribute(const char* name, double value);
  void integer_attribute(const char* name, std::int64_t value);
  void scalar(const char* name, double value);
  void numbers(const char* name, std::span<const double> values);
  /// Row by row.
  void matrix(const char* name, std::size_t rows, std::span<const double> values);
  void int32s(const char* name, std::span<const std::int32_t> values);
  void int64s(const char* name, std::span<const std::int64_t> values);
  /// Strings without NUL bytes.
  void strings(const char* name, std::size_t count, const std::function<std::string_view(std::size_t)>& text);

 private:
  void attribute(const char* name, hid_t type, const void* value);
  void dataset(const char* name, hid_t file_type, hid_t memory_type, hid_t space, const void* values);
  void vector(const char* name, hid_t file_type, hid_t memory_type, std::size_t size, const void* values);
  void check(bool good, const char* name) const;

  hid_t file_;
  std::string name_;
};

}  // namespace mindgap::files

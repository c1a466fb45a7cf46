#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>

#include "mindgap/base/shared_array.h"

namespace mindgap::files {

/// A file as memory that the system reads when it is looked at and may forget again: arrays in it need no
/// memory of their own. A file that becomes shorter, or cannot be read, while it is used would end the
/// program with SIGBUS; here its missing pages turn into zeros, and check_mapped_files() throws. So whoever
/// computes with mapped numbers calls that now and then, and before believing a result. A file that is
/// overwritten is noticed in the same way, by its size and time of modification; but what was read before is
/// not checked again.
class MappedFile {
 public:
  /// Throws StoreError.
  explicit MappedFile(const std::filesystem::path& path);

  /// `count` numbers from byte `offset` on, which must be a multiple of their size and lie in the file. They
  /// keep the file mapped.
  template <typename T>
  base::SharedArray<T> array(std::uint64_t offset, std::size_t count) const {
    return {std::span(reinterpret_cast<const T*>(bytes(offset, count * sizeof(T))), count), mapping_};
  }
  /// Whether these numbers lie in the file.
  bool contains(const void* place) const;

 private:
  struct Mapping;
  friend void check_mapped_files();
  const std::byte* bytes(std::uint64_t offset, std::size_t size) const;

  std::shared_ptr<const Mapping> mapping_;
};

/// Throws StoreError that names the file where one that is mapped now has become shorter, cannot be read any
/// more, or was written to. Next to nothing where none is mapped.
void check_mapped_files();

}  // namespace mindgap::files

#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "mindgap/files/text_file.h"

namespace mindgap::files {

/// A square matrix, row after row.
struct SquareMatrix {
  std::int32_t size = 0;
  std::vector<double> entries;
};

/// One line per row, entries separated by commas, no header. Throws StoreError where the file cannot be
/// opened, InvalidModel with file and line where an entry is no finite number or the matrix is not square.
SquareMatrix read_square_matrix(const std::filesystem::path& path);
SquareMatrix parse_square_matrix(const TextFile& file);

}  // namespace mindgap::files

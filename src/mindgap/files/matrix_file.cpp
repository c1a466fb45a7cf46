#include "mindgap/files/matrix_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "mindgap/base/error.h"
#include "mindgap/base/number.h"

namespace mindgap::files {
namespace {

std::string_view without_blanks(std::string_view text) {
  constexpr std::string_view kSpace = " \t\r";
  const std::size_t first = text.find_first_not_of(kSpace);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kSpace) - first + 1);
}

// Appends the entries of one line; returns how many.
std::int32_t read_row(const TextFile& file, std::int64_t line, std::string_view text,
                      std::vector<double>& entries) {
  std::int32_t count = 0;
  for (std::size_t at = 0; at <= text.size(); ++count) {
    const std::size_t end = std::min(text.find(',', at), text.size());
    const std::string_view cell = without_blanks(text.substr(at, end - at));
    double value = 0;
    if (base::parse_number(cell, value) != base::NumberStatus::ok || !std::isfinite(value)) {
      throw InvalidModel("an entry of a matrix must be a finite number",
                         {.file = file.name, .line = line, .value = excerpt(cell)});
    }
    entries.push_back(value);
    at = end + 1;
  }
  return count;
}

}  // namespace

SquareMatrix read_square_matrix(const std::filesystem::path& path) {
  return parse_square_matrix(open_text_file(path));
}

SquareMatrix parse_square_matrix(const TextFile& file) {
  SquareMatrix matrix;
  std::int64_t line = 0;
  std::int32_t rows = 0;
  for (std::size_t at = 0; at < file.text.size();) {
    const std::size_t end = std::min(file.text.find('\n', at), file.text.size());
    const std::string_view text = without_blanks(file.text.substr(at, end - at));
    at = end + 1;
    ++line;
    if (text.empty() && without_blanks(file.text.substr(std::min(at, file.text.size()))).empty()) break;
    const std::int32_t count = read_row(file, line, text, matrix.entries);
    if (rows == 0) matrix.size = count;
    if (count != matrix.size || ++rows > matrix.size) {
      throw InvalidModel(
          fmt::format("a matrix with {} columns must have as many rows, and all of that length", matrix.size),
          {.file = file.name, .line = line, .value = fmt::format("{} entries", count)});
    }
  }
  if (rows == 0 || rows != matrix.size) {
    throw InvalidModel(
        fmt::format("a matrix must be square, but this one has {} rows and {} columns", rows, matrix.size),
        {.file = file.name});
  }
  return matrix;
}

}  // namespace mindgap::files

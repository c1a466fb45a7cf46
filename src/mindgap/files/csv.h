#pragma once

#include <cstdint>
#include <deque>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "mindgap/base/error.h"

namespace mindgap::files {

inline constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

/// Columns that a reader does not know.
enum class OtherColumns {
  refused,
  taken,  // where each has a name of its own
  any,    // whatever they are called: tables of other programs repeat names and leave them out
};

/// Reads CSV as RFC 4180 has it: a header line, fields in quotes where they hold commas, quotes (doubled) or
/// line ends; LF or CRLF, an optional byte-order mark, an optional final line end. Records come in batches of
/// views into the text. Whatever is malformed throws InvalidModel with file and line, in the order of the
/// file: records before it have been handed out by then.
class CsvReader {
 public:
  static constexpr std::size_t kBatch = 256;

  /// `text` must outlive the reader. Every one of `wanted` must be a column, `allowed` may be; what is
  /// done with others, `others` says. Columns may come in any order.
  CsvReader(std::string_view text, std::string file, std::initializer_list<std::string_view> wanted,
            std::initializer_list<std::string_view> allowed = {},
            OtherColumns others = OtherColumns::refused);

  const std::string& file() const { return file_; }
  /// The names of all columns.
  const std::vector<std::string>& header() const { return header_; }
  /// The position of a column of the header, if it is there.
  std::optional<std::size_t> find_column(std::string_view name) const;
  /// The position of a wanted column.
  std::size_t column(std::string_view name) const { return *find_column(name); }

  /// Reads on; returns the number of records in the new batch, 0 at the end. Views from the batch before die.
  std::size_t next();
  std::string_view field(std::size_t record, std::size_t column) const {
    return fields_[record * columns_ + column];
  }
  /// The number in a field that is called `what` in messages; throws where it is none.
  double number(std::size_t record, std::size_t column, std::string_view what) const;

  /// Throws InvalidModel for a record of the current batch, with file and line added to `where`.
  [[noreturn]] void fail(std::size_t record, const std::string& problem, ModelLocation where = {}) const;
  /// The first line of a record of the current batch, from 1.
  std::int64_t line(std::size_t record) const { return line_at(begins_[record]); }
  /// How many bytes of the text lie before the batch's end, and how many there are.
  std::size_t bytes_read() const { return at_; }
  std::size_t bytes() const { return text_.size(); }

 private:
  void read_header(std::initializer_list<std::string_view> wanted,
                   std::initializer_list<std::string_view> allowed, OtherColumns others);
  void scan_window();
  bool take_plain_records();
  void take_record();
  std::string_view take_field();
  std::string_view take_quoted();
  bool at_record_end() const;
  std::int64_t line_at(std::size_t offset) const;
  [[noreturn]] void fail_at(std::size_t offset, const std::string& problem, std::string value = {}) const;

  std::string_view text_;
  std::string file_;
  std::vector<std::string> header_;
  std::size_t columns_ = 0;
  std::size_t at_ = 0;  // the next record begins here

  // The current batch.
  std::size_t records_ = 0;
  std::vector<std::string_view> fields_;
  std::vector<std::size_t> begins_;
  std::deque<std::string> unescaped_;  // fields with doubled quotes; a deque so that views stay valid
  std::optional<InvalidModel> pending_;

  // Commas and line feeds of the window of text in which plain records (no quotes) are cut: each as
  // (offset << 1 | is line feed).
  std::size_t window_begin_ = 0, window_end_ = 0;
  bool window_plain_ = false;
  std::vector<std::uint32_t> separators_;
  std::size_t separator_ = 0, separator_count_ = 0;
};

}  // namespace mindgap::files

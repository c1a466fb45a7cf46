#pragma once

#include <string>
#include <string_view>

#include "mindgap/report/table.h"

// Pieces of HTML. Whatever comes from outside is escaped here.
namespace mindgap::report {

/// Text as the content of an element or of a quoted attribute. Control characters, which HTML does not have,
/// become U+FFFD; line ends and tabs stay.
std::string escaped(std::string_view text);

/// <table> with a header; columns of numbers to the right; the first `most` rows.
std::string html_table(const Table& table, std::size_t most = static_cast<std::size_t>(-1));

/// The same in a box of its own that scrolls where it is too wide.
std::string scrolled(const Table& table, std::size_t most = static_cast<std::size_t>(-1));

/// A table as a block of a page: title, rows, and a link that saves it as `file`.
std::string table_block(const Table& table, const std::string& file);

/// RFC 4648.
std::string base64(std::string_view content);

/// A link that saves `content` as `file`: all of it is in the link, and nothing is asked from anywhere.
std::string save_link(std::string_view type, std::string_view content, const std::string& file,
                      const std::string& text);

/// "published-beside-ours" of "Published beside ours": a-z, 0-9 and -; "table" where nothing is left.
std::string file_stem(std::string_view title);

}  // namespace mindgap::report

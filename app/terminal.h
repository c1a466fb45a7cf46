#pragma once

#include <cstdio>
#include <string>
#include <string_view>

// What depends on where the output goes: its width, and whether it may be coloured.
namespace mindgap::app {

enum class Style { bold, red, yellow };

/// Whether text written to `file` may have colours: it is a terminal, and NO_COLOR and TERM=dumb do not
/// forbid it.
bool has_colour(std::FILE* file);
/// The text in a style where `colour` allows it, else as it is.
std::string styled(std::string_view text, Style style, bool colour);
/// Makes every line that states a verdict bold.
std::string with_bold_verdict(const std::string& text);
/// Columns of help: those of the terminal (at most 100), else $COLUMNS, else 80. At least 40.
std::size_t help_width();
/// Breaks text at spaces into lines of at most `width` columns. Lines after the first begin with `indent`
/// spaces. A word is never split, also where it is longer than a line.
std::string folded(std::string_view text, std::size_t width, std::size_t indent,
                   std::string_view line_end = "");

}  // namespace mindgap::app

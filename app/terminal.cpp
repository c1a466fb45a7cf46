#include "terminal.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

namespace mindgap::app {
namespace {

constexpr std::size_t kNarrowest = 40, kUsual = 80, kWidest = 100;

// 0 where it is not set, or not a number.
std::size_t columns_of_environment() {
  const char* text = std::getenv("COLUMNS");
  return text == nullptr ? 0 : static_cast<std::size_t>(std::clamp(std::atol(text), 0L, 100'000L));
}

}  // namespace

bool has_colour(std::FILE* file) {
  const char* forbidden = std::getenv("NO_COLOR");
  const char* terminal = std::getenv("TERM");
  return isatty(fileno(file)) != 0 && (forbidden == nullptr || *forbidden == '\0') && terminal != nullptr &&
         std::string_view(terminal) != "dumb";
}

std::string styled(std::string_view text, Style style, bool colour) {
  if (!colour) return std::string(text);
  const char* code = style == Style::bold ? "1" : style == Style::red ? "1;31" : "1;33";
  return fmt::format("\x1b[{}m{}\x1b[0m", code, text);
}

std::string with_bold_verdict(const std::string& text) {
  constexpr std::string_view kVerdict = "Verdict:";
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line = std::string_view(text).substr(at, end - at);
    out += styled(line, Style::bold, line.starts_with(kVerdict));
    if (end < text.size()) out += '\n';
    at = end + 1;
  }
  return out;
}

std::size_t help_width() {
  winsize size{};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
    return std::clamp<std::size_t>(size.ws_col, kNarrowest, kWidest);
  const std::size_t asked = columns_of_environment();
  return asked == 0 ? kUsual : std::max(asked, kNarrowest);
}

std::string folded(std::string_view text, std::size_t width, std::size_t indent, std::string_view line_end) {
  std::string out;
  std::size_t column = 0;
  while (!text.empty()) {
    const std::size_t space = std::min(text.find(' '), text.size());
    const std::string_view word = text.substr(0, space);
    text.remove_prefix(std::min(space + 1, text.size()));
    if (word.empty()) continue;
    if (column > 0 && column + 1 + word.size() + line_end.size() > width) {
      out += line_end;
      out += '\n' + std::string(indent, ' ');
      column = indent;
    } else if (column > 0) {
      out += ' ';
      ++column;
    }
    out += word;
    column += word.size();
  }
  return out;
}

}  // namespace mindgap::app

#include <fmt/format.h>

#include <algorithm>

#include "manual.h"
#include "terminal.h"

namespace mindgap::app {
namespace {

struct HelpRow {
  std::string left, right;
};

std::string left_of(const OptionEntry& option) {
  std::string left = option.short_name.empty() ? option.name : option.short_name + ", " + option.name;
  if (!option.value.empty()) left += " " + option.value;
  return left;
}

constexpr char kUnbroken = '\x1f';  // a space at which no line ends

// "[from 0 to 1]" stays on one line; longer brackets need not.
std::string with_whole_brackets(std::string text) {
  constexpr std::size_t kLongest = 20;
  for (std::size_t open = text.find('['); open != std::string::npos; open = text.find('[', open + 1)) {
    const std::size_t close = text.find(']', open);
    if (close == std::string::npos || close - open > kLongest) continue;
    std::replace(text.begin() + static_cast<std::ptrdiff_t>(open),
                 text.begin() + static_cast<std::ptrdiff_t>(close), ' ', kUnbroken);
  }
  return text;
}

// Two columns; what is too long for the left one has its text on the next line.
std::string in_columns(const std::vector<HelpRow>& rows, std::size_t width) {
  std::size_t column = 0;
  for (const HelpRow& row : rows) column = std::max(column, row.left.size());
  column = std::min(column, std::max<std::size_t>(12, width / 3 - 4)) + 4;
  std::string out;
  for (const HelpRow& row : rows) {
    out += "  " + row.left;
    if (row.right.empty()) {
      out += '\n';
      continue;
    }
    out += row.left.size() + 4 > column ? '\n' + std::string(column, ' ')
                                        : std::string(column - 2 - row.left.size(), ' ');
    const std::string text = folded(with_whole_brackets(row.right), width - column, 0);
    for (const char c : text) {
      out += c == '\n' ? '\n' + std::string(column, ' ') : std::string(1, c == kUnbroken ? ' ' : c);
    }
    out += '\n';
  }
  return out;
}

std::string usage_of(const CommandEntry& command) {
  std::string usage = "Usage: " + command.path + (command.commands.empty() ? " [OPTIONS]" : " COMMAND");
  for (const Section& section : command.sections) {
    if (section.title != "Arguments") continue;
    for (const OptionEntry& argument : section.options) usage += " " + argument.name;
  }
  return usage;
}

// Lines that begin with spaces are commands: where they are broken, a backslash says so.
std::string footer_of(const CommandEntry& command, std::size_t width) {
  std::string out, rest = command.footer;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    const std::string line = rest.substr(0, end);
    rest.erase(0, end + 1);
    out += line.starts_with("  ") ? "  " + folded(line, width - 2, 4, " \\") : folded(line, width, 0);
    out += '\n';
  }
  return out;
}

}  // namespace

std::string help_text(const CommandEntry& command, std::size_t width, bool colour) {
  const auto title = [&](const std::string& text) {
    return "\n" + styled(text + ":", Style::bold, colour) + "\n";
  };
  std::string out = folded(command.text, width, 0) + "\n\n" + folded(usage_of(command), width, 7) + "\n";
  for (const Section& section : command.sections) {
    std::vector<HelpRow> rows;
    for (const OptionEntry& option : section.options) rows.push_back({left_of(option), option.text});
    out += title(section.title) + in_columns(rows, width);
  }
  if (!command.commands.empty()) {
    std::vector<HelpRow> rows;
    for (const CommandEntry& below : command.commands) rows.push_back({below.name(), below.text});
    out += title("Commands") + in_columns(rows, width);
  }
  if (!command.footer.empty()) out += "\n" + footer_of(command, width);
  return out;
}

}  // namespace mindgap::app

#include <fmt/format.h>

#include <algorithm>

#include "manual.h"

namespace mindgap::app {
namespace {

// Text for roff: no character of it is an instruction.
std::string in_roff(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '\\') {
      out += "\\e";
    } else if (c == '-') {
      out += "\\-";
    } else if ((c == '.' || c == '\'') && (out.empty() || out.back() == '\n')) {
      out += std::string("\\&") + c;
    } else {
      out += c;
    }
  }
  return out;
}

std::string in_capitals(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return text;
}

std::string with_hyphens(std::string text) {
  std::replace(text.begin(), text.end(), ' ', '-');
  return text;
}

std::string synopsis_of(const CommandEntry& command) {
  std::string out = fmt::format(".B {}\n", in_roff(command.path));
  out += command.commands.empty() ? "[\\fIOPTIONS\\fR]\n" : "\\fICOMMAND\\fR\n";
  for (const Section& section : command.sections) {
    if (section.title != "Arguments") continue;
    for (const OptionEntry& argument : section.options)
      out += fmt::format("\\fI{}\\fR\n", in_roff(argument.name));
  }
  return out;
}

std::string option_in_roff(const OptionEntry& option) {
  std::string out = ".TP\n";
  if (!option.short_name.empty()) out += fmt::format("\\fB{}\\fR, ", in_roff(option.short_name));
  out += fmt::format("\\fB{}\\fR", in_roff(option.name));
  if (!option.value.empty()) out += fmt::format(" \\fI{}\\fR", in_roff(option.value));
  return out + "\n" + in_roff(option.text) + "\n";
}

// Lines that begin with spaces are commands and stay as they are; others are filled.
std::string footer_in_roff(const std::string& footer) {
  std::string out, rest = footer;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    const std::string line = rest.substr(0, end);
    rest.erase(0, end + 1);
    out += line.starts_with(' ') ? fmt::format(".nf\n{}\n.fi\n", in_roff(line))
                                 : fmt::format(".PP\n{}\n", in_roff(line));
  }
  return out;
}

// "mindgap: should you experiment ..." -> "should you experiment ...": the name stands before it already.
std::string purpose_of(const CommandEntry& command) {
  const std::string prefix = command.path + ": ";
  return command.text.starts_with(prefix) ? command.text.substr(prefix.size()) : command.text;
}

}  // namespace

std::string man_page(const CommandEntry& command, const std::string& version, const std::string& date) {
  // Left-aligned and not hyphenated, as names of columns and options are among the words.
  std::string out = fmt::format(
      ".TH {} 1 \"{}\" \"mindgap {}\" \"User Commands\"\n.nh\n.ad l\n.SH NAME\n{} \\- {}\n.SH SYNOPSIS\n{}",
      in_roff(in_capitals(with_hyphens(command.path))), date, in_roff(version),
      in_roff(with_hyphens(command.path)), in_roff(purpose_of(command)), synopsis_of(command));
  for (const Section& section : command.sections) {
    out += fmt::format(".SH {}\n", in_roff(in_capitals(section.title)));
    for (const OptionEntry& option : section.options) out += option_in_roff(option);
  }
  if (!command.commands.empty()) out += ".SH COMMANDS\n";
  for (const CommandEntry& below : command.commands) {
    out += fmt::format(".TP\n\\fB{}\\fR\n{}\n", in_roff(below.name()), in_roff(below.text));
  }
  if (!command.footer.empty()) out += ".SH NOTES\n" + footer_in_roff(command.footer);
  if (command.commands.empty()) return out + ".SH SEE ALSO\n.BR mindgap (1)\n";
  out += ".SH SEE ALSO\n";
  for (std::size_t i = 0; i < command.commands.size(); ++i) {
    const bool last = i + 1 == command.commands.size();
    out += fmt::format(".BR {} (1){}\n", in_roff(with_hyphens(command.commands[i].path)), last ? "" : ",");
  }
  return out;
}

}  // namespace mindgap::app

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

}  // namespace

std::string man_page(const CommandEntry& command, const std::string& version) {
  std::string out =
      fmt::format(".TH {} 1 \"\" \"mindgap {}\" \"User Commands\"\n.SH NAME\n{} \\- {}\n.SH SYNOPSIS\n{}",
                  in_roff(in_capitals(with_hyphens(command.path))), in_roff(version),
                  in_roff(with_hyphens(command.path)), in_roff(command.text), synopsis_of(command));
  for (const Section& section : command.sections) {
    out += fmt::format(".SH {}\n", in_roff(in_capitals(section.title)));
    for (const OptionEntry& option : section.options) out += option_in_roff(option);
  }
  if (!command.commands.empty()) out += ".SH COMMANDS\n";
  for (const CommandEntry& below : command.commands) {
    out += fmt::format(".TP\n\\fB{}\\fR\n{}\n", in_roff(below.name()), in_roff(below.text));
  }
  if (!command.footer.empty()) out += fmt::format(".SH NOTES\n.nf\n{}\n.fi\n", in_roff(command.footer));
  if (command.commands.empty()) return out + ".SH SEE ALSO\n.BR mindgap (1)\n";
  out += ".SH SEE ALSO\n";
  for (std::size_t i = 0; i < command.commands.size(); ++i) {
    const bool last = i + 1 == command.commands.size();
    out += fmt::format(".BR {} (1){}\n", in_roff(with_hyphens(command.commands[i].path)), last ? "" : ",");
  }
  return out;
}

}  // namespace mindgap::app

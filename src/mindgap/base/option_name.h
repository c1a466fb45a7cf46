#pragma once

#include <string>
#include <string_view>

// How a message calls an option: as whoever reads it writes it. The command line says `--time-limit 5`,
// Python says `time_limit=5`. Every message that names an option calls these, so that there is one place that
// knows.
namespace mindgap::base {

enum class Speech { command_line, python };

/// Says who reads the messages of this process. The Python module calls it when it is loaded; the default is
/// the command line.
void speak_to(Speech reader);
Speech spoken_to();

/// "--time-limit", or "time_limit" in Python. `name` is as on the command line, without the dashes.
std::string option_name(std::string_view name);
/// "--odds 2", or "odds=2" in Python; words become texts there: "--objective discounted",
/// "objective='discounted'".
std::string option_value(std::string_view name, std::string_view value);
/// Of an option that is there or not: "--correct", or "correct=True" in Python.
std::string option_flag(std::string_view name);

/// One of two wordings, for what is done in different ways and not merely spelled differently.
std::string_view told(std::string_view on_command_line, std::string_view in_python);

}  // namespace mindgap::base

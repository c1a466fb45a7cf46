#include "command.h"

// In place of study_serve.cpp where the server is left out: the Python package needs neither HTTP nor
// passwords.
namespace mindgap::app {

void add_study_serve(CLI::App&, CommonOptions&, Action&);

void add_study_serve(CLI::App&, CommonOptions&, Action&) {}

}  // namespace mindgap::app

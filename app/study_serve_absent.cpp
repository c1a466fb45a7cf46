#include "mindgap/base/error.h"
#include "study_send.h"

// In place of study_serve.cpp where the server is left out: the Python package needs neither HTTP nor
// passwords.
namespace mindgap::app {

void add_study_serve(CLI::App&, CommonOptions&, Action&);

void add_study_serve(CLI::App&, CommonOptions&, Action&) {}

int send_import(const command::StudyImported&, const SendOptions&, const CommonOptions&) {
  throw InvalidArgument(
      "study import --to: the command line of the Python package has no network; use the program");
}

}  // namespace mindgap::app

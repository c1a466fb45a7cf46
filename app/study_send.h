#pragma once

#include <string>

#include "command.h"
#include "mindgap/command/study_import.h"

namespace mindgap::app {

struct SendOptions {
  std::string url, token_file, file;
  bool correct = false;
};
/// Sends what an import would record to the server of the study. In study_serve.cpp; refused where the server
/// is left out.
int send_import(const command::StudyImported& found, const SendOptions& options, const CommonOptions& common);

}  // namespace mindgap::app

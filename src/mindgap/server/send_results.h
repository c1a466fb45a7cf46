#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "mindgap/study/study.h"

// Results go to a study that is served, as a program sends them (docs/reference/study-api.yaml).
namespace mindgap::server {

struct SendRequest {
  std::string url;              // http://127.0.0.1:8080
  std::string token = {};       // of a person; "": the study has no users
  std::string why = {};         // in the audit log
  bool correct = false;         // what replaces a result is sent as a correction
  const study::Recorded& rows;  // `results` are those to be sent, `state` is what they were checked by
};

/// What became of them, in the server's words.
struct SentResults {
  std::int64_t recorded = 0, completed = 0, corrected = 0, already = 0;
  std::vector<std::string> conflicts;  // kept for the owner to settle
  std::vector<std::string> refused;
};

/// Sends them in groups; each is taken or refused by itself. Sent again, what arrived is not recorded twice.
/// Throws StoreError where the server does not answer or does not know the sender, with what it had taken by
/// then.
SentResults send_results(const SendRequest& request);

}  // namespace mindgap::server

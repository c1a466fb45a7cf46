#include "mindgap/base/report_progress.h"

#include <utility>

#include "mindgap/base/interruption.h"

namespace mindgap::base {
namespace {

thread_local const OnProgress* listening = nullptr;

}  // namespace

ProgressListener::ProgressListener(OnProgress listen)
    : listen_(std::move(listen)), before_(std::exchange(listening, &listen_)) {}

ProgressListener::~ProgressListener() {
  listening = before_;
}

const OnProgress* current_listener() {
  return listening;
}

void report_progress(const char* what, std::int64_t done, std::int64_t total) {
  interruption_point();
  if (listening != nullptr && *listening) (*listening)(what, done, total);
}

}  // namespace mindgap::base

#include "mindgap/base/report_progress.h"

#include <utility>

#include "mindgap/base/interruption.h"

namespace mindgap::base {
namespace {

thread_local const OnProgress* current = nullptr;

}  // namespace

ProgressListener::ProgressListener(OnProgress listen)
    : listen_(std::move(listen)), before_(std::exchange(current, &listen_)) {}

ProgressListener::~ProgressListener() {
  current = before_;
}

const OnProgress* current_listener() {
  return current;
}

void report_progress(const char* what, std::int64_t done, std::int64_t total) {
  interruption_point();
  if (current != nullptr && *current) (*current)(what, done, total);
}

}  // namespace mindgap::base

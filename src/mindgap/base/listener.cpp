#include "mindgap/base/listener.h"

#include <utility>

namespace mindgap::base {
namespace {

thread_local const Listener* listening = nullptr;

Listener completed(Listener listener) {
  if (listening == nullptr) return listener;
  if (!listener.progress) listener.progress = listening->progress;
  if (!listener.stop) listener.stop = listening->stop;
  if (!listener.estimate) listener.estimate = listening->estimate;
  if (!listener.warning) listener.warning = listening->warning;
  if (!listener.look) listener.look = listening->look;
  return listener;
}

}  // namespace

Listening::Listening(Listener listener)
    : listener_(completed(std::move(listener))), before_(std::exchange(listening, &listener_)) {}

Listening::~Listening() {
  listening = before_;
}

const Listener* current_listener() {
  return listening;
}

void report_progress(const std::string& what, std::int64_t done, std::int64_t total) {
  interruption_point();
  if (listening != nullptr) listening->tell(what, done, total);
}

void interruption_point() {
  if (listening != nullptr && listening->look) listening->look();
}

BorrowedListener::BorrowedListener(const Listener* listener) : before_(std::exchange(listening, listener)) {}

BorrowedListener::~BorrowedListener() {
  listening = before_;
}

}  // namespace mindgap::base

#include "mindgap/base/interruption.h"

#include <utility>

namespace mindgap::base {
namespace {

thread_local const std::function<void()>* current = nullptr;

}  // namespace

Interruption::Interruption(std::function<void()> look) : look_(std::move(look)), before_(current) {
  current = &look_;
}

Interruption::~Interruption() {
  current = before_;
}

void interruption_point() {
  if (current != nullptr) (*current)();
}

const std::function<void()>* current_look() {
  return current;
}

BorrowedLook::BorrowedLook(const std::function<void()>* look) : before_(std::exchange(current, look)) {}

BorrowedLook::~BorrowedLook() {
  current = before_;
}

}  // namespace mindgap::base

#include "mindgap/base/interruption.h"

#include <utility>

namespace mindgap::base {
namespace {

thread_local const std::function<void()>* looking = nullptr;

}  // namespace

Interruption::Interruption(std::function<void()> look) : look_(std::move(look)), before_(looking) {
  looking = &look_;
}

Interruption::~Interruption() {
  looking = before_;
}

void interruption_point() {
  if (looking != nullptr) (*looking)();
}

const std::function<void()>* current_look() {
  return looking;
}

BorrowedLook::BorrowedLook(const std::function<void()>* look) : before_(std::exchange(looking, look)) {}

BorrowedLook::~BorrowedLook() {
  looking = before_;
}

}  // namespace mindgap::base

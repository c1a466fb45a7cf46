#include "mindgap/base/workers.h"

#include <fmt/format.h>

#include <utility>

#include "mindgap/base/error.h"

namespace mindgap::base {
namespace {

[[noreturn]] void damaged(const std::string& what) {
  throw InvalidArgument(fmt::format("numbers that another process computed are damaged: {}", what));
}

thread_local Workers* current = nullptr;

}  // namespace

SharedBy::SharedBy(Workers* workers) : before_(std::exchange(current, workers)) {}
SharedBy::~SharedBy() {
  current = before_;
}

bool are_shared() {
  return current != nullptr;
}

void announce(const std::string& inputs) {
  if (current != nullptr) current->begin(inputs);
}

void share(const Stage& stage, const Workers::Here& here, const Workers::Take& take) {
  Workers* workers = current;
  workers->run(
      stage,
      [&](std::int64_t first, std::int64_t last) {
        const SharedBy nobody(nullptr);
        return here(first, last);
      },
      take);
}

void check_piece(const Stage& stage, std::size_t numbers, std::size_t wanted) {
  if (numbers != wanted) damaged(fmt::format("{}: {} numbers, not {}", stage.name, numbers, wanted));
}

double NumberReader::next() {
  if (at_ >= from_.size()) damaged("they end too early");
  return from_[at_++];
}

std::size_t NumberReader::size() {
  const double value = next();
  if (!(value >= 0) || value > static_cast<double>(from_.size() - at_))
    damaged("a list is longer than what is there");
  return static_cast<std::size_t>(value);
}

}  // namespace mindgap::base

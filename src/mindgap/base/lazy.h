#pragma once

#include <atomic>
#include <memory>
#include <mutex>

namespace mindgap::base {

/// A value that is made when it is first asked for. Copies share it: whoever asks first makes it for all of
/// them, so it must be a function of what the copies have in common. Safe to ask from several threads.
template <typename Value>
class Lazy {
 public:
  /// The value; `make()` gives it where nobody has asked before. What it throws is thrown on, and the next
  /// one who asks tries again.
  template <typename Make>
  const Value& get(Make make) const {
    if (const Value* ready = place_->ready.load(std::memory_order_acquire)) return *ready;
    const std::lock_guard lock(place_->mutex);
    if (!place_->value) {
      place_->value = std::make_unique<const Value>(make());
      place_->ready.store(place_->value.get(), std::memory_order_release);
    }
    return *place_->value;
  }

  /// Parts from the copies: this one will be made anew.
  void reset() { place_ = std::make_shared<Place>(); }

 private:
  struct Place {
    std::mutex mutex;
    std::unique_ptr<const Value> value;
    std::atomic<const Value*> ready = nullptr;  // value, once it is there
  };
  std::shared_ptr<Place> place_ = std::make_shared<Place>();
};

}  // namespace mindgap::base

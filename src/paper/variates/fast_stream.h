#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "mindgap/base/random.h"

namespace mindgap::variates {

/// A generator for inner loops that take many words one after the other: eight generators xoshiro256++
/// (Blackman and Vigna 2021, "Scrambled linear pseudorandom number generators", each with a state of 256 bits
/// and the period 2^256 - 1) that take turns, so that a processor steps them side by side. Word i is word
/// i / 8 of generator i % 8. A word costs less than a tenth of a Stream's. As a Stream it is a pure function
/// of its key: the first state of generator k is block k of the key's Philox, so generators start at
/// unrelated places of the period. (That any two of n overlap within m words has a probability below n^2 m /
/// 2^255.) Departure from Stream: there is no way to word i but through the words before it.
///
/// Satisfies std::uniform_random_bit_generator. Not thread-safe. A copy goes on from where the original is.
class FastStream {
 public:
  using result_type = std::uint64_t;
  static constexpr std::size_t kLanes = 8;
  using State = std::array<std::uint64_t, 4>;

  explicit FastStream(const base::StreamKey& key);
  /// Goes on from the states of the generators; none may be all 0.
  explicit FastStream(const std::array<State, kLanes>& states);

  /// The next 64 bits.
  std::uint64_t next() {
    if (used_ == kLanes) refill();
    return words_[used_++];
  }
  std::uint64_t operator()() { return next(); }
  /// The next words, as many as there is room for: what next() would give, for less each.
  void fill(std::span<std::uint64_t> words);
  static constexpr std::uint64_t min() { return 0; }
  static constexpr std::uint64_t max() { return ~std::uint64_t{0}; }

 private:
  void refill();

  alignas(64) std::array<std::array<std::uint64_t, kLanes>, 4> state_;  // word by word, all generators
  std::array<std::uint64_t, kLanes> words_{};
  std::size_t used_ = kLanes;  // words of words_ that were given out
};

}  // namespace mindgap::variates

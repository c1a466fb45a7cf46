#pragma once

#include <array>
#include <cstdint>
#include <span>

// Counter-based random streams. There is no global generator and no clock: a stream is a pure function of its
// key, so any draw of any trial can be had again without those before it, from any thread, in any order.
namespace mindgap::base {

/// What a stream is drawn for. Streams of different purposes never share a bit, so a planner that draws more
/// or less leaves the world as it is. Values below 2^32 are ours; a user casts their own from 2^32 up.
enum class Purpose : std::uint64_t {
  world = 1,     ///< the truth: transitions, rewards, hidden states
  planner = 2,   ///< choices of the planner: exploration coins, posterior samples it acts on
  belief = 3,    ///< models drawn from a belief for diagnosis or decision
  design = 4,    ///< target ensembles, who is sent on which route
  analysis = 5,  ///< resampling of finished results
  test = 6,      ///< our own tests
};

/// Names one stream. Two keys that differ in any field name streams that share no block of bits.
struct StreamKey {
  std::uint64_t seed;
  Purpose purpose;
  std::uint64_t trial = 0;
  std::uint64_t unit = 0;
  std::uint64_t step = 0;

  bool operator==(const StreamKey&) const = default;
};

/// The words of Philox4x64-10 (Salmon, Moraes, Dror, Shaw 2011, "Parallel random numbers: as easy as 1, 2,
/// 3") with key (seed, purpose) and counter (block, trial, unit, step), block = 0, 1, 2, ...
/// Philox is a bijection of the counter for each key and the fields are taken as they are, never hashed: a
/// block belongs to one stream only. A stream has 2^66 words. A copy goes on from where the original stands.
///
/// Satisfies std::uniform_random_bit_generator. Not thread-safe: give each thread its own stream.
class Stream {
 public:
  using result_type = std::uint64_t;

  /// Starts at the given block of four words: word i of the stream is word i % 4 of block i / 4.
  explicit Stream(const StreamKey& key, std::uint64_t block = 0) : key_(key), block_(block) {}

  /// The next 64 bits.
  std::uint64_t next() {
    if (used_ == words_.size()) refill();
    return words_[used_++];
  }
  std::uint64_t operator()() { return next(); }
  /// The next words, as many as there is room for: what next() would give, for less each.
  void fill(std::span<std::uint64_t> words);
  static constexpr std::uint64_t min() { return 0; }
  static constexpr std::uint64_t max() { return ~std::uint64_t{0}; }

  const StreamKey& key() const { return key_; }

 private:
  void refill();

  StreamKey key_;
  std::uint64_t block_;  // the next one to compute
  std::array<std::uint64_t, 4> words_{};
  std::size_t used_ = 4;  // words of words_ that were given out
};

}  // namespace mindgap::base

#include "mindgap/base/random.h"

#include <gtest/gtest.h>

#include <array>
#include <random>
#include <set>
#include <vector>

namespace mindgap::base {
namespace random_test {

static_assert(std::uniform_random_bit_generator<Stream>);

using Words = std::array<std::uint64_t, 4>;

Words first_words(Stream stream) {
  Words words;
  for (std::uint64_t& word : words) word = stream.next();
  return words;
}

// The vectors "philox4x64 10" of kat_vectors in Random123's distribution: counter, key, result.
TEST(Stream, KnownAnswers) {
  EXPECT_EQ(first_words(Stream({0, Purpose{0}})),
            (Words{0x16554d9eca36314c, 0xdb20fe9d672d0fdc, 0xd7e772cee186176b, 0x7e68b68aec7ba23b}));

  constexpr std::uint64_t kOnes = 0xffffffffffffffff;
  EXPECT_EQ(first_words(Stream({kOnes, Purpose{kOnes}, kOnes, kOnes, kOnes}, kOnes)),
            (Words{0x87b092c3013fe90b, 0x438c3c67be8d0224, 0x9cc7d7c69cd777b6, 0xa09caebf594f0ba0}));

  const StreamKey pi = {.seed = 0x452821e638d01377,
                        .purpose = Purpose{0xbe5466cf34e90c6c},
                        .trial = 0x13198a2e03707344,
                        .unit = 0xa4093822299f31d0,
                        .step = 0x082efa98ec4e6c89};
  EXPECT_EQ(first_words(Stream(pi, 0x243f6a8885a308d3)),
            (Words{0xa528f45403e61d95, 0x38c72dbd566e9788, 0xa5a1610e72fd18b5, 0x57bd43b5e52b7fe6}));
}

TEST(Stream, BlocksFollowOneAnother) {
  const StreamKey key = {42, Purpose::test, 1, 2, 3};
  Stream stream(key);
  for (std::uint64_t block = 0; block < 5; ++block) {
    const Words expected = first_words(Stream(key, block));
    for (const std::uint64_t word : expected) EXPECT_EQ(stream.next(), word);
  }
}

TEST(Stream, FillGivesTheNextWords) {
  const StreamKey key = {42, Purpose::test, 1, 2, 3};
  for (std::size_t before = 0; before < 6; ++before) {
    for (std::size_t size = 0; size < 14; ++size) {
      Stream one(key), other(key);
      for (std::size_t i = 0; i < before; ++i) EXPECT_EQ(one.next(), other.next());
      std::vector<std::uint64_t> words(size);
      one.fill(words);
      for (const std::uint64_t word : words) EXPECT_EQ(word, other.next());
      EXPECT_EQ(one.next(), other.next()) << before << " " << size;
    }
  }
}

TEST(Stream, EveryFieldOfTheKeyMakesAnotherStream) {
  std::set<std::uint64_t> seen;
  std::size_t drawn = 0;
  const std::vector<std::uint64_t> values = {0, 1, 2, 1ull << 32, 1ull << 63};
  const auto draw = [&](const StreamKey& key) {
    Stream stream(key);
    for (int i = 0; i < 8; ++i, ++drawn) seen.insert(stream.next());
  };
  for (const std::uint64_t value : values) {
    draw({.seed = 100 + value, .purpose = Purpose::test});
    draw({.seed = 42, .purpose = Purpose{100 + value}});
    draw({.seed = 42, .purpose = Purpose::test, .trial = 100 + value});
    draw({.seed = 42, .purpose = Purpose::test, .unit = 100 + value});
    draw({.seed = 42, .purpose = Purpose::test, .step = 100 + value});
  }
  EXPECT_EQ(seen.size(), drawn);  // 200 words of 64 bits: a chance repeat has probability 1e-15
}

TEST(Stream, DoesNotDependOnDrawsElsewhere) {
  const StreamKey world = {42, Purpose::world, 3}, planner = {42, Purpose::planner, 3};
  Stream alone(world);
  std::vector<std::uint64_t> expected;
  expected.reserve(20);
  for (int i = 0; i < 20; ++i) expected.push_back(alone.next());

  Stream stream(world), other(planner);
  for (int i = 0; i < 20; ++i) {
    for (int j = 0; j < i % 5; ++j) other.next();
    EXPECT_EQ(stream.next(), expected[static_cast<std::size_t>(i)]);
  }
}

TEST(Stream, CopyGoesOnFromTheSamePlace) {
  Stream stream({42, Purpose::test});
  for (int i = 0; i < 6; ++i) stream.next();
  Stream copy = stream;
  for (int i = 0; i < 10; ++i) EXPECT_EQ(copy.next(), stream.next());
}

TEST(Stream, CallIsNext) {
  Stream a({42, Purpose::test}), b({42, Purpose::test});
  for (int i = 0; i < 10; ++i) EXPECT_EQ(a(), b.next());
}

}  // namespace random_test
}  // namespace mindgap::base

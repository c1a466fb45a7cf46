#include "paper/variates/fast_stream.h"

#include <gtest/gtest.h>

#include <bit>
#include <random>
#include <set>
#include <vector>

namespace mindgap::variates {
namespace fast_stream_test {

static_assert(std::uniform_random_bit_generator<FastStream>);

constexpr base::StreamKey kKey = {42, base::Purpose::test, 1, 2, 3};

// The definition, one generator, written down once more.
struct Reference {
  FastStream::State s;

  std::uint64_t next() {
    const std::uint64_t word = std::rotl(s[0] + s[3], 23) + s[0], t = s[1] << 17;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = std::rotl(s[3], 45);
    return word;
  }
};

// What the authors' program gives from the state 1, 2, 3, 4 (the values that other libraries test against,
// too). The first is rotl(1 + 4, 23) + 1 = 5 2^23 + 1.
TEST(FastStream, KnownAnswers) {
  const std::vector<std::uint64_t> known = {41943041,
                                            58720359,
                                            3588806011781223,
                                            3591011842654386,
                                            9228616714210784205u,
                                            9973669472204895162u,
                                            14011001112246962877u,
                                            12406186145184390807u,
                                            15849039046786891736u,
                                            10450023813501588000u};
  std::array<FastStream::State, FastStream::kLanes> states;
  states.fill({1, 2, 3, 4});
  FastStream stream(states);
  Reference reference{{1, 2, 3, 4}};
  for (const std::uint64_t word : known) {
    EXPECT_EQ(reference.next(), word);
    for (std::size_t lane = 0; lane < FastStream::kLanes; ++lane) EXPECT_EQ(stream.next(), word);
  }
}

TEST(FastStream, GeneratorsTakeTurnsFromTheBlocksOfTheKey) {
  base::Stream blocks(kKey);
  std::vector<Reference> references(FastStream::kLanes);
  for (Reference& reference : references) {
    for (std::uint64_t& word : reference.s) word = blocks.next();
  }
  FastStream stream(kKey);
  for (int round = 0; round < 100; ++round) {
    for (Reference& reference : references) ASSERT_EQ(stream.next(), reference.next()) << round;
  }
}

TEST(FastStream, FillGivesTheNextWords) {
  for (std::size_t before = 0; before < 10; ++before) {
    for (std::size_t size = 0; size < 30; ++size) {
      FastStream one(kKey), other(kKey);
      for (std::size_t i = 0; i < before; ++i) EXPECT_EQ(one.next(), other.next());
      std::vector<std::uint64_t> words(size);
      one.fill(words);
      for (const std::uint64_t word : words) EXPECT_EQ(word, other.next());
      EXPECT_EQ(one.next(), other.next()) << before << " " << size;
    }
  }
}

TEST(FastStream, EveryFieldOfTheKeyCounts) {
  std::set<std::uint64_t> first;
  for (const base::StreamKey& key :
       {kKey, base::StreamKey{43, base::Purpose::test, 1, 2, 3},
        base::StreamKey{42, base::Purpose::world, 1, 2, 3}, base::StreamKey{42, base::Purpose::test, 2, 2, 3},
        base::StreamKey{42, base::Purpose::test, 1, 3, 3},
        base::StreamKey{42, base::Purpose::test, 1, 2, 4}}) {
    first.insert(FastStream(key).next());
  }
  EXPECT_EQ(first.size(), 6);
}

TEST(FastStream, ACopyGoesOn) {
  FastStream stream(kKey);
  for (int i = 0; i < 5; ++i) stream.next();
  FastStream copy = stream;
  for (int i = 0; i < 20; ++i) EXPECT_EQ(copy.next(), stream.next());
}

// Each bit is set in half of n words, within 5 standard errors sqrt(n)/2; and neighbouring words agree in
// half of their 64 n bits, within 5 sqrt(64 n)/2.
TEST(FastStream, BitsAreFair) {
  constexpr int kWords = 100'000;
  FastStream stream(kKey);
  std::array<int, 64> set{};
  double agree = 0;
  std::uint64_t last = 0;
  for (int i = 0; i < kWords; ++i) {
    const std::uint64_t word = stream.next();
    for (std::size_t bit = 0; bit < 64; ++bit) set[bit] += static_cast<int>((word >> bit) & 1);
    agree += std::popcount(~(word ^ last));
    last = word;
  }
  for (const int count : set) EXPECT_NEAR(count, kWords / 2.0, 5 * std::sqrt(kWords) / 2);
  EXPECT_NEAR(agree, 32.0 * kWords, 5 * std::sqrt(64.0 * kWords) / 2);
}

}  // namespace fast_stream_test
}  // namespace mindgap::variates

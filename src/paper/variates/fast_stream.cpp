#include "paper/variates/fast_stream.h"

#include <cstring>

#include "paper/variates/clones.h"

namespace mindgap::variates {
namespace {

// One word of each of four generators (a language extension of g++ and clang).
constexpr std::size_t kWidth = 4;
using Words = std::uint64_t __attribute__((vector_size(8 * kWidth)));

// `rounds` words of each generator: rotl(s0 + s3, 23) + s0, and then the linear step of the state.
MINDGAP_CLONES void step(std::uint64_t* state, std::uint64_t* words, std::size_t rounds) {
  constexpr std::size_t kLanes = FastStream::kLanes;
  for (std::size_t lane = 0; lane < kLanes; lane += kWidth) {
    Words a, b, c, d;
    std::memcpy(&a, state + lane, sizeof a);
    std::memcpy(&b, state + kLanes + lane, sizeof b);
    std::memcpy(&c, state + 2 * kLanes + lane, sizeof c);
    std::memcpy(&d, state + 3 * kLanes + lane, sizeof d);
    for (std::size_t round = 0; round < rounds; ++round) {
      const Words sum = a + d, word = ((sum << 23) | (sum >> 41)) + a, shifted = b << 17;
      c ^= a;
      d ^= b;
      b ^= c;
      a ^= d;
      c ^= shifted;
      d = (d << 45) | (d >> 19);
      std::memcpy(words + round * kLanes + lane, &word, sizeof word);
    }
    std::memcpy(state + lane, &a, sizeof a);
    std::memcpy(state + kLanes + lane, &b, sizeof b);
    std::memcpy(state + 2 * kLanes + lane, &c, sizeof c);
    std::memcpy(state + 3 * kLanes + lane, &d, sizeof d);
  }
}

std::array<FastStream::State, FastStream::kLanes> first_states(const base::StreamKey& key) {
  std::array<std::uint64_t, 4 * FastStream::kLanes> words;
  base::Stream(key).fill(words);
  std::array<FastStream::State, FastStream::kLanes> states;
  for (std::size_t i = 0; i < words.size(); ++i) states[i / 4][i % 4] = words[i];
  for (FastStream::State& state : states) {
    if (state == FastStream::State{}) state[0] = 1;  // 0 would stay 0 for ever
  }
  return states;
}

}  // namespace

FastStream::FastStream(const base::StreamKey& key) : FastStream(first_states(key)) {}

FastStream::FastStream(const std::array<State, kLanes>& states) {
  for (std::size_t lane = 0; lane < kLanes; ++lane) {
    for (std::size_t word = 0; word < 4; ++word) state_[word][lane] = states[lane][word];
  }
}

void FastStream::refill() {
  step(state_[0].data(), words_.data(), 1);
  used_ = 0;
}

void FastStream::fill(std::span<std::uint64_t> words) {
  std::size_t i = 0;
  while (i < words.size() && used_ < kLanes) words[i++] = words_[used_++];
  const std::size_t rounds = (words.size() - i) / kLanes;
  if (rounds > 0) step(state_[0].data(), words.data() + i, rounds);
  for (i += rounds * kLanes; i < words.size(); ++i) words[i] = next();
}

}  // namespace mindgap::variates

#include "mindgap/base/random.h"

#include <Random123/philox.h>

namespace mindgap::base {
namespace {

inline r123::Philox4x64::ctr_type block_of(const StreamKey& key, std::uint64_t block) {
  static_assert(philox4x64_rounds == 10);
  return r123::Philox4x64{}({{block, key.trial, key.unit, key.step}},
                            {{key.seed, static_cast<std::uint64_t>(key.purpose)}});
}

}  // namespace

void Stream::refill() {
  const auto words = block_of(key_, block_++);
  for (std::size_t i = 0; i < words_.size(); ++i) words_[i] = words[i];
  used_ = 0;
}

void Stream::fill(std::span<std::uint64_t> words) {
  std::size_t i = 0;
  while (i < words.size() && used_ < words_.size()) words[i++] = words_[used_++];
  const StreamKey key = key_;  // which the words written cannot be
  std::uint64_t next_block = block_;
  for (; i + 4 <= words.size(); i += 4) {
    const auto block = block_of(key, next_block++);
    for (std::size_t j = 0; j < 4; ++j) words[i + j] = block[j];
  }
  block_ = next_block;
  while (i < words.size()) words[i++] = next();
}

}  // namespace mindgap::base

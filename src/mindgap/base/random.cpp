#include "mindgap/base/random.h"

#include <Random123/philox.h>

namespace mindgap::base {

void Stream::refill() {
  const r123::Philox4x64::ctr_type counter = {{block_, key_.trial, key_.unit, key_.step}};
  const r123::Philox4x64::key_type key = {{key_.seed, static_cast<std::uint64_t>(key_.purpose)}};
  static_assert(philox4x64_rounds == 10);
  const auto words = r123::Philox4x64{}(counter, key);
  for (std::size_t i = 0; i < words_.size(); ++i) words_[i] = words[i];
  ++block_;
  used_ = 0;
}

}  // namespace mindgap::base

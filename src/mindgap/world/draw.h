#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include "mindgap/base/distributions.h"
#include "mindgap/world/hidden_model.h"

// Draws from a HiddenModel. One word each, whatever the numbers.
namespace mindgap::world {

/// base::categorical from one law again and again, in logarithmic time.
class Cumulative {
 public:
  explicit Cumulative(std::span<const double> probability) : sum_(probability.size()) {
    std::partial_sum(probability.begin(), probability.end(), sum_.begin());
    while (last_ + 1 < sum_.size() && sum_[last_] < sum_.back()) ++last_;
  }

  std::int32_t draw(base::Stream& stream) const {
    const auto it = std::upper_bound(sum_.begin(), sum_.end(), base::uniform(stream));
    return static_cast<std::int32_t>(it == sum_.end() ? last_ : static_cast<std::size_t>(it - sum_.begin()));
  }

 private:
  std::vector<double> sum_;
  std::size_t last_ = 0;  // the last entry of positive probability that is seen in the sum
};

/// The part of `law` (per state and hidden state) that belongs to a state.
inline std::span<const double> hidden_law(const HiddenModel& model, std::span<const double> law,
                                          std::int32_t state) {
  return law.subspan(model.cell(state, 0), static_cast<std::size_t>(model.hidden()));
}

struct Draw {
  double reward;
  std::int32_t next_state, next_hidden;
};

/// Two words: the joint transition, then the reward.
inline Draw draw_step(base::Stream& stream, const HiddenModel& model, std::int32_t pair,
                      std::int32_t hidden) {
  const std::size_t cell = model.cell(pair, hidden);
  const auto entries = model.entries_of(cell);
  const std::int64_t i =
      entries.first() + base::categorical(stream, base::part_of(model.probability(), entries));
  const double noise = base::normal(stream);
  return {model.reward()[cell] + std::sqrt(model.variance()[cell]) * noise, model.next_state()[i],
          model.next_hidden()[i]};
}

}  // namespace mindgap::world

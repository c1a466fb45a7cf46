#include "mindgap/mdp/envelope.h"

#include <algorithm>

#include "mindgap/base/check.h"
#include "mindgap/base/error.h"

namespace mindgap::mdp {

// Row i is eliminated with rows first_[i] .. i-1, which fill it up to the last column of any of them.
Envelope::Envelope(const Mdp& mdp) {
  if (!(mdp.discount() < 1)) throw InvalidArgument("Envelope: the discount is 1, but must be below 1");
  std::int64_t size = 0;
  for (std::int32_t s = 0; s < mdp.states(); ++s) {
    std::int32_t first = s, last = s;
    for (std::int32_t k = mdp.pair_begin()[s]; k < mdp.pair_begin()[s + 1]; ++k) {
      first = std::min(first, mdp.next_state()[mdp.row_begin()[k]]);
      last = std::max(last, mdp.next_state()[mdp.row_begin()[k + 1] - 1]);
    }
    for (std::int32_t i = first; i < s; ++i) last = std::max(last, last_[i]);
    for (std::int32_t i = first; i < s; ++i) work_ += 1 + last_[i] - i;
    first_.push_back(first);
    last_.push_back(last);
    offset_.push_back(size);
    size += last - first + 1;
  }
  entries_.resize(static_cast<std::size_t>(size));
}

void Envelope::evaluate(const Numbers& model, std::span<const std::int32_t> pair_of_state,
                        std::span<double> value) {
  const auto states = static_cast<std::int32_t>(first_.size());
  base::check_size("Envelope::evaluate", "pair_of_state", pair_of_state.size(), first_.size());
  base::check_size("Envelope::evaluate", "value", value.size(), first_.size());
  const double g = model.shape.discount();
  const auto row_begin = model.shape.row_begin();
  const auto next_state = model.shape.next_state();
  const auto probability = model.probability;
  for (std::int32_t i = 0; i < states; ++i) {
    double* row = &at(i, first_[i]) - first_[i];
    std::fill(row + first_[i], row + last_[i] + 1, 0.0);
    const std::int32_t k = pair_of_state[i];
    for (std::int64_t j = row_begin[k]; j < row_begin[k + 1]; ++j) row[next_state[j]] = -g * probability[j];
    row[i] += 1;
    double b = model.reward[k];
    for (std::int32_t p = first_[i]; p < i; ++p) {
      if (row[p] == 0) continue;
      const double* above = &at(p, p) - p;
      const double factor = row[p] * above[p];  // the diagonal holds its inverse
      for (std::int32_t j = p + 1; j <= last_[p]; ++j) row[j] -= factor * above[j];
      b -= factor * value[p];
    }
    row[i] = 1 / row[i];
    value[i] = b;
  }
  for (std::int32_t i = states - 1; i >= 0; --i) {
    const double* row = &at(i, i) - i;
    double b = value[i];
    for (std::int32_t j = i + 1; j <= last_[i]; ++j) b -= row[j] * value[j];
    value[i] = b * row[i];
  }
}

}  // namespace mindgap::mdp

#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "mindgap/base/index_range.h"

// Pairs of arrays that are no model yet, as mdp::MdpArrays has them.
namespace mindgap::mdp {

inline base::IndexRange<std::int32_t> pairs_of(std::span<const std::int32_t> pair_begin, std::int32_t state) {
  return {pair_begin[state], pair_begin[state + 1]};
}

/// The pair of an action, or -1 where it is not available.
inline std::int32_t find_pair(std::span<const std::int32_t> pair_begin,
                              std::span<const std::int32_t> pair_action, std::int32_t state,
                              std::int32_t action) {
  const base::IndexRange<std::int32_t> pairs = pairs_of(pair_begin, state);
  const auto it =
      std::lower_bound(pair_action.begin() + pairs.first(), pair_action.begin() + pairs.last(), action);
  const auto found = static_cast<std::int32_t>(it - pair_action.begin());
  return found < pairs.last() && *it == action ? found : -1;
}

}  // namespace mindgap::mdp

#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <limits>

namespace mindgap::study {

/// The whole number in a JSON value. Throws the library's type_error, as its get() does for other types:
/// get() itself converts 1e300 to an integer without a word, which has no defined result.
template <typename Json>
std::int64_t whole_number(const Json& value) {
  const bool fits =
      value.is_number_integer() &&
      (!value.is_number_unsigned() ||
       value.template get<std::uint64_t>() <= std::uint64_t{std::numeric_limits<std::int64_t>::max()});
  if (!fits)
    throw Json::type_error::create(302, fmt::format("expected a whole number, not {}", value.dump()), &value);
  return value.template get<std::int64_t>();
}

/// The same for a seed: not negative, up to 2^64 - 1.
template <typename Json>
std::uint64_t whole_seed(const Json& value) {
  if (!value.is_number_unsigned() && !(value.is_number_integer() && value.template get<std::int64_t>() >= 0))
    throw Json::type_error::create(302, fmt::format("a seed is a whole number from 0, not {}", value.dump()),
                                   &value);
  return value.template get<std::uint64_t>();
}

}  // namespace mindgap::study

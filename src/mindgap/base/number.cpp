#include "mindgap/base/number.h"

#include <array>
#include <bit>
#include <charconv>
#include <cstdint>
#include <cstring>

namespace mindgap::base {
namespace {

__extension__ using Uint128 = unsigned __int128;

constexpr int kDecimalsMax = 19;  // and at most 19 digits: both keep every integer below 2^64

// 10^-d = (scale + something in [0, 1)) * 2^exponent, with 2^63 <= scale < 2^64.
struct Power {
  std::uint64_t scale;
  int exponent;
};

constexpr Power reciprocal_power(int decimals) {
  std::uint64_t ten = 1;
  for (int i = 0; i < decimals; ++i) ten *= 10;
  const int shift = 63 + static_cast<int>(std::bit_width(ten - 1));
  return {static_cast<std::uint64_t>((Uint128{1} << shift) / ten), -shift};
}

constexpr auto kReciprocal = [] {
  std::array<Power, kDecimalsMax + 1> powers{};
  for (int d = 0; d <= kDecimalsMax; ++d) powers[static_cast<std::size_t>(d)] = reciprocal_power(d);
  return powers;
}();

constexpr std::uint64_t kTen[] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000};

std::uint64_t load64(const char* bytes) {
  std::uint64_t word;
  std::memcpy(&word, bytes, sizeof word);
  return word;
}

bool eight_digits(std::uint64_t word) {
  return (((word + 0x4646464646464646U) | (word - 0x3030303030303030U)) & 0x8080808080808080U) == 0;
}

// The number that eight digits in memory order spell: pairs, then fours, then all eight at once.
std::uint64_t eight_digit_value(std::uint64_t word) {
  word -= 0x3030303030303030U;
  word = (word * 10) + (word >> 8);
  return (((word & 0x000000ff000000ffU) * 0x000f424000000064U) +
          (((word >> 16) & 0x000000ff000000ffU) * 0x0000271000000001U)) >>
         32;
}

bool is_digit(char c) {
  return static_cast<unsigned char>(c - '0') < 10;
}

// Adds the digits from `at` on to `mantissa` (modulo 2^64); returns where they end. `first` is where the text
// begins: up to seven last digits are taken with one load that ends with them and may begin before `at`,
// since a loop over an unpredictable number of digits costs more than all else here.
inline const char* take_digits(const char* first, const char* at, const char* end, std::uint64_t& mantissa) {
  if constexpr (std::endian::native == std::endian::little) {
    while (end - at >= 8 && eight_digits(load64(at))) {
      mantissa = mantissa * 100000000 + eight_digit_value(load64(at));
      at += 8;
    }
    const auto left = end - at;
    if (left > 0 && left < 8 && end - first >= 8) {
      const std::uint64_t others = ~std::uint64_t{0} >> (8 * left);  // the bytes before `at`: read as zeros
      const std::uint64_t word = (load64(end - 8) & ~others) | (0x3030303030303030U & others);
      if (eight_digits(word)) {
        mantissa = mantissa * kTen[static_cast<std::size_t>(left)] + eight_digit_value(word);
        return end;
      }
    }
  }
  for (; at < end && is_digit(*at); ++at) mantissa = mantissa * 10 + static_cast<unsigned>(*at - '0');
  return at;
}

// mantissa * 10^-decimals, correctly rounded, or false where this short way cannot tell.
//
// With w = mantissa * 2^z normalised to 64 bits, the exact value lies in (w * scale + [0, w)) * 2^(exponent -
// z), so the upper 64 bits `high` of the product are exact or one too small. A double keeps 53 of them. Which
// way the rest rounds is certain unless it is one of the two patterns next to the half: then one more or an
// inexact tail decides (the idea of Eisel and Lemire, Lemire 2021, without the second multiplication).
inline bool scale_down(std::uint64_t mantissa, int decimals, double& value) {
  if (mantissa == 0) {
    value = 0;
    return true;
  }
  const Power& power = kReciprocal[static_cast<std::size_t>(decimals)];
  const int zeros = std::countl_zero(mantissa);
  const auto high = static_cast<std::uint64_t>((Uint128{mantissa << zeros} * power.scale) >> 64);
  const int dropped = 10 + static_cast<int>(high >> 63);
  const std::uint64_t half = std::uint64_t{1} << (dropped - 1);
  const std::uint64_t rest = high & (2 * half - 1);
  if (rest == half || rest == half - 1) return false;
  const std::uint64_t kept = (high >> dropped) + (rest > half ? 1 : 0);
  // kept * 2^exponent without rounding: kept is at most 2^53, and the exponent is far from both limits.
  const int exponent = 64 + dropped + power.exponent - zeros;
  const auto factor = std::bit_cast<double>(static_cast<std::uint64_t>(1023 + exponent) << 52);
  value = static_cast<double>(kept) * factor;
  return true;
}

// The common case: digits with at most one point among them. False where std::from_chars has to decide.
inline bool parse_simple(std::string_view text, double& value) {
  const char* at = text.data();
  const char* const end = at + text.size();
  const bool negative = at < end && *at == '-';
  if (negative) ++at;
  const char* first = at;
  std::uint64_t mantissa = 0;
  for (; at < end && is_digit(*at); ++at) mantissa = mantissa * 10 + static_cast<unsigned>(*at - '0');
  auto digits = at - first;
  if (digits == 0) return false;
  if (*first == '0') --digits;  // the zero before the point is not counted as a digit
  std::ptrdiff_t decimals = 0;
  if (at < end && *at == '.') {
    const char* const point = ++at;
    at = take_digits(text.data(), at, end, mantissa);
    decimals = at - point;
  }
  if (at != end || digits + decimals > 19) return false;
  if (!scale_down(mantissa, static_cast<int>(decimals), value)) return false;
  if (negative) value = -value;
  return true;
}

}  // namespace

NumberStatus parse_number(std::string_view text, double& value) {
  if (parse_simple(text, value)) return NumberStatus::ok;
  const char* const end = text.data() + text.size();
  const auto [at, error] = std::from_chars(text.data(), end, value);
  if (error == std::errc::result_out_of_range && at == end) return NumberStatus::out_of_range;
  return error == std::errc() && at == end ? NumberStatus::ok : NumberStatus::not_a_number;
}

char* write_shortest(char* buffer, double value) {
  return std::to_chars(buffer, buffer + kShortestMax, value).ptr;
}

std::string shortest(double value) {
  char buffer[kShortestMax];
  return {buffer, write_shortest(buffer, value)};
}

}  // namespace mindgap::base

#include "mindgap/mdp/number.h"

#include <bit>
#include <charconv>
#include <cstdint>
#include <cstring>

namespace mindgap::mdp {
namespace {

// Powers of ten that a double holds exactly.
constexpr double kPower[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                             1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
constexpr std::uint64_t kExact = std::uint64_t{1} << 53;

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

const char* take_digits(const char* at, const char* end, std::uint64_t& mantissa) {
  if constexpr (std::endian::native == std::endian::little) {
    while (end - at >= 8 && eight_digits(load64(at))) {
      mantissa = mantissa * 100000000 + eight_digit_value(load64(at));
      at += 8;
    }
  }
  for (; at < end && *at >= '0' && *at <= '9'; ++at)
    mantissa = mantissa * 10 + static_cast<unsigned>(*at - '0');
  return at;
}

// Digits with at most one point, where the digits are an integer below 2^53 and the power of ten is at most
// 10^22: then one division of two exact doubles rounds once, hence correctly (Clinger 1990).
bool parse_simple(std::string_view text, double& value) {
  if (text.size() > 20) return false;  // 19 digits and a point cannot overflow the mantissa
  const char* at = text.data();
  const char* const end = at + text.size();
  const bool negative = at < end && *at == '-';
  if (negative) ++at;
  const char* const first = at;
  std::uint64_t mantissa = 0;
  at = take_digits(at, end, mantissa);
  auto digits = at - first;
  std::ptrdiff_t decimals = 0;
  if (at < end && *at == '.') {
    const char* const point = ++at;
    at = take_digits(at, end, mantissa);
    decimals = at - point;
    digits += decimals;
  }
  if (at != end || digits == 0 || digits > 19 || mantissa > kExact) return false;
  const double magnitude = static_cast<double>(mantissa) / kPower[decimals];
  value = negative ? -magnitude : magnitude;
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

}  // namespace mindgap::mdp

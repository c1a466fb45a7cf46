#pragma once

#include <cstddef>
#include <string_view>

namespace mindgap::base {

/// Bytes of the UTF-8 character that `text` begins with (Unicode 15, table 3-7), or 0 where there is none.
inline std::size_t utf8_length(std::string_view text) {
  const auto byte = [&](std::size_t i) {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : static_cast<unsigned char>(0);
  };
  const auto continues = [&](std::size_t i) { return (byte(i) & 0xc0) == 0x80; };
  const unsigned char first = byte(0), second = byte(1);
  if (text.empty()) return 0;
  if (first < 0x80) return 1;
  if (first < 0xc2 || first > 0xf4 || !continues(1)) return 0;
  if (first < 0xe0) return 2;
  if (!continues(2)) return 0;
  if (first < 0xf0) {
    const bool bad = (first == 0xe0 && second < 0xa0) || (first == 0xed && second >= 0xa0);
    return bad ? 0 : 3;
  }
  const bool bad = (first == 0xf0 && second < 0x90) || (first == 0xf4 && second >= 0x90);
  return bad || !continues(3) ? 0 : 4;
}

}  // namespace mindgap::base

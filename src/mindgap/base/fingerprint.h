#pragma once

#include <bit>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace mindgap::base {

/// A short name for content, to notice that it changed by accident (FNV-1a, 64 bits; no protection against
/// whoever wants two contents to look the same).
class Fingerprint {
 public:
  Fingerprint& add(std::string_view bytes) {
    for (const char c : bytes) add_byte(static_cast<unsigned char>(c));
    return *this;
  }
  Fingerprint& add(std::uint64_t word) {
    for (int i = 0; i < 8; ++i) add_byte(static_cast<unsigned char>(word >> (8 * i)));
    return *this;
  }
  Fingerprint& add(double value) { return add(std::bit_cast<std::uint64_t>(value)); }
  template <typename Number>
  Fingerprint& add(std::span<const Number> values) {
    add(static_cast<std::uint64_t>(values.size()));
    for (const Number value : values) add(static_cast<double>(value));
    return *this;
  }

  /// 16 hexadecimal digits.
  std::string text() const {
    std::string digits(16, '0');
    for (int i = 0; i < 16; ++i)
      digits[static_cast<std::size_t>(i)] = "0123456789abcdef"[hash_ >> (60 - 4 * i) & 15];
    return digits;
  }

 private:
  void add_byte(unsigned char byte) { hash_ = (hash_ ^ byte) * 0x100000001b3; }
  std::uint64_t hash_ = 0xcbf29ce484222325;
};

}  // namespace mindgap::base

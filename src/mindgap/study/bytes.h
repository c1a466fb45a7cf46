#pragma once

#include <bit>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "mindgap/base/error.h"

// Numbers and texts as bytes, the same on every machine: little-endian, sizes in front. What is hashed and
// what is stored whole goes through here.
namespace mindgap::study {

class ByteWriter {
 public:
  ByteWriter& whole(std::int64_t value) {
    const auto bits = static_cast<std::uint64_t>(value);
    char bytes[8];
    for (int i = 0; i < 8; ++i) bytes[i] = static_cast<char>(bits >> (8 * i));
    bytes_.append(bytes, 8);
    return *this;
  }
  ByteWriter& number(double value) { return whole(std::bit_cast<std::int64_t>(value)); }
  ByteWriter& text(std::string_view value) {
    whole(static_cast<std::int64_t>(value.size()));
    bytes_.append(value);
    return *this;
  }
  ByteWriter& optional(const std::optional<double>& value) {
    whole(value ? 1 : 0);
    return number(value.value_or(0));
  }
  template <typename Number>
  ByteWriter& list(std::span<const Number> values) {
    whole(static_cast<std::int64_t>(values.size()));
    for (const Number value : values) {
      if constexpr (std::is_floating_point_v<Number>) {
        number(value);
      } else if constexpr (sizeof(Number) == 4) {
        for (int i = 0; i < 4; ++i)
          bytes_.push_back(static_cast<char>(static_cast<std::uint32_t>(value) >> (8 * i)));
      } else {
        whole(static_cast<std::int64_t>(value));
      }
    }
    return *this;
  }
  void clear() { bytes_.clear(); }
  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

/// Reads what a ByteWriter wrote. Throws StoreError where the bytes end early or say nonsense.
class ByteReader {
 public:
  ByteReader(std::string_view bytes, std::string what) : bytes_(bytes), what_(std::move(what)) {}

  std::int64_t whole() { return static_cast<std::int64_t>(take(8)); }
  double number() { return std::bit_cast<double>(take(8)); }
  std::string text() {
    const std::size_t size = length(1);
    const std::string_view found = bytes_.substr(at_, size);
    at_ += size;
    return std::string(found);
  }
  std::optional<double> optional() {
    const bool there = whole() != 0;
    const double value = number();
    return there ? std::optional(value) : std::nullopt;
  }
  template <typename Number>
  std::vector<Number> list() {
    constexpr std::size_t kWidth = sizeof(Number) == 4 ? 4 : 8;
    std::vector<Number> values(length(kWidth));
    for (Number& value : values) {
      if constexpr (std::is_floating_point_v<Number>) {
        value = number();
      } else {
        value = static_cast<Number>(take(kWidth));
      }
    }
    return values;
  }
  bool at_end() const { return at_ == bytes_.size(); }
  void expect_end() const {
    if (at_ != bytes_.size()) fail();
  }

 private:
  std::uint64_t take(std::size_t width) {
    if (bytes_.size() - at_ < width) fail();
    std::uint64_t bits = 0;
    for (std::size_t i = 0; i < width; ++i)
      bits |= static_cast<std::uint64_t>(static_cast<unsigned char>(bytes_[at_ + i])) << (8 * i);
    at_ += width;
    return bits;
  }
  std::size_t length(std::size_t width) {
    const std::uint64_t size = take(8);
    if (size > (bytes_.size() - at_) / width) fail();
    return static_cast<std::size_t>(size);
  }
  [[noreturn]] void fail() const { throw StoreError(what_ + " is damaged: its bytes do not add up"); }

  std::string_view bytes_;
  std::string what_;
  std::size_t at_ = 0;
};

}  // namespace mindgap::study

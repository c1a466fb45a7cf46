#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace mindgap::study {

using Digest = std::array<unsigned char, 32>;

/// SHA-256 (FIPS 180-4) of pieces put together. One object serves any number of digests.
class Sha256 {
 public:
  Sha256();
  ~Sha256();
  Sha256(const Sha256&) = delete;
  Sha256& operator=(const Sha256&) = delete;

  void begin();
  void add(const void* bytes, std::size_t size);
  void add(std::string_view bytes) { add(bytes.data(), bytes.size()); }
  Digest finish();

 private:
  struct Context;
  std::unique_ptr<Context> context_;
};

Digest sha256(std::string_view bytes);
/// 64 hexadecimal digits.
std::string hex(const Digest& digest);

}  // namespace mindgap::study

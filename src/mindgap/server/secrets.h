#pragma once

#include <cstddef>
#include <string>
#include <string_view>

// What libsodium does for us.
namespace mindgap::server {

/// How much a guess at a password costs whoever stole the file of people.
enum class HashCost {
  interactive,  // libsodium's: 64 MiB
  least,        // for tests
};

/// Argon2id, with its salt and cost, as text.
std::string hash_password(std::string_view password, HashCost cost);
bool is_password(const std::string& hash, std::string_view password);

/// So many random bytes, as hexadecimal digits.
std::string random_hex(std::size_t bytes);
/// BLAKE2b (32 bytes), as hexadecimal digits: by which a secret that nobody can guess is kept.
std::string fingerprint(std::string_view secret);
/// In a time that does not tell where they differ.
bool equal_secrets(std::string_view one, std::string_view other);

}  // namespace mindgap::server

#include "mindgap/server/secrets.h"

#include <sodium.h>

#include "mindgap/base/error.h"

namespace mindgap::server {
namespace {

void start_sodium() {
  static const bool kStarted = ::sodium_init() >= 0;
  if (!kStarted) throw StoreError("libsodium cannot be started");
}

std::string hex_of(const std::string& bytes) {
  std::string text(2 * bytes.size() + 1, '\0');
  ::sodium_bin2hex(text.data(), text.size(), reinterpret_cast<const unsigned char*>(bytes.data()),
                   bytes.size());
  text.pop_back();
  return text;
}

}  // namespace

std::string hash_password(std::string_view password, HashCost cost) {
  start_sodium();
  char text[crypto_pwhash_STRBYTES];
  const bool least = cost == HashCost::least;
  if (::crypto_pwhash_str_alg(text, password.data(), password.size(),
                              least ? crypto_pwhash_OPSLIMIT_MIN : crypto_pwhash_OPSLIMIT_INTERACTIVE,
                              least ? crypto_pwhash_MEMLIMIT_MIN : crypto_pwhash_MEMLIMIT_INTERACTIVE,
                              crypto_pwhash_ALG_ARGON2ID13) != 0)
    throw StoreError("there is not enough memory to hash a password");
  return text;
}

bool is_password(const std::string& hash, std::string_view password) {
  start_sodium();
  std::string padded = hash;  // libsodium reads up to so many bytes
  padded.resize(crypto_pwhash_STRBYTES, '\0');
  padded.back() = '\0';
  return ::crypto_pwhash_str_verify(padded.c_str(), password.data(), password.size()) == 0;
}

std::string random_hex(std::size_t bytes) {
  start_sodium();
  std::string random(bytes, '\0');
  ::randombytes_buf(random.data(), random.size());
  return hex_of(random);
}

std::string fingerprint(std::string_view secret) {
  start_sodium();
  std::string digest(crypto_generichash_BYTES, '\0');
  ::crypto_generichash(reinterpret_cast<unsigned char*>(digest.data()), digest.size(),
                       reinterpret_cast<const unsigned char*>(secret.data()), secret.size(), nullptr, 0);
  return hex_of(digest);
}

bool equal_secrets(std::string_view one, std::string_view other) {
  start_sodium();
  return one.size() == other.size() && ::sodium_memcmp(one.data(), other.data(), one.size()) == 0;
}

}  // namespace mindgap::server

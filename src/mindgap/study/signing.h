#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

// Signatures of studies: Ed25519 (RFC 8032), by OpenSSL. A signature says that whoever has the private key
// had the log up to a hash before them. It proves nothing against the owner of that key.
namespace mindgap::study {

/// A private key, for writing.
class SigningKey {
 public:
  /// From a file (PKCS #8, PEM). Throws StoreError where it cannot be read, InvalidArgument where it is none.
  explicit SigningKey(const std::filesystem::path& file);

  /// 64 hexadecimal digits.
  const std::string& public_key() const { return public_key_; }
  /// 128 hexadecimal digits.
  std::string sign(std::string_view message) const;

 private:
  std::shared_ptr<void> key_;
  std::string public_key_;
};

/// Makes a new key: `file` (readable by its owner alone) and `file`.pub. Returns the public key. Throws
/// StoreError where one of them is there or cannot be written.
std::string make_signing_key(const std::filesystem::path& file);

/// The public key in a file that make_signing_key() wrote as .pub. Throws like SigningKey.
std::string read_public_key(const std::filesystem::path& file);

/// Whether `signature` is one of `message` by the key. False also where either is no such thing.
bool is_signed_by(const std::string& public_key, std::string_view message, const std::string& signature);

/// What is signed after an event: the hash of the log's last row by then, and the number of events.
std::string message_to_sign(const std::string& head, std::int64_t events);

/// The content of the event `signature` that signs it, as JSON.
std::string signature_content(const SigningKey& key, const std::string& head, std::int64_t events);

}  // namespace mindgap::study

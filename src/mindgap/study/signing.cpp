#include "mindgap/study/signing.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <openssl/bio.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <nlohmann/json.hpp>
#include <optional>

#include "mindgap/base/error.h"
#include "mindgap/files/output.h"
#include "mindgap/files/text_file.h"

namespace mindgap::study {
namespace {

using Key = std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)>;
using Context = std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)>;
using Memory = std::unique_ptr<BIO, decltype(&BIO_free)>;

constexpr std::size_t kPublicBytes = 32, kSignatureBytes = 64;

std::string hex_of(const unsigned char* bytes, std::size_t size) {
  std::string text;
  for (std::size_t i = 0; i < size; ++i) text += fmt::format("{:02x}", bytes[i]);
  return text;
}

std::optional<std::string> bytes_of(const std::string& text, std::size_t size) {
  std::string bytes;
  const auto digit = [](char c) { return std::string_view("0123456789abcdef").find(c); };
  if (text.size() != 2 * size) return std::nullopt;
  for (std::size_t i = 0; i < text.size(); i += 2) {
    const std::size_t high = digit(text[i]), low = digit(text[i + 1]);
    if (high == std::string_view::npos || low == std::string_view::npos) return std::nullopt;
    bytes.push_back(static_cast<char>(16 * high + low));
  }
  return bytes;
}

std::string public_key_of(EVP_PKEY* key, const std::string& file) {
  std::array<unsigned char, kPublicBytes> bytes{};
  std::size_t size = bytes.size();
  if (EVP_PKEY_id(key) != EVP_PKEY_ED25519 || EVP_PKEY_get_raw_public_key(key, bytes.data(), &size) != 1)
    throw InvalidArgument(file + ": the key is not one of Ed25519");
  return hex_of(bytes.data(), size);
}

Memory memory_of(const files::TextFile& file) {
  return {
      BIO_new_mem_buf(file.text.data(), static_cast<int>(std::min<std::size_t>(file.text.size(), 1 << 20))),
      BIO_free};
}

std::string text_of(BIO* memory) {
  char* data = nullptr;
  const long size = BIO_get_mem_data(memory, &data);
  return {data, static_cast<std::size_t>(size)};
}

// Never over a file that is there, and for nobody else from the first byte on.
void write_new(const std::filesystem::path& path, const std::string& text, mode_t mode) {
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
  bool good = file >= 0;
  good = good && ::write(file, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  good = good && ::fsync(file) == 0;
  const int reason = errno;
  if (file >= 0) ::close(file);
  if (!good) throw StoreError(fmt::format("{}: cannot write: {}", path.string(), std::strerror(reason)));
}

}  // namespace

SigningKey::SigningKey(const std::filesystem::path& file) {
  const files::TextFile text = files::open_text_file(file);
  EVP_PKEY* key = PEM_read_bio_PrivateKey(memory_of(text).get(), nullptr, nullptr, const_cast<char*>(""));
  if (key == nullptr)
    throw InvalidArgument(text.name + ": holds no private key (mindgap study key new makes one)");
  key_ = std::shared_ptr<void>(key, [](void* p) { EVP_PKEY_free(static_cast<EVP_PKEY*>(p)); });
  public_key_ = public_key_of(key, text.name);
}

std::string SigningKey::sign(std::string_view message) const {
  const Context context(EVP_MD_CTX_new(), EVP_MD_CTX_free);
  std::array<unsigned char, kSignatureBytes> bytes{};
  std::size_t size = bytes.size();
  if (EVP_DigestSignInit(context.get(), nullptr, nullptr, nullptr, static_cast<EVP_PKEY*>(key_.get())) != 1 ||
      EVP_DigestSign(context.get(), bytes.data(), &size,
                     reinterpret_cast<const unsigned char*>(message.data()), message.size()) != 1)
    throw StoreError("the study cannot be signed: OpenSSL refuses");
  return hex_of(bytes.data(), size);
}

std::string make_signing_key(const std::filesystem::path& file) {
  const Key key(EVP_PKEY_Q_keygen(nullptr, nullptr, "ED25519"), EVP_PKEY_free);
  const Memory secret(BIO_new(BIO_s_mem()), BIO_free), open(BIO_new(BIO_s_mem()), BIO_free);
  if (!key ||
      PEM_write_bio_PKCS8PrivateKey(secret.get(), key.get(), nullptr, nullptr, 0, nullptr, nullptr) != 1 ||
      PEM_write_bio_PUBKEY(open.get(), key.get()) != 1)
    throw StoreError("a key cannot be made: OpenSSL refuses");
  write_new(file, text_of(secret.get()), 0600);
  write_new(file.string() + ".pub", text_of(open.get()), 0644);
  return public_key_of(key.get(), file.string());
}

std::string read_public_key(const std::filesystem::path& file) {
  const files::TextFile text = files::open_text_file(file);
  const Key key(PEM_read_bio_PUBKEY(memory_of(text).get(), nullptr, nullptr, nullptr), EVP_PKEY_free);
  if (!key)
    throw InvalidArgument(text.name +
                          ": holds no public key (the file that ends in .pub, beside the one that signs)");
  return public_key_of(key.get(), text.name);
}

bool is_signed_by(const std::string& public_key, std::string_view message, const std::string& signature) {
  const std::optional<std::string> raw = bytes_of(public_key, kPublicBytes),
                                   bytes = bytes_of(signature, kSignatureBytes);
  if (!raw || !bytes) return false;
  const auto data = [](const std::string& text) {
    return reinterpret_cast<const unsigned char*>(text.data());
  };
  const Key key(EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, nullptr, data(*raw), raw->size()),
                EVP_PKEY_free);
  const Context context(EVP_MD_CTX_new(), EVP_MD_CTX_free);
  return key && EVP_DigestVerifyInit(context.get(), nullptr, nullptr, nullptr, key.get()) == 1 &&
         EVP_DigestVerify(context.get(), data(*bytes), bytes->size(),
                          reinterpret_cast<const unsigned char*>(message.data()), message.size()) == 1;
}

std::string message_to_sign(const std::string& head, std::int64_t events) {
  return fmt::format("mindgap study signature 1\nhead {}\nevents {}\n", head, events);
}

std::string signature_content(const SigningKey& key, const std::string& head, std::int64_t events) {
  const nlohmann::ordered_json content = {{"key", key.public_key()},
                                          {"events", events},
                                          {"head", head},
                                          {"signature", key.sign(message_to_sign(head, events))}};
  return content.dump();
}

}  // namespace mindgap::study

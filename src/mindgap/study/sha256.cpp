#include "mindgap/study/sha256.h"

#include <openssl/evp.h>

#include <new>

#include "mindgap/base/error.h"

namespace mindgap::study {

struct Sha256::Context {
  EVP_MD* method = nullptr;
  EVP_MD_CTX* state = nullptr;

  ~Context() {
    EVP_MD_CTX_free(state);
    EVP_MD_free(method);
  }
};

Sha256::Sha256() : context_(std::make_unique<Context>()) {
  context_->method = EVP_MD_fetch(nullptr, "SHA256", nullptr);
  context_->state = EVP_MD_CTX_new();
  if (context_->method == nullptr || context_->state == nullptr)
    throw StoreError("libcrypto offers no SHA-256");
  if (EVP_DigestInit_ex2(context_->state, context_->method, nullptr) != 1) throw StoreError("SHA-256 failed");
}

Sha256::~Sha256() = default;

void Sha256::begin() {
  // The same method again: much cheaper than to name it.
  if (EVP_DigestInit_ex2(context_->state, nullptr, nullptr) != 1) throw StoreError("SHA-256 failed");
}

void Sha256::add(const void* bytes, std::size_t size) {
  if (EVP_DigestUpdate(context_->state, bytes, size) != 1) throw StoreError("SHA-256 failed");
}

Digest Sha256::finish() {
  Digest digest{};
  if (EVP_DigestFinal_ex(context_->state, digest.data(), nullptr) != 1) throw StoreError("SHA-256 failed");
  return digest;
}

Digest sha256(std::string_view bytes) {
  Sha256 hash;
  hash.begin();
  hash.add(bytes);
  return hash.finish();
}

std::string hex(const Digest& digest) {
  std::string text;
  for (const unsigned char byte : digest) {
    text.push_back("0123456789abcdef"[byte >> 4]);
    text.push_back("0123456789abcdef"[byte & 15]);
  }
  return text;
}

}  // namespace mindgap::study

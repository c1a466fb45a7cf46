#include "mindgap/server/transport.h"

#include <fmt/format.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include "mindgap/base/error.h"

namespace mindgap::server {

TlsContext::TlsContext(const std::string& certificate, const std::string& key)
    : context_(::SSL_CTX_new(::TLS_server_method())) {
  if (context_ == nullptr) throw StoreError("TLS cannot be started");
  ::SSL_CTX_set_min_proto_version(context_, TLS1_2_VERSION);
  ::SSL_CTX_set_options(context_, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION);
  ::SSL_CTX_set_mode(context_, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
  const char* problem = ::SSL_CTX_use_certificate_chain_file(context_, certificate.c_str()) != 1
                            ? "certificate"
                        : ::SSL_CTX_use_PrivateKey_file(context_, key.c_str(), SSL_FILETYPE_PEM) != 1 ||
                                ::SSL_CTX_check_private_key(context_) != 1
                            ? "key"
                            : nullptr;
  ::ERR_clear_error();
  if (problem == nullptr) return;
  ::SSL_CTX_free(context_);
  throw InvalidArgument(fmt::format("the {} of TLS cannot be used: {}", problem,
                                    std::string_view(problem) == "key" ? key : certificate));
}

TlsContext::~TlsContext() {
  ::SSL_CTX_free(context_);
}

Transport::Transport(int socket, const TlsContext* tls) : socket_(socket) {
  if (tls == nullptr) return;
  tls_ = ::SSL_new(tls->handle());
  if (tls_ == nullptr) return;
  ::SSL_set_fd(tls_, socket);
  ::SSL_set_accept_state(tls_);
}

Transport::~Transport() {
  if (tls_ != nullptr) {
    ::SSL_shutdown(tls_);  // says goodbye, and does not wait for an answer
    ::SSL_free(tls_);
    ::ERR_clear_error();
  }
  ::close(socket_);
}

Transport::Result Transport::tls_result(int code) {
  const int reason = ::SSL_get_error(tls_, code);
  ::ERR_clear_error();
  wants_to_write_ = reason == SSL_ERROR_WANT_WRITE;
  return reason == SSL_ERROR_WANT_READ || reason == SSL_ERROR_WANT_WRITE ? Result::none_yet : Result::over;
}

Transport::Result Transport::read(std::string& to) {
  std::array<char, 16 * 1024> buffer;
  bool any = false;
  for (int round = 0; round < 4; ++round) {
    wants_to_write_ = false;
    const auto count = tls_ != nullptr ? static_cast<ssize_t>(::SSL_read(tls_, buffer.data(), buffer.size()))
                                       : ::recv(socket_, buffer.data(), buffer.size(), MSG_DONTWAIT);
    if (count > 0) {
      to.append(buffer.data(), static_cast<std::size_t>(count));
      any = true;
      continue;
    }
    if (any) return Result::some;
    if (tls_ != nullptr) return tls_result(static_cast<int>(count));
    return count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR) ? Result::none_yet
                                                                                    : Result::over;
  }
  return Result::some;
}

Transport::Result Transport::write(const std::string& from, std::size_t& at) {
  while (at < from.size()) {
    const std::size_t left = std::min<std::size_t>(from.size() - at, 1 << 20);
    const auto count = tls_ != nullptr
                           ? static_cast<ssize_t>(::SSL_write(tls_, from.data() + at, static_cast<int>(left)))
                           : ::send(socket_, from.data() + at, left, MSG_DONTWAIT | MSG_NOSIGNAL);
    if (count > 0) {
      at += static_cast<std::size_t>(count);
      continue;
    }
    if (tls_ != nullptr) return tls_result(static_cast<int>(count));
    return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR ? Result::none_yet : Result::over;
  }
  return Result::some;
}

}  // namespace mindgap::server

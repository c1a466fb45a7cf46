#pragma once

#include <sys/types.h>

#include <memory>
#include <string>

struct ssl_ctx_st;
struct ssl_st;

// The bytes of one connection, with or without TLS; never waits.
namespace mindgap::server {

class TlsContext {
 public:
  /// Throws InvalidArgument where certificate or key cannot be used.
  TlsContext(const std::string& certificate, const std::string& key);
  ~TlsContext();
  TlsContext(const TlsContext&) = delete;
  TlsContext& operator=(const TlsContext&) = delete;
  ssl_ctx_st* handle() const { return context_; }

 private:
  ssl_ctx_st* context_;
};

class Transport {
 public:
  /// Takes the socket over.
  Transport(int socket, const TlsContext* tls);
  ~Transport();
  Transport(const Transport&) = delete;
  Transport& operator=(const Transport&) = delete;

  enum class Result { some, none_yet, over };
  Result read(std::string& to);                            // adds what is there, up to 64 KiB
  Result write(const std::string& from, std::size_t& at);  // goes on from `at`
  int socket() const { return socket_; }
  bool wants_to_write() const { return wants_to_write_; }  // before it can go on

 private:
  Result tls_result(int code);
  int socket_;
  ssl_st* tls_ = nullptr;
  bool wants_to_write_ = false;
};

}  // namespace mindgap::server

#pragma once

#include <cstddef>
#include <string>
#include <string_view>

// How far the bytes of a connection are a request. Only whole requests go on to the HTTP library: slow ones
// wait in their connection and hold up nobody.
namespace mindgap::server {

struct FrameLimits {
  std::size_t header = 16 * 1024;
  std::size_t body = 1024 * 1024;
};

struct Frame {
  bool has_header = false;  // the empty line is there
  std::size_t size = 0;     // of the whole request, where all of it is there; else 0
  int refused = 0;          // the status to refuse it with, and to close the connection
  std::string code = {};
  std::string message = {};
};

/// What is refused at once: bytes that are no request, lengths that are none, given twice or too large,
/// chunked and compressed bodies, bytes in a header that have no place there.
Frame frame_of(std::string_view bytes, const FrameLimits& limits = {});

}  // namespace mindgap::server

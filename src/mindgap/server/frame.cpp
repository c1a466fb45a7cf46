#include "mindgap/server/frame.h"

#include <algorithm>
#include <charconv>
#include <optional>

namespace mindgap::server {
namespace {

constexpr std::size_t kLongestLine =
    2048;  // of a request: the HTTP library looks at it character by character

Frame refusal(int status, std::string code, std::string message) {
  Frame frame;
  frame.refused = status;
  frame.code = std::move(code);
  frame.message = std::move(message);
  return frame;
}

Frame malformed(std::string message) {
  return refusal(400, "malformed", std::move(message));
}

bool is_same_word(std::string_view one, std::string_view other) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
  return std::equal(one.begin(), one.end(), other.begin(), other.end(),
                    [&](char a, char b) { return lower(a) == lower(b); });
}

bool is_token(std::string_view text) {
  constexpr std::string_view kOthers = "!#$%&'*+-.^_`|~";
  return !text.empty() && std::all_of(text.begin(), text.end(), [&](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           kOthers.find(c) != std::string_view::npos;
  });
}

// Printable, or a tab; no control bytes.
bool is_field_text(std::string_view text) {
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return c == '\t' || (static_cast<unsigned char>(c) >= 32 && c != 127); });
}

// "METHOD /target HTTP/1.1": the target begins with a slash and is printable ASCII.
bool is_request_line(std::string_view line) {
  const std::size_t first = line.find(' '), last = line.rfind(' ');
  if (first == std::string_view::npos || first == last) return false;
  const std::string_view target = line.substr(first + 1, last - first - 1), version = line.substr(last + 1);
  return is_token(line.substr(0, first)) && target.starts_with('/') &&
         std::all_of(target.begin(), target.end(), [](char c) { return c > 32 && c < 127; }) &&
         (version == "HTTP/1.1" || version == "HTTP/1.0");
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

struct HeaderLines {
  std::optional<std::size_t> length;
  int hosts = 0;
  bool is_json = true;
  Frame refused;
};

void read_header_line(std::string_view name, std::string_view value, const FrameLimits& limits,
                      HeaderLines& found) {
  if (is_same_word(name, "transfer-encoding"))
    found.refused = refusal(411, "length_required", "send the body with its Content-Length, not in chunks");
  if (is_same_word(name, "content-encoding") && !is_same_word(value, "identity"))
    found.refused = refusal(415, "not_json", "send the body as it is, not compressed");
  if (is_same_word(name, "expect"))
    found.refused = refusal(417, "malformed", "send the body at once, without asking first");
  if (is_same_word(name, "upgrade")) found.refused = malformed("there is no other protocol here");
  if (is_same_word(name, "host")) ++found.hosts;
  if (is_same_word(name, "content-type"))
    found.is_json = is_same_word(trimmed(value.substr(0, value.find(';'))), "application/json");
  if (!is_same_word(name, "content-length")) return;
  std::size_t length = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), length);
  if (error == std::errc::result_out_of_range || (error == std::errc() && length > limits.body)) {
    found.refused = refusal(413, "too_large", "the body is larger than 1 MiB");
  } else if (error != std::errc() || end != value.data() + value.size() || found.length) {
    found.refused = malformed("the Content-Length is no number, or is there twice");
  } else {
    found.length = length;
  }
}

HeaderLines read_header(std::string_view header, const FrameLimits& limits) {
  HeaderLines found;
  bool first = true;
  while (!header.empty() && found.refused.refused == 0) {
    const std::size_t end = header.find("\r\n");
    const std::string_view line = header.substr(0, end);
    header.remove_prefix(std::min(header.size(), line.size() + 2));
    if (first) {
      first = false;
      if (!is_request_line(line)) found.refused = malformed("this is no request");
      if (line.size() > kLongestLine)
        found.refused = refusal(431, "too_large", "the address is longer than 2 KiB");
      continue;
    }
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos || !is_token(line.substr(0, colon)) ||
        !is_field_text(line.substr(colon + 1))) {
      found.refused = malformed("a header line is malformed");
    } else {
      read_header_line(line.substr(0, colon), trimmed(line.substr(colon + 1)), limits, found);
    }
  }
  if (found.refused.refused == 0 && found.hosts != 1) found.refused = malformed("there must be one Host");
  return found;
}

}  // namespace

Frame frame_of(std::string_view bytes, const FrameLimits& limits) {
  const std::size_t end = bytes.substr(0, limits.header + 4).find("\r\n\r\n");
  if (end == std::string_view::npos) {
    if (bytes.size() >= limits.header + 4)
      return refusal(431, "too_large", "the header is larger than 16 KiB");
    // What cannot become a request is not waited for.
    const std::string_view line = bytes.substr(0, bytes.find("\r\n"));
    if (!is_field_text(line.substr(0, line.size() - (line.ends_with('\r') ? 1 : 0))))
      return malformed("this is no request");
    return {};
  }
  const HeaderLines header = read_header(bytes.substr(0, end), limits);
  if (header.refused.refused != 0) return header.refused;
  if (!header.is_json && header.length.value_or(0) > 0)
    return refusal(415, "not_json", "the body must be application/json");
  Frame frame;
  frame.has_header = true;
  const std::size_t size = end + 4 + header.length.value_or(0);
  if (bytes.size() >= size) frame.size = size;
  return frame;
}

}  // namespace mindgap::server

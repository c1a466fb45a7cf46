#include "mindgap/server/frame.h"

#include <gtest/gtest.h>

#include "mindgap/server/http.h"

namespace mindgap::server {
namespace frame_test {

const std::string kGet = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";

TEST(Frame, AWholeRequestHasItsSizeAndTheRestIsTheNext) {
  EXPECT_EQ(frame_of(kGet).size, kGet.size());
  EXPECT_EQ(frame_of(kGet + kGet).size, kGet.size());
  const std::string post = "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\n{} ";
  EXPECT_EQ(frame_of(post).size, post.size());
  EXPECT_EQ(frame_of(post + "x").size, post.size());
}

// Every beginning of a request waits for more, and is refused at no place.
TEST(Frame, ABeginningWaits) {
  const std::string post = "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\n{} ";
  for (std::size_t size = 0; size < post.size(); ++size) {
    const Frame frame = frame_of(post.substr(0, size));
    EXPECT_EQ(frame.size, 0u) << size;
    EXPECT_EQ(frame.refused, 0) << size;
    EXPECT_EQ(frame.has_header, size >= post.size() - 3) << size;
  }
}

TEST(Frame, WhatIsNoRequestIsRefused) {
  const auto refused = [](const std::string& bytes) { return frame_of(bytes).refused; };
  EXPECT_EQ(refused("\x16\x03\x01\x02"), 400);        // TLS to a port without it
  EXPECT_EQ(refused("GET / HTTP/1.1\r\n\r\n"), 400);  // no Host
  EXPECT_EQ(refused("GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n"), 400);
  EXPECT_EQ(refused("GET / HTTP/2.0\r\nHost: a\r\n\r\n"), 400);
  EXPECT_EQ(refused("GET http://b/ HTTP/1.1\r\nHost: a\r\n\r\n"), 400);
  EXPECT_EQ(refused("GET /a b HTTP/1.1\r\nHost: a\r\n\r\n"), 400);
  EXPECT_EQ(refused("GET / HTTP/1.1\r\nHost: a\r\n folded: x\r\n\r\n"), 400);
  EXPECT_EQ(refused("GET / HTTP/1.1\r\nHost: a\r\nX : x\r\n\r\n"), 400);
  EXPECT_EQ(refused("GET / HTTP/1.1\r\nHost: a\r\nX: a\nY: b\r\n\r\n"), 400);
  EXPECT_EQ(refused(std::string("GET / HTTP/1.1\r\nHost: a\r\nX: \0\r\n\r\n", 33)), 400);
  EXPECT_EQ(refused("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\n"), 400);
  EXPECT_EQ(refused("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\n"), 400);
  EXPECT_EQ(refused("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1,1\r\n\r\n"), 400);
  EXPECT_EQ(refused("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 99999999999999999999999\r\n\r\n"), 413);
  EXPECT_EQ(refused("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1048577\r\n\r\n"), 413);
  EXPECT_EQ(refused("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"), 411);
  EXPECT_EQ(refused("POST / HTTP/1.1\r\nHost: a\r\ntransfer-encoding: identity\r\nContent-Length: 1\r\n\r\n"),
            411);
  EXPECT_EQ(refused("POST / HTTP/1.1\r\nHost: a\r\nContent-Encoding: gzip\r\nContent-Length: 1\r\n\r\n"),
            415);
  EXPECT_EQ(
      refused("POST / HTTP/1.1\r\nHost: a\r\nContent-Type: multipart/form-data\r\nContent-Length: 1\r\n\r\n"),
      415);
  EXPECT_EQ(refused("GET /" + std::string(3000, 'a') + " HTTP/1.1\r\nHost: a\r\n\r\n"), 431);
  EXPECT_EQ(refused("GET / HTTP/1.1\r\nHost: a\r\nX: " + std::string(17000, 'a')), 431);
}

// The library behind it answers any bytes with something that is an answer.
TEST(Http, AnswersAnything) {
  const Http http([](const Request& request) {
    return Response{.status = 200, .body = request.method + request.path + request.body};
  });
  EXPECT_NE(http.answer(kGet, "1.2.3.4", false, false).bytes.find("GET/"), std::string::npos);
  for (const std::string bytes :
       {"", "x", "GET", "GET / HTTP/1.1\r\n", "GET / HTTP/1.1\r\n\r\n", "\r\n\r\n"}) {
    const HttpAnswer answer = http.answer(bytes, "", false, false);
    EXPECT_TRUE(answer.bytes.empty() || answer.bytes.starts_with("HTTP/1.1 ")) << bytes;
  }
}

}  // namespace frame_test
}  // namespace mindgap::server

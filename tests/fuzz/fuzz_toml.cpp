// A TOML text made of pieces that TOML has (keys, dots, strings of all four kinds, arrays, inline tables,
// headers), in any order: deeper and more tangled than bytes at random ever get. The parser returns or throws
// an Error.
#include <fuzzer/FuzzedDataProvider.h>

#include <string>

#include "mindgap/base/error.h"
#include "mindgap/files/toml_table.h"

namespace {

const char* const kPieces[] = {"a",
                               "b",
                               ".",
                               ".b",
                               "=",
                               " = ",
                               "\n",
                               "\r\n",
                               "[",
                               "]",
                               "[[",
                               "]]",
                               "{",
                               "}",
                               ",",
                               "\"",
                               "'",
                               "\"\"\"",
                               "'''",
                               "\\",
                               "\\\"",
                               "\\u0041",
                               "#",
                               "1",
                               "-1.5e308",
                               "inf",
                               "nan",
                               "true",
                               "1979-05-27",
                               "07:32:00",
                               "format",
                               "\"a.b\"",
                               "[a.b]",
                               "x = 1",
                               "{a = 1}",
                               "[1, 2.5]",
                               "\xef\xbb\xbf",
                               "\x01",
                               "\xc3\xa9",
                               "0x7fffffffffffffff"};

std::string repeated(std::string piece, std::size_t times) {
  const std::size_t size = piece.size() * times;
  while (piece.size() < size) piece += piece;
  piece.resize(size);
  return piece;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  FuzzedDataProvider from(data, size);
  std::string text;
  while (from.remaining_bytes() > 0) {
    const char* const piece = from.PickValueInArray(kPieces);
    // Long runs of one piece are what uses up a stack.
    const std::size_t times =
        from.ConsumeProbability<float>() < .01F ? from.ConsumeIntegralInRange<std::size_t>(1, 3000) : 1;
    if (text.size() < 200'000) text += repeated(piece, times);
  }
  try {
    mindgap::files::parse_toml(text, "made.toml");
  } catch (const mindgap::Error&) {
  }
  return 0;
}

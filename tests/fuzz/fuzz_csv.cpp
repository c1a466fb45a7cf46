// A table of made fields, written in one of the ways that RFC 4180 allows (quotes where needed or anywhere,
// LF or CRLF, with or without a mark and a last line end): the reader gives back exactly these fields.
#include <fuzzer/FuzzedDataProvider.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "mindgap/base/error.h"
#include "mindgap/files/csv.h"

namespace {

std::string written(const std::string& field, bool quotes) {
  if (!quotes && field.find_first_of(",\"\r\n") == std::string::npos) return field;
  std::string text = "\"";
  for (const char c : field) text += c == '"' ? std::string("\"\"") : std::string(1, c);
  return text + "\"";
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  FuzzedDataProvider from(data, size);
  const std::size_t columns = from.ConsumeIntegralInRange<std::size_t>(1, 3);
  const std::string names[] = {"a", "b", "c"}, end = from.ConsumeBool() ? "\r\n" : "\n";
  std::string text = from.ConsumeBool() ? std::string(mindgap::files::kByteOrderMark) : "";
  for (std::size_t c = 0; c < columns; ++c)
    text += (c == 0 ? "" : ",") + written(names[c], from.ConsumeBool());
  std::vector<std::string> wanted;
  while (from.remaining_bytes() > 0) {
    text += end;
    for (std::size_t c = 0; c < columns; ++c) {
      std::string field =
          from.ConsumeRandomLengthString(from.ConsumeProbability<float>() < .02F ? 40'000 : 12);
      // A lone empty field at the end of a text without a last line end would be no line at all.
      if (columns == 1 && field.empty()) field = "x";
      text += (c == 0 ? "" : ",") + written(field, from.ConsumeBool());
      wanted.push_back(std::move(field));
    }
  }
  if (from.ConsumeBool()) text += end;
  std::size_t at = 0;
  try {
    mindgap::files::CsvReader reader(text, "made.csv", {"a"}, {"b", "c"});
    while (const std::size_t records = reader.next()) {
      for (std::size_t i = 0; i < records; ++i) {
        for (std::size_t c = 0; c < columns; ++c, ++at) {
          if (at >= wanted.size() || reader.field(i, c) != wanted[at]) std::abort();
        }
      }
    }
  } catch (const mindgap::Error&) {
    std::abort();  // what was written is a table
  }
  if (at != wanted.size()) std::abort();
  return 0;
}

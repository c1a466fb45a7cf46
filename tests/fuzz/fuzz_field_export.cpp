// Any text as the export of another program, through mappings of every kind: rows in the study's words or a
// clear error, and what a separator other than the comma gives is what commas give.
#include <fuzzer/FuzzedDataProvider.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "mindgap/base/error.h"
#include "mindgap/files/field_export.h"

namespace {

using namespace mindgap::files;

TextFile text(const char* name, std::string content) {
  auto owner = std::make_shared<const std::string>(std::move(content));
  return {name, *owner, owner};
}

constexpr const char* kRules =
    "[columns]\nunit = \"a\"\nstep = { column = \"b\", minus = 1 }\nreward = \"c\"\nnext_state = { column = "
    "\"d\", "
    "values = { x = \"y\" }, keep_others = true }\n[parent]\nsame_file = true\nkey = \"e\"\nnamed_by = "
    "\"d\"\n"
    "[except]\na = [\"no\"]\n";

ExportColumns columns_by(char separator, const std::string& rules) {
  std::string all = "format = \"mindgap-columns/1\"\n";
  if (separator != ',') all += separator == ';' ? "separator = \";\"\n" : "separator = \"\\t\"\n";
  return parse_export_columns(text("columns.toml", all + rules));
}

// They are the same for most inputs, and take longer to read than the rows.
const ExportColumns& usual_columns(char separator) {
  static std::map<char, ExportColumns> known;
  const auto found = known.find(separator);
  return found != known.end() ? found->second
                              : known.emplace(separator, columns_by(separator, kRules)).first->second;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  FuzzedDataProvider from(data, size);
  const char separator = from.PickValueInArray({',', ';', '\t'});
  const bool own_rules = from.ConsumeIntegralInRange(0, 4) == 0;
  const std::string own = own_rules ? from.ConsumeRandomLengthString(400) : "";
  std::string header = "a,b,c,d,e\n";
  std::replace(header.begin(), header.end(), ',', separator);
  const std::string rows = from.ConsumeRemainingBytesAsString();
  try {
    const ExportColumns columns = own_rules ? columns_by(separator, own) : usual_columns(separator);
    const ExportedResults found = parse_export(text("export.csv", header + rows), columns, std::nullopt);
    std::int64_t before = 1;
    for (const ExportedResult& row : found.rows) {
      if (row.line <= before || row[ResultField::unit].empty() || row[ResultField::step].empty())
        std::abort();
      before = row.line;
    }
  } catch (const mindgap::Error&) {
  }
  return 0;
}

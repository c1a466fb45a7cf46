#include "paper/reproduce/view.h"

#include <fmt/format.h>

#include "paper/reproduce/page.h"

namespace mindgap::view {

std::string text_of(const reproduce::Reproduction& result) {
  std::string text = fmt::format("{}\n{}\n\n", result.title, result.method);
  if (!result.lines.empty()) text += report::to_text(reproduce::line_table(result));
  for (const std::string& reason : reproduce::reasons_of(result)) text += fmt::format("  {}\n", reason);
  for (const reproduce::Claim& claim : result.claims) {
    text += fmt::format("{} {}\n", claim.holds ? "  holds:" : "  DOES NOT HOLD:", claim.text);
    if (!claim.evidence.empty()) text += fmt::format("    {}\n", claim.evidence);
  }
  for (const reproduce::Reproduction::Data& data : result.data)
    text += fmt::format("  data: {} ({} rows, in the JSON)\n", data.file, data.table.rows.size());
  return text;
}

Json json_of(const reproduce::Reproduction& result) {
  Json json = {{"artefact", result.name}, {"title", result.title},  {"unit", result.unit},
               {"method", result.method}, {"lines", Json::array()}, {"claims", Json::array()},
               {"data", Json::array()}};
  for (const reproduce::Line& line : result.lines) {
    json["lines"].push_back(
        {{"what", line.what},
         {"published", line.published ? Json(*line.published) : Json()},
         {"ours", line.not_reproduced ? Json() : Json(line.ours)},
         {"interval", line.interval ? Json{line.interval->lower, line.interval->upper} : Json()},
         {"simulated", !line.exact},
         {"undecided", line.undecided()},
         {"published_error", line.published_error},
         {"tolerance", line.tolerance()},
         {"agrees", line.published ? Json(line.agrees()) : Json()},
         {"why", line.why},
         {"verdict", reproduce::verdict(line)}});
  }
  for (const reproduce::Claim& claim : result.claims)
    json["claims"].push_back({{"text", claim.text}, {"holds", claim.holds}, {"evidence", claim.evidence}});
  for (const reproduce::Reproduction::Data& data : result.data) {
    json["data"].push_back({{"file", data.file}, {"columns", data.table.columns}, {"rows", data.table.rows}});
  }
  return json;
}

}  // namespace mindgap::view

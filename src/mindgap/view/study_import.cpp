#include "mindgap/view/study_import.h"

#include <fmt/format.h>

#include "mindgap/base/error.h"
#include "mindgap/base/number.h"
#include "mindgap/report/table.h"
#include "mindgap/view/print.h"
#include "mindgap/view/study.h"

namespace mindgap::view {
namespace {

const char* bound_of(const study::ObservationRow& row) {
  return !row.censored ? "" : row.at_most ? "at_most" : "at_least";
}

std::string reward_in_words(const study::ObservationRow& row) {
  if (row.is_void) return "no visit";
  if (!row.has_reward) return "not known";
  return (!row.censored ? "" : row.at_most ? "at most " : "at least ") + base::shortest(row.reward);
}

// How a row goes into the log.
const char* effect_of(const study::Recorded& recorded, const study::ObservationRow& row) {
  if (row.replaces < 0) return "new";
  const study::ObservationRow& old = recorded.state.observations[static_cast<std::size_t>(row.replaces)];
  const bool same_reward =
      !old.has_reward || (row.has_reward && old.reward == row.reward && old.censored == row.censored);
  const bool same_place = old.next_state < 0 || old.next_state == row.next_state;
  return same_reward && same_place && old.is_void == row.is_void && old.action == row.action ? "completes"
                                                                                             : "corrects";
}

std::string rows_as_table(const study::Recorded& recorded) {
  using base::printable;
  const mdp::Mdp& mdp = recorded.state.mdp();
  report::Table table;
  table.columns = {"line", "unit", "step", "place", "action", "result", "led to", ""};
  for (std::size_t i = 0; i < recorded.results.rows.size(); ++i) {
    const study::ObservationRow& row = recorded.results.rows[i];
    std::string note = effect_of(recorded, row);
    if (row.deviation) note += ", not as assigned";
    table.rows.push_back(
        {std::to_string(recorded.results.lines[i]),
         printable(recorded.state.units[static_cast<std::size_t>(row.unit)].name), std::to_string(row.step),
         printable(mdp.state_name(row.state)), printable(mdp.action_name(row.action)), reward_in_words(row),
         row.next_state < 0 ? "not known" : printable(mdp.state_name(row.next_state)), std::move(note)});
  }
  return table.rows.empty() ? "" : report::to_text(table);
}

}  // namespace

std::string text_of_import(const study::Recorded& recorded, std::int64_t left_out, bool dry_run) {
  const std::string left =
      left_out == 0 ? "" : fmt::format("{} left out by the mapping\n", count(left_out, "row"));
  if (!dry_run) return left + text_of(recorded);
  std::string said = text_of(recorded);
  said.resize(said.find('\n') + 1);  // without the log's head: nothing was added
  return rows_as_table(recorded) + left + "A dry run; nothing was recorded. It would have " + said;
}

Json json_of_import(const study::Recorded& recorded, std::int64_t left_out, bool dry_run) {
  const mdp::Mdp& mdp = recorded.state.mdp();
  Json rows = Json::array();
  for (std::size_t i = 0; i < recorded.results.rows.size(); ++i) {
    const study::ObservationRow& row = recorded.results.rows[i];
    rows.push_back({{"line", recorded.results.lines[i]},
                    {"unit", recorded.state.units[static_cast<std::size_t>(row.unit)].name},
                    {"step", row.step},
                    {"state", mdp.state_name(row.state)},
                    {"action", mdp.action_name(row.action)},
                    {"reward", row.has_reward ? Json(row.reward) : Json(nullptr)},
                    {"bound", row.censored ? Json(bound_of(row)) : Json(nullptr)},
                    {"next_state", row.next_state < 0 ? Json(nullptr) : Json(mdp.state_name(row.next_state))},
                    {"void", row.is_void},
                    {"deviation", row.deviation},
                    {"effect", effect_of(recorded, row)}});
  }
  Json json = json_of(recorded);
  json["dry_run"] = dry_run;
  json["left_out"] = left_out;
  json["rows"] = std::move(rows);
  return json;
}

}  // namespace mindgap::view

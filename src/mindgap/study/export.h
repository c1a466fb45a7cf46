#pragma once

#include <filesystem>
#include <string>

#include "mindgap/study/storage.h"

namespace mindgap::study {

/// Writes a study as it stands at one moment, whoever writes to it meanwhile, into a folder: units.csv,
/// policy.csv (the best policy by what is known now), assignments.csv and observations.csv (the results
/// that hold, as `mindgap diagnose --log` reads them; void ones and deviations are in observations.jsonl
/// only), evidence.csv where the study began with a log (that log's rows, then those of observations.csv),
/// the same as JSON Lines, decisions.jsonl, model/ and a copy of the study itself. The log with the
/// model, and the prior and coverage that the study began with, gives the study's belief again, bit for bit.
/// Throws StoreError, also where the copy in the folder has entries that the study does not have; all or
/// nothing.
/// `csv_safe`: fields of tables that a spreadsheet would take for formulas get an apostrophe in front.
void export_study(const Storage& storage, const std::filesystem::path& out, bool csv_safe = false);

/// One JSON object with `observations`, `assignments`, `units` and `decisions`.
std::string export_json(const Storage& storage);

}  // namespace mindgap::study

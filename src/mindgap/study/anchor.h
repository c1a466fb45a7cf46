#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "mindgap/files/text_file.h"

namespace mindgap::study {

/// What a study's log was at a moment, as one line of text that anybody can keep. Whoever has the line can
/// tell later whether the log up to there is still the same; where the line was published proves since when.
struct Anchor {
  std::string study;        // the hash of the first row
  std::int64_t events = 0;  // in the log by then
  std::string head;         // the hash of the last row by then
  std::string time;         // the writer's clock

  bool operator==(const Anchor&) const = default;
};

/// "mindgap-anchor/1 study=... events=12 head=... time=2026-03-01T09:30:00Z", without a line end.
std::string to_line(const Anchor& anchor);

/// The anchors in a text: in every line what follows "mindgap-anchor/1"; lines without it (of a mail, a list)
/// are passed over. Throws InvalidModel with the line where one is malformed.
std::vector<Anchor> parse_anchors(const files::TextFile& file);

/// Adds a line to a file of anchors, unless its last one has the same head; returns after the disk has it.
/// Makes the file where it is not there. Throws StoreError.
void note_anchor(const std::filesystem::path& file, const Anchor& anchor);

/// Beside a study: the anchors of all that was written to it.
constexpr const char* kHeadsFile = "heads.txt";

}  // namespace mindgap::study

#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "mindgap/study/log.h"

// Who caused an event, where somebody was asked: kept as the last key, "by", of the event's content, and so
// inside the chain of hashes. What a command line writes has none.
namespace mindgap::study {

struct Author {
  std::string who;        // a person's name
  std::string role;       // owner, field or viewer
  std::string id;         // chosen by the author's program: an event with the same one is the same deed
  std::int64_t seen = 0;  // the number of the last event that the author knew of
  std::string at;         // the author's clock, where it was not the server's; else ""
  std::string why;        // or ""

  bool operator==(const Author&) const = default;
};

/// An object with the author added as its last key.
std::string with_author(const std::string& content, const Author& author);

/// The author of an event, or null. Throws StoreError where what is there is none.
std::shared_ptr<const Author> author_of(const Event& event);

/// Whether a text is a time as events have it, 2026-03-01T09:30:00Z.
bool is_time(std::string_view text);
/// Whether a text may be an id: 8 to 64 of A-Z a-z 0-9 _ -.
bool is_id(std::string_view text);

}  // namespace mindgap::study

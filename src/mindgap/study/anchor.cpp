#include "mindgap/study/anchor.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <string_view>

#include "mindgap/base/error.h"
#include "mindgap/files/output.h"
#include "mindgap/files/place.h"

namespace mindgap::study {
namespace {

constexpr std::string_view kAnchorMark = "mindgap-anchor/1";
constexpr std::string_view kHeadsBegin =
    "# One line per change of the study beside this file. Mail or print the latest one now and then: whoever "
    "has it\n"
    "# can tell whether anything before it was changed or cut off (mindgap study verify DIR --anchors "
    "FILE).\n";

bool is_hash(std::string_view text) {
  return text.size() == 64 && text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

// The value of " name=value" in a line, or "".
std::string_view word(std::string_view line, const std::string& name) {
  const std::string wanted = " " + name + "=";
  const std::size_t at = line.find(wanted);
  if (at == std::string_view::npos) return {};
  line.remove_prefix(at + wanted.size());
  return line.substr(0, line.find_first_of(" \t\r"));
}

Anchor parsed(std::string_view line, const std::string& file, std::int64_t number) {
  Anchor anchor{std::string(word(line, "study")), 0, std::string(word(line, "head")),
                std::string(word(line, "time"))};
  const std::string_view events = word(line, "events");
  const auto [end, error] = std::from_chars(events.data(), events.data() + events.size(), anchor.events);
  if (!is_hash(anchor.study) || !is_hash(anchor.head) || error != std::errc() ||
      end != events.data() + events.size() || anchor.events < 1)
    throw InvalidModel("the anchor is malformed: expected study, events and head",
                       {.file = file, .line = number, .value = files::excerpt(line)});
  return anchor;
}

}  // namespace

std::string to_line(const Anchor& anchor) {
  return fmt::format("{} study={} events={} head={} time={}", kAnchorMark, anchor.study, anchor.events,
                     anchor.head, anchor.time);
}

std::vector<Anchor> parse_anchors(const files::TextFile& file) {
  std::vector<Anchor> anchors;
  std::int64_t number = 0;
  for (std::string_view left = file.text; !left.empty();) {
    const std::string_view line = left.substr(0, left.find('\n'));
    left.remove_prefix(std::min(left.size(), line.size() + 1));
    ++number;
    const std::size_t at = line.find(kAnchorMark);
    if (at != std::string_view::npos)
      anchors.push_back(parsed(line.substr(at + kAnchorMark.size()), file.name, number));
  }
  return anchors;
}

void note_anchor(const std::filesystem::path& file, const Anchor& anchor) {
  const bool is_new = !files::is_there(file);
  if (!is_new) {
    const std::vector<Anchor> before = parse_anchors(files::open_text_file(file));
    if (!before.empty() && before.back().head == anchor.head) return;
  }
  const std::string text = (is_new ? std::string(kHeadsBegin) : "") + to_line(anchor) + "\n";
  const int out = ::open(file.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  bool good = out >= 0 && ::write(out, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  good = good && ::fsync(out) == 0;
  const int reason = errno;
  if (out >= 0) ::close(out);
  if (!good) throw StoreError(fmt::format("{}: cannot write: {}", file.string(), std::strerror(reason)));
  if (is_new) files::sync_to_disk(files::absolute_path(file).parent_path());
}

}  // namespace mindgap::study

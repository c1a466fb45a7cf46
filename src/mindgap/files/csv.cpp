#include "mindgap/files/csv.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "mindgap/base/number.h"
#include "mindgap/files/text_file.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace mindgap::files {
namespace {

constexpr std::size_t kWindow = 16384;

// Writes (offset << 1 | is line feed) for each comma and line feed of `text`; returns how many. `quotes` is
// set where there is a quote.
std::size_t find_separators(std::string_view text, std::uint32_t* out, bool& quotes) {
  std::uint32_t* const first = out;
  std::size_t i = 0;
#ifdef __SSE2__
  const __m128i comma = _mm_set1_epi8(','), feed = _mm_set1_epi8('\n'), quote = _mm_set1_epi8('"');
  int any_quote = 0;
  for (; i + 64 <= text.size(); i += 64) {
    std::uint64_t feeds = 0, either = 0;
    for (unsigned part = 0; part < 4; ++part) {
      const __m128i block = _mm_loadu_si128(reinterpret_cast<const __m128i*>(text.data() + i + 16 * part));
      const __m128i is_feed = _mm_cmpeq_epi8(block, feed);
      const __m128i is_either = _mm_or_si128(is_feed, _mm_cmpeq_epi8(block, comma));
      any_quote |= _mm_movemask_epi8(_mm_cmpeq_epi8(block, quote));
      feeds |= static_cast<std::uint64_t>(static_cast<std::uint32_t>(_mm_movemask_epi8(is_feed)))
               << (16 * part);
      either |= static_cast<std::uint64_t>(static_cast<std::uint32_t>(_mm_movemask_epi8(is_either)))
                << (16 * part);
    }
    for (; either != 0; either &= either - 1) {
      const auto bit = static_cast<std::uint32_t>(std::countr_zero(either));
      *out++ = (static_cast<std::uint32_t>(i) + bit) << 1 | static_cast<std::uint32_t>(feeds >> bit & 1);
    }
  }
  quotes = any_quote != 0;
#endif
  for (; i < text.size(); ++i) {
    const char c = text[i];
    if (c == ',' || c == '\n') *out++ = static_cast<std::uint32_t>(i) << 1 | (c == '\n' ? 1U : 0U);
    quotes = quotes || c == '"';
  }
  return static_cast<std::size_t>(out - first);
}

std::string joined(const std::vector<std::string_view>& words) {
  std::string text;
  for (const std::string_view word : words) text += fmt::format("{}{}", text.empty() ? "" : ",", word);
  return text;
}

}  // namespace

CsvReader::CsvReader(std::string_view text, std::string file, std::initializer_list<std::string_view> wanted,
                     std::initializer_list<std::string_view> allowed, OtherColumns others)
    : text_(text), file_(std::move(file)) {
  if (text_.starts_with(kByteOrderMark)) at_ = kByteOrderMark.size();
  if (at_ == text_.size()) {
    throw InvalidModel(fmt::format("the file is empty, expected a header with {}", joined(wanted)),
                       {.file = file_});
  }
  read_header(wanted, allowed, others);
  columns_ = header_.size();
  fields_.resize(kBatch * columns_);
  begins_.resize(kBatch);
  separators_.resize(std::min(kWindow, text_.size()));
}

void CsvReader::read_header(std::initializer_list<std::string_view> wanted,
                            std::initializer_list<std::string_view> allowed, OtherColumns others) {
  const std::size_t begin = at_;
  for (;;) {
    const std::string_view name = take_field();
    const auto is_name = [&](std::string_view other) { return other == name; };
    if (std::none_of(wanted.begin(), wanted.end(), is_name) &&
        std::none_of(allowed.begin(), allowed.end(), is_name)) {
      if (name.empty() && others != OtherColumns::any)
        fail_at(begin, "the header has a column without a name");
      std::vector<std::string_view> known(wanted);
      known.insert(known.end(), allowed.begin(), allowed.end());
      if (others == OtherColumns::refused)
        fail_at(begin, fmt::format("the header has an unknown column; known are {}", joined(known)),
                excerpt(name));
    }
    if (others != OtherColumns::any && find_column(name))
      fail_at(begin, fmt::format("the header has the column '{}' twice", name));
    header_.emplace_back(name);
    if (at_record_end()) break;
    ++at_;
  }
  for (const std::string_view name : wanted) {
    if (!find_column(name)) fail_at(begin, fmt::format("the header lacks the column '{}'", name));
  }
  if (at_ < text_.size()) at_ += text_[at_] == '\r' ? 2 : 1;
}

std::optional<std::size_t> CsvReader::find_column(std::string_view name) const {
  const auto it = std::find(header_.begin(), header_.end(), name);
  if (it == header_.end()) return std::nullopt;
  return static_cast<std::size_t>(it - header_.begin());
}

std::size_t CsvReader::next() {
  if (pending_) throw InvalidModel(*pending_);
  records_ = 0;
  unescaped_.clear();
  try {
    while (records_ < kBatch && at_ < text_.size()) {
      if (at_ >= window_end_ || separator_ == separator_count_) scan_window();
      if (!window_plain_ || !take_plain_records()) take_record();
    }
  } catch (const InvalidModel& error) {
    if (records_ == 0) throw;
    pending_ = error;  // the caller first sees what comes before it
  }
  return records_;
}

void CsvReader::scan_window() {
  window_begin_ = at_;
  window_end_ = std::min(text_.size(), at_ + kWindow);
  bool quotes = false;
  separator_count_ = find_separators(text_.substr(at_, kWindow), separators_.data(), quotes);
  separator_ = 0;
  window_plain_ = !quotes;
}

// Cuts records whose separators are all in the window. Returns false where the next record has to be taken
// byte by byte: it reaches beyond a whole window or ends without a line feed, or its fields are miscounted.
bool CsvReader::take_plain_records() {
  const char* const base = text_.data() + window_begin_;
  while (records_ < kBatch && separator_ + columns_ <= separator_count_) {
    const std::uint32_t* const separator = separators_.data() + separator_;
    std::string_view* const fields = fields_.data() + records_ * columns_;
    const char* begin = text_.data() + at_;
    std::uint32_t feeds = 0;
    for (std::size_t c = 0; c < columns_; ++c) {
      const char* const end = base + (separator[c] >> 1);
      fields[c] = {begin, static_cast<std::size_t>(end - begin)};
      begin = end + 1;
      feeds += separator[c] & 1;
    }
    if (feeds != 1 || (separator[columns_ - 1] & 1) == 0) return false;
    std::string_view& last = fields[columns_ - 1];
    if (!last.empty() && last.back() == '\r') last.remove_suffix(1);
    begins_[records_++] = at_;
    at_ = static_cast<std::size_t>(begin - text_.data());
    separator_ += columns_;
  }
  if (records_ == kBatch) return true;
  // The rest of the window holds no whole record: look again from here, unless that is what was just tried.
  separator_ = separator_count_;
  return window_begin_ != at_;
}

void CsvReader::take_record() {
  const std::size_t begin = at_;
  std::size_t count = 0;
  for (;; ++at_) {
    const std::string_view field = take_field();
    if (count < columns_) fields_[records_ * columns_ + count] = field;
    ++count;
    if (at_record_end()) break;
  }
  if (count != columns_) {
    fail_at(begin,
            fmt::format("the line has {} field{}, expected {}", count, count == 1 ? "" : "s", columns_));
  }
  if (at_ < text_.size()) at_ += text_[at_] == '\r' ? 2 : 1;
  begins_[records_++] = begin;
  // Stay in the window if it reaches further, with the separators that lie behind the record skipped.
  while (separator_ < separator_count_ && window_begin_ + (separators_[separator_] >> 1) < at_) ++separator_;
}

bool CsvReader::at_record_end() const {
  if (at_ >= text_.size() || text_[at_] == '\n') return true;
  return text_[at_] == '\r' && at_ + 1 < text_.size() && text_[at_ + 1] == '\n';
}

std::string_view CsvReader::take_field() {
  if (at_ < text_.size() && text_[at_] == '"') return take_quoted();
  const std::size_t begin = at_;
  while (at_ < text_.size() && text_[at_] != ',' && text_[at_] != '\n') {
    if (text_[at_] == '"') fail_at(at_, "a quote stands inside a field that is not in quotes");
    ++at_;
  }
  // The carriage return before a line feed belongs to the line's end.
  if (at_ < text_.size() && text_[at_] == '\n' && at_ > begin && text_[at_ - 1] == '\r') --at_;
  return text_.substr(begin, at_ - begin);
}

std::string_view CsvReader::take_quoted() {
  const std::size_t open = at_++;
  std::string* unescaped = nullptr;
  std::size_t piece = at_;
  for (;;) {
    const std::size_t quote = text_.find('"', at_);
    if (quote == std::string_view::npos) fail_at(open, "a quoted field does not end");
    at_ = quote + 1;
    const bool doubled = at_ < text_.size() && text_[at_] == '"';
    if (!doubled && unescaped == nullptr) {
      if (!at_record_end() && text_[at_] != ',') fail_at(open, "text follows the closing quote of a field");
      return text_.substr(piece, quote - piece);
    }
    if (unescaped == nullptr) unescaped = &unescaped_.emplace_back();
    unescaped->append(text_, piece, quote + (doubled ? 1 : 0) - piece);
    if (!doubled) {
      if (!at_record_end() && text_[at_] != ',') fail_at(open, "text follows the closing quote of a field");
      return *unescaped;
    }
    piece = ++at_;
  }
}

double CsvReader::number(std::size_t record, std::size_t column, std::string_view what) const {
  const std::string_view text = field(record, column);
  double value = 0;
  const base::NumberStatus status = base::parse_number(text, value);
  if (status == base::NumberStatus::ok) return value;
  if (text.empty()) fail(record, fmt::format("the {} is empty, expected a number", what));
  fail(record,
       fmt::format(
           "the {} is {}", what,
           status == base::NumberStatus::not_a_number ? "not a number" : "beyond the range of numbers"),
       {.value = excerpt(text)});
}

void CsvReader::fail(std::size_t record, const std::string& problem, ModelLocation where) const {
  where.file = file_;
  where.line = line(record);
  throw InvalidModel(problem, std::move(where));
}

std::int64_t CsvReader::line_at(std::size_t offset) const {
  return 1 + std::count(text_.begin(), text_.begin() + static_cast<std::ptrdiff_t>(offset), '\n');
}

void CsvReader::fail_at(std::size_t offset, const std::string& problem, std::string value) const {
  throw InvalidModel(problem, {.file = file_, .line = line_at(offset), .value = std::move(value)});
}

}  // namespace mindgap::files

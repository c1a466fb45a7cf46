#include "mindgap/files/csv.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <bit>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <random>

#include "mindgap/base/number.h"
#include "mindgap/mdp/names.h"

namespace mindgap::files {

using namespace mdp;  // what these files hold
namespace csv_test {

// RapidCheck would seed itself by the clock.
[[maybe_unused]] const int kSeeded = ::setenv("RC_PARAMS", "seed=42", 0);

using Rows = std::vector<std::vector<std::string>>;

Rows rows_of(std::string_view text) {
  CsvReader reader(text, "t.csv", {"a", "b"});
  Rows rows;
  while (const std::size_t count = reader.next()) {
    for (std::size_t i = 0; i < count; ++i) {
      rows.push_back({std::string(reader.field(i, 0)), std::string(reader.field(i, 1))});
    }
  }
  return rows;
}

std::string message(std::string_view text) {
  try {
    rows_of(text);
  } catch (const InvalidModel& error) {
    return error.what();
  }
  return "no error";
}

TEST(Csv, ReadsLineEndsMarksAndQuotes) {
  const Rows wanted = {{"1", "2"}, {"x", ""}};
  EXPECT_EQ(rows_of("a,b\n1,2\nx,\n"), wanted);
  EXPECT_EQ(rows_of("a,b\r\n1,2\r\nx,\r\n"), wanted);
  EXPECT_EQ(rows_of("\xef\xbb\xbf"
                    "a,b\n1,2\nx,"),
            wanted);
  EXPECT_EQ(rows_of("\"a\",\"b\"\r\n\"1\",2\r\n\"x\",\"\""), wanted);
  EXPECT_EQ(rows_of("a,b\n\"1,\"\"2\"\"\nq\",\"\r\n\"\n"), (Rows{{"1,\"2\"\nq", "\r\n"}}));
  EXPECT_EQ(rows_of("a,b\n\"\"\"\",\"\"\"\"\"\"\n"), (Rows{{"\"", "\"\""}}));
  EXPECT_EQ(rows_of("a,b"), Rows{});
  EXPECT_EQ(rows_of("a,b\r\n"), Rows{});
  EXPECT_EQ(rows_of(std::string_view("a,b\n\0,\xff\n", 8)), (Rows{{std::string(1, '\0'), "\xff"}}));
}

TEST(Csv, ColumnsMayComeInAnyOrder) {
  CsvReader reader("c,b,a\n1,2,3\n", "t.csv", {"a", "b"}, {"c", "d"});
  ASSERT_EQ(reader.next(), 1u);
  EXPECT_EQ(reader.field(0, reader.column("a")), "3");
  EXPECT_EQ(reader.field(0, *reader.find_column("c")), "1");
  EXPECT_FALSE(reader.find_column("d"));
  EXPECT_EQ(reader.line(0), 2);
}

TEST(Csv, RefusesWhatIsMalformed) {
  EXPECT_EQ(message(""), "t.csv: the file is empty, expected a header with a,b");
  EXPECT_EQ(message("\xef\xbb\xbf"), "t.csv: the file is empty, expected a header with a,b");
  EXPECT_EQ(message("\n"), "t.csv:1: the header has a column without a name");
  EXPECT_EQ(message("a\n"), "t.csv:1: the header lacks the column 'b'");
  EXPECT_EQ(message("a,b,a\n"), "t.csv:1: the header has the column 'a' twice");
  EXPECT_EQ(message("a,b,c\n"), "t.csv:1: the header has an unknown column; known are a,b (got 'c')");
  EXPECT_EQ(message("a,b\n1,2\n1\n"), "t.csv:3: the line has 1 field, expected 2");
  EXPECT_EQ(message("a,b\n1,2\n\n"), "t.csv:3: the line has 1 field, expected 2");
  EXPECT_EQ(message("a,b\n1,2,3\n1,2\n"), "t.csv:2: the line has 3 fields, expected 2");
  EXPECT_EQ(message("a,b\n1,2\n\"x\n\n,3"), "t.csv:3: a quoted field does not end");
  EXPECT_EQ(message("a,b\n\"1\n\n\",2\nx\"y,3\n"),
            "t.csv:5: a quote stands inside a field that is not in quotes");
  EXPECT_EQ(message("a,b\n\"x\"y,3\n"), "t.csv:2: text follows the closing quote of a field");
}

TEST(Csv, HandsOutWhatPrecedesAnError) {
  CsvReader reader("a,b\n1,2\n3,4\n5\n", "t.csv", {"a", "b"});
  EXPECT_EQ(reader.next(), 2u);
  EXPECT_EQ(reader.field(1, 1), "4");
  EXPECT_THROW(reader.next(), InvalidModel);
  EXPECT_THROW(reader.next(), InvalidModel);
}

TEST(Csv, NumbersSayWhatIsWrong) {
  CsvReader reader("a,b\n1.0x,\n1e999,-2.5e-3\n", "t.csv", {"a", "b"});
  ASSERT_EQ(reader.next(), 2u);
  const auto number = [&](std::size_t record, std::size_t column) -> std::string {
    try {
      return base::shortest(reader.number(record, column, "weight"));
    } catch (const InvalidModel& error) {
      return error.what();
    }
  };
  EXPECT_EQ(number(0, 0), "t.csv:2: the weight is not a number (got '1.0x')");
  EXPECT_EQ(number(0, 1), "t.csv:2: the weight is empty, expected a number");
  EXPECT_EQ(number(1, 0), "t.csv:3: the weight is beyond the range of numbers (got '1e999')");
  EXPECT_EQ(number(1, 1), "-0.0025");
}

// A second reader, written as plainly as possible, on random texts that are mostly separators and quotes.
std::optional<Rows> plain_read(const std::string& text) {
  Rows rows(1, std::vector<std::string>(1));
  for (std::size_t i = 0; i < text.size();) {
    std::string& field = rows.back().back();
    if (text[i] == '"') {
      if (i > 0 && text[i - 1] != ',' && text[i - 1] != '\n') return std::nullopt;
      for (++i;; ++i) {
        if (i >= text.size()) return std::nullopt;
        if (text[i] == '"' && text.substr(i, 2) != "\"\"") break;
        if (text[i] == '"') ++i;
        field += text[i];
      }
      ++i;
      if (i < text.size() && text[i] != ',' && text[i] != '\n' && text.substr(i, 2) != "\r\n")
        return std::nullopt;
    } else if (text[i] == ',') {
      rows.back().emplace_back();
      ++i;
    } else if (text[i] == '\n' || text.substr(i, 2) == "\r\n") {
      i += text[i] == '\n' ? 1 : 2;
      rows.emplace_back(1);
    } else {
      field += text[i++];
    }
  }
  if (rows.back() == std::vector<std::string>{""} && (text.empty() || text.back() == '\n')) rows.pop_back();
  for (const auto& row : rows) {
    if (row.size() != 2) return std::nullopt;
  }
  return rows;
}

RC_GTEST_PROP(Csv, AgreesWithAPlainReader, ()) {
  const auto piece =
      rc::gen::element<std::string>(",", "\n", "\"", "\r", "\r\n", "x", "yz", "\"a,\"\"b\",c\n", "1,2\n",
                                    "1,2\r\n", "\"q\",w\n", "long enough to cross a block,of 64 bytes\n");
  const auto pieces = *rc::gen::container<std::vector<std::string>>(piece);
  std::string text;
  for (const std::string& one : pieces) text += one;
  const std::optional<Rows> wanted = plain_read(text);
  const std::string full = "a,b\n" + text;
  if (wanted) {
    RC_ASSERT(rows_of(full) == *wanted);
  } else {
    RC_ASSERT_THROWS_AS(rows_of(full), InvalidModel);
  }
}

TEST(Csv, RecordsAcrossWindowsAndBatches) {
  // Record lengths that drift against the 16 KiB window, quotes in some windows only, one record longer than
  // it.
  std::string text = "a,b\n";
  Rows wanted;
  for (int i = 0; i < 20000; ++i) {
    const std::string first = std::to_string(i), second(static_cast<std::size_t>(i % 37), 'x');
    const bool quoted = i / 1000 % 3 == 1 && i % 5 == 0;
    const std::string longer = i == 7777 ? std::string(100000, 'l') : second;
    const char* quote = quoted ? "\"" : "";
    text.append(quote).append(first).append(quote).append(",").append(longer).append(quoted ? "\r\n" : "\n");
    wanted.push_back({first, longer});
  }
  EXPECT_EQ(rows_of(text), wanted);
  EXPECT_EQ(message(text + "x\n"), "t.csv:20002: the line has 1 field, expected 2");
}

TEST(Csv, AHugeLineIsReadOrRefusedQuickly) {
  std::string text = "a,b\n";
  text.append(100'000'000, 'z');
  EXPECT_EQ(message(text), "t.csv:2: the line has 1 field, expected 2");
  EXPECT_EQ(message(text.substr(4)), "t.csv:1: the header has an unknown column; known are a,b (got '" +
                                         std::string(60, 'z') + "...')");
  EXPECT_EQ(rows_of(text + ",1\n")[0][0].size(), 100'000'000u);
}

double by_from_chars(std::string_view text, bool& good) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  good = error == std::errc() && end == text.data() + text.size();
  return value;
}

void expect_same_number(const std::string& text) {
  bool good = false;
  const double wanted = by_from_chars(text, good);
  double value = 0;
  const base::NumberStatus status = base::parse_number(text, value);
  ASSERT_EQ(status == base::NumberStatus::ok, good) << text;
  if (!good) return;
  ASSERT_EQ(std::bit_cast<std::uint64_t>(value), std::bit_cast<std::uint64_t>(wanted)) << text;
}

TEST(Number, IsTheCorrectlyRoundedDouble) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 1'000'000; ++i) {
    // Digits with a point anywhere, up to 22 of them: all lengths that the fast way takes and some it must
    // leave.
    std::string text = random() % 2 ? "" : random() % 2 ? "-" : "0";
    const std::size_t digits = 1 + random() % 22;
    const std::size_t point = random() % (digits + 3);
    for (std::size_t d = 0; d < digits; ++d) {
      if (d == point) text += '.';
      text += static_cast<char>('0' + (random() % 8 == 0 ? 0 : random() % 10));
    }
    expect_same_number(text);
  }
  for (int i = 0; i < 300'000; ++i) {
    const std::uint64_t bits = random();
    double value;
    std::memcpy(&value, &bits, sizeof value);
    if (std::isfinite(value)) expect_same_number(base::shortest(value));
    expect_same_number(base::shortest(static_cast<double>(random() >> 11) * 0x1p-53));
  }
}

TEST(Number, TakesHalfwayCasesToEven) {
  // 2^53 + 1 lies between two doubles; so does any odd multiple of a half above 2^52.
  for (std::uint64_t i = 0; i < 100'000; ++i) {
    expect_same_number(std::to_string((std::uint64_t{1} << 53) + i));
    expect_same_number(std::to_string((std::uint64_t{1} << 52) + i) + ".5");
    expect_same_number(std::to_string((std::uint64_t{1} << 60) + 128 * i));
  }
}

TEST(Number, RefusesWhatIsNotOne) {
  double value = 0;
  for (const char* text : {"", " 1", "1 ", "+1", "-", ".", "1.2.3", "0x10", "1,5", "1e", "--1", "1.0x",
                           "12345678x", "0.12345678x", "0.1234567812345x"}) {
    EXPECT_EQ(base::parse_number(text, value), base::NumberStatus::not_a_number) << text;
    expect_same_number(text);
  }
  EXPECT_EQ(base::parse_number("1e999", value), base::NumberStatus::out_of_range);
  EXPECT_EQ(base::parse_number("-1e-999", value), base::NumberStatus::out_of_range);
  for (const char* text : {"1.", ".5", "-.5", "00.5", "inf", "nan", "-0", "0", "-0.0", "5e-324", "1e308"}) {
    expect_same_number(text);
  }
}

TEST(NameTable, FindsWhatWasAddedAndNothingElse) {
  NameTable table;
  std::vector<std::string> names;
  // Lengths around those that keys hold inline, and names that differ in one byte only.
  for (std::size_t size = 1; size <= 40; ++size) {
    for (std::size_t at = 0; at < size; ++at) {
      std::string name(size, 'a');
      name[at] = 'b';
      names.push_back(name);
    }
  }
  for (std::size_t i = 0; i < names.size(); ++i) EXPECT_EQ(table.add(names[i]), static_cast<std::int32_t>(i));
  for (const std::string& name : names) EXPECT_EQ(table.add(name), -1);
  std::vector<std::string_view> views(names.begin(), names.end());
  views.emplace_back("aaa");
  views.emplace_back("");
  views.emplace_back("b\0", 2);
  std::vector<std::int32_t> numbers(views.size());
  table.find(views, numbers);
  for (std::size_t i = 0; i < views.size(); ++i) {
    EXPECT_EQ(numbers[i], i < names.size() ? static_cast<std::int32_t>(i) : -1);
    EXPECT_EQ(table.find(views[i]), numbers[i]);
  }
  EXPECT_EQ(table[5], names[5]);
}

TEST(Names, Utf8) {
  for (const char* good : {"", "a", "ü", "日本", "🙂", "\x7f", "\xf4\x8f\xbf\xbf", "\xed\x9f\xbf"})
    EXPECT_TRUE(is_clean_utf8(good));
  for (const char* bad : {"\x80", "\xc0\x80", "\xc3", "\xe0\x80\x80", "\xed\xa0\x80", "\xf4\x90\x80\x80",
                          "\xf5", "\xff", "a\xe2\x82"}) {
    EXPECT_FALSE(is_clean_utf8(bad));
  }
  EXPECT_FALSE(is_clean_utf8(std::string_view("a\0b", 3)));
}

}  // namespace csv_test
}  // namespace mindgap::files

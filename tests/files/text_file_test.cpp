#include "mindgap/files/text_file.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "files/files.h"
#include "mindgap/files/model_folder.h"
#include "mindgap/files/toml_table.h"

namespace mindgap::files {
namespace text_file_test {

class TextFileTest : public FileTest {};

TEST_F(TextFileTest, HoldsWhatWasThereWhenItWasRead) {
  const std::string text(3 << 20, 'x');
  const std::filesystem::path file = write("a.csv", text);
  const TextFile read = open_text_file(file);
  std::filesystem::resize_file(file, 0);  // a mapped file would end the program here
  EXPECT_EQ(read.text, text);
  EXPECT_EQ(open_text_file(file).text, "");
  EXPECT_EQ(first_bytes(write("b", "abc"), 2), "ab");
  EXPECT_EQ(first_bytes(path("b"), 8), "abc");
}

// Somebody makes the file shorter and longer all the time: every look gives a whole text or an error.
TEST_F(TextFileTest, SurvivesAFileThatIsCutWhileItIsRead) {
  const std::string text(std::size_t{1} << 22, 'y');
  const std::filesystem::path file = write("a.csv", text);
  std::atomic<bool> done{false};
  std::thread other([&] {
    while (!done) {
      std::filesystem::resize_file(file, 4096);
      std::filesystem::resize_file(file, text.size());
    }
  });
  for (int look = 0; look < 200; ++look) {
    try {
      const TextFile read = open_text_file(file);
      EXPECT_TRUE(read.text.size() == text.size() || read.text.size() == 4096);
      EXPECT_EQ(read.text.find_first_not_of(std::string_view("y\0", 2)), std::string_view::npos);
    } catch (const StoreError& error) {
      EXPECT_NE(std::string(error.what()).find("became shorter"), std::string::npos) << error.what();
    }
  }
  done = true;
  other.join();
}

std::string depth_message(const std::string& text) {
  try {
    parse_toml(text, "m.toml");
  } catch (const InvalidModel& error) {
    return error.what();
  }
  return "no error";
}

std::string repeated(const std::string& piece, int count) {
  std::string text;
  for (int i = 0; i < count; ++i) text += piece;
  return text;
}

// The parser calls itself once per level: these ended the program for want of stack.
TEST(TomlDepth, IsLimitedBeforeParsing) {
  const int many = 40'000;
  const std::string wanted = "m.toml:2: keys and values are nested too deeply: at most 16 levels are read";
  EXPECT_EQ(depth_message("x = 1\na" + repeated(".b", many) + " = 1"), wanted);
  EXPECT_EQ(depth_message("x = 1\n[a" + repeated(".b", many) + "]"), wanted);
  EXPECT_EQ(depth_message("x = 1\n[[a" + repeated(". \"b\"", many) + "]]"), wanted);
  EXPECT_EQ(depth_message("x = 1\nk = " + repeated("[", many) + repeated("]", many)), wanted);
  EXPECT_EQ(depth_message("x = 1\nk = " + repeated("{a=", many) + "1" + repeated("}", many)), wanted);
  EXPECT_EQ(depth_message("x = 1\nk = " + repeated("{a.b.c.d.e.f.g.h=", many) + "1"), wanted);
}

TEST(TomlDepth, CountsNoDotsOfStringsNumbersAndComments) {
  const std::string dots(100, '.'), brackets(100, '[');
  EXPECT_EQ(depth_message("a = \"" + dots + brackets + "\\\"" + dots + "\"\n"), "no error");
  EXPECT_EQ(depth_message("a = '" + dots + "\\'\n# " + dots + brackets + "\nb = 1\n"), "no error");
  EXPECT_EQ(depth_message("a = \"\"\"" + dots + "\n\"\" " + brackets + "\"\"\"\"\"\nb = 1\n"), "no error");
  EXPECT_EQ(depth_message("a = '''" + dots + "\n'' " + brackets + "'''\nb = 1\n"), "no error");
  EXPECT_EQ(depth_message("a = [" + repeated("1.5, ", 100) + "2.5]\n"), "no error");
  EXPECT_EQ(depth_message("a.b.c.d = [[[[1.5]]]]\n[x.y.z]\nk.l = {m = {n = 1}}\n"), "no error");
}

TEST(TomlDepth, LargeFilesAreRefused) {
  EXPECT_NE(depth_message("#" + std::string(std::size_t{1} << 26, 'x')).find("64 MiB"), std::string::npos);
}

}  // namespace text_file_test
}  // namespace mindgap::files

#include "mindgap/files/output.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "files/files.h"
#include "mindgap/base/error.h"

// What a long computation asks before it begins, and how its result is put in place.
namespace mindgap::files {

using namespace mdp;  // what these files hold
namespace output_write_test {

class Writable : public FileTest {};

TEST_F(Writable, LeavesNothingBehindAndTouchesNothing) {
  check_writable(path("new.html"));
  EXPECT_TRUE(listing(path("")).empty());
  write("old.html", "old");
  check_writable(path("old.html"));
  EXPECT_EQ(read(path("old.html")), "old");
  EXPECT_EQ(listing(path("")), (std::vector<std::string>{"old.html"}));
}

TEST_F(Writable, RefusesAFolderAndAPlaceThatIsNotThere) {
  std::filesystem::create_directory(path("folder"));
  EXPECT_THROW(check_writable(path("folder")), StoreError);
  EXPECT_THROW(check_writable(path("missing/report.html")), StoreError);
  write("file", "x");
  EXPECT_THROW(check_writable(path("file/report.html")), StoreError);
}

TEST_F(Writable, RefusesAFolderOneMayNotWriteIn) {
  if (::getuid() == 0) GTEST_SKIP() << "root may write everywhere";
  std::filesystem::create_directory(path("locked"));
  std::filesystem::permissions(path("locked"),
                               std::filesystem::perms::owner_read | std::filesystem::perms::owner_exec);
  EXPECT_THROW(check_writable(path("locked/report.html")), StoreError);
  std::filesystem::permissions(path("locked"), std::filesystem::perms::owner_all);
}

// Nobody reads from the pipe: to open it for writing would wait for ever.
TEST_F(Writable, DoesNotOpenAPipe) {
  ASSERT_EQ(::mkfifo(path("pipe").c_str(), 0600), 0);
  check_writable(path("pipe"));
  check_writable("/dev/null");
}

TEST_F(Writable, FollowsALink) {
  write("real", "old");
  std::filesystem::create_symlink("real", path("link"));
  check_writable(path("link"));
  EXPECT_EQ(read(path("real")), "old");
  std::filesystem::create_symlink("missing/real", path("dangling"));
  EXPECT_THROW(check_writable(path("dangling")), StoreError);
}

TEST_F(Writable, WriteFilePutsTheWholeTextInPlace) {
  write_file(path("report.html"), "first");
  EXPECT_EQ(read(path("report.html")), "first");
  const std::string large(3'000'000, 'x');
  write_file(path("report.html"), large);
  EXPECT_EQ(read(path("report.html")), large);
  write_file(path("report.html"), "");
  EXPECT_EQ(read(path("report.html")), "");
  EXPECT_EQ(listing(path("")), (std::vector<std::string>{"report.html"}));
}

TEST_F(Writable, WriteFileLeavesTheOldOneWhereItCannot) {
  EXPECT_THROW(write_file(path("missing/report.html"), "x"), StoreError);
  EXPECT_THROW(write_file("/dev/full", "x"), StoreError);
  EXPECT_TRUE(listing(path("")).empty());
}

}  // namespace output_write_test
}  // namespace mindgap::files

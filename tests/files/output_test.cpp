#include "mindgap/files/output.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>

#include "files/files.h"

namespace mindgap::files {

using namespace mdp;  // what these files hold
namespace output_test {

class Staged : public FileTest {
 protected:
  void write_through(const std::string& name, const std::string& text) {
    StagedFile staged(path(name));
    TextWriter out(staged.temporary(), name);
    out.text(text);
    out.close();
    staged.commit();
  }
};

TEST_F(Staged, ALinkIsFollowedNotReplaced) {
  write("real.txt", "old");
  std::filesystem::create_symlink("real.txt", path("link"));
  write_through("link", "new");
  EXPECT_TRUE(std::filesystem::is_symlink(path("link")));
  EXPECT_EQ(read(path("real.txt")), "new");
  std::filesystem::create_symlink("later.txt", path("dangling"));
  write_through("dangling", "made");
  EXPECT_TRUE(std::filesystem::is_symlink(path("dangling")));
  EXPECT_EQ(read(path("later.txt")), "made");
}

TEST_F(Staged, APipeIsWrittenToNotReplaced) {
  ASSERT_EQ(mkfifo(path("pipe").c_str(), 0600), 0);
  const int reader = open(path("pipe").c_str(), O_RDWR | O_NONBLOCK);  // so that nobody waits for anybody
  ASSERT_GE(reader, 0);
  write_through("pipe", "through");
  std::array<char, 16> buffer{};
  EXPECT_EQ(::read(reader, buffer.data(), buffer.size()), 7);
  EXPECT_STREQ(buffer.data(), "through");
  close(reader);
  EXPECT_TRUE(std::filesystem::is_fifo(path("pipe")));
}

TEST_F(Staged, WhatIsGivenUpLeavesNothing) {
  write("file.txt", "old");
  {
    const StagedFile staged(path("file.txt"));
    std::ofstream(staged.temporary()) << "half";
  }
  EXPECT_EQ(read(path("file.txt")), "old");
  EXPECT_EQ(listing(folder_), std::vector<std::string>{"file.txt"});
}

}  // namespace output_test
}  // namespace mindgap::files

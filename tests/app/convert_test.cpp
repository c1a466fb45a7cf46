#include <gtest/gtest.h>

#include "app/program.h"

namespace mindgap::app {
namespace convert_test {

TEST(Convert, ThereAndBackGivesTheSameBytes) {
  const TemporaryFolder folder;
  for (const std::string name : {"examples/vans", "tests/models/forest3", "tests/models/frozenlake8"}) {
    const std::string base = folder / std::filesystem::path(name).filename().string();
    ASSERT_EQ(mindgap_run({"convert", source_path(name), base + ".h5"}).exit_code, 0);
    ASSERT_EQ(mindgap_run({"convert", base + ".h5", base}).exit_code, 0);
    ASSERT_EQ(mindgap_run({"convert", base, base + ".again.h5"}).exit_code, 0);
    ASSERT_EQ(mindgap_run({"convert", base + ".again.h5", base + ".again"}).exit_code, 0);
    for (const auto& entry : std::filesystem::directory_iterator(base)) {
      const std::filesystem::path other = std::filesystem::path(base + ".again") / entry.path().filename();
      EXPECT_EQ(read_text(entry.path()), read_text(other)) << other;
    }
    auto before = mindgap_run({"solve", source_path(name), "--format", "json"}).json();
    auto after = mindgap_run({"solve", base + ".h5", "--format", "json"}).json();
    before.erase("seconds");
    after.erase("seconds");
    EXPECT_EQ(before, after);
  }
  // What the generator wrote is already in the form the writer gives.
  for (const char* file : {"model.toml", "states.csv", "rewards.csv", "transitions.csv"}) {
    EXPECT_EQ(read_text(folder.path() / "vans" / file), read_text(source_path("examples/vans/") + file));
  }
}

TEST(Convert, RefusesAndLeavesNothingBehind) {
  const TemporaryFolder folder;
  const std::string vans = source_path("examples/vans");
  write_text(folder.path() / "notes.txt", "mine");
  expect_refused(mindgap_run({"convert", vans, folder.path().string()}), folder.path().string());
  expect_refused(mindgap_run({"convert", vans, folder / "no/such/place.h5"}), "place.h5");
  expect_refused(mindgap_run({"convert", folder / "missing", folder / "out"}), "missing");
  write_text(folder.path() / "garbage.h5", std::string("\x89HDF\r\n\x1a\n but no more", 20));
  expect_refused(mindgap_run({"convert", folder / "garbage.h5", folder / "out"}), "garbage.h5");
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder.path())) {
    ++files;
    EXPECT_TRUE(entry.path().filename() == "notes.txt" || entry.path().filename() == "garbage.h5")
        << entry.path();
  }
  EXPECT_EQ(files, 2);
}

}  // namespace convert_test
}  // namespace mindgap::app

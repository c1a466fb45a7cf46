#include "mindgap/command/convert.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "command/two_places.h"
#include "mindgap/files/model_file.h"

namespace mindgap::command {
namespace {

TEST(ConvertCommand, WritesTheModelAndSaysWhere) {
  const std::string folder = testing::TempDir() + "convert_command";
  std::filesystem::remove_all(folder);
  const ConvertAnswer answer = convert({two_places(), folder});
  EXPECT_EQ(files::read_model(folder).mdp.pairs(), 3);
  EXPECT_EQ(answer.json()["written"], folder);
  EXPECT_EQ(answer.json()["nonzeros"], 3);
  EXPECT_NE(answer.text().find("written to " + folder), std::string::npos);
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace mindgap::command

#include "mindgap/command/convert.h"

#include <gtest/gtest.h>

#include "command/two_places.h"
#include "files/files.h"
#include "mindgap/files/model_file.h"

namespace mindgap::command {
namespace {

using ConvertCommand = files::FileTest;

TEST_F(ConvertCommand, WritesTheModelAndSaysWhere) {
  const std::string folder = path("converted");
  const ConvertAnswer answer = convert({two_places(), folder});
  EXPECT_EQ(files::read_model(folder).mdp.pairs(), 3);
  EXPECT_EQ(answer.json()["written"], folder);
  EXPECT_EQ(answer.json()["nonzeros"], 3);
  EXPECT_NE(answer.text().find("written to " + folder), std::string::npos);
}

}  // namespace
}  // namespace mindgap::command

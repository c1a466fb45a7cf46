#include "mindgap/files/about_file.h"

#include <gtest/gtest.h>

#include "files/files.h"
#include "mindgap/files/model_file.h"
#include "mindgap/mdp/builder.h"

namespace mindgap::files {
namespace about_file_test {

using AboutFile = FileTest;

mdp::Model one_room() {
  mdp::MdpBuilder builder(.5);
  builder.add_state("room");
  builder.add_action("stay");
  builder.set_reward(0, 0, 1);
  builder.add_transition(0, 0, 0, 1);
  return {.name = "one room", .mdp = builder.build()};
}

mdp::About vans() {
  mdp::About about;
  about.reward_unit = "positive \"tests\"\n";
  about.step_unit = "day";
  about.population = "\xe6\xbc\xa2\xe5\xad\x97";
  return about;
}

TEST_F(AboutFile, IsKeptFromFolderToHdf5AndBack) {
  write_model_about(one_room(), vans(), path("folder"));
  EXPECT_EQ(read_about(path("folder")), vans());
  EXPECT_EQ(read_about(path("folder") / "model.toml"), vans());
  EXPECT_EQ(read_model(path("folder")), one_room());
  write_model_about(one_room(), read_about(path("folder")), path("model.h5"));
  EXPECT_EQ(read_about(path("model.h5")), vans());
  EXPECT_EQ(read_model(path("model.h5")).mdp, one_room().mdp);
}

TEST_F(AboutFile, IsEmptyWhereNothingIsStated) {
  write_model(one_room(), path("folder"));
  EXPECT_EQ(read_about(path("folder")), mdp::About{});
  write_model(one_room(), path("model.h5"));
  EXPECT_EQ(read_about(path("model.h5")), mdp::About{});
}

TEST_F(AboutFile, RefusesWhatItDoesNotKnow) {
  write_model(one_room(), path("folder"));
  const auto refused = [&](const std::string& text, const std::string& wanted) {
    write_model(one_room(), path("folder"));
    std::ofstream(path("folder") / "model.toml", std::ios::app) << text;
    try {
      read_model(path("folder"));
      FAIL() << text;
    } catch (const InvalidModel& error) {
      EXPECT_NE(std::string(error.what()).find(wanted), std::string::npos) << error.what();
    }
  };
  refused("\n[about]\nunits = \"van\"\n", "about.units");
  refused("\n[about]\nunit = 3\n", "about.unit");
}

}  // namespace about_file_test
}  // namespace mindgap::files

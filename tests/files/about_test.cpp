#include "mindgap/mdp/about.h"

#include <gtest/gtest.h>

#include "files/files.h"
#include "mindgap/files/model_file.h"
#include "mindgap/mdp/builder.h"

namespace mindgap::files {
namespace about_test {

using AboutInFiles = FileTest;

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

TEST_F(AboutInFiles, IsKeptFromFolderToHdf5AndBack) {
  mdp::Model stated = one_room();
  stated.about = vans();
  write_model(stated, path("folder"));
  EXPECT_EQ(read_model(path("folder")), stated);
  EXPECT_EQ(read_model(path("folder") / "model.toml"), stated);
  write_model(read_model(path("folder")), path("model.h5"));
  EXPECT_EQ(read_model(path("model.h5")), stated);
}

TEST_F(AboutInFiles, OfAnEnsembleIsItsOwn) {
  mdp::Model model = one_room();
  model.members = mdp::Members({model.mdp, model.mdp}, {.5, .5}, {"a", "b"});
  model.about = vans();
  write_model(model, path("rivals"));
  EXPECT_EQ(read_model(path("rivals")).about, vans());
}

TEST_F(AboutInFiles, IsEmptyWhereNothingIsStated) {
  write_model(one_room(), path("folder"));
  EXPECT_EQ(read_model(path("folder")).about, mdp::About{});
  write_model(one_room(), path("model.h5"));
  EXPECT_EQ(read_model(path("model.h5")).about, mdp::About{});
}

TEST_F(AboutInFiles, RefusesWhatItDoesNotKnow) {
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

}  // namespace about_test
}  // namespace mindgap::files

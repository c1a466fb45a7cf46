#include "mindgap/files/ensemble_folder.h"

#include "files/files.h"
#include "mindgap/files/model_file.h"
#include "mindgap/files/named_file.h"

namespace mindgap::files {
namespace ensemble_folder_test {

using mdp::Model;

class EnsembleFolder : public FileTest {
 protected:
  // A model of two states in the folder e/NAME.
  void write_member(const std::string& name, const std::string& reward, const std::string& stay = "1",
                    const std::string& discount = "0.9") {
    const std::string folder = "e/" + name + "/";
    write(folder + "model.toml", "format = \"mindgap-model/1\"\nname = \"" + name +
                                     "\"\ndiscount = " + discount +
                                     "\nstates = \"states.csv\"\nactions = [\"stay\", \"go\"]\n"
                                     "rewards = \"rewards.csv\"\ntransitions = \"transitions.csv\"\n"
                                     "[prior]\nreward_sd = 0.5\n[observation]\nreward_variance = 2\n");
    write(folder + "states.csv", "name\nleft\nright\n");
    write(folder + "rewards.csv", "state,action,reward\nleft,stay,0\nleft,go," + reward + "\nright,stay,2\n");
    write(folder + "transitions.csv", "state,action,next_state,probability\nleft,stay,left," + stay +
                                          (stay == "1" ? "" : "\nleft,stay,right,0.5") +
                                          "\nleft,go,right,1\nright,stay,right,1\n");
  }
  void write_ensemble_files(const std::string& table, const std::string& more = "") {
    write("e/ensemble.toml",
          "format = \"mindgap-ensemble/1\"\nname = \"rivals\"\nmembers = \"members.csv\"\n" + more);
    write("e/members.csv", table);
  }
  std::string said(const std::string& table, const std::string& more = "") {
    write_ensemble_files(table, more);
    return message([&] { read_model(path("e")); });
  }
  void expect_said(const std::string& got, const std::string& wanted) {
    EXPECT_NE(got.find(wanted), std::string::npos) << got;
  }
};

TEST_F(EnsembleFolder, IsReadAndWritten) {
  write_member("poor", "1");
  write_member("rich", "3", "0.5");
  write_ensemble_files("model,weight,theta\npoor,0.25,1.5\nrich,0.75,-2\n");
  const Model model = read_model(path("e"));
  ASSERT_TRUE(model.members);
  EXPECT_EQ(model.name, "rivals");
  EXPECT_EQ(model.members->size(), 2);
  EXPECT_EQ(model.members->name(1), "rich");
  EXPECT_EQ(model.mdp, model.members->mean());
  EXPECT_EQ(model.mdp.reward()[1], .25 * 1 + .75 * 3);
  EXPECT_EQ(model.mdp.row(0).probability[1], .75 * .5);  // what one member calls impossible
  EXPECT_EQ(model.prior->reward_sd, .5);                 // the first member's
  EXPECT_EQ(model.reward_variance, 2);
  EXPECT_EQ(model.parameters, (std::vector<mdp::Parameter>{{"theta", {1.5, -2}}}));
  EXPECT_EQ(read_model(path("e/ensemble.toml")), model);

  write_model(model, path("again"));
  const Model again = read_model(path("again"));
  EXPECT_EQ(again.mdp, model.mdp);
  EXPECT_EQ(again.prior, model.prior);
  EXPECT_EQ(again.parameters, model.parameters);
  for (std::int32_t i = 0; i < 2; ++i) EXPECT_EQ(again.members->model(i), model.members->model(i));

  write_model(model, path("again.h5"));
  EXPECT_EQ(read_model(path("again.h5")), model);
}

TEST_F(EnsembleFolder, StatesItsOwnPrior) {
  write_member("poor", "1");
  write_member("rich", "3");
  write_ensemble_files("model\npoor\nrich\n",
                       "[prior]\nreward_sd = 0.1\n[observation]\nreward_variance = 0.2\n");
  const Model model = read_model(path("e"));
  EXPECT_EQ(model.prior->reward_sd, .1);
  EXPECT_EQ(model.reward_variance, .2);
  EXPECT_EQ(model.members->weights()[0], .5);
}

TEST_F(EnsembleFolder, BadInput) {
  write_member("poor", "1");
  write_member("rich", "3");
  write_member("short", "3", "1", "0.8");
  expect_said(said("model,weight\npoor,0.5\nrich,0.4\n"), "e/members.csv");
  expect_said(said("model,weight\npoor,1.5\nrich,-0.5\n"), "weights");
  expect_said(said("model\npoor\nshort\n"), "short");
  expect_said(said("model\npoor\nnowhere\n"), "nowhere");
  expect_said(said("model\n"), "there are no members");
  expect_said(said("weight\n1\n"), "lacks the column 'model'");
  expect_said(said("model,theta\npoor,hot\n"), "theta");
  expect_said(said("model\npoor\npoor\n"), "poor");
  expect_said(said("model\npoor\n../e\n"), "the model names a file outside its folder, '../e'");
  const AllowOutside allowed;
  expect_said(said("model\npoor\n../e\n"), "a member cannot be an ensemble itself");
  expect_said(said("model\npoor\nrich\n", "[prior]\nreward_sd = 1\n[prior.shared]\ngroup_sd = 1\n"),
              "ensemble");
  expect_said(said("model\npoor\nrich\n", "colour = 1\n"), "colour");
  write("e/ensemble.toml", "format = \"mindgap-model/1\"\nmembers = \"members.csv\"\n");
  expect_said(message([&] { read_model(path("e")); }), "the format must be 'mindgap-ensemble/1'");
}

}  // namespace ensemble_folder_test
}  // namespace mindgap::files

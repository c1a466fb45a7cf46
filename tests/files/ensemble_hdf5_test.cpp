#include <functional>

#include "files/files.h"
#include "files/raw_hdf5.h"
#include "mindgap/files/model_file.h"

namespace mindgap::files {
namespace ensemble_hdf5_test {

using mdp::Model;

class EnsembleHdf5 : public FileTest {
 protected:
  // Two members as another program might write them: rows in no order, a next state twice in one row, a move
  // that one member lacks, and one that both lack.
  void write_foreign(bool compressed = false) {
    RawFile file(path("f.h5"));
    file.attribute("format", "mindgap-model/1");
    file.attribute("discount", 0.5);
    file.attribute("reward_variance", 2);
    file.strings("state_names", {"left", "right"});
    file.strings("action_names", {"stay", "go"});
    file.ints("state_of_row", {1, 0, 0});
    file.ints("action_of_row", {0, 1, 0});
    file.ints("indptr", {0, 2, 5, 6});
    file.ints("indices", {1, 0, 1, 0, 0, 0});
    file.matrix("member_data", 2,
                {1, 0, .75, .125, .125, 1,  //
                 1, 0, 1, 0, 0, 1},
                compressed);
    file.matrix("member_reward", 2, {2, -1, 0, 3, 5, .5}, compressed);
    file.doubles("member_weight", {.25, .75});
    file.strings("parameter_names", {"mass", "length"});
    file.matrix("parameters", 2, {1, 2, 10, 20});
    file.doubles("reward_sd", {.3, .2, .1});
  }
  std::string after(const std::function<void(RawFile&)>& change) {
    write_foreign();
    {
      RawFile file(path("f.h5"), nullptr);
      change(file);
    }
    return message([&] { read_model(path("f.h5")); });
  }
};

TEST_F(EnsembleHdf5, ReadsWhatOthersWrite) {
  for (const bool compressed : {false, true}) {
    write_foreign(compressed);
    const Model model = read_model(path("f.h5"));
    ASSERT_TRUE(model.members);
    EXPECT_EQ(model.members->size(), 2);
    EXPECT_EQ(model.members->weights()[1], .75);
    EXPECT_EQ(model.members->name(1), "1");
    // left / stay, left / go, right / stay
    EXPECT_EQ(std::vector<double>(model.members->reward(0).begin(), model.members->reward(0).end()),
              (std::vector<double>{0, -1, 2}));
    EXPECT_EQ(model.mdp.reward()[1], .25 * -1 + .75 * 5);
    EXPECT_EQ(model.mdp.nonzeros(), 4) << "a move that no member has is none";
    EXPECT_EQ(model.mdp.row(1).probability[0], .25 * .25);
    EXPECT_EQ(model.members->model(1).row(1).size(), 1U);
    EXPECT_EQ(model.prior->pair_reward_sd, (std::vector<double>{.1, .2, .3}));
    EXPECT_EQ(model.parameters, (std::vector<mdp::Parameter>{{"mass", {1, 2}}, {"length", {10, 20}}}));
    write_model(model, path("again.h5"));
    EXPECT_EQ(read_model(path("again.h5")), model);
  }
}

TEST_F(EnsembleHdf5, WeightsAreEqualWhereNoneAreStated) {
  EXPECT_EQ(after([](RawFile& f) { f.remove("member_weight"); }), "no error");
  EXPECT_EQ(read_model(path("f.h5")).members->weights()[0], .5);
}

TEST_F(EnsembleHdf5, BadInput) {
  EXPECT_EQ(after([](RawFile& f) { f.remove("member_data"); }),
            "f.h5: the dataset 'member_data' of an ensemble is missing");
  EXPECT_EQ(after([](RawFile& f) { f.remove("member_reward"); }),
            "f.h5: 'member_weight' is there, but 'member_reward' is missing");
  EXPECT_EQ(after([](RawFile& f) {
              f.matrix("member_reward", 2, {1, 2, 3, 4});
            }),
            "f.h5: dataset 'member_reward' is 2 x 2, expected 2 x 3 (one row per member)");
  EXPECT_EQ(after([](RawFile& f) {
              f.matrix("member_data", 1, {1, 0, .75, .125, .125, 1});
            }),
            "f.h5: dataset 'member_data' is 1 x 6, expected 2 x 6 (one row per member)");
  EXPECT_EQ(after([](RawFile& f) {
              f.doubles("member_reward", {1, 2, 3});
            }),
            "f.h5: dataset 'member_reward' has rank 1, expected 2");
  EXPECT_EQ(after([](RawFile& f) { f.matrix("member_reward", 0, {}); }),
            "f.h5: there are no members: 'member_reward' is empty");
  EXPECT_EQ(after([](RawFile& f) {
              f.doubles("reward", {1, 2, 3});
            }),
            "f.h5: 'reward' beside 'member_reward': members have the numbers of an ensemble");
  EXPECT_EQ(after([](RawFile& f) { f.remove("parameters"); }),
            "f.h5: 'parameter_names' and 'parameters' must be there together");
  EXPECT_EQ(after([](RawFile& f) { f.strings("parameter_names", {"mass"}); }),
            "f.h5: dataset 'parameters' is 2 x 2, expected 1 x 2 (parameters x members)");
  EXPECT_EQ(after([](RawFile& f) { f.doubles("member_weight", {1}); }),
            "f.h5: dataset 'member_weight' has 1 entries, expected 2");
  EXPECT_EQ(after([](RawFile& f) { f.ints("restart", {0}); }),
            "f.h5: 'restart' cannot be combined with members: write their rows as they are after it");
  const auto has = [](const std::string& said, const std::string& wanted) {
    EXPECT_NE(said.find(wanted), std::string::npos) << said;
  };
  has(after([](RawFile& f) { f.doubles("member_weight", {.5, .6}); }), "weights");
  has(after([](RawFile& f) { f.doubles("member_weight", {1.5, -.5}); }), "weights");
  // The member, the state and the action.
  const std::string row = after([](RawFile& f) {
    f.matrix("member_data", 2, {1, 0, .75, .125, .125, 1, 1, 0, .5, 0, 0, 1});
  });
  has(row, "f.h5: member 1");
  has(row, "left");
  has(row, "go");
}

}  // namespace ensemble_hdf5_test
}  // namespace mindgap::files

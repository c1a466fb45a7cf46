#include <gtest/gtest.h>
#include <hdf5.h>

#include "files/files.h"
#include "files/raw_hdf5.h"
#include "mindgap/files/model_file.h"
#include "mindgap/files/model_hdf5.h"

namespace mindgap::files {

using namespace mdp;  // what these files hold
namespace model_part_test {

class ModelParts : public FileTest {
 protected:
  // The parts of all ranks, one behind the other, must be the model.
  void expect_whole(const Model& model, std::int32_t ranks) {
    const Mdp& mdp = model.mdp;
    std::int32_t state = 0, pair = 0;
    std::int64_t entry = 0;
    for (std::int32_t rank = 0; rank < ranks; ++rank) {
      const ModelPart part = read_model_part(path("m.h5"), rank, ranks);
      ASSERT_EQ(part.first_state, state);
      EXPECT_EQ(part.states, mdp.states());
      EXPECT_EQ(part.pairs, mdp.pairs());
      EXPECT_EQ(part.nonzeros, mdp.nonzeros());
      EXPECT_EQ(part.discount, mdp.discount());
      EXPECT_EQ(part.start.size(), static_cast<std::size_t>(part.own_states()));
      for (std::int32_t s = 0; s < part.own_states(); ++s, ++state) {
        EXPECT_EQ(part.start[s], mdp.start()[state]);
        EXPECT_EQ(part.pair_begin[s + 1] - part.pair_begin[s],
                  static_cast<std::int32_t>(mdp.pairs_of(state).size()));
      }
      for (std::size_t k = 0; k < part.pair_action.size(); ++k, ++pair) {
        ASSERT_EQ(part.pair_action[k], mdp.pair_action()[pair]);
        ASSERT_EQ(part.reward[k], mdp.reward()[pair]);
        ASSERT_EQ(part.row_begin[k + 1] - part.row_begin[k], static_cast<std::int64_t>(mdp.row(pair).size()));
      }
      for (std::size_t i = 0; i < part.next_state.size(); ++i, ++entry) {
        ASSERT_EQ(part.next_state[i], mdp.next_state()[entry]);
        ASSERT_EQ(part.probability[i], mdp.probability()[entry]);
      }
    }
    EXPECT_EQ(state, mdp.states());
    EXPECT_EQ(pair, mdp.pairs());
    EXPECT_EQ(entry, mdp.nonzeros());
  }
};

TEST_F(ModelParts, AreTheModelWhenPutTogether) {
  RandomModels models(5);
  for (int i = 0; i < 20; ++i) {
    const Model model = models.next(i % 2 == 0);
    write_model(model, path("m.h5"));
    probe_model_hdf5(path("m.h5"));
    for (const std::int32_t ranks : {1, 2, 3, 7, 40}) expect_whole(model, ranks);
    const Labels names = read_model_names(path("m.h5"));
    EXPECT_EQ(names.states, model.mdp.labels().states);
    EXPECT_EQ(names.actions, model.mdp.labels().actions);
  }
}

// One state with more pairs than a block that is searched for its first row.
TEST_F(ModelParts, AStateIsNeverCut) {
  MdpArrays arrays{.discount = .5, .pair_begin = {0}, .row_begin = {0}};
  for (std::int32_t s = 0; s < 3; ++s) {
    for (std::int32_t a = 0; a < (s == 1 ? 20'000 : 2); ++a) {
      arrays.pair_action.push_back(a);
      arrays.next_state.push_back(s);
      arrays.probability.push_back(1);
      arrays.reward.push_back(a);
      arrays.row_begin.push_back(static_cast<std::int64_t>(arrays.next_state.size()));
    }
    arrays.pair_begin.push_back(static_cast<std::int32_t>(arrays.pair_action.size()));
  }
  const Model model{.name = "wide", .mdp = Mdp(std::move(arrays))};
  write_model(model, path("m.h5"));
  for (const std::int32_t ranks : {1, 2, 3, 4}) expect_whole(model, ranks);
}

TEST_F(ModelParts, RefuseWhatIsNotInOrderOrWrong) {
  const auto with = [&](const std::vector<int>& states, const std::vector<int>& next,
                        const std::vector<double>& data) {
    {
      RawFile file(path("f.h5"));
      file.attribute("format", "mindgap-model/1");
      file.attribute("discount", .5);
      file.ints("state_of_row", {states[0], states[1], states[2]}, H5T_STD_I32LE);
      file.ints("action_of_row", {0, 0, 1}, H5T_STD_I32LE);
      file.ints("indptr", {0, 1, 2, 4}, H5T_STD_I64LE);
      file.ints("indices", {next[0], next[1], next[2], next[3]}, H5T_STD_I32LE);
      file.doubles("data", data);
      file.doubles("reward", {0, 1, 2});
    }
    return message([&] {
      for (const std::int32_t rank : {0, 1}) read_model_part(path("f.h5"), rank, 2);
    });
  };
  EXPECT_EQ(with({0, 1, 1}, {0, 1, 0, 1}, {1, 1, .5, .5}), "no error");
  EXPECT_NE(with({1, 0, 0}, {0, 1, 0, 1}, {1, 1, .5, .5}).find("in the order of states"), std::string::npos);
  EXPECT_NE(with({0, 2, 2}, {0, 1, 0, 1}, {1, 1, .5, .5}).find("in the order of states"), std::string::npos);
  EXPECT_NE(with({0, 1, 1}, {0, 1, 1, 0}, {1, 1, .5, .5}).find("next states must ascend"), std::string::npos);
  EXPECT_EQ(with({0, 1, 1}, {0, 2, 0, 1}, {1, 1, .5, .5}),
            "f.h5: state '1', action '0': next state 2 does not exist");
  EXPECT_EQ(with({0, 1, 1}, {0, 1, 0, 1}, {1, 1, .5, .25}),
            "f.h5: state '1', action '1': transition probabilities must sum to 1 (got '0.75')");
  EXPECT_NE(message([&] { probe_model_hdf5(write("x.h5", "no model")); }).find("not an HDF5 file"),
            std::string::npos);
}

}  // namespace model_part_test
}  // namespace mindgap::files

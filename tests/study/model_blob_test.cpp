#include "mindgap/study/model_blob.h"

#include "study/field.h"

namespace mindgap::study {
namespace model_blob_test {

TEST(ModelBlob, RoundTripsEveryModelBitForBit) {
  files::RandomModels models(3);
  for (int i = 0; i < 300; ++i) {
    const mdp::Model model = models.next(i % 3 != 0);
    const std::string bytes = encode_model(model);
    const mdp::Model again = decode_model(bytes);
    EXPECT_TRUE(files::same_bits(model, again)) << i;
    EXPECT_EQ(encode_model(again), bytes);
    EXPECT_EQ(model_difference(model, again), "");
  }
}

TEST(ModelBlob, EnsemblesRoundTrip) {
  mdp::Model model = row_of_places();
  std::vector<double> reward(model.mdp.reward().begin(), model.mdp.reward().end());
  for (double& r : reward) r += .5;
  model.members.emplace(std::vector<mdp::Mdp>{model.mdp, model.mdp.with_reward(reward)},
                        std::vector<double>{.3, .7}, std::vector<std::string>{"poor", "rich"});
  model.mdp = model.members->mean();
  model.parameters = {{"theta", {0, .5}}};
  const std::string bytes = encode_model(model);
  const mdp::Model again = decode_model(bytes);
  EXPECT_EQ(again, model);
  EXPECT_EQ(encode_model(again), bytes);
}

TEST(ModelBlob, KeepsWhoseTheCountsAre) {
  mdp::Model model = row_of_places();
  model.coverage.assign(static_cast<std::size_t>(model.mdp.pairs()), 7.0);
  mdp::Model sampled = model;
  sampled.coverage_is_sampled = true;
  EXPECT_EQ(decode_model(encode_model(sampled)), sampled);
  EXPECT_EQ(decode_model(encode_model(model)), model);
  EXPECT_EQ(model_difference(model, sampled), "its coverage is another one");
}

TEST(ModelBlob, EveryPrefixIsRefused) {
  const std::string bytes = encode_model(row_of_places());
  for (std::size_t size = 0; size < bytes.size(); ++size)
    EXPECT_THROW(decode_model(std::string_view(bytes).substr(0, size)), Error) << size;
  EXPECT_THROW(decode_model(bytes + "x"), StoreError);
}

TEST(ModelBlob, DifferencesAreSaidByName) {
  const mdp::Model model = row_of_places();
  mdp::Model other = model;
  std::vector<double> reward(model.mdp.reward().begin(), model.mdp.reward().end());
  reward[2] = .25;
  other.mdp = model.mdp.with_reward(reward);
  EXPECT_EQ(model_difference(model, other),
            "state 'east', action 'stay': the reward is 0.25, in the study 0.2");
  std::vector<double> probability(model.mdp.probability().begin(), model.mdp.probability().end());
  probability[1] = .2;
  probability[2] = .8;
  other.mdp = model.mdp.with_probability(probability);
  EXPECT_EQ(model_difference(model, other),
            "state 'north', action 'go': the probability of 'north' is 0.2, in the study 0.1");
  other = model;
  other.mdp = model.mdp.with_discount(.8);
  EXPECT_EQ(model_difference(model, other), "the discount is 0.8, in the study 0.9");
  other = model;
  other.name = "Another";
  EXPECT_EQ(model_difference(model, other), "it is called 'Another', in the study 'Row of places'");
  other = model;
  other.prior->odds = 2;
  EXPECT_EQ(model_difference(model, other), "its prior is another one");
  const std::size_t plain = encode_model(other).size();
  other.prior->reward_max = 1e6;
  EXPECT_GT(encode_model(other).size(), plain);  // and without it the bytes, and so hashes, stay
  EXPECT_EQ(decode_model(encode_model(other)), other);
  other = model;
  other.reward_variance = 1;
  EXPECT_EQ(model_difference(model, other), "the variance of one observed reward is another one");
}

}  // namespace model_blob_test
}  // namespace mindgap::study

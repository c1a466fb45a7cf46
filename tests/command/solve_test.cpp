#include "mindgap/command/solve.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "command/two_places.h"
#include "files/files.h"
#include "mindgap/base/error.h"
#include "mindgap/files/model_file.h"
#include "mindgap/files/model_hdf5.h"

namespace mindgap::command {
namespace {

class SolveCommand : public files::FileTest {
 protected:
  std::string policy_of(const SolveAnswer& answer) const {
    answer.write_policy(path("policy.csv"));
    return read(path("policy.csv"));
  }
};

// At discount .5 staying here for ever is worth 2 and going there .5 * 4 = 2; at .9 going is worth 18 of 10.
TEST_F(SolveCommand, ForEver) {
  SolveRequest request{two_places()};
  EXPECT_NEAR(std::get<mdp::Solution>(solve(request).solution).value_at_start, 2, 1e-9);
  request.discount = .9;
  std::vector<std::int64_t> shares;
  request.run.listener.progress = [&](const std::string& what, std::int64_t done, std::int64_t) {
    EXPECT_EQ(what, "solving");
    shares.push_back(done);
  };
  SolveAnswer answer = solve(request);
  EXPECT_NEAR(std::get<mdp::Solution>(answer.solution).value_at_start, 18, 1e-6);
  EXPECT_FALSE(shares.empty());
  EXPECT_TRUE(answer.converged());
  EXPECT_EQ(policy_of(answer), "state,action,probability\n0,1,1\n1,0,1\n");
  answer.policy_file = "somewhere.csv";
  EXPECT_NE(answer.text().find("Policy written to somewhere.csv"), std::string::npos);
  EXPECT_NEAR(answer.json()["value_at_start"].get<double>(), 18, 1e-6);
  EXPECT_EQ(answer.page().title, "A solution");
}

TEST_F(SolveCommand, ForAHorizon) {
  SolveRequest request{.model = two_places(1), .horizon = 2};
  const SolveAnswer answer = solve(request);
  EXPECT_EQ(answer.json()["value_at_start"], 2);  // stay twice, or go and then earn 2
  EXPECT_TRUE(answer.converged());
  EXPECT_EQ(policy_of(answer).substr(0, 29), "step,state,action,probability");
}

TEST_F(SolveCommand, ADiscountOfOneNeedsAHorizon) {
  EXPECT_THROW(solve({two_places(1)}), InvalidArgument);
  SolveRequest slow{two_places(.9)};
  slow.method = "value-iteration";
  slow.max_iterations = 1;
  EXPECT_FALSE(solve(slow).converged());
}

TEST_F(SolveCommand, Lumped) {
  // here and there, twice over: two classes of two.
  mdp::MdpArrays arrays{.discount = .9, .pair_begin = {0, 1, 2, 3, 4}, .pair_action = {0, 0, 0, 0}};
  arrays.row_begin = {0, 1, 2, 3, 4};
  arrays.next_state = {1, 0, 3, 2};
  arrays.probability = {1, 1, 1, 1};
  arrays.reward = {1, 0, 1, 0};
  SolveRequest request{mdp::Model{.name = "twice", .mdp = mdp::Mdp(std::move(arrays))}};
  const SolveAnswer whole = solve(request);
  EXPECT_FALSE(whole.json().contains("lumped"));
  EXPECT_THROW(whole.write_classes("nowhere.csv"), InvalidArgument);
  request.lump = true;
  SolveAnswer answer = solve(request);
  EXPECT_EQ(answer.json()["lumped"]["classes"], 2);
  EXPECT_EQ(answer.json()["lumped"]["probability_error"], 0);
  EXPECT_NEAR(answer.json()["value_at_start"].get<double>(), whole.json()["value_at_start"].get<double>(),
              1e-8);
  EXPECT_EQ(policy_of(answer), policy_of(whole));
  answer.write_classes(path("classes.csv"));
  EXPECT_EQ(read(path("classes.csv")), "state,class\n0,0\n1,1\n2,0\n3,1\n");
  answer.classes_file = path("classes.csv");
  EXPECT_NE(answer.text().find("4 states lumped to 2 classes"), std::string::npos);
  EXPECT_NE(answer.text().find("Classes written to"), std::string::npos);
  request.horizon = 3;
  EXPECT_THROW(solve(request), InvalidArgument);
}

// The file is cut after the first sweep: an error, no crash and no answer.
TEST_F(SolveCommand, AMappedModelWhoseFileIsCut) {
  const std::string path = this->path("mapped.h5");
  mdp::MdpArrays arrays{.discount = .9, .pair_begin = {0}, .row_begin = {0}};
  constexpr std::int32_t kStates = 20'000;
  for (std::int32_t s = 0; s < kStates; ++s) {
    arrays.pair_begin.push_back(s + 1);
    arrays.pair_action.push_back(0);
    arrays.next_state.push_back((s * 7 + 1) % kStates);
    arrays.probability.push_back(1);
    arrays.reward.push_back(s % 3);
    arrays.row_begin.push_back(s + 1);
  }
  files::write_model({.name = "ring", .mdp = mdp::Mdp(std::move(arrays))}, path);
  SolveRequest request{files::map_model_hdf5(path)};
  request.method = "value-iteration";
  const SolveAnswer good = solve(request);
  EXPECT_TRUE(good.converged());
  request.run.listener.progress = [&](const std::string&, std::int64_t, std::int64_t) {
    std::filesystem::resize_file(path, 4096);
  };
  EXPECT_THROW(solve(request), StoreError);
  EXPECT_THROW(good.text(), StoreError);  // it looks at the model again
}

}  // namespace
}  // namespace mindgap::command

#include "mindgap/command/solve.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "command/two_places.h"
#include "mindgap/base/error.h"
#include "mindgap/files/text_file.h"

namespace mindgap::command {
namespace {

std::string policy_of(const SolveAnswer& answer) {
  const std::string path = testing::TempDir() + "solve_command.csv";
  answer.write_policy(path);
  const std::string text(files::open_text_file(path).text);
  std::filesystem::remove(path);
  return text;
}

// At discount .5 staying here for ever is worth 2 and going there .5 * 4 = 2; at .9 going is worth 18 of 10.
TEST(SolveCommand, ForEver) {
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

TEST(SolveCommand, ForAHorizon) {
  SolveRequest request{.model = two_places(1), .horizon = 2};
  const SolveAnswer answer = solve(request);
  EXPECT_EQ(answer.json()["value_at_start"], 2);  // stay twice, or go and then earn 2
  EXPECT_TRUE(answer.converged());
  EXPECT_EQ(policy_of(answer).substr(0, 29), "step,state,action,probability");
}

TEST(SolveCommand, ADiscountOfOneNeedsAHorizon) {
  EXPECT_THROW(solve({two_places(1)}), InvalidArgument);
  SolveRequest slow{two_places(.9)};
  slow.method = "value-iteration";
  slow.max_iterations = 1;
  EXPECT_FALSE(solve(slow).converged());
}

}  // namespace
}  // namespace mindgap::command

#include "mindgap/base/option_name.h"

#include <gtest/gtest.h>

namespace mindgap::base {
namespace option_name_test {

// Puts the reader back, whatever a test does.
class OptionName : public testing::Test {
 protected:
  void TearDown() override { speak_to(Speech::command_line); }
};

TEST_F(OptionName, IsTheCommandLinesByDefault) {
  EXPECT_EQ(option_name("time-limit"), "--time-limit");
  EXPECT_EQ(option_value("worlds", "45"), "--worlds 45");
  EXPECT_EQ(option_value("objective", "discounted"), "--objective discounted");
  EXPECT_EQ(option_flag("correct"), "--correct");
  EXPECT_EQ(told("study init", "Study.init()"), "study init");
}

TEST_F(OptionName, IsPythonsWherePythonReads) {
  speak_to(Speech::python);
  EXPECT_EQ(option_name("time-limit"), "time_limit");
  EXPECT_EQ(option_value("worlds", "45"), "worlds=45");
  EXPECT_EQ(option_value("drift-sd", "-1.5e-3"), "drift_sd=-1.5e-3");
  EXPECT_EQ(option_value("objective", "discounted"), "objective='discounted'");
  EXPECT_EQ(option_flag("allow-new-states"), "allow_new_states=True");
  EXPECT_EQ(told("study init", "Study.init()"), "Study.init()");
}

}  // namespace option_name_test
}  // namespace mindgap::base

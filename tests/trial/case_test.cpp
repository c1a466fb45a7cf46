#include "mindgap/trial/case.h"

#include <gtest/gtest.h>

#include "mindgap/base/error.h"

namespace mindgap::trial {
namespace case_test {

const std::vector<CaseOption> kOptions = {
    {"factor", "", "15"}, {"navigation", "", "blind", {"blind", "shortest"}}, {"cluster", "", "4,7"}};

std::string message_of(const CaseRequest& request) {
  try {
    OptionValues("hiv", kOptions, request);
  } catch (const InvalidArgument& error) {
    return error.what();
  }
  return "";
}

TEST(OptionValues, DefaultsStandWhereNothingIsAsked) {
  const OptionValues values("hiv", kOptions, {.options = {{"factor", "2.5"}}});
  EXPECT_EQ(values.number("factor", 0, 100), 2.5);
  EXPECT_EQ(values.text("navigation"), "blind");
  EXPECT_EQ(values.numbers("cluster"), (std::vector<double>{4, 7}));
  EXPECT_EQ(values.settings().front(), std::pair(std::string("factor"), std::string("2.5")));
}

TEST(OptionValues, MistakesAreNamed) {
  EXPECT_EQ(message_of({.options = {{"factr", "1"}}}),
            "hiv: there is no option 'factr'; there are: factor, navigation, cluster");
  EXPECT_EQ(message_of({.options = {{"navigation", "blnd"}}}),
            "hiv: navigation is 'blnd', but must be one of: blind, shortest");
  const OptionValues values("hiv", kOptions, {.options = {{"factor", "1.5x"}, {"cluster", "4,,7"}}});
  EXPECT_THROW(values.number("factor", 0, 100), InvalidArgument);
  EXPECT_THROW(values.numbers("cluster"), InvalidArgument);
  const OptionValues fine("hiv", kOptions, {});
  EXPECT_THROW(fine.number("factor", 0, 10), InvalidArgument);
  EXPECT_THROW(fine.whole_number("cluster", 0, 10), InvalidArgument);
  EXPECT_EQ(fine.whole_number("factor", 0, 15), 15);
}

}  // namespace case_test
}  // namespace mindgap::trial

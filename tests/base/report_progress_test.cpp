#include "mindgap/base/report_progress.h"

#include <gtest/gtest.h>

#include <stdexcept>

#include "mindgap/base/interruption.h"

namespace mindgap::base {
namespace report_progress_test {

TEST(ReportProgress, TellsTheInnermostAndGoesBack) {
  std::vector<std::string> outer, inner;
  report_progress("nobody listens", 1, 2);
  const ProgressListener first([&](const std::string& what, std::int64_t done, std::int64_t total) {
    outer.push_back(what + " " + std::to_string(done) + " of " + std::to_string(total));
  });
  {
    const ProgressListener second([&](const std::string& what, auto, auto) { inner.push_back(what); });
    report_progress("in", 1, 2);
    const ProgressListener deaf({});
    report_progress("not heard", 1, 2);
  }
  report_progress("out", 1, 2);
  EXPECT_EQ(inner, std::vector<std::string>{"in"});
  EXPECT_EQ(outer, std::vector<std::string>{"out 1 of 2"});
}

TEST(ReportProgress, IsAnInterruptionPoint) {
  const Interruption here([] { throw std::runtime_error("enough"); });
  EXPECT_THROW(report_progress("working", 1, 2), std::runtime_error);
}

}  // namespace report_progress_test
}  // namespace mindgap::base

#pragma once

#include <gtest/gtest.h>

#include <string>

#include "host_engine.h"
#include "mindgap/base/error.h"
#include "mindgap/mdp/gpu_engine.h"

// Tests of batches of models run on every engine there is: the one that computes here, and a GPU.
namespace mindgap::mdp {

class OnEngine : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    if (GetParam() == "host") {
      engine_ = engine::host_engine();
      return;
    }
    try {
      engine_ = &gpu_engine();
    } catch (const InvalidArgument& none) {
      GTEST_SKIP() << "no GPU to test on: " << none.what();
    }
  }
  const MindgapEngine& engine() const { return *engine_; }

 private:
  const MindgapEngine* engine_ = nullptr;
};

inline auto every_engine() {
  return testing::Values(std::string("host"), std::string("gpu"));
}
inline std::string name_of_engine(const testing::TestParamInfo<std::string>& info) {
  return info.param;
}

}  // namespace mindgap::mdp

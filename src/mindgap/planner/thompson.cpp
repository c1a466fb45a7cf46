#include "mindgap/planner/thompson.h"

#include "mindgap/planner/learning_planner.h"

namespace mindgap::planner {
namespace {

class Thompson final : public LearningPlanner {
 public:
  using LearningPlanner::LearningPlanner;

 protected:
  void replan(std::int64_t step, std::span<const std::int32_t>) override {
    replanner_.plan(draw_model(step));
  }
};

}  // namespace

std::unique_ptr<Planner> make_thompson(const Setting& setting) {
  return std::make_unique<Thompson>(setting);
}

}  // namespace mindgap::planner

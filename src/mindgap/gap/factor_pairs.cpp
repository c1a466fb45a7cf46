#include <utility>

#include "mindgap/gap/factor_criterion.h"
#include "mindgap/gap/pvv.h"

namespace mindgap::gap {
namespace {

class FactorPairs final : public Dependence {
 public:
  FactorPairs(FactorModel model, std::shared_ptr<const MemberModels> members)
      : model_(std::make_shared<const FactorModel>(std::move(model))), members_(std::move(members)) {}

  bool needs_loads() const override { return true; }
  std::shared_ptr<const MemberModels> member_models() const override { return members_; }
  std::shared_ptr<const Criterion> criterion(const PvvWeights& weights, const Precision& precision,
                                             Block block, std::span<const double> credit) const override {
    return factor_criterion(model_, weights, precision, block, credit);
  }
  Terms terms(const PvvWeights& weights, const Precision& precision,
              std::span<const double> counts) const override {
    return factor_terms(model_, weights, precision, counts);
  }

 private:
  std::shared_ptr<const FactorModel> model_;
  std::shared_ptr<const MemberModels> members_;
};

}  // namespace

std::shared_ptr<const Dependence> factor_pairs(FactorModel model,
                                               std::shared_ptr<const MemberModels> members) {
  return std::make_shared<FactorPairs>(std::move(model), std::move(members));
}

}  // namespace mindgap::gap

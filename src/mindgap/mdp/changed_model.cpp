#include "mindgap/mdp/changed_model.h"

#include <fmt/format.h>

#include "mindgap/base/error.h"

namespace mindgap::mdp {
namespace {

template <typename Change>
Model changed(const Model& model, Change change) {
  Model result = model;
  if (!model.members) {
    result.mdp = change(model.mdp);
    return result;
  }
  std::vector<Mdp> models;
  std::vector<std::string> names;
  for (std::int32_t i = 0; i < model.members->size(); ++i) {
    models.push_back(change(model.members->model(i)));
    names.push_back(model.members->name(i));
  }
  const std::span<const double> weights = model.members->weights();
  result.members.emplace(models, std::vector<double>(weights.begin(), weights.end()), names);
  result.mdp = result.members->mean();
  return result;
}

}  // namespace

Model with_start(const Model& model, const std::vector<double>& start) {
  return changed(model, [&](const Mdp& mdp) { return mdp.with_start(std::vector<double>(start)); });
}

Model with_discount(const Model& model, double discount) {
  return changed(model, [&](const Mdp& mdp) { return mdp.with_discount(discount); });
}

void refuse_ensemble(const Model& model, const char* what) {
  if (!model.members) return;
  throw InvalidArgument(fmt::format(
      "the {} of an ensemble cannot be changed: change its members, and make an ensemble of them", what));
}

}  // namespace mindgap::mdp

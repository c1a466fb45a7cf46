#include "mindgap/view/members_policy.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "mindgap/base/error.h"
#include "mindgap/view/print.h"

namespace mindgap::view {
namespace {

constexpr std::size_t kShownMembers = 10;

// By what the policy earns in them, the least first.
std::vector<std::int32_t> worst_first(std::span<const double> value) {
  std::vector<std::int32_t> order(value.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, {}, [&](std::int32_t i) { return value[i]; });
  return order;
}

}  // namespace

std::string text_of(const MembersPolicyView& view) {
  const mdp::SeveralModelsPolicy& found = view.found;
  const mdp::Members& members = *view.model.members;
  std::string text = headline(view.model);
  text += fmt::format("Value from the start, {}: {}\n",
                      view.robust ? "in the worst member" : "on average over the members",
                      number(found.value, 10));
  text += fmt::format(
      "  exact to within {} either way; no policy earns more than {}, and a better one than this may exist\n",
      number(found.error_bound, 2), number(found.upper_bound, 10));
  text += "What it earns in the members, the least first (value, weight, member)\n";
  const std::vector<std::int32_t> order = worst_first(found.model_value);
  for (std::size_t k = 0; k < std::min(order.size(), kShownMembers); ++k) {
    text += fmt::format("  {:>12}  {:>8}  {}\n", number(found.model_value[order[k]], 6),
                        percent(members.weights()[order[k]]), base::printable(members.name(order[k])));
  }
  if (order.size() > kShownMembers)
    text += fmt::format("  and {} in which it earns more\n", count(order.size() - kShownMembers, "member"));
  if (!view.out.empty()) text += fmt::format("Policy written to {}\n", view.out);
  return text;
}

Json json_of(const MembersPolicyView& view) {
  Json json = json_of_model(view.model);
  json["policy"] = view.robust ? "robust" : "average";
  json["value_at_start"] = view.found.value;
  json["error_bound"] = view.found.error_bound;
  json["upper_bound"] = view.found.upper_bound;
  json["evaluations"] = view.found.evaluations;
  Json members = Json::array();
  for (std::int32_t i = 0; i < view.model.members->size(); ++i) {
    members.push_back({{"name", view.model.members->name(i)},
                       {"weight", view.model.members->weights()[i]},
                       {"value", view.found.model_value[i]}});
  }
  json["members"] = members;
  return json;
}

}  // namespace mindgap::view

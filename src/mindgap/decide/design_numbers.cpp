#include "mindgap/decide/design_numbers.h"

namespace mindgap::decide {
namespace {

// visit(field) of every field of one number, then of every list: once for whoever writes and whoever reads.
template <typename Some, typename Number, typename List>
void for_each_field(Some& design, Number one, List list) {
  one(design.steps);
  one(design.states);
  one(design.before);
  one(design.with_credit);
  one(design.after);
  one(design.after_rounding);
  one(design.status);
  one(design.gap);
  one(design.relative_gap);
  one(design.iterations);
  one(design.seconds);
  one(design.expected_loss);
  one(design.constraints_kept);
  one(design.routes_searched);
  list(design.route_of_unit);
  list(design.unit_state);
  list(design.policy);
  list(design.counts);
  list(design.share_by_group);
  list(design.contributions_before);
  list(design.contributions_after);
  list(design.violations);
}

template <typename Some, typename Number, typename List>
void for_each_weight(Some& target, Number one, List list) {
  one(target.members);
  one(target.distinct);
  one(target.weights.method);
  list(target.weights.reward);
  list(target.weights.transition);
  list(target.weights.visitation);
  list(target.weights.value);
}

}  // namespace

void write_design(const design::Design& design, bool with_target, base::NumberWriter& writer) {
  const auto one = [&](const auto& value) { writer.one(value); };
  const auto list = [&](const auto& values) { writer.list(values); };
  for_each_field(design, one, list);
  writer.one(design.routes.size());
  for (const design::Route& route : design.routes) {
    writer.one(route.weight);
    writer.one(route.units);
    writer.list(route.pair);
  }
  if (!with_target) return;
  for_each_weight(design.target, one, list);
  for (const auto* lists :
       {&design.target.weights.groups, &design.target.weights.loads, &design.target.weights.member_loads}) {
    writer.one(lists->size());
    for (const std::vector<double>& values : *lists) writer.list(values);
  }
}

design::Design read_design(base::NumberReader& reader, const design::TargetWeights* target) {
  design::Design design;
  const auto one = [&](auto& value) { reader.one(value); };
  const auto list = [&](auto& values) { reader.list(values); };
  for_each_field(design, one, list);
  design.routes.resize(reader.size());
  for (design::Route& route : design.routes) {
    reader.one(route.weight);
    reader.one(route.units);
    reader.list(route.pair);
  }
  if (target != nullptr) {
    design.target = *target;
    return design;
  }
  for_each_weight(design.target, one, list);
  for (auto* lists :
       {&design.target.weights.groups, &design.target.weights.loads, &design.target.weights.member_loads}) {
    lists->resize(reader.size());
    for (std::vector<double>& values : *lists) reader.list(values);
  }
  return design;
}

}  // namespace mindgap::decide

#include "mindgap/command/stateless.h"

#include <fmt/format.h>

#include "mindgap/base/error.h"
#include "mindgap/base/option_name.h"

namespace mindgap::command {
namespace {

using base::option_name;
using view::ManyActions;
using view::TwoActions;

void check_positive(const char* option, double value) {
  if (!(value > 0))
    throw InvalidArgument(fmt::format("{} is {}, but must be positive", option_name(option), value));
}

TwoActions two_actions(const StatelessRequest& request) {
  if (!(*request.lead >= 0)) {
    throw InvalidArgument(
        fmt::format("{} is {}, but must be 0 or more: the favoured action is the one that is "
                    "believed to be better",
                    option_name("lead"), *request.lead));
  }
  check_positive("sd", *request.sd);
  check_positive("variance", request.variance);
  gap::StatelessProblem problem{request.units, request.discount, *request.lead, *request.sd,
                                request.variance};
  problem.validate();
  TwoActions two{problem, gap::optimal_experiment(problem), gap::optimal_whole_experiment(problem)};
  two.threshold = gap::experiment_threshold(problem, gap::ExperimentUnits::whole);
  two.paper_threshold = gap::full_experiment_threshold(problem.discount);
  two.regret = gap::regret_without_experiment(problem);
  two.law = gap::square_root_law(problem);
  return two;
}

ManyActions many_actions(const StatelessRequest& request) {
  if (request.means.size() != request.sds.size()) {
    throw InvalidArgument(fmt::format("{} has {} numbers and {} {}, but both need one for each action",
                                      option_name("means"), request.means.size(), option_name("sds"),
                                      request.sds.size()));
  }
  check_positive("variance", request.variance);
  ManyActions many{{request.units, request.discount, request.means, request.sds, request.variance}, {}, {}};
  many.problem.validate();
  if (!request.actions.empty() && request.actions.size() != request.means.size()) {
    throw InvalidArgument(fmt::format("{} has {} names, but there are {} actions", option_name("actions"),
                                      request.actions.size(), request.means.size()));
  }
  many.names = request.actions;
  for (std::size_t a = many.names.size(); a < request.means.size(); ++a)
    many.names.push_back(fmt::format("{}", a + 1));
  many.allocation = gap::best_allocation(many.problem);
  return many;
}

}  // namespace

StatelessAnswer stateless(const StatelessRequest& request) {
  const bool two = request.lead || request.sd, many = !request.means.empty() || !request.sds.empty();
  if (two == many || (two && !(request.lead && request.sd))) {
    throw InvalidArgument(fmt::format("give either {} and {}, for two actions, or {} and {}, for several",
                                      option_name("lead"), option_name("sd"), option_name("means"),
                                      option_name("sds")));
  }
  if (two && !request.actions.empty())
    throw InvalidArgument(fmt::format("{} needs {}", option_name("actions"), option_name("means")));
  StatelessAnswer answer;
  if (two) answer.two = two_actions(request);
  if (many) answer.many = many_actions(request);
  return answer;
}

std::string StatelessAnswer::text() const {
  return two ? view::text_of(*two) : view::text_of(*many);
}
view::Json StatelessAnswer::json() const {
  return two ? view::json_of(*two) : view::json_of(*many);
}
report::Page StatelessAnswer::page() const {
  return two ? view::page_of(*two) : view::page_of(*many);
}

}  // namespace mindgap::command

#include "mindgap/command/design.h"

#include <fmt/format.h>

#include "mindgap/base/error.h"
#include "mindgap/base/option_name.h"
#include "mindgap/files/pilot_tables.h"
#include "mindgap/view/design.h"
#include "mindgap/view/design_page.h"
#include "mindgap/view/plan_file.h"
#include "mindgap/view/shared_errors.h"

namespace mindgap::command {
namespace {

design::DesignOptions options_of(const DesignRequest& request) {
  design::DesignOptions options;
  options.units = request.units;
  options.steps = request.steps;
  options.others = request.others.value_or(0);
  options.target = design::target_from_string(request.target);
  if (request.occupancy != "finite" && request.occupancy != "discounted") {
    throw InvalidArgument(fmt::format("{} is '{}': expected finite or discounted",
                                      base::option_name("occupancy"), base::printable(request.occupancy)));
  }
  options.finite = request.occupancy == "finite";
  options.method = design::minimiser_from_string(request.method);
  options.use_credit = request.use_credit;
  options.block = design::block_from_string(request.block);
  options.relative_gap = request.relative_gap;
  if (request.time_limit) options.time_limit = *request.time_limit;
  options.run = {request.run.seed, request.run.threads, {}};
  return options;
}

view::DesignView view_of(const DesignAnswer& answer) {
  view::DesignView view{answer.model, answer.design,    answer.options,
                        answer.top,   answer.plan_file, answer.notes};
  if (answer.navigation) view.navigation = &*answer.navigation;
  if (answer.sizes) view.sizes = &*answer.sizes;
  return view;
}

std::vector<std::int32_t> states_named(const mdp::Mdp& mdp, const std::vector<std::string>& names) {
  std::vector<std::int32_t> states;
  for (const std::string& name : names) {
    states.push_back(mdp.find_state(name));
    if (states.back() < 0) {
      throw InvalidArgument(
          fmt::format("{}: there is no state '{}'", base::option_name("bottleneck"), base::printable(name)));
    }
  }
  return states;
}

void check_extras(const DesignRequest& request) {
  const design::SizeTableOptions& table = request.size_table;
  if (!request.sizes && (!table.units.empty() || !table.steps.empty() || table.remove))
    throw InvalidArgument(fmt::format("{}, {} and {} need {}", base::option_name("size-units"),
                                      base::option_name("size-steps"), base::option_name("remove"),
                                      base::option_name("sizes")));
  if (!request.navigation && !request.bottleneck.empty())
    throw InvalidArgument(
        fmt::format("{} needs {}", base::option_name("bottleneck"), base::option_name("navigation")));
}

}  // namespace

DesignAnswer design(const DesignRequest& request) {
  check_extras(request);
  design::DesignOptions options = options_of(request);
  Known known = read_evidence(request.model.value(), request.evidence);
  const belief::Knowledge knowledge = known.knowledge(request.evidence.prior);
  if (std::string said = view::unexplained(knowledge); !said.empty())
    known.warnings.push_back(std::move(said));
  request.run.listener.warn(known.warnings);
  const mdp::Mdp& mdp = known.model.mdp;
  options.limits = request.limits.read(mdp);
  if (request.positions) {
    const files::TextFile& file = request.positions->file;
    design::place_units(files::parse_positions(file, mdp), file.name, request.others, mdp, options);
  }
  options.run.listener = request.run.listener;
  std::optional<design::NavigationFindings> navigation;
  std::optional<design::SizeTable> sizes;
  design::Design made;
  if (request.navigation) {
    design::NavigatedPilot navigated =
        design::navigate_pilot(knowledge, options, states_named(mdp, request.bottleneck));
    made = std::move(navigated.design);
    navigation = std::move(navigated.findings);
  } else {
    made = design::design_pilot(knowledge, options);
  }
  if (request.sizes) {
    design::DesignOptions with = options;
    if (options.target.kind != design::TargetKind::explorer)
      with.weights = std::make_shared<const design::TargetWeights>(made.target);
    sizes = design::size_table(knowledge, with, request.size_table);
  }
  options.run.listener = {};
  DesignAnswer answer{std::move(known.model),    std::move(made),
                      std::move(options),        request.top,
                      std::move(known.warnings), view::notes_on_shared(knowledge)};
  answer.navigation = std::move(navigation);
  answer.sizes = std::move(sizes);
  return answer;
}

std::string DesignAnswer::text() const {
  return view::text_of(view_of(*this));
}
view::Json DesignAnswer::json() const {
  return view::json_of(view_of(*this));
}
report::Page DesignAnswer::page() const {
  return view::page_of(view_of(*this));
}
std::string DesignAnswer::plan() const {
  return view::plan_json(model.mdp, design, options);
}

}  // namespace mindgap::command

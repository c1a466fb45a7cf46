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
    throw InvalidArgument(fmt::format("{} is '{}': finite or discounted is wanted",
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
  return {answer.model, answer.design, answer.options, answer.top, answer.plan_file, answer.notes};
}

}  // namespace

DesignAnswer design(const DesignRequest& request) {
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
  design::Design made = design::design_pilot(knowledge, options);
  options.run.listener = {};
  return {std::move(known.model),    std::move(made),
          std::move(options),        request.top,
          std::move(known.warnings), view::notes_on_shared(knowledge)};
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

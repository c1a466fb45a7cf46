#include "mindgap/view/diagnose_page.h"

#include <fmt/format.h>

#include <cmath>

#include "mindgap/mdp/pair_name.h"
#include "mindgap/report/charts.h"
#include "mindgap/view/print.h"

namespace mindgap::view {
report::Page page_of(const DiagnoseView& view) {
  const gap::Diagnosis& d = view.diagnosis;
  const mdp::Mdp& mdp = view.model.mdp;
  report::Answer answer{"", headline(view.model), "", {}};
  answer.facts.emplace_back("The simulator promises its own optimal policy", number(d.sop.value_at_start));
  answer.facts.emplace_back("Standard deviation of that value, before any pilot",
                            number(std::sqrt(d.pvv_prior.total)));
  if (d.evpi) {
    const auto estimated = [](const gap::Estimate& one) { return with_error(one.mean, one.standard_error); };
    answer.facts.emplace_back("Worth of knowing everything, per unit", estimated(d.evpi->total));
    answer.facts.emplace_back("of that, shown by waiting", estimated(d.evpi->local));
    answer.facts.emplace_back("of that, only by going there", estimated(d.evpi->reach));
  }
  answer.facts.emplace_back("States that the policy practically never sees",
                            fmt::format("{} of {}", d.routes.unreached.size(), count(mdp.states(), "state")));
  report::Table pairs{"", {"state / action", "variance"}, {}};
  for (const std::int32_t k : largest(d.contributions, 10)) {
    pairs.rows.push_back({mdp::pair_name(mdp, k, 40), number(d.contributions[k])});
  }
  report::Section section{"", {answer}};
  if (!pairs.rows.empty()) {
    report::BarsChart chart;
    chart.words = {"what-is-uncertain", "What is uncertain and matters",
                   "The pairs that contribute most to the variance of the policy's value.", ""};
    chart.table = std::move(pairs);
    chart.category = "state / action";
    chart.value = {"variance"};
    section.blocks.emplace_back(report::bars(chart));
  }
  if (!view.warnings.empty()) {
    report::Table warnings{"Warnings", {"warning"}, {}};
    for (const std::string& warning : view.warnings) warnings.rows.push_back({warning});
    section.blocks.emplace_back(std::move(warnings));
  }
  return {"A diagnosis", "", {section}, ""};
}

}  // namespace mindgap::view

#include "mindgap/view/diagnose_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "mindgap/base/error.h"
#include "mindgap/mdp/pair_name.h"
#include "mindgap/report/charts.h"
#include "mindgap/view/checks.h"
#include "mindgap/view/print.h"

namespace mindgap::view {
namespace {

constexpr const char* kFooter = "mindgap diagnose";
constexpr std::size_t kMostStates = 100;

}  // namespace

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
    chart.words = {
        "what-is-uncertain", "What makes the deployed policy's value uncertain",
        "Parts of the variance of the value of the simulator's optimal policy, by state and action, the "
        "largest ten.",
        ""};
    chart.table = std::move(pairs);
    chart.category = "state / action";
    chart.value = {"variance"};
    section.blocks.emplace_back(report::bars(chart));
  }
  report::Page page{title_of(view.model, "where the simulator may be wrong"), "", {}, kFooter};
  page.sections.push_back(std::move(section));
  page.sections.push_back(section_of_checks(view));
  if (!view.warnings.empty()) page.sections.push_back({"Warnings", {report::Bullets{view.warnings}}});
  if (!d.routes.unreached.empty()) {
    report::Table never{"States that the policy practically never sees", {"state", "can be reached"}, {}};
    for (std::size_t i = 0; i < std::min(d.routes.unreached.size(), kMostStates); ++i) {
      const gap::Route& one = d.routes.unreached[i];
      never.rows.push_back({base::printable(mdp.state_name(one.state), 80),
                            !one.possible               ? "by no policy"
                            : one.possible_under_policy ? "by chance, and by going there"
                                                        : "by going there"});
    }
    if (d.routes.unreached.size() > kMostStates)
      never.rows.push_back({fmt::format("and {} more", d.routes.unreached.size() - kMostStates), ""});
    page.sections.push_back({"What waiting cannot show", {std::move(never)}});
  }
  return page;
}

}  // namespace mindgap::view

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <string_view>

#include "mindgap/view/number.h"
#include "paper/reproduce/vending.h"

// tab:ablation: which errors the simulator has, T = 400.
namespace mindgap::reproduce::vending {
namespace {

constexpr std::array<const char*, 8> kPlanners = {
    "sop", "asop", "asop-pilot", "epsilon", "learning-epsilon", "adaptive-epsilon", "kg", "sep"};

struct Condition {
  const char *errors, *name;
  std::array<double, 8> percent;
};

const Condition kConditions[] = {
    {"none", "no confounding, no drift", {92, 85, 80, 41, 34, 57, 78, 67}},
    {"confounding", "confounding only", {73, 86, 80, 29, 34, 57, 77, 66}},
    {"both", "confounding and drift", {67, 76, 72, 48, 57, 63, 73, 67}},
};

// The paper gives whole percentages without intervals. Under both errors they are those of tab:sim-results at
// T = 400, which has them; under the others 30 trials are taken to have our spread. Both with the rounding.
constexpr std::array<double, 8> kMainTable = {1.6, 2.0, 1.8, 2.1, 2.3, 2.0, 1.5, 2.2};
constexpr double kRounding = .5;

double published_half(const Condition& condition, std::size_t planner,
                      const std::optional<stats::Interval>& ours, std::size_t trials) {
  const double half = condition.errors == std::string_view("both")
                          ? kMainTable[planner]
                          : half_width(ours) * std::sqrt(static_cast<double>(trials) / kTrials);
  return half + kRounding;
}

}  // namespace

Reproduction ablation(const Options& options) {
  Reproduction result = begin("vending-ablation", "% of oracle cash, T = 400",
                              method_of(options,
                                        " Published errors: those of tab:sim-results under both errors, else "
                                        "our spread in 30 trials; and the rounding."));
  std::map<std::string, std::map<std::string, double>> percent;  // by errors, planner
  const std::vector<std::string> planners(kPlanners.begin(), kPlanners.end());
  for (const Condition& condition : kConditions) {
    const trial::Results results = run(options, condition.errors, planners, {400});
    const auto rows = trial::summarise(results, planners, "asop");
    for (std::size_t i = 0; i < kPlanners.size(); ++i) {
      const trial::SummaryRow& row = row_of(rows, kPlanners[i], 400);
      percent[condition.errors][kPlanners[i]] = row.percent_of_oracle;
      result.lines.push_back(line_of(fmt::format("{}, {}", kPlanners[i], condition.name),
                                     condition.percent[i],
                                     published_half(condition, i, row.interval, results.trials.size()),
                                     row.percent_of_oracle, row.interval));
    }
  }
  auto &none = percent["none"], &confounding = percent["confounding"], &both = percent["both"];
  const auto three = [&](const char* planner) {
    return fmt::format("{} {} {} {}", planner, view::fixed(none[planner], 1),
                       view::fixed(confounding[planner], 1), view::fixed(both[planner], 1));
  };
  bool leads = true;
  for (const Condition& condition : kConditions) {
    leads = leads && percent[condition.errors]["asop"] > percent[condition.errors]["sep"];
  }
  result.claims = {
      {"SOP loses with each error that is added",
       none["sop"] > confounding["sop"] && confounding["sop"] > both["sop"], three("sop")},
      {"A-SOP absorbs confounding (within 3 points) and loses to drift",
       std::abs(none["asop"] - confounding["asop"]) <= 3 && both["asop"] < confounding["asop"] - 3,
       three("asop")},
      {"A-SOP leads SEP under all three conditions at T = 400", leads, three("asop") + ", " + three("sep")},
  };
  return result;
}

}  // namespace mindgap::reproduce::vending

#include "paper/reproduce/schematic.h"

#include <fmt/format.h>

#include <array>
#include <cmath>

#include "mindgap/gap/gap_decomposition.h"
#include "mindgap/mdp/builder.h"
#include "mindgap/mdp/evaluate.h"
#include "mindgap/mdp/solve.h"
#include "mindgap/report/charts.h"
#include "mindgap/view/number.h"

namespace mindgap::reproduce {
namespace {

// From home, "near" leads to 1 with .8 and to 2 with .2, "far" the other way round, and "out" to the corner
// 3; from there home again with .5 a step. The simulator likes 2, the truth likes 1 better, and the corner
// best.
constexpr double kDiscount = .9, kLikely = .8, kBack = .5;
constexpr std::array<double, 4> kSimulated = {0, .5, .6, .1}, kTrue = {0, .6, .4, 1};
constexpr std::array<const char*, 3> kActions = {"near", "far", "out"};
constexpr int kCells = 5;
constexpr double kNever = 1e-9;  // a share of time; linear solves round

mdp::Mdp four_states(const std::array<double, 4>& reward) {
  mdp::MdpBuilder builder(kDiscount, 4, 3);
  const std::array<std::array<double, 4>, 3> to = {
      {{0, kLikely, 1 - kLikely, 0}, {0, 1 - kLikely, kLikely, 0}, {0, 0, 0, 1}}};
  for (std::int32_t a = 0; a < 3; ++a) {
    builder.set_reward(0, a, reward[0]);
    for (std::int32_t s = 1; s < 4; ++s) {
      const double p = to[static_cast<std::size_t>(a)][static_cast<std::size_t>(s)];
      if (p > 0) builder.add_transition(0, a, s, p);
    }
  }
  for (std::int32_t s = 1; s < 4; ++s) {
    builder.set_reward(s, 0, reward[static_cast<std::size_t>(s)]);
    builder.add_transition(s, 0, s, 1 - kBack);
    builder.add_transition(s, 0, 0, kBack);
  }
  return builder.build().with_start({1, 0, 0, 0});
}

// Where updating without experimenting ends: what is visited becomes known, the rest stays as simulated.
mdp::Policy passive_end(const mdp::Mdp& truth) {
  std::array<double, 4> believed = kSimulated;
  mdp::Policy policy = mdp::solve(four_states(believed)).policy;
  for (int i = 0; i < 4; ++i) {
    const std::vector<double> share = mdp::discounted_visitation(truth, policy).share;
    for (std::size_t s = 0; s < 4; ++s) {
      if (share[s] > kNever) believed[s] = kTrue[s];
    }
    policy = mdp::solve(four_states(believed)).policy;
  }
  return policy;
}

double value_of(const mdp::Mdp& mdp, const mdp::Policy& policy) {
  return mdp::evaluate(mdp, policy).value.front();
}

// Values of all mixtures of the three trips, on the triangle of their shares.
report::Table triangle(const mdp::Mdp& simulator, const mdp::Mdp& truth,
                       const std::array<std::pair<const char*, std::size_t>, 3>& marks) {
  report::Table table{
      "Value by what is done at home", {"model", "share of out", "share of far", "value", "policy"}, {}};
  for (const auto& [name, model] : {std::pair("the simulator", &simulator), {"the truth", &truth}}) {
    for (int far = 0; far <= kCells; ++far) {
      for (int out = 0; out + far <= kCells; ++out) {
        const auto share = [](int cells) { return cells / static_cast<double>(kCells); };
        const double f = share(far), o = share(out), near = share(kCells - far - out);
        const mdp::Policy policy = mdp::Policy::stochastic(*model, {near, f, o, 1, 1, 1});
        std::string mark;
        for (const auto& [who, action] : marks) {
          const bool here = action == 0 ? far == 0 && out == 0 : action == 1 ? far == kCells : out == kCells;
          if (here) mark = who;
        }
        table.rows.push_back(
            {name, view::fixed(o, 1), view::fixed(f, 1), view::fixed(value_of(*model, policy), 4), mark});
      }
    }
  }
  return table;
}

Reproduction run_schematic(const Options&) {
  const mdp::Mdp simulator = four_states(kSimulated), truth = four_states(kTrue);
  const mdp::Policy sop = mdp::solve(simulator).policy, passive = passive_end(truth),
                    best = mdp::solve(truth).policy;
  const gap::GapDecomposition gaps = gap::gap_decomposition(truth, sop);
  Reproduction result;
  result.name = "schematic";
  result.title = schematic_artefact().title;
  result.unit = "value from home";
  result.method =
      "the paper's picture has neither numbers nor a model: four states of our own, computed exactly; "
      "updating "
      "without experimenting is followed to its end, the experiment shows every reward";
  const auto add = [&](const std::string& what, double ours) {
    result.lines.push_back({.what = what, .ours = ours, .exact = true});
  };
  const double of_sop = value_of(truth, sop), of_passive = value_of(truth, passive),
               of_best = value_of(truth, best);
  add("SOP, in the simulator", value_of(simulator, sop));
  add("SOP, in truth", of_sop);
  add("A-SOP at its end, in truth", of_passive);
  add("after an experiment, in truth", of_best);
  add("local gap", gaps.local_gap);
  add("reachability gap", gaps.reach_gap);
  const auto in_corner = [&](const mdp::Policy& policy) {
    return mdp::discounted_visitation(truth, policy).share[3];
  };
  result.claims = {
      {"Policies that trust the simulator or update without experimenting stay on the simulator's face",
       in_corner(sop) < kNever && in_corner(passive) < kNever,
       fmt::format("share of time in the corner: SOP {}, A-SOP {}, after an experiment {}",
                   view::fixed(in_corner(sop), 3), view::fixed(in_corner(passive), 3),
                   view::fixed(in_corner(best), 3))},
      {"Updating closes the local gap alone", std::abs(of_passive - of_sop - gaps.local_gap) < 1e-6,
       fmt::format("it gains {}, the local gap is {}", view::fixed(of_passive - of_sop, 4),
                   view::fixed(gaps.local_gap, 4))},
      {"An experiment closes the reachability gap", std::abs(of_best - of_passive - gaps.reach_gap) < 1e-6,
       fmt::format("it gains {} more, the reachability gap is {}", view::fixed(of_best - of_passive, 4),
                   view::fixed(gaps.reach_gap, 4))}};
  const auto action = [](const mdp::Policy& policy) {
    return static_cast<std::size_t>(policy.pair_of_state()[0]);
  };
  report::Table table =
      triangle(simulator, truth, {{{"SOP", action(sop)}, {"A-SOP", action(passive)}, {"SEP", action(best)}}});
  result.figures.push_back(report::heat(
      {.words = {"schematic", "The two gaps",
                 "Each cell is a mixture of the three trips from home, shaded by its value in the simulator "
                 "and in "
                 "truth. Left edge: no trip to the corner that the simulator ignores.",
                 fmt::format(
                     "SOP ({}) and A-SOP ({}) lie on the left edge, where nothing goes to the corner; the "
                     "experimental policy (SEP, {}) lies in the corner, where the truth is highest.",
                     kActions[action(sop)], kActions[action(passive)], kActions[action(best)])},
       .table = table,
       .x = {"share of out"},
       .y = {"share of far"},
       .value = "value",
       .label = "policy",
       .panel = "model",
       .first_below = true}));
  result.data.push_back({"schematic.csv", std::move(table)});
  return result;
}

}  // namespace

Artefact schematic_artefact() {
  return {"schematic", "small", "Local and reachability gap on four states (figure schematic, figure 1)",
          run_schematic};
}

}  // namespace mindgap::reproduce

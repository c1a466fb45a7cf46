#include <algorithm>
#include <array>
#include <cmath>

#include "mindgap/belief/beta_binomial.h"
#include "mindgap/belief/knowledge.h"
#include "mindgap/design/design.h"
#include "mindgap/mdp/builder.h"
#include "paper/cases/hiv/planners.h"
#include "paper/cases/hiv/team_model.h"

// The tabular design on this case: half of the teams follow designed routes for a pilot, then everybody goes
// to the highest posterior means by shortest path.
namespace mindgap::cases::hiv {
namespace {

constexpr std::int64_t kRoutesPilotDays = 25, kEvery = 5;  // as Fisher-SEP-T's
constexpr double kRoutesDiscount = .95, kKnown = 1e9;
constexpr std::array<const char*, 5> kMoveNames = {"up", "down", "left", "right", "stay"};
constexpr std::int32_t kRoutesStay = 4;

class Routes : public HivPlanner {
 public:
  explicit Routes(const Known& known)
      : known_(known),
        belief_(known, BeliefForm::corrected),
        model_(team_model(known, prior_shapes(known))),
        orders_(static_cast<std::size_t>(known.teams)),
        explorers_(static_cast<std::size_t>(known.teams) / 2) {}

  void decide(std::int64_t day, std::span<const Zone> position, std::span<Zone> next) override {
    if (day == 0) plan(position);
    const std::size_t first = day < kRoutesPilotDays ? explorers_ : 0;
    if (day == kRoutesPilotDays || day % kEvery == 0) {
      orders_.send(first, top_zones(belief_.means(), position.size() - first), Navigation::shortest);
    }
    orders_.step(*known_.geography, position, next);
    for (std::size_t team = 0; team < first; ++team) next[team] = on_route(team, day, position[team]);
  }
  void observe(std::span<const TeamDay> tests) override { belief_.observe(tests); }

 private:
  void plan(std::span<const Zone> position) {
    design::DesignOptions options;
    options.units = static_cast<std::int64_t>(explorers_);
    options.steps = kRoutesPilotDays;
    options.unit_state.assign(position.begin(), position.begin() + static_cast<std::ptrdiff_t>(explorers_));
    options.others = static_cast<std::int64_t>(position.size() - explorers_);
    options.other_positions.assign(static_cast<std::size_t>(model_.mdp.states()), 0.0);
    for (std::size_t team = explorers_; team < position.size(); ++team) {
      options.other_positions[static_cast<std::size_t>(position[team])] += 1;
    }
    options.block = design::Block::rewards;
    options.relative_gap = 1e-2;
    options.run.seed = known_.seed + known_.trial;
    options.run.threads = 1;
    const belief::Knowledge knowledge = belief::gather_knowledge(model_, std::nullopt, std::nullopt);
    design_ = design::design_pilot(knowledge, options);
  }

  Zone on_route(std::size_t team, std::int64_t day, Zone here) const {
    const design::Route& route = design_.routes[static_cast<std::size_t>(design_.route_of_unit[team])];
    const auto states = static_cast<std::size_t>(model_.mdp.states());
    const std::int32_t pair =
        route.pair[static_cast<std::size_t>(day) * states + static_cast<std::size_t>(here)];
    return known_.geography->after_move(here, model_.mdp.pair_action()[static_cast<std::size_t>(pair)]);
  }

  const Known known_;
  ZoneBelief belief_;
  mdp::Model model_;
  design::Design design_;
  Orders orders_;
  std::size_t explorers_;
};

}  // namespace

mdp::Model team_model(const Known& known, std::span<const belief::BetaShape> shapes) {
  const Geography& geography = *known.geography;
  mdp::MdpBuilder builder(kRoutesDiscount);
  for (Zone j = 0; j < geography.zones(); ++j) {
    builder.add_state(geography.name(j), {.group = geography.in_b(j) ? "B" : "A"});
  }
  for (const char* name : kMoveNames) builder.add_action(name);
  mdp::PriorSpec prior;
  prior.transition_strength = kKnown;
  std::vector<double> variance;
  for (Zone j = 0; j < geography.zones(); ++j) {
    for (std::int32_t move = 0; move < 5; ++move) {
      const Zone to = geography.after_move(j, move);
      if (to < 0) continue;
      const belief::BetaShape& shape = shapes[static_cast<std::size_t>(to)];
      const double found = known.tests_per_day * belief::mean(shape);
      builder.set_reward(j, move, found);
      builder.add_transition(j, move, to, 1);
      const double sd = known.tests_per_day * std::sqrt(belief::variance(shape));
      prior.pair_reward_sd.push_back(move == kRoutesStay ? sd : 0);
      variance.push_back(found);
    }
  }
  mdp::Model model{"a team on the grid", builder.build()};
  model.variance = variance;
  model.prior = prior;
  return model;
}

std::unique_ptr<HivPlanner> make_routes(const Known& known) {
  return std::make_unique<Routes>(known);
}

}  // namespace mindgap::cases::hiv

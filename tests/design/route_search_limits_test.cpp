#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <string>

#include "design/limited_cases.h"
#include "mindgap/base/error.h"
#include "mindgap/design/design.h"
#include "mindgap/design/route_search.h"
#include "mindgap/design/walk.h"
#include "mindgap/files/log_file.h"
#include "mindgap/files/model_file.h"

namespace mindgap::design {
namespace route_search_limits_test {

// What the units of an assignment observe, by a walk that the search does not use.
std::vector<double> counted(const LimitedCase& one, const RouteAssignment& assignment) {
  std::vector<double> counts(static_cast<std::size_t>(one.mdp.pairs()), 0.0);
  for (std::size_t u = 0; u < one.units.size(); ++u) {
    std::vector<double> position(static_cast<std::size_t>(one.mdp.states()), 0.0);
    position[one.units[u]] = 1;
    const Route& route = assignment.routes[static_cast<std::size_t>(assignment.route_of_unit[u])];
    const std::vector<double> own = walk_counts(one.mdp, route.pair, one.pilot->steps(), position);
    for (std::size_t k = 0; k < counts.size(); ++k) counts[k] += own[k];
  }
  return counts;
}

// The most units expected in a state at one step.
double crowd(const LimitedCase& one, const RouteAssignment& assignment, std::int32_t state) {
  const auto states = static_cast<std::size_t>(one.mdp.states());
  std::vector<double> there(static_cast<std::size_t>(one.pilot->steps()), 0.0);
  for (std::size_t u = 0; u < one.units.size(); ++u) {
    const Route& route = assignment.routes[static_cast<std::size_t>(assignment.route_of_unit[u])];
    std::vector<double> now(states, 0.0);
    now[one.units[u]] = 1;
    for (std::size_t t = 0; t < there.size(); ++t) {
      there[t] += now[state];
      std::vector<double> next(states, 0.0);
      for (std::size_t s = 0; s < states; ++s) {
        if (now[s] == 0) continue;
        const mdp::Row row = one.mdp.row(route.pair[t * states + s]);
        for (std::size_t i = 0; i < row.next_state.size(); ++i)
          next[row.next_state[i]] += now[s] * row.probability[i];
      }
      now = std::move(next);
    }
  }
  return *std::max_element(there.begin(), there.end());
}

// 50 random pilots of 2 to 8 units within random limits: every limit is kept, and the variance is at most 1.5
// times what fractions of units could reach. The largest factor is 1.27; by largest remainders and exchanges
// alone it is 1.82.
TEST(RouteSearchLimits, WithinAFactorOfTheBoundForFractions) {
  double worst = 0, sum = 0;
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    SCOPED_TRACE(seed);
    const LimitedCase one(seed);
    bool searched = false;
    const RouteAssignment found = best_routes(one.objective, *one.pilot, one.optimum, one.units,
                                              one.constraints, {}, {.tries = 2000}, &searched);
    EXPECT_TRUE(searched);
    const std::vector<double> counts = counted(one, found);
    EXPECT_NEAR(found.value, one.objective.value(counts), 1e-9 * found.value);
    EXPECT_GE(found.value, one.optimum.value - one.optimum.gap);
    for (const LinearConstraint& row : one.constraints.linear)
      EXPECT_LE(row.left(counts), row.bound + 1e-6) << row.name;
    for (const Capacity& capacity : one.constraints.capacity)
      EXPECT_LE(crowd(one, found, capacity.state), capacity.units + 1e-6);
    for (const double violation : found.violations) EXPECT_LE(violation, 1e-6);
    EXPECT_LE(found.value, 1.5 * one.optimum.value);
    worst = std::max(worst, found.ratio);
    sum += found.ratio;
  }
  RecordProperty("largest factor", std::to_string(worst));
  EXPECT_NEAR(sum / 50, 1.0459345, 1e-6);  // whoever changes the search sees whether it finds more or less
}

// A street of places where moves never fail: a route is a sequence of moves, so all of them can be tried.
struct Street {
  static constexpr std::int32_t kPlaces = 5, kSteps = 5;
  mdp::Mdp mdp;
  std::unique_ptr<Occupancy> pilot;
  Objective objective;
  Constraints constraints;
  ColumnGenerationResult optimum;
  std::vector<std::int32_t> units{1, 2};

  Street(std::uint64_t seed, double precision)
      : mdp(make()),
        pilot(finite_occupancies(mdp, {0, 1, 1, 0, 0}, kSteps, 1)),
        objective(criterion(seed, precision)) {
    constraints.linear.push_back(maximum_share(*pilot, "far", .3));  // 3 of 10 steps
    optimum = minimise_by_columns(objective, *pilot, constraints, {.relative_gap = 1e-6});
  }

  static mdp::Mdp make() {
    mdp::MdpArrays arrays;
    arrays.discount = .9;
    arrays.actions = 3;
    arrays.pair_begin = {0};
    arrays.row_begin = {0};
    for (std::int32_t s = 0; s < kPlaces; ++s) {
      for (std::int32_t a = 0; a < 3; ++a) {
        arrays.pair_action.push_back(a);
        arrays.reward.push_back(0);
        arrays.next_state.push_back(std::clamp(s + a - 1, 0, kPlaces - 1));
        arrays.probability.push_back(1);
        arrays.row_begin.push_back(static_cast<std::int64_t>(arrays.next_state.size()));
      }
      arrays.pair_begin.push_back(static_cast<std::int32_t>(arrays.pair_action.size()));
    }
    arrays.labels.groups = mdp::NameTable({"near", "far"});
    arrays.labels.group_of_state = {0, 0, 0, 1, 1};
    return mdp::Mdp(std::move(arrays));
  }

  static Objective criterion(std::uint64_t seed, double precision) {
    std::mt19937_64 bits(seed);
    gap::PvvWeights weights;
    for (std::int32_t k = 0; k < 3 * kPlaces; ++k) {
      weights.reward.push_back(-std::log((static_cast<double>(bits() >> 11) + .5) * 0x1p-53));
      weights.transition.push_back(0);
    }
    return Objective(weights, {std::vector<double>(15, 1.0), std::vector<double>(15, precision),
                               std::vector<double>(15, 1.0)});
  }

  // The best of all 3^5 x 3^5 pairs of routes that keep to the limit.
  double best() const {
    constexpr std::int32_t kRoutes = 243;
    double least = std::numeric_limits<double>::infinity();
    std::vector<std::vector<double>> counts[2];
    for (std::int32_t u = 0; u < 2; ++u) {
      for (std::int32_t code = 0; code < kRoutes; ++code) {
        std::vector<double> n(15, 0.0);
        std::int32_t s = units[static_cast<std::size_t>(u)], rest = code;
        for (std::int32_t t = 0; t < kSteps; ++t, rest /= 3) {
          const std::int32_t pair = 3 * s + rest % 3;
          n[static_cast<std::size_t>(pair)] += 1;
          s = std::clamp(s + rest % 3 - 1, 0, kPlaces - 1);
        }
        counts[u].push_back(std::move(n));
      }
    }
    std::vector<double> both(15);
    for (const auto& a : counts[0]) {
      for (const auto& b : counts[1]) {
        double far = 0;
        for (std::size_t k = 0; k < 15; ++k) {
          both[k] = a[k] + b[k];
          if (k >= 9) far += both[k];
        }
        if (far <= 3) least = std::min(least, objective.value(both));
      }
    }
    return least;
  }
};

// Against all pairs of routes. The search finds the best one in 7 of these 10 cases; in the others what it
// finds is at most 17 % above it.
TEST(RouteSearchLimits, FindsWhatBruteForceFinds) {
  std::int32_t exact = 0;
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    SCOPED_TRACE(seed);
    const Street street(seed, 8);
    const RouteAssignment found =
        best_routes(street.objective, *street.pilot, street.optimum, street.units, street.constraints);
    const double best = street.best();
    EXPECT_GE(found.value, best * (1 - 1e-12));
    EXPECT_LE(found.value, best * 1.2);
    EXPECT_LE(found.violations[0], 1e-9);
    exact += found.value <= best * (1 + 1e-9);
  }
  EXPECT_GE(exact, 7);
}

// Where one look tells nearly everything, fractions of units look a little everywhere and whole units cannot:
// here no two routes come within 1.5 times the bound, and the search finds the best there is.
TEST(RouteSearchLimits, NoWholeUnitsMayComeNearTheBound) {
  const Street street(3, 1000);
  const double best = street.best();
  EXPECT_GT(best, 1.5 * street.optimum.value);
  const RouteAssignment found =
      best_routes(street.objective, *street.pilot, street.optimum, street.units, street.constraints);
  EXPECT_NEAR(found.value, best, 1e-9 * best);
}

// The vans, 4 units for 25 steps, at most 30 of their 100 steps in B. Moves never fail, all vans begin in A,
// and zone-2-4 is the only way into B. So whoever stays in a zone of B other than that came into it by a move
// out of another zone of B: D different zones take D stays and at least D - 1 moves, each into another zone,
// of the 30 steps, and D is at most 15. Every further step is a second look or another move. Counting for
// each number of zones the best that such steps could show, and A as known, no assignment of whole units
// leaves less than 66.1, which is 1.63 times the bound for fractions.
struct VansBound {
  mdp::Model model = files::read_model(MINDGAP_SOURCE_DIR "/examples/vans");
  const mdp::Mdp& mdp = model.mdp;
  belief::Knowledge known = belief::gather_knowledge(
      model, files::read_coverage(MINDGAP_SOURCE_DIR "/examples/vans/coverage.csv", mdp), std::nullopt);

  bool in_b(std::int32_t s) const {
    return mdp.labels().groups[mdp.labels().group_of_state[static_cast<std::size_t>(s)]] == "B";
  }
  std::int32_t to(std::int32_t pair) const { return mdp.next_state()[mdp.entries_of(pair).first()]; }

  double least(const DesignOptions& options, std::size_t steps_in_b) const {
    const Objective objective(weights_of_target(known, options).weights, gap::precision_of(known.now));
    const auto pairs = static_cast<std::size_t>(mdp.pairs());
    std::vector<double> first(pairs), second(pairs);
    objective.worth_of_one_more(std::vector<double>(pairs, 0.0), first);
    objective.worth_of_one_more(std::vector<double>(pairs, 1.0), second);
    const std::vector<double> now = objective.contributions(std::vector<double>(pairs, 0.0));
    double left = 0;
    std::vector<double> stay(static_cast<std::size_t>(mdp.states()), 0.0), into = stay, others;
    for (std::int32_t k = 0; k < mdp.pairs(); ++k) {
      const std::int32_t s = mdp.state_of_pair(k);
      EXPECT_EQ(mdp.entries_of(k).size(), 1);  // moves never fail
      if (!in_b(s)) {
        EXPECT_TRUE(!in_b(to(k)) || mdp.state_name(to(k)) == "zone-2-4");
        continue;
      }
      left += now[static_cast<std::size_t>(k)];
      others.push_back(second[static_cast<std::size_t>(k)]);
      if (to(k) == s) {
        EXPECT_EQ(stay[static_cast<std::size_t>(s)], 0);  // one way to stay in a zone
        stay[static_cast<std::size_t>(s)] = first[static_cast<std::size_t>(k)];
        continue;
      }
      others.push_back(first[static_cast<std::size_t>(k)]);
      double& best = into[static_cast<std::size_t>(to(k))];
      if (mdp.state_name(to(k)) != "zone-2-4") best = std::max(best, first[static_cast<std::size_t>(k)]);
    }
    std::vector<double> zone;
    for (std::int32_t s = 0; s < mdp.states(); ++s) {
      if (in_b(s)) zone.push_back(stay[static_cast<std::size_t>(s)] + into[static_cast<std::size_t>(s)]);
    }
    std::sort(zone.rbegin(), zone.rend());
    std::sort(others.rbegin(), others.rend());
    double least = left;
    for (std::size_t zones = 0; 2 * zones <= steps_in_b + 1 && zones <= zone.size(); ++zones) {
      const std::size_t more = zones == 0 ? steps_in_b : steps_in_b - (2 * zones - 1);
      double after =
          left - std::accumulate(zone.begin(), zone.begin() + static_cast<std::ptrdiff_t>(zones), 0.0);
      for (std::size_t i = 0; i < more; ++i) after -= others.at(i);
      least = std::min(least, after);
    }
    return least;
  }
};

TEST(RouteSearchLimits, Vans) {
  const VansBound vans;
  DesignOptions options;
  options.units = 4;
  options.steps = 25;
  options.limits.maximum_shares = {{"B", .3}};
  const Design four = design_pilot(vans.known, options);
  const double least = vans.least(options, 30);
  EXPECT_NEAR(four.after, 40.6, .1);
  EXPECT_NEAR(least, 66.17, .01);
  EXPECT_GT(least, 1.5 * four.after);
  EXPECT_GT(four.after_rounding, least);
  EXPECT_LT(four.after_rounding, 1.7 * least);
  EXPECT_TRUE(four.constraints_kept);
  options.units = 8;
  options.limits.maximum_shares = {{"B", .5}};
  const Design eight = design_pilot(vans.known, options);
  EXPECT_NEAR(eight.after, 13.84, .02);
  EXPECT_LT(eight.after_rounding, 1.5 * eight.after);
  EXPECT_TRUE(eight.constraints_kept);
}

// What was given is never made worse: neither the limits nor, where they are kept, the variance.
TEST(RouteSearchLimits, NeverWorseThanWhatWasGiven) {
  for (std::uint64_t seed = 51; seed <= 60; ++seed) {
    const LimitedCase one(seed);
    RouteAssignment assigned =
        assign_routes(one.objective, *one.pilot, one.optimum, one.units, one.constraints);
    const double before = assigned.value;
    const double missed = *std::max_element(assigned.violations.begin(), assigned.violations.end());
    EXPECT_TRUE(improve_routes_within(one.objective, *one.pilot, one.units, one.constraints, {}, one.optimum,
                                      assigned, {.tries = 1000}));
    for (const double violation : assigned.violations) EXPECT_LE(violation, missed + 1e-9);
    if (missed == 0) {
      EXPECT_LE(assigned.value, before * (1 + 1e-12));
    }
    std::int32_t units = 0;
    for (const Route& route : assigned.routes) units += route.units;
    EXPECT_EQ(units, static_cast<std::int32_t>(one.units.size()));
  }
}

TEST(RouteSearchLimits, StopsAtItsLimitsAndRefusesTheDiscountedForm) {
  const LimitedCase one(4);
  RouteAssignment assigned =
      assign_routes(one.objective, *one.pilot, one.optimum, one.units, one.constraints);
  const double before = assigned.value;
  EXPECT_FALSE(improve_routes_within(one.objective, *one.pilot, one.units, one.constraints, {}, one.optimum,
                                     assigned, {.work_limit = 1}));
  EXPECT_DOUBLE_EQ(assigned.value, before);
  // A route looks at every transition at most once a step for every step ahead: this is enough for two.
  const auto steps = static_cast<double>(one.pilot->steps());
  const double two = 2 * steps * steps * static_cast<double>(one.mdp.nonzeros());
  EXPECT_FALSE(improve_routes_within(one.objective, *one.pilot, one.units, one.constraints, {}, one.optimum,
                                     assigned, {.work_limit = two}));
  const auto discounted = discounted_occupancies(
      one.mdp, std::vector<double>(one.pilot->positions().begin(), one.pilot->positions().end()), 10);
  EXPECT_THROW(improve_routes_within(one.objective, *discounted, one.units, {}, {}, one.optimum, assigned),
               InvalidArgument);
}

}  // namespace route_search_limits_test
}  // namespace mindgap::design

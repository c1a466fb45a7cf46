#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <limits>

#include "mindgap/base/check.h"
#include "mindgap/base/distributions.h"
#include "mindgap/base/error.h"
#include "mindgap/base/listener.h"
#include "mindgap/base/random.h"
#include "mindgap/design/constraint_rows.h"
#include "mindgap/design/footprint.h"
#include "mindgap/design/route_builder.h"
#include "mindgap/design/route_search.h"

namespace mindgap::design {
namespace {

constexpr double kKept = 1e-10;  // a row is kept that is missed by less, as a share of the most it can be
constexpr double kWorthwhile = 1e-9;  // by which f must fall, relatively
constexpr double kShake = .7;         // standard deviation of the logarithms of random factors of prices
constexpr double kClosed = 100;       // times what makes itself felt: nobody goes there
constexpr std::array kCaps = {std::numeric_limits<double>::infinity(), .5, .2, .08, .03};  // of the most
constexpr int kMultipliers = 7;         // tries of multipliers for one route
constexpr int kRounds = 6;              // of multipliers that are the same for all units
constexpr std::size_t kPatience = 200;  // shakes in vain, beside one a unit, after which it ends

// How good a team's routes are: the rows come first.
struct Score {
  double violation = 0, value = 0;

  bool better_than(const Score& other) const {
    if (violation < other.violation - kKept) return true;
    return violation <= std::max(other.violation, kKept) && value < other.value * (1 - kWorthwhile);
  }
};

struct Walker {
  std::vector<std::int32_t> route;
  Footprint footprint;
};

// All units with their routes, and what they do together.
struct Team {
  std::vector<Walker> member;
  std::vector<double> counts, left;
  Score score;
};

struct FoundRoute {
  Walker member;
  Score score;
  bool any = false;
};

// Which multipliers of a row were too small and which large enough.
class Multipliers {
 public:
  explicit Multipliers(std::vector<double> first)
      : value(std::move(first)), low_(value.size(), 0.0), high_(value.size(), -1.0) {}

  std::vector<double> value;

  // `broken` per row; `seed` is what a row that was free costs at first.
  void update(std::span<const std::uint8_t> broken, std::span<const double> seed) {
    for (std::size_t i = 0; i < value.size(); ++i) {
      if (broken[i] != 0) {
        low_[i] = value[i];
        value[i] = high_[i] >= 0 ? (low_[i] + high_[i]) / 2 : std::max(4 * value[i], seed[i]);
      } else if (value[i] > 0) {
        high_[i] = value[i];
        value[i] = (low_[i] + high_[i]) / 2;
        if (low_[i] == 0 && value[i] < seed[i] / 64) value[i] = 0;
      }
    }
  }

 private:
  std::vector<double> low_, high_;  // high < 0: none yet
};

class LimitedSearch {
 public:
  LimitedSearch(const Objective& objective, const Occupancy& pilot, std::span<const std::int32_t> unit_state,
                const Constraints& constraints, std::span<const std::uint8_t> forbidden,
                const ColumnGenerationResult& optimum, const RouteSearchOptions& options)
      : objective_(objective),
        pilot_(pilot),
        unit_state_(unit_state),
        constraints_(constraints),
        forbidden_(forbidden),
        options_(options),
        rows_(pilot, constraints),
        footprints_(pilot, constraints),
        work_(work_of_route(pilot)),
        tries_left_(options.tries > 0
                        ? options.tries
                        : std::max<std::int64_t>(6000, 100 * static_cast<std::int64_t>(unit_state.size()))),
        started_(std::chrono::steady_clock::now()) {
    const auto steps = static_cast<double>(pilot.steps());
    for (const double m : optimum.multipliers) dual_.push_back(std::max(0.0, m));
    dual_.resize(constraints.linear.size(), 0.0);
    for (std::size_t c = 0; c < constraints.capacity.size(); ++c) {
      const double m = c < optimum.capacity_multipliers.size() ? optimum.capacity_multipliers[c] : 0;
      dual_.resize(dual_.size() + static_cast<std::size_t>(pilot.steps()), std::max(0.0, m) / steps);
    }
    // What makes itself felt: a row's largest coefficient takes a tenth off the most an observation is worth.
    std::vector<double> worth(objective.size());
    objective.worth_of_one_more(std::vector<double>(objective.size(), 0.0), worth);
    const double most = *std::max_element(worth.begin(), worth.end());
    for (const double part : kCaps) cap_.push_back(part * most);
    for (std::size_t i = 0; i < rows_.rows(); ++i) {
      const double size = i < constraints.linear.size() ? rows_.scales()[i] / pilot.budget() : 1;
      seed_.push_back(.1 * most / (size > 0 ? size : 1));
    }
  }

  // The best team met. `complete` is false where a limit came before every unit was tried once.
  Team run(const RouteAssignment& given, bool& complete) {
    Team best = team_of(given);
    improve(best, true);
    complete = !spent();
    from_common_multipliers(best);
    shake(best);
    return best;
  }

 private:
  bool spent() const {
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - started_;
    return tries_left_ <= 0 || work_done_ + work_ > options_.work_limit ||
           seconds.count() > options_.time_limit;
  }

  double violation(std::span<const double> left) const {
    double sum = 0;
    for (std::size_t i = 0; i < left.size(); ++i)
      sum += std::max(0.0, left[i] / rows_.scales()[i] - rows_.bounds()[i]);
    return sum <= kKept ? 0 : sum;
  }

  void refresh(Team& team) const {
    team.counts.assign(objective_.size(), 0.0);
    team.left.assign(rows_.rows(), 0.0);
    for (const Walker& member : team.member) add(member.footprint, 1, team.counts, team.left);
    team.score = {violation(team.left), objective_.value(team.counts)};
  }

  static void add(const Footprint& footprint, double sign, std::span<double> counts, std::span<double> left) {
    for (std::size_t i = 0; i < footprint.pair.size(); ++i) {
      double& n = counts[footprint.pair[i]];
      n = std::max(0.0, n + sign * footprint.count[i]);
    }
    for (std::size_t i = 0; i < left.size(); ++i) left[i] += sign * footprint.left[i];
  }

  Team team_of(const RouteAssignment& given) {
    Team team;
    for (std::size_t u = 0; u < unit_state_.size(); ++u) {
      const Route& route = given.routes[static_cast<std::size_t>(given.route_of_unit[u])];
      team.member.push_back({route.pair, footprints_.of(route.pair, unit_state_[u])});
    }
    refresh(team);
    return team;
  }

  Walker build(const RouteWish& wish, std::span<const double> multipliers) {
    base::interruption_point();
    --tries_left_;
    work_done_ += work_;
    RouteWish priced = wish;
    const std::size_t linear = constraints_.linear.size();
    pair_toll_.assign(objective_.size(), 0.0);
    for (std::size_t i = 0; i < linear; ++i) {
      const LinearConstraint& row = constraints_.linear[i];
      if (multipliers[i] == 0) continue;
      for (std::size_t j = 0; j < row.pair.size(); ++j)
        pair_toll_[row.pair[j]] += multipliers[i] * row.coefficient[j];
    }
    priced.pair_toll = pair_toll_;
    if (!constraints_.capacity.empty()) {
      const auto states = static_cast<std::size_t>(pilot_.mdp().states());
      const auto steps = static_cast<std::size_t>(pilot_.steps());
      step_toll_.assign(wish.step_toll.begin(), wish.step_toll.end());
      step_toll_.resize(states * steps, 0.0);
      std::size_t i = linear;
      for (const Capacity& capacity : constraints_.capacity) {
        for (std::size_t step = 0; step < steps; ++step, ++i)
          step_toll_[step * states + static_cast<std::size_t>(capacity.state)] += multipliers[i];
      }
      priced.step_toll = step_toll_;
    }
    Walker member;
    member.route = build_route(objective_, pilot_, priced);
    member.footprint = footprints_.of(member.route, wish.state);
    return member;
  }

  Score score_with(const Footprint& footprint, std::span<const double> others, std::span<const double> left,
                   std::span<std::uint8_t> broken) {
    with_.assign(others.begin(), others.end());
    left_with_.assign(left.begin(), left.end());
    add(footprint, 1, with_, left_with_);
    for (std::size_t i = 0; i < broken.size(); ++i) {
      const double over = left_with_[i] / rows_.scales()[i] - rows_.bounds()[i];
      broken[i] = over > kKept && footprint.left[i] > 0;
      // A row that is broken whatever this unit does: it does what it can.
      if (over > kKept && footprint.left[i] <= 0) broken[i] = constraint_wants_more(i);
    }
    return {violation(left_with_), objective_.value(with_)};
  }

  // Rows such as minimum shares are kept by doing more: their coefficients are negative.
  bool constraint_wants_more(std::size_t row) const {
    if (row >= constraints_.linear.size()) return false;
    const std::vector<double>& a = constraints_.linear[row].coefficient;
    return std::any_of(a.begin(), a.end(), [](double c) { return c < 0; });
  }

  // The best route that a search over multipliers meets for one unit beside the others.
  FoundRoute search(const RouteWish& wish, std::span<const double> left, int tries) {
    FoundRoute found;
    Multipliers multipliers(dual_);
    std::vector<std::uint8_t> broken(rows_.rows());
    for (int i = 0; i < tries && !spent(); ++i) {
      const std::vector<double> before = multipliers.value;
      Walker member = build(wish, before);
      const Score score = score_with(member.footprint, wish.others, left, broken);
      if (!found.any || score.better_than(found.score)) found = {std::move(member), score, true};
      multipliers.update(broken, seed_);
      if (multipliers.value == before) break;
    }
    return found;
  }

  // Everybody but one: expected counts, and the rows' left-hand sides.
  void without(const Team& team, std::size_t unit, std::vector<double>& counts,
               std::vector<double>& left) const {
    counts = team.counts;
    left = team.left;
    add(team.member[unit].footprint, -1, counts, left);
  }

  bool try_unit(Team& team, std::size_t u, std::int64_t keep, int tries, double cap) {
    std::vector<double> counts, left;
    without(team, u, counts, left);
    RouteWish wish{.others = counts, .state = unit_state_[u], .forbidden = forbidden_};
    const std::vector<std::int32_t> prefix = team.member[u].route;
    wish.prefix = prefix;
    wish.keep = keep;
    wish.cap = cap;
    FoundRoute found = search(wish, left, tries);
    if (!found.any || !found.score.better_than(team.score)) return false;
    team.member[u] = std::move(found.member);
    refresh(team);
    return true;
  }

  // Unit by unit while it helps; `parts`: also routes whose first quarter, half or three quarters are kept.
  void improve(Team& team, bool parts) {
    bool gained = true;
    for (std::int32_t pass = 0; pass < options_.passes && gained; ++pass) {
      gained = false;
      for (std::size_t u = 0; u < unit_state_.size() && !spent(); ++u) {
        for (const double cap : cap_) gained = try_unit(team, u, 0, kMultipliers, cap) || gained;
        for (std::int64_t quarter = 1; parts && quarter < 4; ++quarter) {
          const std::int64_t keep = pilot_.steps() * quarter / 4;
          const double cap = cap_[static_cast<std::size_t>(quarter)];
          if (keep > 0) gained = try_unit(team, u, keep, kMultipliers / 2, cap) || gained;
        }
      }
    }
  }

  // All units choose at the same multipliers, which are raised where together they break a row.
  void from_common_multipliers(Team& best) {
    Multipliers multipliers(dual_);
    Team team = best;
    std::vector<std::uint8_t> broken(rows_.rows());
    for (int round = 0; round < kRounds && !spent(); ++round) {
      for (std::size_t u = 0; u < unit_state_.size() && !spent(); ++u) {
        std::vector<double> counts, left;
        without(team, u, counts, left);
        team.member[u] =
            build({.others = counts, .state = unit_state_[u], .forbidden = forbidden_}, multipliers.value);
        refresh(team);
      }
      for (std::size_t i = 0; i < broken.size(); ++i)
        broken[i] = team.left[i] / rows_.scales()[i] - rows_.bounds()[i] > kKept;
      Team tried = team;
      improve(tried, false);
      if (tried.score.better_than(best.score)) best = std::move(tried);
      multipliers.update(broken, seed_);
    }
  }

  // Puts a unit on the best route that fits the wish, whether or not that helps. False: time is up.
  bool send(Team& team, std::size_t u, RouteWish wish, base::Stream& stream) {
    wish.cap = cap_[stream.next() % cap_.size()];
    std::vector<double> counts, left;
    without(team, u, counts, left);
    wish.others = counts;
    wish.state = unit_state_[u];
    wish.forbidden = forbidden_;
    FoundRoute found = search(wish, left, kMultipliers / 2);
    if (!found.any) return false;
    team.member[u] = std::move(found.member);
    refresh(team);
    return true;
  }

  // One unit does something else at one step and goes on from there.
  bool turn(Team& team, std::size_t u, base::Stream& stream) {
    const std::vector<std::int32_t> route = team.member[u].route;
    const auto steps = static_cast<std::uint64_t>(pilot_.steps());
    const auto states = static_cast<std::size_t>(pilot_.mdp().states());
    const auto at = static_cast<std::int64_t>(stream.next() % steps);
    std::vector<std::int32_t> there;  // where it may be then
    for (std::size_t s = 0; s < states; ++s) {
      if (route[static_cast<std::size_t>(at) * states + s] >= 0)
        there.push_back(static_cast<std::int32_t>(s));
    }
    if (there.empty()) return true;
    const auto pairs = pilot_.mdp().pairs_of(there[stream.next() % there.size()]);
    const auto pair =
        pairs.first() + static_cast<std::int32_t>(stream.next() % static_cast<std::uint64_t>(pairs.size()));
    if (!forbidden_.empty() && forbidden_[pair] != 0) return true;
    return send(team, u, {.prefix = route, .keep = at, .first = pair}, stream);
  }

  // One unit chooses anew where what counts towards a row (the states of a group, say) is open to it for part
  // of the pilot only: one price for all steps has it there for all of them or not at all.
  bool open_for_a_while(Team& team, std::size_t u, base::Stream& stream) {
    if (constraints_.linear.empty()) return true;
    const auto states = static_cast<std::size_t>(pilot_.mdp().states());
    const auto steps = static_cast<std::size_t>(pilot_.steps());
    const std::size_t i = stream.next() % constraints_.linear.size();
    const LinearConstraint& row = constraints_.linear[i];
    std::vector<double> per_state(states, 0.0), toll(states * steps, 0.0);
    for (std::size_t j = 0; j < row.pair.size(); ++j) {
      double& most = per_state[pilot_.mdp().state_of_pair(row.pair[j])];
      if (std::abs(row.coefficient[j]) > std::abs(most)) most = row.coefficient[j];
    }
    const std::size_t from = stream.next() % steps, to = from + 1 + stream.next() % (steps - from);
    for (std::size_t t = 0; t < steps; ++t) {
      const bool open = from <= t && t < to;
      for (std::size_t s = 0; s < states; ++s) {
        if (per_state[s] < 0 ? open : !open) toll[t * states + s] = kClosed * seed_[i] * per_state[s];
      }
    }
    return send(team, u, {.step_toll = toll}, stream);
  }

  // One unit turns off its route, or is let somewhere for a while, or two choose anew at prices that are off;
  // the others follow. Kept where all of it helps.
  void shake(Team& best) {
    const std::size_t units = unit_state_.size();
    std::vector<double> factor(objective_.size());
    std::size_t in_vain = 0;
    for (std::uint64_t round = 0; in_vain < kPatience + 3 * units && !spent(); ++round) {
      base::Stream stream({0, base::Purpose::design, round, units});
      Team team = best;
      const std::size_t u = round / 3 % units;
      if (round % 3 == 0) {
        if (!turn(team, u, stream)) return;
      } else if (round % 3 == 1) {
        if (!open_for_a_while(team, u, stream)) return;
      } else {
        for (double& f : factor) f = std::exp(kShake * base::normal(stream));
        if (!send(team, u, {.factor = factor}, stream)) return;
        const std::size_t other = (u + 1 + round / 3 / units % std::max<std::size_t>(1, units - 1)) % units;
        if (other != u && !send(team, other, {.factor = factor}, stream)) return;
      }
      improve(team, round % 8 == 7);
      ++in_vain;
      if (!team.score.better_than(best.score)) continue;
      best = std::move(team);
      in_vain = 0;
    }
  }

  const Objective& objective_;
  const Occupancy& pilot_;
  std::span<const std::int32_t> unit_state_;
  const Constraints& constraints_;
  std::span<const std::uint8_t> forbidden_;
  const RouteSearchOptions& options_;
  ConstraintRows rows_;
  Footprints footprints_;
  double work_, work_done_ = 0;
  std::int64_t tries_left_;
  std::chrono::steady_clock::time_point started_;
  std::vector<double> cap_;                                       // RouteWish::cap, in units of f
  std::vector<double> dual_, seed_;                               // per row, of its unscaled left-hand side
  std::vector<double> pair_toll_, step_toll_, with_, left_with_;  // scratch
};

}  // namespace

bool improve_routes_within(const Objective& objective, const Occupancy& pilot,
                           std::span<const std::int32_t> unit_state, const Constraints& constraints,
                           std::span<const std::uint8_t> forbidden, const ColumnGenerationResult& optimum,
                           RouteAssignment& assignment, const RouteSearchOptions& options) {
  if (!pilot.is_finite()) throw InvalidArgument("improve_routes_within: the pilot must be finite");
  base::check_size("improve_routes_within", "units", assignment.route_of_unit.size(), unit_state.size());
  if (unit_state.empty()) return true;
  bool complete = true;
  LimitedSearch search(objective, pilot, unit_state, constraints, forbidden, optimum, options);
  Team team = search.run(assignment, complete);
  for (std::size_t u = 0; u < unit_state.size(); ++u) {
    Route& old = assignment.routes[static_cast<std::size_t>(assignment.route_of_unit[u])];
    if (old.pair == team.member[u].route) continue;
    --old.units;
    assignment.route_of_unit[u] = static_cast<std::int32_t>(assignment.routes.size());
    assignment.routes.push_back({0, 1, std::move(team.member[u].route)});
    ++assignment.exchanges;
  }
  drop_empty_routes(assignment);
  ConstraintRows rows(pilot, constraints);
  assignment.violations.assign(rows.constraints(), 0.0);
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    double& worst = assignment.violations[rows.constraint_of(i)];
    worst = std::max(worst, team.left[i] - rows.bounds()[i] * rows.scales()[i]);
  }
  assignment.counts = std::move(team.counts);
  assignment.value = team.score.value;
  assignment.ratio = optimum.value > 0 ? assignment.value / optimum.value : 1;
  return complete;
}

}  // namespace mindgap::design

#include "paper/cases/confounded/generator.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "mindgap/base/check.h"
#include "mindgap/base/distributions.h"

namespace mindgap::cases::confounded {
namespace {

constexpr double kUniformShare = .2;  // of every law
constexpr double kHiddenEffect = .3;  // of a reward, at confounding 1
constexpr double kLift = .3;          // of the far region, at most
constexpr double kEnter = .9;         // from the gate to the first link
constexpr double kCross = .9;         // from a link to the next
constexpr double kReturn = .02;       // from the far region to the gate
constexpr double kHardlyEver = .01;   // how often history takes the way to the far region
constexpr std::int32_t kSmallestHome = 4;

enum class Piece : std::uint64_t {
  calibration,
  drift,
  gate,
  way,
  next,
  row,
  row_hidden,
  base,
  effect,
  noise,
  lift,
  habit,
  preference
};

struct Row {
  std::vector<std::int32_t> next;
  std::vector<double> fixed,
      drawn;  // per next state: what is certain of its probability, and the share of a law
};

// What the pieces below have in common.
struct Draft {
  const Dials& dials;
  std::uint64_t seed;
  Regions region;
  std::int32_t gate = -1;  // -1: there is no far region
  double lift = 0;
  std::vector<std::int32_t> onward;  // per state the action that leads to the far region, or -1

  base::Stream stream(Piece piece, std::size_t place) const {
    return base::Stream({seed, base::Purpose::world, static_cast<std::uint64_t>(piece),
                         std::numeric_limits<std::uint64_t>::max(), place});
  }
  bool is_home(std::int32_t s) const { return s < region.home; }
  bool is_far(std::int32_t s) const { return s >= region.home + region.links; }
  bool is_link(std::int32_t s) const { return !is_home(s) && !is_far(s); }
  bool is_onward(std::int32_t s, std::int32_t a) const { return onward[static_cast<std::size_t>(s)] == a; }
};

double uniform(base::Stream& stream, double low, double high) {
  return low + (high - low) * base::uniform(stream);
}

// Normalised exponentials are a flat Dirichlet.
std::vector<double> law(base::Stream& stream, std::size_t n) {
  std::vector<double> p(n);
  for (double& value : p) value = base::exponential(stream);
  const double sum = std::accumulate(p.begin(), p.end(), 0.0);
  for (double& value : p) value = (1 - kUniformShare) * value / sum + kUniformShare / static_cast<double>(n);
  return p;
}

std::vector<double> mixture(double share, const std::vector<double>& first,
                            const std::vector<double>& other) {
  std::vector<double> p(first.size());
  for (std::size_t i = 0; i < p.size(); ++i) p[i] = (1 - share) * first[i] + share * other[i];
  return p;
}

Draft draft(const Dials& dials, std::uint64_t seed) {
  Draft draft{dials, seed, regions(dials), -1, 0, {}};
  draft.onward.assign(static_cast<std::size_t>(dials.states), -1);
  if (draft.region.far == 0) return draft;
  base::Stream gate = draft.stream(Piece::gate, 0), lift = draft.stream(Piece::lift, 0);
  draft.gate = static_cast<std::int32_t>(base::uniform_index(gate, draft.region.home));
  draft.lift = uniform(lift, -kLift, kLift);
  for (std::int32_t s = 0; s < dials.states; ++s) {
    if (s != draft.gate && !draft.is_link(s)) continue;
    base::Stream way = draft.stream(Piece::way, static_cast<std::size_t>(s));
    draft.onward[static_cast<std::size_t>(s)] =
        static_cast<std::int32_t>(base::uniform_index(way, dials.actions));
  }
  return draft;
}

// 3 or 4 different states of the region [first, first + size), as far as it has so many: the one after s, and
// others.
std::vector<std::int32_t> successors(const Draft& draft, std::int32_t s, std::size_t pair, std::int32_t first,
                                     std::int32_t size) {
  base::Stream stream = draft.stream(Piece::next, pair);
  const auto wanted =
      std::min(static_cast<std::size_t>(3 + base::uniform_index(stream, 2)), static_cast<std::size_t>(size));
  std::vector<std::int32_t> next{first + (s - first + 1) % size};
  while (next.size() < wanted) {
    const std::int32_t other = first + static_cast<std::int32_t>(base::uniform_index(stream, size));
    if (std::find(next.begin(), next.end(), other) == next.end()) next.push_back(other);
  }
  return next;
}

Row row_of(const Draft& draft, std::int32_t s, std::int32_t a, std::size_t pair) {
  if (s == draft.gate && draft.is_onward(s, a)) {
    return {{draft.region.home, s}, {kEnter, 1 - kEnter}, {0, 0}};
  }
  if (draft.is_link(s)) {
    const std::int32_t on = draft.is_onward(s, a) ? s + 1 : draft.gate;
    const std::int32_t back = draft.is_onward(s, a) ? draft.gate : s;
    return {{on, back}, {kCross, 1 - kCross}, {0, 0}};
  }
  const bool far = draft.is_far(s);
  Row row;
  row.next = far ? successors(draft, s, pair, draft.region.home + draft.region.links, draft.region.far)
                 : successors(draft, s, pair, 0, draft.region.home);
  row.fixed.assign(row.next.size(), 0);
  row.drawn.assign(row.next.size(), far ? 1 - kReturn : 1);
  if (!far) return row;
  row.next.push_back(draft.gate);
  row.fixed.push_back(kReturn);
  row.drawn.push_back(0);
  return row;
}

void add_hidden_laws(const Draft& draft, world::HiddenArrays& arrays) {
  const auto hidden = static_cast<std::size_t>(draft.dials.hidden);
  for (std::size_t s = 0; s < static_cast<std::size_t>(draft.dials.states); ++s) {
    base::Stream then = draft.stream(Piece::calibration, s), moved = draft.stream(Piece::drift, s);
    const std::vector<double> calibration = law(then, hidden);
    const std::vector<double> deployment = mixture(draft.dials.drift, calibration, law(moved, hidden));
    arrays.calibration.insert(arrays.calibration.end(), calibration.begin(), calibration.end());
    arrays.deployment.insert(arrays.deployment.end(), deployment.begin(), deployment.end());
  }
}

// K(s',h'|s,a,h) = p(s'|s,a,h) P_t(h'|s') for every h.
void add_rows(const Draft& draft, std::int32_t s, std::int32_t a, world::HiddenArrays& arrays) {
  const std::size_t pair = arrays.pair_action.size();
  const auto hidden = static_cast<std::size_t>(draft.dials.hidden);
  const Row row = row_of(draft, s, a, pair);
  base::Stream common = draft.stream(Piece::row, pair);
  const auto free = static_cast<std::size_t>(
      std::count_if(row.drawn.begin(), row.drawn.end(), [](double w) { return w > 0; }));
  const std::vector<double> base_law = free > 0 ? law(common, free) : std::vector<double>{};
  for (std::size_t h = 0; h < hidden; ++h) {
    base::Stream own = draft.stream(Piece::row_hidden, pair * hidden + h);
    const std::vector<double> p =
        free > 0 ? mixture(draft.dials.confounding, base_law, law(own, free)) : base_law;
    for (std::size_t i = 0; i < row.next.size(); ++i) {
      const double probability = row.fixed[i] + (row.drawn[i] > 0 ? row.drawn[i] * p[i] : 0);
      for (std::size_t next_h = 0; next_h < hidden; ++next_h) {
        arrays.next_state.push_back(row.next[i]);
        arrays.next_hidden.push_back(static_cast<std::int32_t>(next_h));
        arrays.probability.push_back(
            probability * arrays.deployment[static_cast<std::size_t>(row.next[i]) * hidden + next_h]);
      }
    }
    arrays.row_begin.push_back(static_cast<std::int64_t>(arrays.next_state.size()));
  }
}

void add_rewards(const Draft& draft, std::int32_t s, world::HiddenArrays& arrays) {
  const std::size_t pair = arrays.pair_action.size();
  const auto hidden = static_cast<std::size_t>(draft.dials.hidden);
  base::Stream stream = draft.stream(Piece::base, pair);
  const double base = draft.is_link(s) ? uniform(stream, 0, .2)
                                       : uniform(stream, .3, .7) + (draft.is_far(s) ? draft.lift : 0);
  for (std::size_t h = 0; h < hidden; ++h) {
    base::Stream effect = draft.stream(Piece::effect, pair * hidden + h);
    base::Stream noise = draft.stream(Piece::noise, pair * hidden + h);
    const double own =
        draft.is_link(s) ? 0 : kHiddenEffect * draft.dials.confounding * uniform(effect, -1, 1);
    arrays.reward.push_back(std::clamp(base + own, 0.0, 1.0));
    arrays.variance.push_back(uniform(noise, .01, .05));
  }
}

// behaviour(.|s,h) over the actions.
std::vector<double> behaviour_of(const Draft& draft, std::int32_t s, std::int32_t h) {
  const auto actions = static_cast<std::size_t>(draft.dials.actions);
  base::Stream habit = draft.stream(Piece::habit, static_cast<std::size_t>(s));
  base::Stream preference = draft.stream(Piece::preference, static_cast<std::size_t>(s));
  std::vector<double> preferred(actions, 0);
  const auto first = static_cast<std::size_t>(base::uniform_index(preference, draft.dials.actions));
  preferred[(first + static_cast<std::size_t>(h)) % actions] = 1;
  std::vector<double> p = mixture(draft.dials.confounding, law(habit, actions), preferred);
  const std::int32_t onward = draft.onward[static_cast<std::size_t>(s)];
  if (onward < 0) return p;
  const auto rare = static_cast<std::size_t>(onward);
  const double others = 1 - p[rare];
  for (std::size_t a = 0; a < actions; ++a) {
    p[a] = (1 - kHardlyEver) * (others > 0 ? p[a] / others : 1 / static_cast<double>(actions - 1));
  }
  p[rare] = kHardlyEver;
  return p;
}

void add_state(const Draft& draft, std::int32_t s, world::HiddenArrays& arrays) {
  const auto hidden = static_cast<std::size_t>(draft.dials.hidden);
  const auto first = arrays.pair_action.size();
  for (std::int32_t a = 0; a < draft.dials.actions; ++a) {
    add_rewards(draft, s, arrays);
    add_rows(draft, s, a, arrays);
    arrays.pair_action.push_back(a);
  }
  arrays.pair_begin.push_back(static_cast<std::int32_t>(arrays.pair_action.size()));
  arrays.behaviour.resize(arrays.reward.size());
  for (std::size_t h = 0; h < hidden; ++h) {
    const std::vector<double> p = behaviour_of(draft, s, static_cast<std::int32_t>(h));
    for (std::size_t a = 0; a < p.size(); ++a) arrays.behaviour[(first + a) * hidden + h] = p[a];
  }
}

void add_names(const Draft& draft, world::HiddenArrays& arrays) {
  for (std::int32_t s = 0; s < draft.dials.states; ++s) {
    const std::int32_t begin = draft.is_home(s)   ? 0
                               : draft.is_link(s) ? draft.region.home
                                                  : draft.region.home + draft.region.links;
    const char* where = draft.is_home(s) ? "home" : draft.is_link(s) ? "link" : "far";
    arrays.labels.states.add(fmt::format("{} {}", where, s - begin + 1));
  }
  for (std::int32_t a = 0; a < draft.dials.actions; ++a)
    arrays.labels.actions.add(fmt::format("action {}", a + 1));
  for (std::int32_t h = 0; h < draft.dials.hidden; ++h)
    arrays.hidden_names.add(fmt::format("hidden {}", h + 1));
}

}  // namespace

void Dials::validate() const {
  const char* function = "confounded";
  base::check_range(function, "states", states, 10, 2000);
  base::check_range(function, "hidden", hidden, 1, 20);
  base::check_range(function, "actions", actions, 2, 50);
  base::check_probability(function, "confounding", confounding);
  base::check_probability(function, "drift", drift);
  base::check_probability(function, "reach", reach);
  base::check_range(function, "history", static_cast<double>(history), 0, 1e7);
  base::check_range(function, "odds", odds, 1, 1e6);
  base::check_range(function, "discount", discount, 0, std::nextafter(1.0, 0.0));
}

Regions regions(const Dials& dials) {
  dials.validate();
  const std::int32_t links = dials.states < 15 ? 2 : 3;
  const auto far = std::min(static_cast<std::int32_t>(std::lround(dials.reach * dials.states)),
                            dials.states - links - kSmallestHome);
  if (far == 0) return {dials.states, 0, 0};
  return {dials.states - links - far, links, far};
}

world::HiddenModel truth(const Dials& dials, std::uint64_t seed) {
  const Draft plan = draft(dials, seed);
  world::HiddenArrays arrays;
  arrays.name = fmt::format("confounded world {}", seed);
  arrays.discount = dials.discount;
  arrays.reward_max = 1;
  arrays.actions = dials.actions;
  arrays.hidden = dials.hidden;
  arrays.pair_begin = {0};
  arrays.row_begin = {0};
  add_hidden_laws(plan, arrays);
  for (std::int32_t s = 0; s < dials.states; ++s) add_state(plan, s, arrays);
  arrays.start.assign(static_cast<std::size_t>(dials.states), 0);
  std::fill_n(arrays.start.begin(), plan.region.home, 1.0 / plan.region.home);
  add_names(plan, arrays);
  return world::HiddenModel(std::move(arrays));
}

const std::vector<std::uint64_t>& world_seeds() {
  static const std::vector<std::uint64_t> kSeeds = [] {
    std::vector<std::uint64_t> all(100);
    std::iota(all.begin(), all.end(), 1);
    return all;
  }();
  return kSeeds;
}

}  // namespace mindgap::cases::confounded

#include "mindgap/decide/information.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "mindgap/base/parallel.h"
#include "mindgap/mdp/finite_horizon.h"
#include "mindgap/mdp/reach.h"
#include "mindgap/stats/moments.h"
#include "mindgap/stats/paired.h"

namespace mindgap::decide {
namespace {

using mdp::Mdp;

constexpr int kMostChords = 60;
constexpr std::int64_t kBetweenLooks = 64;  // draws
// Nonzeros x steps x draws up to which all draws are made; above only as many as it takes for standard errors
// of this share of the value of information.
constexpr double kMuch = 1e9, kPrecise = .02;
constexpr double kAccuracy = 1e-3;  // of one draw's local value: far below what draws differ by

// What a policy does: the value of its rewards, and its expected visits per state, each step's weighted by
// discount^t.
struct Followed {
  double value = 0;
  std::vector<double> visits;
};

// Where pair_at(t)[s] is taken.
template <typename PairAt>
Followed follow(const Mdp& mdp, std::span<const double> positions, std::int64_t steps, PairAt pair_at) {
  std::vector<double> now(positions.begin(), positions.end()), next(now.size());
  Followed result{0, std::vector<double>(now.size(), 0.0)};
  for (std::int64_t t = 0; t < steps; ++t) {
    std::fill(next.begin(), next.end(), 0.0);
    const std::span<const std::int32_t> pair = pair_at(t);
    for (std::size_t s = 0; s < now.size(); ++s) {
      if (now[s] == 0) continue;
      const std::int32_t k = pair[s];
      result.visits[s] += now[s];
      result.value += now[s] * mdp.reward()[k];
      for (const std::int64_t i : mdp.entries_of(k))
        next[mdp.next_state()[i]] += mdp.discount() * now[s] * mdp.probability()[i];
    }
    std::swap(now, next);
  }
  return result;
}

double dot(std::span<const double> a, std::span<const double> b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

// Rounding must not make a gap of two equal values, nor a negative one.
double not_below(double value, double floor) {
  return value - floor > 1e-12 * (1 + std::abs(floor)) ? value : floor;
}

// A policy as a point: its visits of practically unreached states, and its value. Both are sums over what it
// does, so both are right to a few roundings whatever the penalty was that it is optimal for.
struct Point {
  double out = 0, value = 0;
};

class Penalised {
 public:
  Penalised(const Mdp& truth, std::span<const double> positions, std::int64_t steps,
            std::vector<double> outside)
      : truth_(truth), positions_(positions), steps_(steps), outside_(std::move(outside)) {}

  // A policy of highest value - lambda out.
  Point best(double lambda) const {
    std::vector<double> reward(truth_.reward().begin(), truth_.reward().end());
    for (std::int32_t k = 0; k < truth_.pairs(); ++k) reward[k] -= lambda * outside_[truth_.state_of_pair(k)];
    const mdp::FiniteHorizonSolution best =
        mdp::solve_finite_horizon(truth_.with_reward(std::move(reward)), steps_, {.threads = 1});
    const auto states = static_cast<std::size_t>(truth_.states());
    const Followed found = follow(truth_, positions_, steps_, [&](std::int64_t t) {
      return std::span(best.pair).subspan(static_cast<std::size_t>(t) * states, states);
    });
    return {dot(found.visits, outside_), found.value};
  }

 private:
  const Mdp& truth_;
  std::span<const double> positions_;
  std::int64_t steps_;
  std::vector<double> outside_;  // 1 where practically unreached
};

// The highest value of a mixture of policies that visits `out` no more than the deployed one: the upper hull
// of all policies' points at out = deployed.out. (By duality the minimum over lambda >= 0 of
// max(value - lambda out) + lambda deployed.out.) A chord between a point beyond and one within is raised
// until no policy lies above it (Kelley's cutting planes in one dimension). Its ends are policies that exist,
// so the result lies between deployed and free whatever rounding does to the search.
//
// lambda is the slope of the chord. It is bounded: visits that differ by less than `kSame` of themselves
// differ by rounding, and below `kNone` of all visits there are none; without that, policies that all go out
// as often as the moves happen to would give an infinite lambda.
//
// The search ends where no policy lies above the chord by more than `accuracy` of what free is ahead.
double local_value(const Penalised& policies, const Point& free, const Point& deployed, double visits,
                   double accuracy) {
  constexpr double kSame = 1e-12, kNone = 1e-30;
  const auto beyond = [&](const Point& p) {
    return p.out - deployed.out > kSame * (p.out + deployed.out) + kNone * visits;
  };
  if (!beyond(free)) return free.value;
  Point far = free, near = deployed;
  for (int i = 0; i < kMostChords && far.value > near.value; ++i) {
    const double lambda = (far.value - near.value) / (far.out - near.out);
    const Point next = policies.best(lambda);
    const double above = (next.value - near.value) - lambda * (next.out - near.out);
    if (above <=
        accuracy * (free.value - deployed.value) + 1e-12 * (1 + std::abs(near.value) + std::abs(far.value)))
      break;
    (beyond(next) ? far : near) = next;
  }
  if (far.value <= near.value) return near.value;
  return near.value + (far.value - near.value) * (deployed.out - near.out) / (far.out - near.out);
}

}  // namespace

InformationSplit split_information(const Mdp& truth, const mdp::Policy& deployed,
                                   std::span<const double> positions, std::int64_t steps, double threshold,
                                   double accuracy) {
  const Followed now =
      follow(truth, positions, steps, [&](std::int64_t) { return deployed.pair_of_state(); });
  const double all = std::accumulate(now.visits.begin(), now.visits.end(), 0.0);
  std::vector<double> outside(now.visits.size(), 0.0);
  for (std::size_t s = 0; s < outside.size(); ++s) outside[s] = now.visits[s] < threshold * all ? 1 : 0;
  const Point here{dot(now.visits, outside), now.value};
  const Penalised policies(truth, positions, steps, std::move(outside));
  const Point free = policies.best(0);
  InformationSplit split;
  split.deployed = now.value;
  split.optimal = not_below(free.value, split.deployed);
  split.local =
      not_below(std::min(split.optimal, local_value(policies, free, here, all, accuracy)), split.deployed);
  split.optimal = not_below(split.optimal, split.local);
  return split;
}

namespace {

// each(i, truth) for the models first .. draws - 1 in parallel, and done(begin, end) after each batch, which
// says whether these are enough; fewer where who listens wants to stop.
template <typename Each, typename Done>
void draw_models(const Situation& situation, Objective objective, std::int64_t first, std::int64_t draws,
                 const SimulationOptions& options, Each each, Done done) {
  const base::Threads threads(options.run.threads);
  std::int64_t batch = 8;
  while (batch < threads.count() && batch < kBetweenLooks) batch *= 2;
  for (std::int64_t begin = first; begin < draws; begin += batch) {
    const std::int64_t end = std::min(begin + batch, draws);
    threads.for_each_chunk(end - begin, [&](std::int64_t i) {
      Mdp truth = situation.belief().sample(options.run.seed,
                                            kFirstInformationDraw + static_cast<std::uint64_t>(begin + i));
      if (objective.sum == Objective::total) truth = truth.with_discount(1);
      each(begin + i, truth);
    });
    if (done(begin, end)) break;
    options.run.listener.tell("value of information", end, draws);
    if (options.run.listener.wants_to_stop()) break;
  }
}

std::vector<double> positions_of(const Situation& situation) {
  std::vector<double> positions(static_cast<std::size_t>(situation.belief().simulator().states()), 0.0);
  for (const std::int32_t s : situation.unit_state) ++positions[s];
  return positions;
}

}  // namespace

Information value_of_information(const Situation& situation, const mdp::Policy& deployed, Objective objective,
                                 std::int64_t draws, const SimulationOptions& options) {
  const std::vector<double> positions = positions_of(situation);
  std::vector<InformationSplit> splits(static_cast<std::size_t>(draws));
  const bool much = static_cast<double>(situation.belief().simulator().nonzeros()) *
                        static_cast<double>(situation.horizon) * static_cast<double>(draws) >
                    kMuch;
  Information known;
  std::vector<double> local, reach;
  draw_models(
      situation, objective, 0, draws, options,
      [&](std::int64_t i, const Mdp& truth) {
        splits[static_cast<std::size_t>(i)] = split_information(truth, deployed, positions, situation.horizon,
                                                                mdp::kSupportThreshold, kAccuracy);
      },
      [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin; i < end; ++i) {
          const InformationSplit& split = splits[static_cast<std::size_t>(i)];
          known.deployed.push_back(split.deployed);
          known.gain.push_back(split.optimal - split.deployed);
          local.push_back(split.local - split.deployed);
          reach.push_back(split.optimal - split.local);
        }
        if (!much || end % kBetweenLooks != 0) return false;
        const double enough = kPrecise * stats::mean(known.gain);
        return gap::estimate(known.gain).standard_error <= enough &&
               gap::estimate(local).standard_error <= enough && gap::estimate(reach).standard_error <= enough;
      });
  known.draws = static_cast<std::int64_t>(known.gain.size());
  known.total = gap::estimate(known.gain);
  known.local = gap::estimate(local);
  known.reach = gap::estimate(reach);
  return known;
}

void add_draws(Information& known, const Situation& situation, const mdp::Policy& deployed,
               Objective objective, std::int64_t draws, const SimulationOptions& options) {
  const std::vector<double> positions = positions_of(situation);
  std::vector<InformationSplit> splits(static_cast<std::size_t>(std::max<std::int64_t>(draws, 0)));
  draw_models(
      situation, objective, static_cast<std::int64_t>(known.gain.size()), draws, options,
      [&](std::int64_t i, const Mdp& truth) {
        InformationSplit& split = splits[static_cast<std::size_t>(i)];
        split.deployed = follow(truth, positions, situation.horizon, [&](std::int64_t) {
                           return deployed.pair_of_state();
                         }).value;
        const mdp::FiniteHorizonSolution best =
            mdp::solve_finite_horizon(truth, situation.horizon, {.keep_policy = false, .threads = 1});
        split.optimal = not_below(dot(best.value, positions), split.deployed);
      },
      [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin; i < end; ++i) {
          const InformationSplit& split = splits[static_cast<std::size_t>(i)];
          known.deployed.push_back(split.deployed);
          known.gain.push_back(split.optimal - split.deployed);
        }
        return false;
      });
}

bool surely_not_worth_it(const Information& known, double indifference, double level) {
  if (known.gain.size() < 2) return false;
  const double sign = stats::mean(known.deployed) < 0 ? -1 : 1;
  std::vector<double> beyond(known.gain.size());
  for (std::size_t i = 0; i < beyond.size(); ++i)
    beyond[i] = (1 + indifference) * known.gain[i] - indifference * sign * known.deployed[i];
  return stats::paired_t(beyond, level).interval->upper <= 0;
}

}  // namespace mindgap::decide

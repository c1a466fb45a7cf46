#pragma once

#include <cstdint>
#include <functional>
#include <iterator>
#include <span>
#include <vector>

#include "mindgap/decide/simulation.h"

// Many plans are thinned out to a few in sampled models, before those few are compared in earnest.
namespace mindgap::decide {

/// Worlds that a plan has met by the end of each round.
constexpr std::int64_t kRaceWorlds[] = {16, 32, 64, 128, 256};
/// Experiments of either exploration that are left at the end at most: undirected ones, and designed ones, of
/// which one at least is a pilot whose routes are known beforehand.
constexpr std::size_t kKeptOfEach = 2;

/// One round: the plans that were in it, what they earned in all worlds since the first, and who is left.
struct Round {
  std::vector<std::size_t> plans;  // places, in the order of `outcomes`
  Outcomes outcomes;
  std::vector<std::size_t> left;  // places, ascending
};

/// The plans that are left when experiments are dropped that will not be recommended, whatever more worlds
/// show (successive elimination; Even-Dar, Mannor, Mansour 2006): those that are behind the best of their
/// exploration for certain (99 %, one paired t interval each), and from 128 worlds on those that are behind
/// the best experiment of all by more than `indifference` times the larger of both values for certain. The
/// best pilot stays.
/// `plans` are places in `all`, in the order of `outcomes`.
std::vector<std::size_t> contenders(std::span<const PreparedPlan> all, std::span<const std::size_t> plans,
                                    const Outcomes& outcomes, Objective objective, double indifference);

/// Offline policy search on the prior (Castronovo, Ernst, Couëtoux, Fonteneau 2016): all plans meet the same
/// worlds, from the first on. After each round only contenders() are left; of the designed ones, of
/// which there are many of nearly the same worth, also the worse half is dropped (successive halving; Karnin,
/// Koren, Somekh 2013). The last round leaves `kKeptOfEach` of each. Undirected ones are not halved: on 16 or
/// 32 worlds the best of them is easily among the worse half, and the recommendation a matter of the seed.
/// Kinds other than experiment stay. The last round is the first that reaches `most_worlds` worlds.
/// `seconds_left` is asked before every round; without any the race ends as if by the last one, with the
/// means that there are. Without plans to drop there is no round.
std::vector<Round> race(const Simulation& simulation, std::vector<std::size_t> plans, Objective objective,
                        double indifference, const std::function<double()>& seconds_left,
                        std::int64_t most_worlds = std::end(kRaceWorlds)[-1]);

/// The plans that are left when the best `undirected` and the best `designed` experiments by `mean` (as
/// `plans`) are kept.
std::vector<std::size_t> thinned(std::span<const PreparedPlan> all, std::span<const std::size_t> plans,
                                 std::span<const double> mean, std::size_t undirected, std::size_t designed);

}  // namespace mindgap::decide

#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "mindgap/mdp/mdp.h"
#include "mindgap/mdp/policy.h"

// Questions about which transitions are possible at all. Every stored probability is positive, so these are
// graph searches: no threshold, no floating point.
namespace mindgap::mdp {

/// The states with positive start probability.
std::vector<std::int32_t> start_states(const Mdp& mdp);

/// Per state 1 where it can be reached from `sources` (which count as reached) by some choice of available
/// actions, or with `policy` by actions it takes with positive probability.
std::vector<std::uint8_t> reachable(const Mdp& mdp, std::span<const std::int32_t> sources,
                                    const Policy* policy = nullptr);

/// Which states have a transition into which, for any action; each once, ascending.
class Predecessors {
 public:
  explicit Predecessors(const Mdp& mdp);

  std::span<const std::int32_t> of(std::int32_t state) const {
    return {state_.data() + begin_[state], state_.data() + begin_[state + 1]};
  }

 private:
  std::vector<std::int64_t> begin_;
  std::vector<std::int32_t> state_;
};

/// Strongly connected components; those that lead nowhere else are closed (once in, never out).
struct Components {
  std::int32_t count = 0;
  std::vector<std::int32_t> of_state;  // numbered so that transitions lead to the same or a lower number
  std::vector<std::uint8_t> closed;    // per component
};
Components strongly_connected_components(const Mdp& mdp, const Policy* policy = nullptr);

/// States that every available action leaves unchanged.
std::vector<std::int32_t> absorbing_states(const Mdp& mdp);

/// A breadth-first search against the direction of the transitions.
struct ReverseSearch {
  std::vector<std::int32_t>
      order;                // the states from which a target can be reached, nearest first, targets included
  std::int32_t levels = 0;  // the largest number of transitions needed
};
ReverseSearch search_towards(const Mdp& mdp, std::span<const std::int32_t> targets);

}  // namespace mindgap::mdp

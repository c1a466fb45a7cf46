#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "mindgap/design/pilot.h"
#include "mindgap/mdp/mdp.h"

namespace mindgap::study {

/// One design as it is followed: a pilot, and what everybody does whom it does not send (a unit that is
/// on no route, kPolicy, or whose route is drawn later, kDrawn). A unit enters it with
/// its first assignment after the design was made and follows its route for `steps` steps from there; after
/// that, and wherever a route says nothing, it follows the policy in force: the design's own, until an update
/// brings a newer one.
struct Batch : design::Pilot {
  static constexpr std::int32_t kPolicy = -1;  // no route: control, or nothing to explore
  static constexpr std::int32_t kDrawn = -2;   // drawn when it enters: its place was not known at the design

  std::vector<std::int32_t> policy;  // a pair per state
  /// The design sends `count` units that begin in `state` on `route`: among them a unit's route is drawn.
  struct Share {
    std::int32_t state = 0, route = 0;
    std::int64_t count = 0;

    bool operator==(const Share&) const = default;
  };
  std::vector<Share> shares;  // by state, then route
  // The variance of the target before and after the design, and what it gives up; for people.
  double before = 0, after = 0, relative_gap = 0, expected_loss = 0;

  bool operator==(const Batch&) const = default;

  /// The pair at a state, `since` steps after the unit entered, where `in_force` is the policy (a pair per
  /// state).
  std::int32_t pair(std::int32_t route, std::int64_t since, std::int32_t state,
                    std::span<const std::int32_t> in_force) const {
    const std::int32_t sent = pair_on(route, since, state);
    return sent >= 0 ? sent : in_force[state];
  }

  /// The probability of each route for an explorer that enters in `state`; empty: it follows the policy.
  /// Where the design has no unit there, the shares of all routes that begin there.
  std::vector<double> route_probabilities(std::int32_t state) const;
};

std::string encode_batch(const Batch& batch);
/// Throws StoreError where the bytes do not fit the model.
Batch decode_batch(std::string_view bytes, const mdp::Mdp& mdp, std::size_t units);

/// The policy that an update brings: a pair per state.
std::string encode_policy(std::span<const std::int32_t> policy);
/// Throws StoreError where the bytes do not fit the model.
std::vector<std::int32_t> decode_policy(std::string_view bytes, const mdp::Mdp& mdp);

}  // namespace mindgap::study

#pragma once

#include <cstdint>
#include <string>

#include "mindgap/decide/plan.h"
#include "mindgap/mdp/about.h"

namespace mindgap::view {

/// What the owner of a model calls things, for pages.
class Nouns {
 public:
  explicit Nouns(const mdp::About& about);

  /// "100 days", "8 vans"; "100 steps", "8 units" where nothing is stated.
  std::string steps(std::int64_t n) const;
  std::string units(std::int64_t n) const;
  /// "day", "van".
  const std::string& step() const { return step_; }
  const std::string& unit() const { return unit_; }
  /// What rewards count, "reward" where that is not stated.
  std::string reward() const { return reward_.empty() ? "reward" : reward_; }
  /// "705 positive tests" of "705"; "705" where it is not stated.
  std::string rewards(const std::string& number) const;

 private:
  std::string reward_, step_, unit_;
};

/// What a plan is, for lists of plans: "a pilot of 8 units over 10 steps, then learn".
std::string description_of(const decide::Plan& plan);
/// A plan as one would say it: "deploy as is", "8 vans for 10 days, then update".
std::string in_words(const decide::Plan& plan, const Nouns& nouns);

}  // namespace mindgap::view

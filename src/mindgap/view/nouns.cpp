#include "mindgap/view/nouns.h"

#include <fmt/format.h>

#include "mindgap/base/error.h"
#include "mindgap/view/number.h"

namespace mindgap::view {
namespace {

constexpr std::size_t kLongest = 60;

// One of them, whichever way it was stated.
std::string singular(const std::string& stated, const char* otherwise) {
  if (stated.empty()) return otherwise;
  std::string noun = base::printable(stated, kLongest);
  const bool plural = noun.size() > 2 && noun.ends_with('s') && !noun.ends_with("ss");
  if (plural) noun.pop_back();
  return noun;
}

// Latin letters take an s, other scripts nothing.
std::string counted(std::int64_t n, const std::string& noun) {
  const bool latin = !noun.empty() && static_cast<unsigned char>(noun.back()) < 0x80;
  return fmt::format("{} {}{}", n, noun, n == 1 || !latin ? "" : "s");
}

}  // namespace

Nouns::Nouns(const mdp::About& about)
    : reward_(base::printable(about.reward_unit, kLongest)),
      step_(singular(about.step_unit, "step")),
      unit_(singular(about.unit, "unit")) {}

std::string Nouns::steps(std::int64_t n) const {
  return counted(n, step_);
}

std::string Nouns::units(std::int64_t n) const {
  return counted(n, unit_);
}

std::string Nouns::rewards(const std::string& number) const {
  return reward_.empty() ? number : number + " " + reward_;
}

std::string in_words(const decide::Plan& plan, const Nouns& nouns) {
  using decide::Deployed;
  if (plan.deployed == Deployed::average) return "deploy the policy that is best on average over the models";
  if (plan.deployed == Deployed::robust) return "deploy the policy that is best in the worst of the models";
  if (plan.name == "sop") return "deploy as is";
  if (plan.name == "asop") return "deploy and keep updating";
  if (plan.name == "thompson") return fmt::format("each {} tries a model that may be true", nouns.unit());
  if (plan.name == "asop-forgetting") return "deploy and keep updating, forgetting what is old";
  if (plan.name == "thompson-forgetting")
    return fmt::format("each {} tries a model that may be true by now", nouns.unit());
  if (plan.planner == "repilot")
    return fmt::format("{} on routes that are designed anew whenever they pay again, {} ahead",
                       nouns.units(plan.pilot_units), nouns.steps(plan.window));
  if (plan.name == "thompson-shared") return "all try one model that may be true";
  if (plan.planner == "beb")
    return plan.bonus > 0 ? fmt::format("keep updating, with a bonus of {:g} for what is unknown", plan.bonus)
                          : std::string("keep updating, with a bonus for what is unknown");
  if (plan.planner == "improvement") return "go where improvements may lie, as long as the way there pays";
  if (plan.planner == "ids") return "act where information costs least";
  if (plan.window > 0)
    return fmt::format("{} on routes that are designed anew while they pay, {} ahead",
                       nouns.units(plan.pilot_units), nouns.steps(plan.window));
  if (plan.is_pilot())
    return fmt::format("{}{} for {}, then update", plan.given ? "the given pilot: " : "",
                       nouns.units(plan.pilot_units), nouns.steps(plan.pilot_steps));
  return description_of(plan);
}

std::string description_of(const decide::Plan& plan) {
  const Nouns nouns{mdp::About()};  // "unit" and "step", whatever the owner calls them
  if (plan.name == "sop") return "deploy the policy of today's model and leave it at that";
  if (plan.deployed == decide::Deployed::average)
    return "deploy the policy that is best on average over the members, and leave it at that";
  if (plan.deployed == decide::Deployed::robust)
    return "deploy the policy that is best in the worst member, and leave it at that";
  if (plan.name == "asop") return "deploy, and update from what the deployment shows";
  if (plan.name == "asop-forgetting")
    return "deploy, and update from what the deployment shows, trusting it less the older it is";
  if (plan.name == "thompson-forgetting")
    return "each unit acts on a model of its own, sampled from a belief that forgets what is old";
  if (plan.planner == "repilot")
    return fmt::format(
        "{} on routes that are designed anew whenever they pay, {} ahead, by a belief that forgets",
        nouns.units(plan.pilot_units), nouns.steps(plan.window));
  if (plan.name == "thompson") return "each unit acts on a model of its own, sampled from what is believed";
  if (plan.name == "thompson-shared") return "all units act on one model sampled from what is believed";
  if (plan.planner == "beb")
    return plan.bonus > 0 ? fmt::format("update, and add a bonus of {:g} for what is uncertain", plan.bonus)
                          : std::string("update, and add a bonus for what is uncertain");
  if (plan.planner == "improvement")
    return "go where the expected improvement, minus the cost of going there, is largest";
  if (plan.planner == "ids") return "act where information costs least (information-directed sampling)";
  if (plan.window > 0)
    return fmt::format("{} on routes that are designed anew while they pay, {} ahead",
                       nouns.units(plan.pilot_units), nouns.steps(plan.window));
  return fmt::format("{} of {} over {}, then learn", plan.given ? "the given pilot" : "a pilot",
                     nouns.units(plan.pilot_units), nouns.steps(plan.pilot_steps));
}

}  // namespace mindgap::view

#pragma once

#include <array>
#include <string>

namespace mindgap::mdp {

/// What only the owner of a model can say about it; empty where it is not stated. Nothing is computed from
/// it.
struct About {
  std::string reward_unit;     // what rewards count: "positive tests"
  std::string step_unit;       // what a step is, one of them: "day"
  std::string unit;            // what acts, one of them: "van"
  std::string perspective;     // whose costs and gains are counted
  std::string population;      // whom the decision is about
  std::string decision_maker;  // who decides
  std::string sources;         // where simulator, history and prior come from
  std::string funding;         // who paid for the analysis, and interests
  std::string contact;         // who answers questions

  bool operator==(const About&) const = default;
};

/// Every key of [about] and its place, in the order of files.
struct AboutKey {
  const char* name;
  std::string About::*text;
};
inline constexpr std::array<AboutKey, 9> kAboutKeys = {{{"reward_unit", &About::reward_unit},
                                                        {"step_unit", &About::step_unit},
                                                        {"unit", &About::unit},
                                                        {"perspective", &About::perspective},
                                                        {"population", &About::population},
                                                        {"decision_maker", &About::decision_maker},
                                                        {"sources", &About::sources},
                                                        {"funding", &About::funding},
                                                        {"contact", &About::contact}}};

}  // namespace mindgap::mdp

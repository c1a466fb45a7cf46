#include "mindgap/belief/neighbourhood.h"

#include <algorithm>
#include <map>

#include "mindgap/base/distributions.h"
#include "mindgap/base/random.h"

namespace mindgap::belief {
namespace {

using mdp::Mdp;

// States reached in one step and in two, each state once.
class Steps {
 public:
  explicit Steps(const Mdp& mdp) : mdp_(mdp), mark_(static_cast<std::size_t>(mdp.states()), -1) {}

  void look_from(std::int32_t state) {
    one_.clear();
    two_.clear();
    add(state, state, one_);
    add_successors(state, state, one_);
    for (const std::int32_t next : one_) {
      if (next != state) add_successors(state, next, two_);
    }
    thin(one_);
    thin(two_);
  }
  const std::vector<std::int32_t>& one() const { return one_; }
  const std::vector<std::int32_t>& two() const { return two_; }

 private:
  void add(std::int32_t from, std::int32_t state, std::vector<std::int32_t>& found) {
    if (mark_[static_cast<std::size_t>(state)] == from) return;
    mark_[static_cast<std::size_t>(state)] = from;
    found.push_back(state);
  }
  void add_successors(std::int32_t from, std::int32_t state, std::vector<std::int32_t>& found) {
    for (const std::int64_t i : mdp_.entries_of_state(state)) add(from, mdp_.next_state()[i], found);
  }
  static void thin(std::vector<std::int32_t>& found) {
    std::sort(found.begin(), found.end());
    if (found.size() <= Neighbourhood::kMost) return;
    for (std::size_t i = 0; i < Neighbourhood::kMost; ++i)
      found[i] = found[i * found.size() / Neighbourhood::kMost];
    found.resize(Neighbourhood::kMost);
  }

  const Mdp& mdp_;
  std::vector<std::int32_t> mark_;  // the last state from which each was met
  std::vector<std::int32_t> one_, two_;
};

constexpr std::uint64_t kSeed = 0x6e65696768626f72;  // the same states for everybody

using Near = Neighbourhood::Near;

void spread(std::map<std::int32_t, Near>& near, std::span<const std::int32_t> states, double Near::*kind) {
  for (const std::int32_t s : states) near[s].*kind = 1 / static_cast<double>(states.size());
}

std::vector<std::int32_t> elsewhere(std::int32_t states, std::int32_t from) {
  std::vector<std::int32_t> found;
  if (states <= Neighbourhood::kAll) {
    for (std::int32_t s = 0; s < states; ++s) found.push_back(s);
    return found;
  }
  base::Stream stream({kSeed, base::Purpose::belief, static_cast<std::uint64_t>(from)});
  while (found.size() < Neighbourhood::kElsewhere) {
    const auto s = static_cast<std::int32_t>(base::uniform_index(stream, states));
    if (std::find(found.begin(), found.end(), s) == found.end()) found.push_back(s);
  }
  return found;
}

}  // namespace

Neighbourhood::Neighbourhood(const Mdp& mdp) : begin_{0} {
  Steps steps(mdp);
  std::map<std::int32_t, Near> near;
  for (std::int32_t s = 0; s < mdp.states(); ++s) {
    steps.look_from(s);
    near.clear();
    spread(near, steps.one(), &Near::one_step);
    spread(near, steps.two().empty() ? steps.one() : steps.two(), &Near::two_steps);
    spread(near, elsewhere(mdp.states(), s), &Near::elsewhere);
    for (const auto& [state, probabilities] : near) {
      next_state_.push_back(state);
      near_.push_back(probabilities);
    }
    begin_.push_back(static_cast<std::int64_t>(next_state_.size()));
  }
}

}  // namespace mindgap::belief

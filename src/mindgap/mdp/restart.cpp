#include "mindgap/mdp/restart.h"

#include <fmt/format.h>

#include <algorithm>

#include "mindgap/base/error.h"
#include "mindgap/base/option_name.h"
#include "mindgap/mdp/graph.h"
#include "mindgap/mdp/without_rows.h"

namespace mindgap::mdp {
namespace {

bool pays_nothing(const Mdp& mdp, std::int32_t state) {
  for (std::int32_t k = mdp.pair_begin()[state]; k < mdp.pair_begin()[state + 1]; ++k)
    if (mdp.reward()[k] != 0) return false;
  return true;
}

// The start distribution as a row.
struct Beginning {
  std::vector<std::int32_t> state;
  std::vector<double> probability;
};

Beginning beginning_of(const Mdp& mdp) {
  Beginning found;
  for (std::int32_t s = 0; s < mdp.states(); ++s) {
    if (mdp.start()[s] == 0) continue;
    found.state.push_back(s);
    found.probability.push_back(mdp.start()[s]);
  }
  return found;
}

bool is_row(const Mdp& mdp, std::int32_t pair, const Beginning& wanted) {
  const auto begin = mdp.row_begin()[pair], size = mdp.row_begin()[pair + 1] - begin;
  return std::ranges::equal(mdp.next_state().subspan(begin, size), wanted.state) &&
         std::ranges::equal(mdp.probability().subspan(begin, size), wanted.probability);
}

void check_end(const Mdp& mdp, std::int32_t state, const Beginning& beginning) {
  const auto fail = [&](const std::string& problem, std::string action = {}, std::string value = {}) {
    throw InvalidModel(
        problem, {.state = mdp.state_name(state), .action = std::move(action), .value = std::move(value)});
  };
  if (mdp.start()[state] > 0) {
    fail(fmt::format(
             "an episode cannot begin in a state that ends it: with restart, say where episodes begin ({})",
             base::told("the column `start` of the states", "start=")),
         {}, fmt::format("start probability {}", mdp.start()[state]));
  }
  for (std::int32_t k = mdp.pair_begin()[state]; k < mdp.pair_begin()[state + 1]; ++k) {
    const std::string action = mdp.action_name(mdp.pair_action()[k]);
    if (mdp.reward()[k] != 0)
      fail("an end pays nothing, with restart the reward belongs to the move into it", action,
           fmt::format("reward {}", mdp.reward()[k]));
    if (!is_row(mdp, k, {{state}, {mdp.probability()[mdp.row_begin()[k]]}}) && !is_row(mdp, k, beginning))
      fail("with restart, an end must stay where it is", action);
  }
}

}  // namespace

std::vector<std::int32_t> end_states(const Mdp& mdp) {
  std::vector<std::int32_t> found = absorbing_states(mdp);
  std::erase_if(found, [&](std::int32_t s) { return !pays_nothing(mdp, s); });
  return found;
}

Mdp with_restart(const Mdp& mdp, std::span<const std::int32_t> ends) {
  if (ends.empty())
    throw InvalidModel(
        "restart is asked for, but no state is an end: one whose every action stays there for sure and pays "
        "0",
        {});
  const Beginning beginning = beginning_of(mdp);
  std::vector<std::uint8_t> is_end(static_cast<std::size_t>(mdp.states()), 0);
  for (const std::int32_t s : ends) {
    check_end(mdp, s, beginning);
    is_end[s] = 1;
  }
  MdpArrays arrays = without_rows(mdp);
  for (std::int32_t k = 0; k < mdp.pairs(); ++k) {
    double ended = 0;
    if (is_end[mdp.state_of_pair(k)]) {
      ended = 1;
    } else {
      for (std::int64_t i = mdp.row_begin()[k]; i < mdp.row_begin()[k + 1]; ++i) {
        if (is_end[mdp.next_state()[i]]) {
          ended += mdp.probability()[i];
        } else {
          arrays.next_state.push_back(mdp.next_state()[i]);
          arrays.probability.push_back(mdp.probability()[i]);
        }
      }
    }
    for (std::size_t i = 0; ended > 0 && i < beginning.state.size(); ++i) {
      arrays.next_state.push_back(beginning.state[i]);
      arrays.probability.push_back(ended * beginning.probability[i]);
    }
    arrays.row_begin.push_back(static_cast<std::int64_t>(arrays.next_state.size()));
  }
  return Mdp(std::move(arrays));
}

}  // namespace mindgap::mdp

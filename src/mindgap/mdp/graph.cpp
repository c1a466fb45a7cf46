#include "mindgap/mdp/graph.h"

#include <algorithm>
#include <limits>

#include "mindgap/base/check.h"
#include "mindgap/mdp/memory.h"

namespace mindgap::mdp {
namespace {

// The transitions leaving a state, over the pairs that are in use: all of them, or those a policy takes.
class Successors {
 public:
  Successors(const Mdp& mdp, const Policy* policy) : mdp_(mdp) {
    if (!policy) return;
    base::check_size("graph", "policy", static_cast<std::size_t>(policy->states()),
                     static_cast<std::size_t>(mdp.states()));
    const std::vector<double> probability = policy->probability_of_pair(mdp);
    used_.resize(probability.size());
    std::transform(probability.begin(), probability.end(), used_.begin(), [](double p) { return p > 0; });
  }

  bool uses(std::int32_t pair) const { return used_.empty() || used_[pair]; }

  template <typename Visit>
  void for_each(std::int32_t state, Visit visit) const {
    for (std::int32_t k = mdp_.pair_begin()[state]; k < mdp_.pair_begin()[state + 1]; ++k) {
      if (!uses(k)) continue;
      for (std::int64_t i = mdp_.row_begin()[k]; i < mdp_.row_begin()[k + 1]; ++i)
        visit(mdp_.next_state()[i]);
    }
  }

 private:
  const Mdp& mdp_;
  std::vector<std::uint8_t> used_;
};

void check_states(const Mdp& mdp, std::span<const std::int32_t> states, std::string_view function) {
  for (const std::int32_t s : states) base::check_range(function, "a state", s, 0, mdp.states() - 1);
}

// Tarjan's algorithm (1972) with its recursion kept in `frames_`: models have more states than a stack has
// room.
class ComponentSearch {
 public:
  ComponentSearch(const Mdp& mdp, const Policy* policy)
      : mdp_(mdp), successors_(mdp, policy), number_(mdp.states(), -1), low_(mdp.states()) {
    result_.of_state.assign(mdp.states(), -1);
  }

  Components run() {
    for (std::int32_t s = 0; s < mdp_.states(); ++s) {
      if (number_[s] < 0) search_from(s);
    }
    result_.closed.assign(result_.count, 1);
    for (std::int32_t s = 0; s < mdp_.states(); ++s) {
      successors_.for_each(s, [&](std::int32_t next) {
        if (result_.of_state[next] != result_.of_state[s]) result_.closed[result_.of_state[s]] = 0;
      });
    }
    return std::move(result_);
  }

 private:
  struct Frame {
    std::int32_t state;
    std::int32_t pair;  // where the scan of its transitions stands
    std::int64_t entry;
  };

  void enter(std::int32_t s) {
    number_[s] = low_[s] = counter_++;
    open_.push_back(s);
    const std::int32_t pair = mdp_.pair_begin()[s];
    frames_.push_back({s, pair, mdp_.row_begin()[pair]});
  }

  // The next successor of the frame's state, or -1 at the end.
  std::int32_t advance(Frame& frame) {
    while (frame.pair < mdp_.pair_begin()[frame.state + 1]) {
      if (successors_.uses(frame.pair) && frame.entry < mdp_.row_begin()[frame.pair + 1]) {
        return mdp_.next_state()[frame.entry++];
      }
      frame.entry = mdp_.row_begin()[++frame.pair];
    }
    return -1;
  }

  void search_from(std::int32_t root) {
    enter(root);
    while (!frames_.empty()) {
      const std::int32_t s = frames_.back().state;
      const std::int32_t next = advance(frames_.back());
      if (next < 0) {
        leave(s);
      } else if (number_[next] < 0) {
        enter(next);
      } else if (result_.of_state[next] < 0) {  // still open: an edge back or across within the component
        low_[s] = std::min(low_[s], number_[next]);
      }
    }
  }

  void leave(std::int32_t s) {
    frames_.pop_back();
    if (!frames_.empty()) low_[frames_.back().state] = std::min(low_[frames_.back().state], low_[s]);
    if (low_[s] != number_[s]) return;
    std::int32_t member = -1;
    do {
      member = open_.back();
      open_.pop_back();
      result_.of_state[member] = result_.count;
    } while (member != s);
    ++result_.count;
  }

  const Mdp& mdp_;
  Successors successors_;
  std::vector<std::int32_t> number_, low_, open_;
  std::vector<Frame> frames_;
  std::int32_t counter_ = 0;
  Components result_;
};

// With numbers of entries as `Index`: half as wide where there are fewer than two thousand million, half of
// the memory that is met at random.
template <typename Index>
ReverseSearch search_towards_with(const Mdp& mdp, std::span<const std::int32_t> targets) {
  // Predecessor lists by counting sort over the transitions.
  const std::int32_t states = mdp.states();
  LargeVector<Index> end(states + 1, 0);
  for (const std::int32_t next : mdp.next_state()) ++end[next + 1];
  for (std::int32_t s = 0; s < states; ++s) end[s + 1] += end[s];
  LargeVector<std::int32_t> predecessor(mdp.nonzeros());
  for (std::int32_t s = states - 1; s >= 0; --s) {
    const std::int64_t first = mdp.row_begin()[mdp.pair_begin()[s]];
    const std::int64_t last = mdp.row_begin()[mdp.pair_begin()[s + 1]];
    for (std::int64_t i = first; i < last; ++i) predecessor[--end[mdp.next_state()[i] + 1]] = s;
  }
  // Now end[s + 1] is where the list of s begins and end[s + 2] (or the total) where it ends.
  const auto list_end = [&](std::int32_t s) {
    return s + 1 < states ? end[s + 2] : static_cast<Index>(mdp.nonzeros());
  };

  ReverseSearch result;
  result.order.reserve(states);
  std::vector<std::uint8_t> seen(states, 0);
  const auto visit = [&](std::int32_t s) {
    if (seen[s]) return;
    seen[s] = 1;
    result.order.push_back(s);
  };
  for (const std::int32_t s : targets) visit(s);
  std::size_t level_end = result.order.size();
  for (std::size_t i = 0; i < result.order.size(); ++i) {
    if (i == level_end) {
      ++result.levels;
      level_end = result.order.size();
    }
    // Lists are met in an order of their own: ask for them a few states early.
    if (i + 16 < result.order.size()) __builtin_prefetch(end.data() + result.order[i + 16] + 1);
    if (i + 8 < result.order.size()) __builtin_prefetch(predecessor.data() + end[result.order[i + 8] + 1]);
    const std::int32_t s = result.order[i];
    for (Index j = end[s + 1]; j < list_end(s); ++j) visit(predecessor[j]);
  }
  return result;
}

}  // namespace

std::vector<std::int32_t> start_states(const Mdp& mdp) {
  std::vector<std::int32_t> result;
  for (std::int32_t s = 0; s < mdp.states(); ++s) {
    if (mdp.start()[s] > 0) result.push_back(s);
  }
  return result;
}

std::vector<std::uint8_t> reachable(const Mdp& mdp, std::span<const std::int32_t> sources,
                                    const Policy* policy) {
  check_states(mdp, sources, "reachable");
  const Successors successors(mdp, policy);
  std::vector<std::uint8_t> reached(mdp.states(), 0);
  std::vector<std::int32_t> open;
  const auto visit = [&](std::int32_t s) {
    if (reached[s]) return;
    reached[s] = 1;
    open.push_back(s);
  };
  for (const std::int32_t s : sources) visit(s);
  while (!open.empty()) {
    const std::int32_t s = open.back();
    open.pop_back();
    successors.for_each(s, visit);
  }
  return reached;
}

Components strongly_connected_components(const Mdp& mdp, const Policy* policy) {
  return ComponentSearch(mdp, policy).run();
}

std::vector<std::int32_t> absorbing_states(const Mdp& mdp) {
  std::vector<std::int32_t> result;
  for (std::int32_t s = 0; s < mdp.states(); ++s) {
    const std::int64_t first = mdp.row_begin()[mdp.pair_begin()[s]];
    const std::int64_t last = mdp.row_begin()[mdp.pair_begin()[s + 1]];
    if (last - first != mdp.pair_begin()[s + 1] - mdp.pair_begin()[s])
      continue;  // some row is longer than one
    if (std::all_of(mdp.next_state().begin() + first, mdp.next_state().begin() + last,
                    [s](std::int32_t next) { return next == s; })) {
      result.push_back(s);
    }
  }
  return result;
}

ReverseSearch search_towards(const Mdp& mdp, std::span<const std::int32_t> targets) {
  check_states(mdp, targets, "search_towards");
  return mdp.nonzeros() <= std::numeric_limits<std::int32_t>::max()
             ? search_towards_with<std::int32_t>(mdp, targets)
             : search_towards_with<std::int64_t>(mdp, targets);
}

Predecessors::Predecessors(const Mdp& mdp) : begin_(static_cast<std::size_t>(mdp.states()) + 1) {
  std::vector<std::int32_t> last(static_cast<std::size_t>(mdp.states()),
                                 -1);  // state that was met there last
  const auto each = [&](const auto& visit) {
    std::fill(last.begin(), last.end(), -1);
    for (std::int32_t s = 0; s < mdp.states(); ++s) {
      for (const std::int64_t i : mdp.entries_of_state(s)) {
        const std::int32_t next = mdp.next_state()[i];
        if (last[next] != s) visit(s, next);
        last[next] = s;
      }
    }
  };
  each([&](std::int32_t, std::int32_t next) { ++begin_[next + 1]; });
  for (std::size_t s = 1; s < begin_.size(); ++s) begin_[s] += begin_[s - 1];
  state_.resize(static_cast<std::size_t>(begin_.back()));
  std::vector<std::int64_t> at(begin_.begin(), begin_.end() - 1);
  each([&](std::int32_t s, std::int32_t next) { state_[at[next]++] = s; });
}

}  // namespace mindgap::mdp

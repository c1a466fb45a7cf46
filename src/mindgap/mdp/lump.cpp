#include "mindgap/mdp/lump.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>
#include <utility>

#include "mindgap/base/listener.h"
#include "mindgap/mdp/partition.h"

namespace mindgap::mdp {
namespace {

// Probabilities are added in steps of 2^-60, in which sums do not depend on their order, and compared in
// steps of 2^-40.
constexpr double kStep = 0x1p60;
constexpr int kDropped = 20;

std::int64_t in_steps(double probability) {
  return static_cast<std::int64_t>(std::nearbyint(probability * kStep));
}
std::int64_t compared(std::int64_t sum) {
  return (sum + (std::int64_t{1} << (kDropped - 1))) >> kDropped;
}

// The finaliser of SplitMix64.
std::uint64_t mixed(std::uint64_t z) {
  z += 0x9e3779b97f4a7c15U;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
  return z ^ (z >> 31);
}

// What tells two states apart before any transition is looked at: actions and rounded rewards.
class Offers {
 public:
  explicit Offers(const Mdp& mdp) : mdp_(mdp), hash_(mdp.states()), reward_(mdp.pairs()) {
    int exponent = 0;
    std::frexp(mdp.reward_magnitude(), &exponent);  // magnitude <= 2^exponent
    for (std::int32_t k = 0; k < mdp.pairs(); ++k)
      reward_[k] = static_cast<std::int64_t>(std::nearbyint(std::ldexp(mdp.reward()[k], 40 - exponent)));
    for (std::int32_t s = 0; s < mdp.states(); ++s) {
      std::uint64_t hash = 0;
      for (const std::int32_t k : mdp.pairs_of(s)) {
        hash = mixed(hash ^ static_cast<std::uint64_t>(mdp.pair_action()[k]));
        hash = mixed(hash ^ static_cast<std::uint64_t>(reward_[k]));
      }
      hash_[s] = hash;
    }
  }

  // -1, 0 or 1; the hash decides in nearly all cases where states differ.
  int compare(std::int32_t s, std::int32_t t) const {
    if (hash_[s] != hash_[t]) return hash_[s] < hash_[t] ? -1 : 1;
    const auto one = mdp_.pairs_of(s), other = mdp_.pairs_of(t);
    if (one.size() != other.size()) return one.size() < other.size() ? -1 : 1;
    for (std::int32_t i = 0; i < static_cast<std::int32_t>(one.size()); ++i) {
      const std::pair here(mdp_.pair_action()[one.first() + i], reward_[one.first() + i]);
      const std::pair there(mdp_.pair_action()[other.first() + i], reward_[other.first() + i]);
      if (here != there) return here < there ? -1 : 1;
    }
    return 0;
  }

 private:
  const Mdp& mdp_;
  std::vector<std::uint64_t> hash_;
  std::vector<std::int64_t> reward_;
};

// Refinement in rounds, each of which splits all blocks by all blocks: it reads the rows in order, which is
// much faster than following transitions back, but may take as many rounds as there are states. So it is
// tried for some rounds only. The probabilities of a state are compared by a hash of 64 bits, another one in
// each round: that two of 10^6 states which differ have the same is a matter of 1 in 10^7. They would then be
// merged, and measure_errors() tell.
class Rounds {
 public:
  Rounds(const Mdp& mdp, Partition& partition) : mdp_(mdp), partition_(partition), hash_(mdp.states()) {}

  /// Whether nothing is left to split after so many rounds.
  bool run(int rounds) {
    std::vector<std::int32_t> made;
    for (int round = 0; round < rounds; ++round) {
      base::interruption_point();
      sum_.assign(partition_.blocks(), 0);
      for (std::int32_t s = 0; s < mdp_.states(); ++s) hash_[s] = hash_of(s, mixed(round));
      for (std::int32_t s = 0; s < mdp_.states(); ++s) partition_.mark(s);
      made.clear();
      partition_.split_marked([&](std::int32_t s) { return static_cast<std::int64_t>(hash_[s]); }, made);
      if (made.empty()) return true;
    }
    return false;
  }

 private:
  // Of the probabilities of going to each block, pair by pair; states of a block have the same actions.
  std::uint64_t hash_of(std::int32_t s, std::uint64_t hash) {
    for (const std::int32_t k : mdp_.pairs_of(s)) {
      met_.clear();
      for (const std::int64_t i : mdp_.entries_of(k)) {
        const std::int32_t block = partition_.block_of(mdp_.next_state()[i]);
        if (sum_[block] == 0) met_.push_back(block);
        sum_[block] += in_steps(mdp_.probability()[i]);
      }
      std::uint64_t row = 0;  // a sum, in which the order of blocks does not count
      for (const std::int32_t block : met_) {
        const std::int64_t weight = compared(std::exchange(sum_[block], 0));
        if (weight != 0)
          row += mixed(mixed(hash + static_cast<std::uint64_t>(block)) ^ static_cast<std::uint64_t>(weight));
      }
      hash = mixed(hash ^ row);
    }
    return hash;
  }

  const Mdp& mdp_;
  Partition& partition_;
  std::vector<std::uint64_t> hash_;
  std::vector<std::int64_t> sum_;  // per block, of the row at hand
  std::vector<std::int32_t> met_;
};
// Rounds that cost about as much as following all transitions back once.
constexpr int kRounds = 8;

// The transitions, by where they lead.
struct Incoming {
  explicit Incoming(const Mdp& mdp)
      : begin(mdp.states() + 1, 0), pair(mdp.nonzeros()), weight(mdp.nonzeros()) {
    for (const std::int32_t next : mdp.next_state()) ++begin[next + 1];
    std::partial_sum(begin.begin(), begin.end(), begin.begin());
    std::vector<std::int64_t> place(begin.begin(), begin.end() - 1);
    for (std::int32_t k = 0; k < mdp.pairs(); ++k) {
      for (const std::int64_t i : mdp.entries_of(k)) {
        const std::int64_t at = place[mdp.next_state()[i]]++;
        pair[at] = k;
        weight[at] = in_steps(mdp.probability()[i]);
      }
    }
  }

  std::vector<std::int64_t> begin;
  std::vector<std::int32_t> pair;
  std::vector<std::int64_t> weight;
};

// Refinement with one block after the other as the splitter, which keeps of a split block the largest part
// out of the list of those to come: Valmari and Franceschinis (2010), "Simple O(m log n) time Markov chain
// lumping", action by action.
class Refinement {
 public:
  Refinement(const Mdp& mdp, Partition& partition)
      : mdp_(mdp),
        partition_(partition),
        incoming_(mdp),
        state_of_pair_(mdp.pairs()),
        weight_(mdp.states(), 0),
        count_(mdp.actions() + 1, 0) {
    for (std::int32_t s = 0; s < mdp.states(); ++s) {
      for (const std::int32_t k : mdp.pairs_of(s)) state_of_pair_[k] = s;
    }
  }

  void run() {
    for (std::int32_t b = 0; b < partition_.blocks(); ++b) waiting_.push_back(b);
    while (!waiting_.empty()) {
      base::interruption_point();
      const std::int32_t splitter = waiting_.back();
      waiting_.pop_back();
      gather(splitter);
      for (std::size_t i = 0; i < entries_.size();) {
        const std::int32_t action = action_of(entries_[i]);
        std::size_t last = i;
        while (last < entries_.size() && action_of(entries_[last]) == action) ++last;
        split_by(std::span(entries_).subspan(i, last - i));
        i = last;
      }
    }
  }

 private:
  struct Entry {
    std::int32_t pair;
    std::int64_t weight;
  };
  std::int32_t action_of(const Entry& entry) const { return mdp_.pair_action()[entry.pair]; }

  // All transitions into a block, those of one action side by side.
  void gather(std::int32_t block) {
    entries_.clear();
    for (const std::int32_t s : partition_.members(block)) {
      for (std::int64_t i = incoming_.begin[s]; i < incoming_.begin[s + 1]; ++i)
        entries_.push_back({incoming_.pair[i], incoming_.weight[i]});
    }
    if (mdp_.actions() == 1) return;
    used_.clear();
    for (const Entry& entry : entries_) {
      if (count_[action_of(entry)]++ == 0) used_.push_back(action_of(entry));
    }
    std::int64_t place = 0;
    for (const std::int32_t a : used_) place += std::exchange(count_[a], place);
    sorted_.resize(entries_.size());
    for (const Entry& entry : entries_) sorted_[count_[action_of(entry)]++] = entry;
    for (const std::int32_t a : used_) count_[a] = 0;
    std::swap(entries_, sorted_);
  }

  // Splits every block by the probability with which one action of its states leads into the splitter.
  void split_by(std::span<const Entry> entries) {
    touched_.clear();
    for (const Entry& entry : entries) {
      const std::int32_t s = state_of_pair_[entry.pair];
      if (weight_[s] == 0 && entry.weight != 0) touched_.push_back(s);
      weight_[s] += entry.weight;
    }
    for (const std::int32_t s : touched_) {
      weight_[s] = compared(weight_[s]);
      if (weight_[s] != 0) partition_.mark(s);
    }
    partition_.split_marked([&](std::int32_t s) { return weight_[s]; }, waiting_);
    for (const std::int32_t s : touched_) weight_[s] = 0;
  }

  const Mdp& mdp_;
  Partition& partition_;
  Incoming incoming_;
  std::vector<std::int32_t> state_of_pair_;
  std::vector<std::int64_t> weight_;  // per state, of the action at hand
  std::vector<std::int64_t> count_;   // per action
  std::vector<std::int32_t> used_, touched_, waiting_;
  std::vector<Entry> entries_, sorted_;
};

// The model of the classes, from the rows of their first states.
MdpArrays arrays_of_classes(const Mdp& mdp, const Lumping& lumping) {
  MdpArrays arrays;
  arrays.discount = mdp.discount();
  arrays.reward_max = mdp.reward_max();
  arrays.actions = mdp.actions();
  arrays.labels.actions = mdp.labels().actions;
  arrays.pair_begin = {0};
  arrays.row_begin = {0};
  std::vector<double> sum(lumping.first_state.size(), 0);
  std::vector<std::int32_t> met;
  for (const std::int32_t s : lumping.first_state) {
    if (!mdp.labels().states.empty()) arrays.labels.states.add(mdp.labels().states[s]);
    for (const std::int32_t k : mdp.pairs_of(s)) {
      met.clear();
      for (const std::int64_t i : mdp.entries_of(k)) {
        const std::int32_t c = lumping.class_of_state[mdp.next_state()[i]];
        if (sum[c] == 0) met.push_back(c);
        sum[c] += mdp.probability()[i];
      }
      std::sort(met.begin(), met.end());
      for (const std::int32_t c : met) {
        arrays.next_state.push_back(c);
        arrays.probability.push_back(std::exchange(sum[c], 0));
      }
      arrays.pair_action.push_back(mdp.pair_action()[k]);
      arrays.reward.push_back(mdp.reward()[k]);
      arrays.row_begin.push_back(static_cast<std::int64_t>(arrays.next_state.size()));
    }
    arrays.pair_begin.push_back(static_cast<std::int32_t>(arrays.pair_action.size()));
  }
  arrays.start.assign(lumping.first_state.size(), 0);
  for (std::int32_t s = 0; s < mdp.states(); ++s) arrays.start[lumping.class_of_state[s]] += mdp.start()[s];
  return arrays;
}

// How far the states of each class are from the rows of the class.
void measure_errors(const Mdp& mdp, Lumping& lumping) {
  std::vector<double> sum(lumping.first_state.size(), 0);
  for (std::int32_t s = 0; s < mdp.states(); ++s) {
    const std::int32_t c = lumping.class_of_state[s];
    if (lumping.first_state[c] == s) continue;
    std::int32_t of_class = lumping.mdp.pair_begin()[c];
    for (const std::int32_t k : mdp.pairs_of(s)) {
      const double off = std::abs(mdp.reward()[k] - lumping.mdp.reward()[of_class]);
      lumping.reward_error = std::max(lumping.reward_error, off);
      const Row row = lumping.mdp.row(of_class++);
      for (const std::int64_t i : mdp.entries_of(k))
        sum[lumping.class_of_state[mdp.next_state()[i]]] += mdp.probability()[i];
      double apart = 0;
      for (std::size_t i = 0; i < row.size(); ++i)
        apart += std::abs(std::exchange(sum[row.next_state[i]], 0) - row.probability[i]);
      for (const std::int64_t i : mdp.entries_of(k))  // what leads to classes that the row does not have
        apart += std::exchange(sum[lumping.class_of_state[mdp.next_state()[i]]], 0);
      lumping.probability_error = std::max(lumping.probability_error, apart);
    }
  }
}

Lumping lumping_by(const Mdp& mdp, const Partition& partition) {
  std::vector<std::int32_t> class_of_block(partition.blocks(), -1), class_of_state(mdp.states()), first;
  for (std::int32_t s = 0; s < mdp.states(); ++s) {
    std::int32_t& c = class_of_block[partition.block_of(s)];
    if (c < 0) {
      c = static_cast<std::int32_t>(first.size());
      first.push_back(s);
    }
    class_of_state[s] = c;
  }
  Lumping lumping{mdp, std::move(class_of_state), std::move(first)};
  if (lumping.classes() < mdp.states()) {
    lumping.mdp = Mdp(arrays_of_classes(mdp, lumping));
    measure_errors(mdp, lumping);
  }
  return lumping;
}

double seconds_since(std::chrono::steady_clock::time_point then) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - then).count();
}

}  // namespace

Lumping lump(const Mdp& mdp) {
  Partition partition(mdp.states());
  {
    const Offers offers(mdp);
    partition.split_all([&](std::int32_t s, std::int32_t t) { return offers.compare(s, t); });
  }
  if (!Rounds(mdp, partition).run(kRounds)) Refinement(mdp, partition).run();
  return lumping_by(mdp, partition);
}

LumpedSolution solve_lumped(const Mdp& mdp, const SolveOptions& options) {
  options.validate(mdp);
  const auto begun = std::chrono::steady_clock::now();
  Lumping lumping = lump(mdp);
  LumpedSolution result;
  result.classes = lumping.classes();
  result.reward_error = lumping.reward_error;
  result.probability_error = lumping.probability_error;
  result.lump_seconds = seconds_since(begun);

  SolveOptions on_states = options;
  std::int64_t iterations = 0, policy_sweeps = 0;
  Method method = options.method;
  const auto time_left = [&] { return std::max(options.time_limit - seconds_since(begun), 1e-3); };
  const bool smaller = lumping.classes() < mdp.states();
  if (smaller) {
    SolveOptions on_classes = options;
    // The bounds of the sweep over the states are wanted as tight as was asked: leave room for rounding.
    on_classes.tolerance = options.tolerance / 2;
    on_classes.time_limit = time_left();
    if (!options.initial_value.empty()) {
      on_classes.initial_value.clear();
      for (const std::int32_t s : lumping.first_state)
        on_classes.initial_value.push_back(options.initial_value[s]);
    }
    const Solution of_classes = solve(lumping.mdp, on_classes);
    iterations = of_classes.iterations;
    policy_sweeps = of_classes.policy_sweeps;
    method = of_classes.method;
    on_states.initial_value.resize(mdp.states());
    for (std::int32_t s = 0; s < mdp.states(); ++s)
      on_states.initial_value[s] = of_classes.value[lumping.class_of_state[s]];
    // One full sweep is all that a certificate takes.
    on_states.method = Method::value_iteration;
    on_states.max_iterations = 1;
    on_states.time_limit = std::numeric_limits<double>::infinity();
    result.solution = solve(mdp, on_states);
    iterations += result.solution.iterations;
    on_states.initial_value = result.solution.value;
  }
  const bool enough = smaller && result.solution.status != SolveStatus::iteration_limit;
  const bool may_go_on = iterations < options.max_iterations && seconds_since(begun) < options.time_limit;
  if (!enough && (!smaller || may_go_on)) {
    on_states.method = options.method;
    on_states.max_iterations = options.max_iterations - iterations;
    on_states.time_limit = time_left();
    result.solution = solve(mdp, on_states);
    iterations += result.solution.iterations;
    policy_sweeps += result.solution.policy_sweeps;
    method = result.solution.method;
  } else if (!enough && !(seconds_since(begun) < options.time_limit)) {
    result.solution.status = SolveStatus::time_limit;
  }
  result.solution.method = method;
  result.solution.iterations = iterations;
  result.solution.policy_sweeps = policy_sweeps;
  result.solution.seconds = seconds_since(begun);
  result.class_of_state = std::move(lumping.class_of_state);
  result.first_state = std::move(lumping.first_state);
  return result;
}

}  // namespace mindgap::mdp

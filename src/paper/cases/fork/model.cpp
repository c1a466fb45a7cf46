#include "paper/cases/fork/model.h"

#include <algorithm>
#include <cmath>

#include "mindgap/base/check.h"
#include "mindgap/base/distributions.h"

namespace mindgap::cases::fork {
namespace {

/// What an action is worth, as constant + slope * value of the state that it may lead on (or fall back) to.
struct Branch {
  double constant = 0, slope = 0;
  double at(double value) const { return constant + slope * value; }
};

Branch advancing(const Fork& fork, const Chain& chain, std::size_t state) {
  const double p = chain.advance[state];
  if (state + 1 == chain.advance.size()) return {p, (1 - p) * fork.discount};
  return {0, p * fork.discount};
}

Branch halting(const Fork& fork, const Chain& chain, std::size_t state) {
  const double p = chain.halt_advance[state];
  return {(1 - p) * fork.halt, p * fork.discount};
}

}  // namespace

void Fork::validate() const {
  base::check_range("fork", "chain length", static_cast<double>(length), 2, 1e6);
  base::check_range("fork", "halt", halt, 0, 1);
  base::check_range("fork", "discount", discount, 0, .999999);
}

Chain true_chain(const Fork& fork) {
  const auto length = static_cast<std::size_t>(fork.length);
  Chain chain{std::vector<double>(length, 1.), std::vector<double>(length, 0.)};
  chain.advance.back() = .5;
  return chain;
}

Chain simulated_chain(const Fork& fork) {
  Chain chain = true_chain(fork);
  chain.advance.back() = 0;
  return chain;
}

std::vector<double> optimal_values(const Fork& fork, const Chain& chain) {
  const std::size_t length = chain.advance.size();
  std::vector<double> value(length, 0.);
  const std::size_t last = length - 1, before = length - 2;
  for (const Branch& at_last : {halting(fork, chain, last), advancing(fork, chain, last)}) {
    for (const Branch& at_before : {halting(fork, chain, before), advancing(fork, chain, before)}) {
      // x = a + b y at the fork, y = c + d x before it: x = (a + b c)/(1 - b d), b d <= g^2 < 1.
      const double x =
          (at_last.constant + at_last.slope * at_before.constant) / (1 - at_last.slope * at_before.slope);
      value[last] = std::max(value[last], x);
      value[before] = std::max(value[before], at_before.at(x));
    }
  }
  for (std::size_t s = before; s-- > 0;) {
    value[s] = std::max(advancing(fork, chain, s).at(value[s + 1]), halting(fork, chain, s).at(value[s + 1]));
  }
  return value;
}

ActionValues action_values(const Fork& fork, const Chain& chain, const std::vector<double>& value,
                           std::size_t state) {
  const bool at_fork = state + 1 == value.size();
  const double next = at_fork ? 0 : value[state + 1];
  const double back = at_fork ? value[state - 1] : next;
  return {advancing(fork, chain, state).at(back), halting(fork, chain, state).at(next)};
}

std::vector<bool> advancing_policy(const Fork& fork, const Chain& chain) {
  const std::vector<double> value = optimal_values(fork, chain);
  std::vector<bool> advances;
  for (std::size_t s = 0; s < value.size(); ++s) {
    const ActionValues of = action_values(fork, chain, value, s);
    advances.push_back(of.advance > of.halt);
  }
  return advances;
}

ForkBelief::ForkBelief(const Fork& fork, Uncertain uncertain, double prior) {
  base::check_positive("fork", "prior", prior);
  fork.validate();
  const Row yes{.yes = 1}, no{.no = 1}, unknown{.yes = prior, .no = prior, .known = false, .prior = prior};
  const auto before = static_cast<std::size_t>(fork.length - 1);
  advance_.assign(before, uncertain == Uncertain::all ? unknown : yes);
  halt_advance_.assign(before, uncertain == Uncertain::all ? unknown : no);
  advance_.push_back(unknown);
  halt_advance_.push_back(no);
}

bool ForkBelief::observe(std::int64_t state, bool action_zero, bool advanced) {
  Row& row = (action_zero ? advance_ : halt_advance_)[static_cast<std::size_t>(state)];
  if (!row.known) (advanced ? row.yes : row.no) += 1;
  return !row.known;
}

template <typename Value>
Chain ForkBelief::chain(Value value) const {
  Chain made;
  for (const Row& row : advance_) made.advance.push_back(row.known ? row.mean() : value(row));
  for (const Row& row : halt_advance_) made.halt_advance.push_back(row.known ? row.mean() : value(row));
  return made;
}

Chain ForkBelief::mean() const {
  return chain([](const Row& row) { return row.mean(); });
}

Chain ForkBelief::draw(base::Stream& stream) const {
  return chain([&](const Row& row) { return base::beta(stream, row.yes, row.no); });
}

Chain ForkBelief::optimistic(double radius) const {
  return chain([&](const Row& row) {
    const double tries = row.yes + row.no - 2 * row.prior;
    return std::min(1.0, row.mean() + radius / std::sqrt(1 + tries));
  });
}

ForkBelief::Look ForkBelief::look(std::int64_t state, bool action_zero) const {
  const Row& row = (action_zero ? advance_ : halt_advance_)[static_cast<std::size_t>(state)];
  if (row.known) return {mean(), mean(), 0};
  ForkBelief well = *this, badly = *this;
  well.observe(state, action_zero, true);
  badly.observe(state, action_zero, false);
  return {well.mean(), badly.mean(), row.mean()};
}

double first_attempt(const Fork& fork, Uncertain uncertain, double prior, std::int64_t draws,
                     std::uint64_t seed) {
  base::check_positive("first_attempt", "draws", static_cast<double>(draws));
  const ForkBelief belief(fork, uncertain, prior);
  std::int64_t reached = 0;
  for (std::int64_t i = 0; i < draws; ++i) {
    base::Stream stream({seed, base::Purpose::planner, static_cast<std::uint64_t>(i), 0,
                         static_cast<std::uint64_t>(fork.length)});
    const std::vector<bool> advances = advancing_policy(fork, belief.draw(stream));
    if (std::find(advances.begin(), advances.end() - 1, false) == advances.end() - 1) ++reached;
  }
  return static_cast<double>(reached) / static_cast<double>(draws);
}

}  // namespace mindgap::cases::fork

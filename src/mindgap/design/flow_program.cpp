#include "mindgap/design/flow_program.h"

#include <algorithm>

#include "mindgap/mdp/evaluate.h"
#include "mindgap/mdp/policy.h"

namespace mindgap::design {
namespace {

using mdp::Mdp;

// The mass of the uniform policy per step and state, as shares of the budget.
std::vector<std::vector<double>> uniform_mass(const Occupancy& occupancies) {
  const Mdp& mdp = occupancies.mdp();
  const mdp::Policy uniform = mdp::Policy::uniform(mdp);
  if (!occupancies.is_finite()) return {mdp::discounted_visitation(mdp, uniform).share};
  const std::vector<double> pi = uniform.probability_of_pair(mdp);
  std::vector<std::vector<double>> mass{std::vector<double>(mdp.start().begin(), mdp.start().end())};
  for (double& share : mass[0]) share /= static_cast<double>(occupancies.steps());
  while (static_cast<std::int64_t>(mass.size()) < occupancies.steps()) {
    std::vector<double> next(mass[0].size());
    mdp::step_distribution(mdp, pi, mass.back(), next);
    mass.push_back(std::move(next));
  }
  return mass;
}

// The states that can be reached at each step (in the discounted form, at any).
std::vector<std::vector<std::uint8_t>> reach_by_step(const Occupancy& occupancies) {
  const Mdp& mdp = occupancies.mdp();
  std::vector<std::uint8_t> now(static_cast<std::size_t>(mdp.states()));
  for (std::int32_t s = 0; s < mdp.states(); ++s) now[s] = mdp.start()[s] > 0;
  std::vector<std::vector<std::uint8_t>> reach{now};
  const auto spread = [&](const std::vector<std::uint8_t>& from, std::vector<std::uint8_t> to) {
    for (std::int32_t s = 0; s < mdp.states(); ++s) {
      if (!from[s]) continue;
      for (const std::int64_t i : mdp.entries_of_state(s)) to[mdp.next_state()[i]] = 1;
    }
    return to;
  };
  if (occupancies.is_finite()) {
    while (static_cast<std::int64_t>(reach.size()) < occupancies.steps()) {
      reach.push_back(spread(reach.back(), std::vector<std::uint8_t>(now.size())));
    }
  } else {
    for (std::vector<std::uint8_t> more = spread(now, now); more != reach[0]; more = spread(more, more)) {
      reach[0] = more;
    }
  }
  return reach;
}

class Writer {
 public:
  explicit Writer(const Occupancy& occupancies)
      : occupancies_(occupancies), mdp_(occupancies.mdp()), steps_(occupancies.steps()) {
    program_.column_begin = {0};
  }

  FlowProgram write() {
    number_equations();
    const auto mass = uniform_mass(occupancies_);
    std::vector<double> total(static_cast<std::size_t>(mdp_.pairs()));
    for (std::int64_t t = 0; t < steps_; ++t) {
      for (std::int32_t s = 0; s < mdp_.states(); ++s) {
        if (state_equation_[t][s] < 0) continue;
        const auto pairs = mdp_.pairs_of(s);
        for (const std::int32_t k : pairs) {
          program_.inner.push_back(mass[t][s] / static_cast<double>(pairs.size()));
          total[k] += program_.inner.back();
          add_flow(t, s, k);
        }
      }
    }
    if (occupancies_.is_finite()) add_totals(total);
    return std::move(program_);
  }

 private:
  void number_equations() {
    const auto reach = reach_by_step(occupancies_);
    const double g = mdp_.discount();
    pair_equation_.assign(static_cast<std::size_t>(mdp_.pairs()), -1);
    for (std::int64_t t = 0; t < steps_; ++t) {
      state_equation_.emplace_back(static_cast<std::size_t>(mdp_.states()), -1);
      for (std::int32_t s = 0; s < mdp_.states(); ++s) {
        if (!reach[t][s]) continue;
        state_equation_[t][s] = static_cast<std::int32_t>(program_.right.size());
        const double share = occupancies_.is_finite() ? 1 / static_cast<double>(steps_) : 1 - g;
        program_.right.push_back(t == 0 ? share * mdp_.start()[s] : 0);
        for (const std::int32_t k : mdp_.pairs_of(s)) pair_equation_[k] = 0;
      }
    }
    if (!occupancies_.is_finite()) return;
    for (std::int32_t& equation : pair_equation_) {
      if (equation < 0) continue;
      equation = static_cast<std::int32_t>(program_.right.size());
      program_.right.push_back(0);
    }
  }

  void add_flow(std::int64_t t, std::int32_t s, std::int32_t k) {
    const bool finite = occupancies_.is_finite();
    program_.variables.push_back({.pair = k, .step = t, .counted = !finite, .flow = true});
    double here = 1;
    for (const std::int64_t i : mdp_.entries_of(k)) {
      const double weight = mdp_.discount() * mdp_.probability()[i];
      const std::int32_t next = mdp_.next_state()[i];
      if (!finite && next == s) {
        here -= weight;
      } else if (!finite || t + 1 < steps_) {
        put(state_equation_[finite ? t + 1 : t][next], -weight);
      }
    }
    put(state_equation_[t][s], here);
    if (finite) put(pair_equation_[k], -1);
    program_.column_begin.push_back(static_cast<std::int64_t>(program_.row.size()));
  }

  void add_totals(const std::vector<double>& total) {
    for (std::int32_t k = 0; k < mdp_.pairs(); ++k) {
      if (pair_equation_[k] < 0) continue;
      program_.variables.push_back({.pair = k, .step = 0, .counted = true, .flow = false});
      program_.inner.push_back(total[k]);
      put(pair_equation_[k], 1);
      program_.column_begin.push_back(static_cast<std::int64_t>(program_.row.size()));
    }
  }

  void put(std::int32_t equation, double value) {
    program_.row.push_back(equation);
    program_.entry.push_back(value);
  }

  const Occupancy& occupancies_;
  const Mdp& mdp_;
  std::int64_t steps_;
  FlowProgram program_;
  std::vector<std::vector<std::int32_t>> state_equation_;  // by step and state; -1: never there
  std::vector<std::int32_t> pair_equation_;                // of the totals; -1: never there
};

}  // namespace

FlowProgram flow_program(const Occupancy& occupancies) {
  return Writer(occupancies).write();
}

std::vector<double> policy_of(const FlowProgram& program, const Occupancy& occupancies,
                              std::span<const double> x) {
  const Mdp& mdp = occupancies.mdp();
  const auto pairs = static_cast<std::size_t>(mdp.pairs());
  std::vector<double> pi(pairs * static_cast<std::size_t>(occupancies.steps()));
  for (std::size_t j = 0; j < program.size(); ++j) {
    const FlowProgram::Variable& variable = program.variables[j];
    if (variable.flow) pi[static_cast<std::size_t>(variable.step) * pairs + variable.pair] = x[j];
  }
  for (std::size_t offset = 0; offset < pi.size(); offset += pairs) {
    for (std::int32_t s = 0; s < mdp.states(); ++s) {
      const auto pairs_of_state = mdp.pairs_of(s);
      const auto row = std::span(pi).subspan(offset + static_cast<std::size_t>(pairs_of_state.first()),
                                             pairs_of_state.size());
      double sum = 0;
      for (const double flow : row) sum += flow;
      for (double& p : row) p = sum > 0 ? p / sum : 1 / static_cast<double>(row.size());
    }
  }
  return pi;
}

}  // namespace mindgap::design

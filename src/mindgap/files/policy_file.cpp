#include "mindgap/files/policy_file.h"

#include <fmt/format.h>

#include <cmath>

#include "mindgap/base/check.h"
#include "mindgap/base/error.h"
#include "mindgap/base/readable.h"
#include "mindgap/files/csv.h"
#include "mindgap/files/folder_tables.h"
#include "mindgap/files/output.h"

namespace mindgap::files {

using namespace mdp;  // what these files hold
namespace {

// The probability of each pair as the file has it; -1 where it has none.
std::vector<double> read_rows(const TextFile& file, const Mdp& mdp) {
  const NameTable states = names_or_numbers(mdp.labels().states, mdp.states());
  const NameTable actions = names_or_numbers(mdp.labels().actions, mdp.actions());
  CsvReader reader(file.text, file.name, {"state", "action", "probability"});
  PairColumns columns(reader, states, actions);
  const std::size_t probability_column = reader.column("probability");
  std::vector<double> probability(static_cast<std::size_t>(mdp.pairs()), -1);
  while (const std::size_t count = reader.next()) {
    for (std::size_t i = 0; i < count; ++i) {
      columns.move_to(i);
      const std::int32_t pair = columns.pair(mdp, i);
      if (probability[pair] >= 0) reader.fail(i, "the pair has a second line", columns.where());
      const double p = reader.number(i, probability_column, "probability");
      if (!(p >= 0 && p <= 1 + kSumTolerance)) {
        reader.fail(i, "the probability must be from 0 to 1",
                    columns.where(reader.field(i, probability_column)));
      }
      probability[pair] = p;
    }
  }
  return probability;
}

// Turns -1 into 0 and checks the sum of one state; returns the pair that has it all, or -1.
std::int32_t check_state(const TextFile& file, const Mdp& mdp, std::int32_t state,
                         std::vector<double>& probability) {
  double sum = 0;
  std::int32_t first = -1, sure = -1;
  for (const std::int32_t k : mdp.pairs_of(state)) {
    if (probability[k] >= 0 && first < 0) first = k;
    if (probability[k] == 1) sure = k;
    probability[k] = std::max(probability[k], 0.0);
    sum += probability[k];
  }
  if (first < 0) {
    throw InvalidModel("the policy has no line for the state",
                       {.file = file.name, .state = mdp.state_name(state)});
  }
  if (std::abs(sum - 1) > kSumTolerance) {
    throw InvalidModel("the probabilities of the state must sum to 1",
                       {.file = file.name,
                        .line = find_pair_line(file, mdp.state_name(state), ""),
                        .state = mdp.state_name(state),
                        .value = base::number(sum, 12)});
  }
  return sum == 1 ? sure : -1;
}

// Writes a table through a temporary file; `body` writes what follows the header.
template <typename Body>
void write_table(const std::filesystem::path& path, std::string_view header, Body body) {
  StagedFile staged(path);
  TextWriter out(staged.temporary(), path.string());
  out.text(header);
  body(out);
  out.close();
  staged.commit();
}

void write_line(TextWriter& out, const Mdp& mdp, std::int32_t state, std::int32_t pair, double probability) {
  out.field(mdp.state_name(state)).text(",").field(mdp.action_name(mdp.pair_action()[pair])).text(",");
  out.number(probability).text("\n");
}

}  // namespace

Policy read_policy(const std::filesystem::path& path, const Mdp& mdp) {
  return parse_policy(open_text_file(path), mdp);
}

Policy parse_policy(const TextFile& file, const Mdp& mdp) {
  std::vector<double> probability = read_rows(file, mdp);
  std::vector<std::int32_t> pair_of_state(static_cast<std::size_t>(mdp.states()));
  bool deterministic = true;
  for (std::int32_t s = 0; s < mdp.states(); ++s) {
    pair_of_state[s] = check_state(file, mdp, s, probability);
    deterministic = deterministic && pair_of_state[s] >= 0;
  }
  return deterministic ? Policy::deterministic(mdp, std::move(pair_of_state))
                       : Policy::stochastic(mdp, std::move(probability));
}

void write_policy(const std::filesystem::path& path, const Mdp& mdp, const Policy& policy) {
  base::check_size("write_policy", "policy", static_cast<std::size_t>(policy.states()),
                   static_cast<std::size_t>(mdp.states()));
  const std::vector<double> probability = policy.probability_of_pair(mdp);
  base::check_size("write_policy", "policy", probability.size(), static_cast<std::size_t>(mdp.pairs()));
  write_table(path, "state,action,probability\n", [&](TextWriter& out) {
    for (std::int32_t s = 0; s < mdp.states(); ++s) {
      for (const std::int32_t k : mdp.pairs_of(s)) {
        if (probability[k] > 0) write_line(out, mdp, s, k, probability[k]);
      }
    }
  });
}

void write_actions(const std::filesystem::path& path, const Labels& names,
                   std::span<const std::int32_t> action_of_state) {
  write_table(path, "state,action,probability\n", [&](TextWriter& out) {
    for (std::size_t s = 0; s < action_of_state.size(); ++s) {
      out.field(name_or_number(names.states, static_cast<std::int32_t>(s))).text(",");
      out.field(name_or_number(names.actions, action_of_state[s])).text(",1\n");
    }
  });
}

void write_time_policy(const std::filesystem::path& path, const Mdp& mdp, std::int32_t steps,
                       std::span<const std::int32_t> pair_of_step_state) {
  const auto states = static_cast<std::size_t>(mdp.states());
  base::check_nonnegative("write_time_policy", "steps", steps);
  base::check_size("write_time_policy", "pair_of_step_state", pair_of_step_state.size(),
                   static_cast<std::size_t>(steps) * states);
  for (std::size_t i = 0; i < pair_of_step_state.size(); ++i) {
    const auto s = static_cast<std::int32_t>(i % states);
    const std::int32_t k = pair_of_step_state[i];
    if (mdp.pairs_of(s).contains(k)) continue;
    throw InvalidArgument(fmt::format("write_time_policy: pair {} at step {} does not belong to state '{}'",
                                      k, i / states, mdp.state_name(s)));
  }
  write_table(path, "step,state,action,probability\n", [&](TextWriter& out) {
    for (std::size_t i = 0; i < pair_of_step_state.size(); ++i) {
      out.number(static_cast<std::int64_t>(i / states)).text(",");
      write_line(out, mdp, static_cast<std::int32_t>(i % states), pair_of_step_state[i], 1);
    }
  });
}

}  // namespace mindgap::files

#include "mindgap/mdp/mean_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "mindgap/base/check.h"
#include "mindgap/base/error.h"
#include "mindgap/mdp/without_rows.h"

namespace mindgap::mdp {
namespace {

// Two models of several, with what they are called.
struct Comparison {
  const Mdp& first;
  const Mdp& other;
  std::string first_name, other_name;

  void check_numbers(const char* what, double wanted, double got) const {
    if (wanted == got) return;
    throw InvalidModel(fmt::format("the {} of model '{}' is {}, but that of model '{}' is {}", what,
                                   other_name, got, first_name, wanted),
                       {});
  }
  void check_names(const char* what, const NameTable& wanted, const NameTable& got) const {
    if (wanted == got) return;
    if (wanted.empty() != got.empty()) {
      throw InvalidModel(fmt::format("either both of the models '{}' and '{}' name their {}s or none does",
                                     first_name, other_name, what),
                         {});
    }
    std::int32_t i = 0;
    while (wanted[i] == got[i]) ++i;
    throw InvalidModel(
        fmt::format("{} {} is called '{}' in model '{}', but '{}' in model '{}'", what, i,
                    base::printable(got[i]), other_name, base::printable(wanted[i]), first_name),
        {});
  }
  void check_actions_of(std::int32_t s) const {
    const auto wanted = base::part_of(first.pair_action(), first.pairs_of(s));
    const auto got = base::part_of(other.pair_action(), other.pairs_of(s));
    if (std::ranges::equal(wanted, got)) return;
    std::int32_t a = 0;
    while (std::ranges::binary_search(got, a) == std::ranges::binary_search(wanted, a)) ++a;
    const bool here = std::ranges::binary_search(got, a);
    throw InvalidModel(fmt::format("the action is available in model '{}', but not in model '{}'",
                                   here ? other_name : first_name, here ? first_name : other_name),
                       {.state = first.state_name(s), .action = first.action_name(a)});
  }
  void check_start_of(std::int32_t s) const {
    const double wanted = first.start()[s], got = other.start()[s];
    if (std::abs(wanted - got) <= kSumTolerance) return;
    throw InvalidModel(fmt::format("the start probability in model '{}' is {}, but in model '{}' it is {}",
                                   other_name, got, first_name, wanted),
                       {.state = first.state_name(s)});
  }
  void check() const {
    check_numbers("number of states", first.states(), other.states());
    check_numbers("number of actions", first.actions(), other.actions());
    check_numbers("discount", first.discount(), other.discount());
    check_names("state", first.labels().states, other.labels().states);
    check_names("action", first.labels().actions, other.labels().actions);
    for (std::int32_t s = 0; s < first.states(); ++s) {
      check_actions_of(s);
      check_start_of(s);
    }
  }
};

// The weighted mean of a pair's rows. Where all lead to the same states they are added here; else the entries
// are left for Mdp to sort and add.
void append_mean_row(std::span<const Mdp> models, std::span<const double> weights, std::int32_t k,
                     MdpArrays& arrays) {
  const auto first = models.front().row(k).next_state;
  const bool same = std::ranges::all_of(
      models, [&](const Mdp& m) { return std::ranges::equal(m.row(k).next_state, first); });
  const std::size_t begin = arrays.next_state.size();
  for (std::size_t i = 0; i < models.size(); ++i) {
    const Row row = models[i].row(k);
    if (!same || i == 0) {
      arrays.next_state.insert(arrays.next_state.end(), row.next_state.begin(), row.next_state.end());
      arrays.probability.resize(arrays.next_state.size());
    }
    const std::size_t at = same ? begin : arrays.probability.size() - row.size();
    for (std::size_t j = 0; j < row.size(); ++j)
      arrays.probability[at + j] += weights[i] * row.probability[j];
  }
  arrays.row_begin.push_back(static_cast<std::int64_t>(arrays.next_state.size()));
}

}  // namespace

void check_same_pairs(std::span<const Mdp> models, const NameTable& names) {
  if (models.empty()) throw InvalidArgument("there must be at least one model");
  for (std::size_t i = 1; i < models.size(); ++i) {
    const auto name = [&](std::size_t m) {
      return base::printable(name_or_number(names, static_cast<std::int32_t>(m)));
    };
    Comparison{models[0], models[i], name(0), name(i)}.check();
  }
}

Mdp mean_model(std::span<const Mdp> models, std::span<const double> weights) {
  check_same_pairs(models);
  base::check_size("mean_model", "weights", weights.size(), models.size());
  base::check_simplex("mean_model", "weights", weights);
  MdpArrays arrays = without_rows(models.front());
  arrays.reward_max.reset();
  std::ranges::fill(arrays.reward, 0.0);
  for (std::int32_t k = 0; k < models.front().pairs(); ++k) {
    for (std::size_t i = 0; i < models.size(); ++i) arrays.reward[k] += weights[i] * models[i].reward()[k];
    append_mean_row(models, weights, k, arrays);
  }
  return Mdp(std::move(arrays));
}

}  // namespace mindgap::mdp

#include "mindgap/study/permutation.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <numbers>

#include "mindgap/study/assign.h"

namespace mindgap::study {
namespace {

// Units in the order of their states, as draw_arms() takes them.
struct Strata {
  std::vector<std::int32_t> state;                // ascending
  std::vector<std::vector<std::size_t>> members;  // of each
};

Strata strata_of(const State& state) {
  std::map<std::int32_t, std::vector<std::size_t>> by_state;
  for (std::size_t u = 0; u < static_cast<std::size_t>(state.founding()); ++u)
    by_state[state.units[u].state].push_back(u);
  Strata found;
  for (auto& [place, units] : by_state) {
    found.state.push_back(place);
    found.members.push_back(std::move(units));
  }
  return found;
}

// How many controls each stratum has, and with what probability.
struct Counts {
  double probability = 1;
  std::vector<std::int64_t> controls;
};

// Systematic sampling from a uniform start: the counts change only where a unit's turn begins.
std::vector<Counts> systematic_counts(const Strata& strata, double share) {
  std::vector<double> turns = {0, 1};
  std::int64_t units = 0;
  for (const auto& members : strata.members) {
    for (std::size_t i = 0; i < members.size(); ++i) {
      const double passed = share * static_cast<double>(++units);
      turns.push_back(1 - (passed - std::floor(passed)));
    }
  }
  std::sort(turns.begin(), turns.end());
  std::map<std::vector<std::int64_t>, double> found;
  for (std::size_t i = 0; i + 1 < turns.size(); ++i) {
    const double width = turns[i + 1] - turns[i];
    if (width <= 1e-12) continue;
    double position = (turns[i] + turns[i + 1]) / 2;
    std::vector<std::int64_t> controls;
    for (const auto& members : strata.members) {
      controls.push_back(0);
      for (std::size_t m = 0; m < members.size(); ++m) {
        position += share;
        if (position < 1) continue;
        position -= 1;
        ++controls.back();
      }
    }
    found[controls] += width;
  }
  std::vector<Counts> list;
  list.reserve(found.size());
  for (const auto& [controls, probability] : found) list.push_back({probability, controls});
  return list;
}

std::vector<Counts> counts_of(const State& state, const Strata& strata) {
  if (state.options.plan.empty()) return systematic_counts(strata, state.options.control_share);
  Counts fixed;
  for (const auto& members : strata.members) {
    fixed.controls.push_back(std::count_if(
        members.begin(), members.end(), [&](std::size_t u) { return state.units[u].arm == Arm::control; }));
  }
  return {fixed};
}

double arrangements_of(const Strata& strata, const Counts& counts) {
  double log_number = 0;
  for (std::size_t s = 0; s < strata.members.size(); ++s) {
    const auto n = static_cast<double>(strata.members[s].size()), k = static_cast<double>(counts.controls[s]);
    log_number += std::lgamma(n + 1) - std::lgamma(k + 1) - std::lgamma(n - k + 1);
  }
  return std::exp(log_number);
}

// |difference of means| of an arrangement; infinite where an arm has no result.
class Statistic {
 public:
  explicit Statistic(std::span<const double> mean) : mean_(mean) {
    for (const double m : mean) {
      if (std::isnan(m)) continue;
      total_ += m;
      ++units_;
    }
  }
  bool counts(std::size_t unit) const { return !std::isnan(mean_[unit]); }
  double value(std::size_t unit) const { return mean_[unit]; }
  double of(double control_sum, std::int64_t controls) const {
    if (controls == 0 || controls == units_) return std::numeric_limits<double>::infinity();
    const auto n = static_cast<double>(controls), rest = static_cast<double>(units_ - controls);
    return std::abs((total_ - control_sum) / rest - control_sum / n);
  }

 private:
  std::span<const double> mean_;
  double total_ = 0;
  std::int64_t units_ = 0;
};

// Walks over all choices of controls within the strata.
class Enumeration {
 public:
  Enumeration(const Strata& strata, const Statistic& statistic, double seen)
      : strata_(strata), statistic_(statistic), seen_(seen) {}

  /// The share of the arrangements with these counts whose statistic is as large as the one seen.
  double share(const Counts& counts) {
    all_ = extreme_ = 0;
    choose(counts, 0, 0, counts.controls.front(), 0, 0);
    arrangements_ += all_;
    return static_cast<double>(extreme_) / static_cast<double>(all_);
  }
  std::int64_t arrangements() const { return arrangements_; }

 private:
  void choose(const Counts& counts, std::size_t stratum, std::size_t from, std::int64_t left, double sum,
              std::int64_t controls) {
    const auto& members = strata_.members[stratum];
    if (left == 0) {
      if (stratum + 1 < strata_.members.size())
        return choose(counts, stratum + 1, 0, counts.controls[stratum + 1], sum, controls);
      ++all_;
      extreme_ += statistic_.of(sum, controls) >= seen_;
      return;
    }
    for (std::size_t i = from; i + static_cast<std::size_t>(left) <= members.size(); ++i) {
      const bool known = statistic_.counts(members[i]);
      choose(counts, stratum, i + 1, left - 1, known ? sum + statistic_.value(members[i]) : sum,
             controls + (known ? 1 : 0));
    }
  }

  const Strata& strata_;
  const Statistic& statistic_;
  double seen_;
  std::int64_t all_ = 0, extreme_ = 0, arrangements_ = 0;
};

double statistic_of(const Statistic& statistic, std::span<const Arm> arms) {
  double sum = 0;
  std::int64_t controls = 0;
  for (std::size_t u = 0; u < arms.size(); ++u) {
    if (arms[u] != Arm::control || !statistic.counts(u)) continue;
    sum += statistic.value(u);
    ++controls;
  }
  return statistic.of(sum, controls);
}

}  // namespace

std::optional<Permutation> permutation_test(const State& state, std::span<const double> mean, int look) {
  const Strata strata = strata_of(state);
  const Statistic statistic(mean);
  std::vector<Arm> arms;
  for (std::size_t u = 0; u < mean.size(); ++u) arms.push_back(state.units[u].arm);
  const double found = statistic_of(statistic, arms);
  if (std::isinf(found)) return std::nullopt;
  const double seen = found - 1e-9 * (1 + found);  // sums are added in another order
  const std::vector<Counts> possible = counts_of(state, strata);
  double number = 0;
  for (const Counts& counts : possible) number += arrangements_of(strata, counts);
  Permutation result;
  result.exact = number <= static_cast<double>(kMostArrangements);
  if (result.exact) {
    Enumeration enumeration(strata, statistic, seen);
    result.p_value = 0;
    for (const Counts& counts : possible) result.p_value += counts.probability * enumeration.share(counts);
    result.arrangements = enumeration.arrangements();
  } else {
    std::int64_t extreme = 1;
    for (std::int64_t i = 0; i < kRedraws; ++i)
      extreme += statistic_of(statistic, redrawn_arms(state, i)) >= seen;
    result.p_value = static_cast<double>(extreme) / static_cast<double>(kRedraws + 1);
    result.arrangements = kRedraws;
  }
  result.p_value = std::min(1.0, result.p_value);
  result.adjusted = std::min(1.0, result.p_value * std::numbers::pi * std::numbers::pi * look * look / 6);
  return result;
}

}  // namespace mindgap::study

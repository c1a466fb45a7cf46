#include "mindgap/mdp/mdp.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "mindgap/base/error.h"
#include "mindgap/base/readable.h"

namespace mindgap::mdp {
namespace {

std::int32_t find_name_or_number(const NameTable& names, std::string_view name, std::int32_t size) {
  if (!names.empty()) return names.find(name);
  std::int32_t number = -1;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
  const bool whole = error == std::errc() && end == name.data() + name.size();
  return whole && number >= 0 && number < size ? number : -1;
}

[[noreturn]] void fail(const std::string& problem, ModelLocation where = {}) {
  throw InvalidModel(problem, std::move(where));
}

void check_length(std::string_view what, std::size_t size, std::size_t wanted) {
  if (size != wanted) fail(fmt::format("{} has {} entries, expected {}", what, size, wanted));
}

void check_discount(double discount) {
  if (!(discount >= 0 && discount <= 1)) {
    fail("the discount must be from 0 to 1", {.value = fmt::format("{}", discount)});
  }
}

std::vector<double> checked_start(std::vector<double> start, std::int32_t states, const NameTable& names) {
  const auto size = static_cast<std::size_t>(states);
  if (start.empty()) return std::vector<double>(size, 1.0 / states);
  check_length("start", start.size(), size);
  double sum = 0;
  for (std::size_t s = 0; s < size; ++s) {
    if (!(start[s] >= 0 && start[s] <= 1 + kSumTolerance)) {
      fail("the start probability must be from 0 to 1",
           {.state = name_or_number(names, static_cast<std::int32_t>(s)),
            .value = fmt::format("{}", start[s])});
    }
    sum += start[s];
  }
  if (std::abs(sum - 1) > kSumTolerance) {
    fail("the start probabilities must sum to 1", {.value = base::number(sum, 12)});
  }
  return start;
}

double magnitude(std::span<const double> reward) {
  double largest = 0;
  for (const double r : reward) largest = std::max(largest, std::abs(r));
  return largest;
}

void check_reward_max(double stated) {
  if (!(std::isfinite(stated) && stated >= 0)) {
    fail("reward_max must be finite and not negative", {.value = fmt::format("{}", stated)});
  }
}

// The rows of a model, made canonical: sorted by next state, equal next states added, zeros dropped. They are
// read where they lie and written, into `arrays`, only from the first row on that is not so already.
class RowCleaner {
 public:
  RowCleaner(MdpArrays& arrays, const SharedRows* shared, std::int32_t states)
      : arrays_(arrays),
        next_state_(shared ? shared->next_state.values() : arrays.next_state),
        probability_(shared ? shared->probability.values() : arrays.probability),
        elsewhere_(shared != nullptr),
        states_(states) {}

  void run() {
    std::int64_t out = 0;
    std::int64_t begin = 0;
    for (std::int32_t s = 0; s < states_; ++s) {
      for (std::int32_t k = arrays_.pair_begin[s]; k < arrays_.pair_begin[s + 1]; ++k) {
        const std::int64_t end = arrays_.row_begin[k + 1];
        if (end < begin || end > static_cast<std::int64_t>(next_state_.size())) {
          fail("row_begin must not decrease", where(s, k));
        }
        arrays_.row_begin[k] = out;
        out = clean_row(s, k, begin, end, out);
        begin = end;
      }
    }
    arrays_.row_begin.back() = out;
    if (static_cast<std::size_t>(out) < next_state_.size()) {
      arrays_.next_state.resize(static_cast<std::size_t>(out));
      arrays_.probability.resize(static_cast<std::size_t>(out));
    }
  }

  // Whether the rows are still where somebody else has them.
  bool elsewhere() const { return elsewhere_; }

  double sum_min = 2, sum_max = 0;
  std::int32_t length_max = 0;

 private:
  ModelLocation where(std::int32_t s, std::int32_t k, std::string value = {}) const {
    return {.state = name_or_number(arrays_.labels.states, s),
            .action = name_or_number(arrays_.labels.actions, arrays_.pair_action[k]),
            .value = std::move(value)};
  }

  std::int64_t clean_row(std::int32_t s, std::int32_t k, std::int64_t begin, std::int64_t end,
                         std::int64_t out) {
    bool clean = begin == out;  // nothing before was dropped, so the row may stay where it is
    std::int32_t last = -1;
    for (std::int64_t i = begin; i < end; ++i) {
      const std::int32_t next = next_state_[i];
      const double p = probability_[i];
      if (next < 0 || next >= states_) {
        fail(fmt::format("next state {} does not exist", next), where(s, k));
      }
      if (!(p >= 0 && p <= 1 + kSumTolerance)) {
        fail("a probability must be from 0 to 1", where(s, k, fmt::format("{}", p)));
      }
      clean = clean && next > last && p > 0;
      last = next;
    }
    const std::int64_t new_end = clean ? end : rewrite_row(begin, end, out);
    double sum = 0;
    for (std::int64_t i = out; i < new_end; ++i) sum += probability_[i];
    if (begin == end) fail("the pair has no transitions", where(s, k));
    if (!(std::abs(sum - 1) <= kSumTolerance)) {
      fail("transition probabilities must sum to 1", where(s, k, base::number(sum, 12)));
    }
    sum_min = std::min(sum_min, sum);
    sum_max = std::max(sum_max, sum);
    length_max = std::max(length_max, static_cast<std::int32_t>(new_end - out));
    return new_end;
  }

  std::int64_t rewrite_row(std::int64_t begin, std::int64_t end, std::int64_t out) {
    if (elsewhere_) bring_here();
    scratch_.clear();
    for (std::int64_t i = begin; i < end; ++i) scratch_.emplace_back(next_state_[i], probability_[i]);
    std::stable_sort(scratch_.begin(), scratch_.end(), [](auto& a, auto& b) { return a.first < b.first; });
    for (std::size_t i = 0; i < scratch_.size();) {
      const std::int32_t next = scratch_[i].first;
      double p = 0;
      for (; i < scratch_.size() && scratch_[i].first == next; ++i) p += scratch_[i].second;
      if (p > 0) {
        arrays_.next_state[out] = next;
        arrays_.probability[out] = p;
        ++out;
      }
    }
    return out;
  }

  void bring_here() {
    arrays_.next_state.assign(next_state_.begin(), next_state_.end());
    arrays_.probability.assign(probability_.begin(), probability_.end());
    next_state_ = arrays_.next_state;
    probability_ = arrays_.probability;
    elsewhere_ = false;
  }

  MdpArrays& arrays_;
  std::span<const std::int32_t> next_state_;
  std::span<const double> probability_;
  bool elsewhere_;
  std::int32_t states_;
  std::vector<std::pair<std::int32_t, double>> scratch_;
};

void check_labels(const Labels& labels, std::int32_t states, std::int32_t actions) {
  const auto size = static_cast<std::size_t>(states);
  if (!labels.states.empty())
    check_length("state names", static_cast<std::size_t>(labels.states.size()), size);
  if (!labels.actions.empty()) {
    check_length("action names", static_cast<std::size_t>(labels.actions.size()),
                 static_cast<std::size_t>(actions));
  }
  if (!labels.group_of_state.empty()) check_length("groups", labels.group_of_state.size(), size);
  for (const std::int32_t group : labels.group_of_state) {
    if (group < -1 || group >= labels.groups.size()) fail(fmt::format("group {} does not exist", group));
  }
  if (labels.x.size() != labels.y.size()) fail("coordinates x and y must be given together");
  if (!labels.x.empty()) check_length("coordinates", labels.x.size(), size);
  for (const auto* axis : {&labels.x, &labels.y}) {
    for (std::size_t s = 0; s < axis->size(); ++s) {
      if (!std::isfinite((*axis)[s])) {
        fail("a coordinate must be finite",
             {.state = name_or_number(labels.states, static_cast<std::int32_t>(s)),
              .value = fmt::format("{}", (*axis)[s])});
      }
    }
  }
}

// Checks that pair_begin and pair_action describe pairs of states in order; returns the number of actions.
std::int32_t check_pairs(const MdpArrays& arrays, std::int32_t states) {
  const auto pairs = static_cast<std::int32_t>(arrays.pair_action.size());
  const std::int32_t named = arrays.labels.actions.size();
  const std::int32_t limit = arrays.actions > 0 ? arrays.actions : named;
  std::int32_t actions = limit;
  if (arrays.pair_begin.front() != 0 || arrays.pair_begin.back() != pairs)
    fail("pair_begin must run from 0 to pairs");
  for (std::int32_t s = 0; s < states; ++s) {
    const std::int32_t begin = arrays.pair_begin[s], end = arrays.pair_begin[s + 1];
    if (end < begin || end > pairs) fail("pair_begin must not decrease");
    if (end == begin)
      fail("the state has no available action", {.state = name_or_number(arrays.labels.states, s)});
    for (std::int32_t k = begin; k < end; ++k) {
      const std::int32_t action = arrays.pair_action[k];
      if (action < 0 || action == INT32_MAX || (limit > 0 && action >= limit))
        fail(fmt::format("action {} does not exist", action));
      if (k > begin && action <= arrays.pair_action[k - 1]) {
        fail("the actions of a state must be in order, each once",
             {.state = name_or_number(arrays.labels.states, s),
              .action = name_or_number(arrays.labels.actions, action)});
      }
      actions = std::max(actions, action + 1);
    }
  }
  return actions;
}

ModelLocation where_pair(const Mdp& mdp, std::int32_t pair, std::string value) {
  return {.state = mdp.state_name(mdp.state_of_pair(pair)),
          .action = mdp.action_name(mdp.pair_action()[pair]),
          .value = std::move(value)};
}

}  // namespace

Mdp::Mdp(MdpArrays arrays) {
  build(arrays, nullptr);
}

Mdp::Mdp(MdpArrays arrays, SharedRows rows) {
  build(arrays, &rows);
}

void Mdp::build(MdpArrays& arrays, SharedRows* rows) {
  if (arrays.pair_begin.size() < 2) fail("the model has no states");
  states_ = static_cast<std::int32_t>(arrays.pair_begin.size()) - 1;
  check_discount(arrays.discount);
  const std::int32_t actions = check_pairs(arrays, states_);
  check_labels(arrays.labels, states_, actions);
  const std::size_t pairs = arrays.pair_action.size();
  const std::size_t nonzeros = rows ? rows->next_state.size() : arrays.next_state.size();
  check_length("row_begin", arrays.row_begin.size(), pairs + 1);
  check_length("probability", rows ? rows->probability.size() : arrays.probability.size(), nonzeros);
  if (arrays.row_begin.front() != 0 || arrays.row_begin.back() != static_cast<std::int64_t>(nonzeros)) {
    fail("row_begin must run from 0 to the number of transitions");
  }
  reward_ = rows ? std::move(rows->reward) : Numbers(std::move(arrays.reward));
  check_length("reward", reward_.size(), pairs);
  for (std::int32_t s = 0; s < states_; ++s) {
    for (std::int32_t k = arrays.pair_begin[s]; k < arrays.pair_begin[s + 1]; ++k) {
      if (std::isfinite(reward()[k])) continue;
      fail("the reward must be finite",
           {.state = name_or_number(arrays.labels.states, s),
            .action = name_or_number(arrays.labels.actions, arrays.pair_action[k]),
            .value = fmt::format("{}", reward()[k])});
    }
  }

  RowCleaner cleaner(arrays, rows, states_);
  cleaner.run();
  row_sum_min_ = cleaner.sum_min;
  row_sum_max_ = cleaner.sum_max;
  discount_ = arrays.discount;
  reward_magnitude_ = magnitude(reward());
  reward_max_ = arrays.reward_max.value_or(reward_magnitude_);
  check_reward_max(reward_max_);
  start_ = checked_start(std::move(arrays.start), states_, arrays.labels.states);
  const bool shared = cleaner.elsewhere();
  probability_ = shared ? std::move(rows->probability) : Numbers(std::move(arrays.probability));
  base::SharedArray<std::int32_t> next_state =
      shared ? std::move(rows->next_state) : base::SharedArray<std::int32_t>(std::move(arrays.next_state));
  structure_ = std::make_shared<const Structure>(
      Structure{actions, cleaner.length_max, std::move(arrays.pair_begin), std::move(arrays.pair_action),
                std::move(arrays.row_begin), std::move(next_state), std::move(arrays.labels)});
}

std::optional<std::size_t> Row::find(std::int32_t state) const {
  const auto at = std::lower_bound(next_state.begin(), next_state.end(), state);
  if (at == next_state.end() || *at != state) return std::nullopt;
  return static_cast<std::size_t>(at - next_state.begin());
}

std::int32_t Mdp::state_of_pair(std::int32_t pair) const {
  const auto begin = pair_begin();
  return static_cast<std::int32_t>(std::upper_bound(begin.begin(), begin.end(), pair) - begin.begin()) - 1;
}

std::int32_t Mdp::find_pair(std::int32_t state, std::int32_t action) const {
  const auto first = pair_action().begin() + pair_begin()[state];
  const auto last = pair_action().begin() + pair_begin()[state + 1];
  const auto it = std::lower_bound(first, last, action);
  return it != last && *it == action ? static_cast<std::int32_t>(it - pair_action().begin()) : -1;
}

std::string Mdp::state_name(std::int32_t state) const {
  return name_or_number(labels().states, state);
}
std::string Mdp::action_name(std::int32_t action) const {
  return name_or_number(labels().actions, action);
}
std::int32_t Mdp::find_state(std::string_view name) const {
  return find_name_or_number(labels().states, name, states());
}
std::int32_t Mdp::find_action(std::string_view name) const {
  return find_name_or_number(labels().actions, name, actions());
}

Mdp Mdp::with_discount(double discount) const {
  check_discount(discount);
  Mdp result = *this;
  result.discount_ = discount;
  return result;
}

Mdp Mdp::with_reward(std::vector<double> reward) const {
  check_length("reward", reward.size(), static_cast<std::size_t>(pairs()));
  for (const double r : reward) {
    if (!std::isfinite(r)) fail("the reward must be finite", {.value = fmt::format("{}", r)});
  }
  Mdp result = *this;
  result.reward_magnitude_ = result.reward_max_ = magnitude(reward);
  result.reward_ = std::move(reward);
  return result;
}

Mdp Mdp::with_start(std::vector<double> start) const {
  Mdp result = *this;
  result.start_ = checked_start(std::move(start), states_, labels().states);
  return result;
}

Mdp Mdp::with_probability(std::vector<double> probability) const {
  check_length("probability", probability.size(), static_cast<std::size_t>(nonzeros()));
  Mdp result = *this;
  result.row_sum_min_ = 2;
  result.row_sum_max_ = 0;
  const auto begin = row_begin();
  for (std::int32_t k = 0; k < pairs(); ++k) {
    double sum = 0;
    for (std::int64_t i = begin[k]; i < begin[k + 1]; ++i) {
      // A zero would leave a transition that is possible by structure and impossible by number.
      if (!(probability[i] > 0)) {
        fail("the probability of a possible transition must be positive",
             where_pair(*this, k, fmt::format("{}", probability[i])));
      }
      sum += probability[i];
    }
    if (!(std::abs(sum - 1) <= kSumTolerance)) {
      fail("transition probabilities must sum to 1", where_pair(*this, k, base::number(sum, 12)));
    }
    result.row_sum_min_ = std::min(result.row_sum_min_, sum);
    result.row_sum_max_ = std::max(result.row_sum_max_, sum);
  }
  result.probability_ = std::move(probability);
  return result;
}

bool Mdp::operator==(const Mdp& other) const {
  return discount_ == other.discount_ && reward_max_ == other.reward_max_ &&
         *structure_ == *other.structure_ && probability_ == other.probability_ && reward_ == other.reward_ &&
         start_ == other.start_;
}

}  // namespace mindgap::mdp

#include "mindgap/world/hidden_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <tuple>

#include "mindgap/base/error.h"
#include "mindgap/base/readable.h"
#include "mindgap/mdp/model_values.h"

namespace mindgap::world {
namespace {

[[noreturn]] void fail(const std::string& problem, ModelLocation where = {}) {
  throw InvalidModel(problem, std::move(where));
}

void check_length(std::string_view what, std::size_t size, std::size_t wanted) {
  if (size != wanted) fail(fmt::format("{} has {} entries, expected {}", what, size, wanted));
}

double largest(const std::vector<double>& values) {
  double result = 0;
  for (const double value : values) result = std::max(result, std::abs(value));
  return result;
}

std::int32_t checked_hidden(const HiddenArrays& arrays) {
  const std::int32_t names = arrays.hidden_names.size();
  const std::int32_t hidden = arrays.hidden > 0 ? arrays.hidden : names;
  if (hidden < 1) fail("the world has no hidden states");
  if (names > 0) {
    check_length("hidden names", static_cast<std::size_t>(names), static_cast<std::size_t>(hidden));
  }
  return hidden;
}

// Lets an Mdp check what it has in common with a world: every pair pays 0 and leads to state 0.
mdp::Mdp frame_of(const HiddenArrays& arrays) {
  const std::size_t pairs = arrays.pair_action.size();
  mdp::MdpArrays frame;
  frame.discount = arrays.discount;
  // What is wrong with a reward is said later, with its hidden state.
  const double magnitude = largest(arrays.reward);
  frame.reward_max = arrays.reward_max.value_or(std::isfinite(magnitude) ? magnitude : 0);
  frame.pair_begin = arrays.pair_begin;
  frame.pair_action = arrays.pair_action;
  frame.row_begin.resize(pairs + 1);
  for (std::size_t k = 0; k <= pairs; ++k) frame.row_begin[k] = static_cast<std::int64_t>(k);
  frame.next_state.assign(pairs, 0);
  frame.probability.assign(pairs, 1);
  frame.reward.assign(pairs, 0);
  frame.start = arrays.start;
  frame.actions = arrays.actions;
  frame.labels = arrays.labels;
  return mdp::Mdp(std::move(frame));
}

// What the constructor checks beyond the frame; rows are made canonical in place.
class Checker {
 public:
  Checker(HiddenArrays& arrays, const mdp::Mdp& frame, std::int32_t hidden)
      : arrays_(arrays), frame_(frame), hidden_(hidden) {}

  void run() {
    const auto hidden = static_cast<std::size_t>(hidden_);
    const std::size_t cells = static_cast<std::size_t>(frame_.pairs()) * hidden;
    const std::size_t states = static_cast<std::size_t>(frame_.states()) * hidden;
    if (arrays_.variance.empty()) arrays_.variance.assign(cells, 0);
    check_length("reward", arrays_.reward.size(), cells);
    check_length("variance", arrays_.variance.size(), cells);
    check_length("behaviour", arrays_.behaviour.size(), cells);
    check_length("calibration", arrays_.calibration.size(), states);
    check_length("deployment", arrays_.deployment.size(), states);
    check_length("row_begin", arrays_.row_begin.size(), cells + 1);
    check_length("next_hidden", arrays_.next_hidden.size(), arrays_.next_state.size());
    check_length("probability", arrays_.probability.size(), arrays_.next_state.size());
    if (arrays_.row_begin.front() != 0 ||
        arrays_.row_begin.back() != static_cast<std::int64_t>(arrays_.next_state.size())) {
      fail("row_begin must run from 0 to the number of transitions");
    }
    check_rewards();
    check_behaviour();
    check_hidden_law("calibration", arrays_.calibration);
    check_hidden_law("deployment", arrays_.deployment);
    clean_rows();
  }

 private:
  ModelLocation where(std::int32_t s, std::int32_t k, std::int32_t h, std::string value = {}) const {
    return {.state = frame_.state_name(s),
            .action = k < 0 ? std::string() : frame_.action_name_of_pair(k),
            .value = std::move(value),
            .hidden = h < 0 ? std::string() : mdp::name_or_number(arrays_.hidden_names, h)};
  }

  std::size_t at(std::int32_t row, std::int32_t h) const {
    return static_cast<std::size_t>(row) * static_cast<std::size_t>(hidden_) + static_cast<std::size_t>(h);
  }

  // body(state, pair, hidden, cell), in the order of cells.
  template <typename Body>
  void for_each_cell(Body body) const {
    for (std::int32_t s = 0; s < frame_.states(); ++s) {
      for (const std::int32_t k : frame_.pairs_of(s)) {
        for (std::int32_t h = 0; h < hidden_; ++h) body(s, k, h, at(k, h));
      }
    }
  }

  void check_rewards() {
    for_each_cell([&](std::int32_t s, std::int32_t k, std::int32_t h, std::size_t c) {
      if (!std::isfinite(arrays_.reward[c])) {
        fail("the reward must be finite", where(s, k, h, fmt::format("{}", arrays_.reward[c])));
      }
      if (!mdp::kVariance.good(arrays_.variance[c])) {
        fail(mdp::kVariance.problem, where(s, k, h, fmt::format("{}", arrays_.variance[c])));
      }
      arrays_.variance[c] += 0.0;  // -0 becomes 0
    });
  }

  // Returns p with -0 made 0.
  double checked(const char* what, double p, const ModelLocation& place) const {
    if (p >= 0 && p <= 1 + kSumTolerance) return p + 0.0;
    ModelLocation location = place;
    location.value = fmt::format("{}", p);
    fail(fmt::format("the {} probability must be from 0 to 1", what), std::move(location));
  }

  void check_sum(const char* what, double sum, ModelLocation place) const {
    if (sums_to_one(sum)) return;
    place.value = base::number(sum, 12);
    fail(fmt::format("the {} probabilities must sum to 1", what), std::move(place));
  }

  void check_behaviour() {
    for (std::int32_t s = 0; s < frame_.states(); ++s) {
      for (std::int32_t h = 0; h < hidden_; ++h) {
        double sum = 0;
        for (const std::int32_t k : frame_.pairs_of(s)) {
          double& p = arrays_.behaviour[at(k, h)];
          p = checked("behaviour", p, where(s, k, h));
          sum += p;
        }
        check_sum("behaviour", sum, where(s, -1, h));
      }
    }
  }

  void check_hidden_law(const char* what, std::vector<double>& law) {
    for (std::int32_t s = 0; s < frame_.states(); ++s) {
      double sum = 0;
      for (std::int32_t h = 0; h < hidden_; ++h) {
        double& p = law[at(s, h)];
        p = checked(what, p, where(s, -1, h));
        sum += p;
      }
      check_sum(what, sum, where(s, -1, -1));
    }
  }

  void clean_rows() {
    std::int64_t begin = 0, out = 0;
    for_each_cell([&](std::int32_t s, std::int32_t k, std::int32_t h, std::size_t c) {
      const std::int64_t end = arrays_.row_begin[c + 1];
      if (end < begin || end > static_cast<std::int64_t>(arrays_.next_state.size())) {
        fail("row_begin must not decrease", where(s, k, h));
      }
      if (end == begin) fail("the pair has no transitions in this hidden state", where(s, k, h));
      read_row(begin, end, where(s, k, h));
      arrays_.row_begin[c] = out;
      out = write_row(out, where(s, k, h));
      begin = end;
    });
    arrays_.row_begin.back() = out;
    arrays_.next_state.resize(static_cast<std::size_t>(out));
    arrays_.next_hidden.resize(static_cast<std::size_t>(out));
    arrays_.probability.resize(static_cast<std::size_t>(out));
  }

  void read_row(std::int64_t begin, std::int64_t end, const ModelLocation& place) {
    row_.clear();
    for (std::int64_t i = begin; i < end; ++i) {
      const Entry entry{arrays_.next_state[i], arrays_.next_hidden[i],
                        checked("transition", arrays_.probability[i], place)};
      if (entry.state < 0 || entry.state >= frame_.states()) {
        fail(fmt::format("next state {} does not exist", entry.state), place);
      }
      if (entry.hidden < 0 || entry.hidden >= hidden_) {
        fail(fmt::format("next hidden state {} does not exist", entry.hidden), place);
      }
      row_.push_back(entry);
    }
    const auto before = [](const Entry& a, const Entry& b) {
      return std::tie(a.state, a.hidden) < std::tie(b.state, b.hidden);
    };
    if (!std::is_sorted(row_.begin(), row_.end(), before)) {
      std::stable_sort(row_.begin(), row_.end(), before);
    }
  }

  std::int64_t write_row(std::int64_t out, const ModelLocation& place) {
    double sum = 0;
    for (std::size_t i = 0; i < row_.size();) {
      const Entry first = row_[i];
      double p = 0;
      for (; i < row_.size() && row_[i].state == first.state && row_[i].hidden == first.hidden; ++i) {
        p += row_[i].probability;
      }
      if (p <= 0) continue;
      arrays_.next_state[out] = first.state;
      arrays_.next_hidden[out] = first.hidden;
      arrays_.probability[out] = p;
      sum += p;
      ++out;
    }
    check_sum("transition", sum, place);
    return out;
  }

  struct Entry {
    std::int32_t state, hidden;
    double probability;
  };

  HiddenArrays& arrays_;
  const mdp::Mdp& frame_;
  std::int32_t hidden_;
  std::vector<Entry> row_;
};

}  // namespace

HiddenModel::HiddenModel(HiddenArrays arrays) : frame_(frame_of(arrays)), hidden_(checked_hidden(arrays)) {
  Checker(arrays, frame_, hidden_).run();
  cells_ = std::make_shared<const Cells>(
      Cells{std::move(arrays.name), std::move(arrays.reward), std::move(arrays.variance),
            std::move(arrays.behaviour), std::move(arrays.calibration), std::move(arrays.deployment),
            std::move(arrays.row_begin), std::move(arrays.next_state), std::move(arrays.next_hidden),
            std::move(arrays.probability), std::move(arrays.hidden_names)});
}

bool HiddenModel::operator==(const HiddenModel& other) const {
  return hidden_ == other.hidden_ && frame_ == other.frame_ && *cells_ == *other.cells_;
}

}  // namespace mindgap::world

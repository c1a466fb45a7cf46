#include "paper/cases/confounded/from_history.h"

#include <algorithm>
#include <cmath>

#include "mindgap/world/history.h"
#include "mindgap/world/projection.h"

namespace mindgap::cases::confounded {
namespace {

constexpr double kGuess = 0;              // reward of a pair that was never seen
constexpr double kLargestVariance = .25;  // of something in [0, 1]

struct Record {
  std::vector<double> count, mean;  // per pair
  std::vector<double> moves;        // per possible transition
  double variance = kLargestVariance;
};

Record summarise(const mdp::Mdp& possible, const world::History& history) {
  const auto pairs = static_cast<std::size_t>(possible.pairs());
  Record record{std::vector<double>(pairs, 0), std::vector<double>(pairs, kGuess),
                std::vector<double>(static_cast<std::size_t>(possible.nonzeros()), 0)};
  double squares = 0, freedom = 0;
  for (std::size_t i = 0; i < history.pair.size(); ++i) {
    const std::int32_t k = history.pair[i];
    const std::size_t to = possible.row(k).find(history.next_state[i]).value();
    record.moves[static_cast<std::size_t>(possible.entries_of(k).first()) + to] += 1;
    record.count[k] += 1;
    const double off = history.reward[i] - (record.count[k] == 1 ? 0 : record.mean[k]);
    record.mean[k] = record.count[k] == 1 ? history.reward[i] : record.mean[k] + off / record.count[k];
    if (record.count[k] == 1) continue;
    squares += off * (history.reward[i] - record.mean[k]);
    freedom += 1;
  }
  if (freedom > 0) record.variance = squares / freedom;
  return record;
}

mdp::Mdp simulator_of(const mdp::Mdp& possible, const Record& record) {
  mdp::MdpArrays arrays{.discount = possible.discount(), .reward_max = possible.reward_max()};
  arrays.pair_begin.assign(possible.pair_begin().begin(), possible.pair_begin().end());
  arrays.pair_action.assign(possible.pair_action().begin(), possible.pair_action().end());
  arrays.row_begin.assign(possible.row_begin().begin(), possible.row_begin().end());
  arrays.next_state.assign(possible.next_state().begin(), possible.next_state().end());
  arrays.start.assign(possible.start().begin(), possible.start().end());
  arrays.actions = possible.actions();
  arrays.labels = possible.labels();
  arrays.reward = record.mean;
  for (std::int32_t k = 0; k < possible.pairs(); ++k) {
    const auto entries = possible.entries_of(k);
    for (const std::int64_t i : entries) {
      arrays.probability.push_back((record.moves[i] + 1 / static_cast<double>(entries.size())) /
                                   (record.count[k] + 1));
    }
  }
  return mdp::Mdp(std::move(arrays));
}

}  // namespace

belief::Belief belief_from_history(const Dials& dials, const world::HiddenModel& truth, std::uint64_t seed) {
  dials.validate();
  const mdp::Mdp possible = world::calibration_kernel(truth);
  const Record record = summarise(
      possible, world::sample_history(truth, seed, 1, dials.history, world::HistoryHidden::calibration));
  mdp::Mdp simulator = simulator_of(possible, record);
  const auto pairs = static_cast<std::size_t>(simulator.pairs());
  std::vector<double> variance(pairs, record.variance);
  belief::Prior wide{std::vector<double>(pairs, 1 / std::sqrt(3.0)), std::vector<double>(pairs)};
  for (std::int32_t k = 0; k < possible.pairs(); ++k) {
    wide.transition_strength[k] = static_cast<double>(possible.entries_of(k).size());
  }
  belief::Prior prior =
      belief::prior_from_coverage(simulator, variance, record.count, wide, {.odds = dials.odds});
  return belief::Belief(std::move(simulator), std::move(prior), std::move(variance));
}

}  // namespace mindgap::cases::confounded

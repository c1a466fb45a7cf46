#include "mindgap/decide/information.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "mindgap/base/parallel.h"
#include "mindgap/base/workers.h"
#include "mindgap/decide/batch_information.h"
#include "mindgap/decide/local_value.h"
#include "mindgap/mdp/reach.h"
#include "mindgap/stats/moments.h"
#include "mindgap/stats/paired.h"

namespace mindgap::decide {
namespace {

using mdp::Mdp;

constexpr std::size_t kBetweenLooks = 64;  // draws
// Nonzeros x steps x draws up to which all draws are made; above only as many as it takes for standard errors
// of this share of the value of information.
constexpr double kMuch = 1e9, kPrecise = .02;
constexpr double kAccuracy = 1e-3;  // of one draw's local value: far below what draws differ by

using Point = mdp::SideBySide::Point;  // `marked` is what is practically unreached
constexpr std::size_t kLanes = mdp::SideBySide::kLanes;

// Of each model the deployed policy's point, 1 where it practically never is, and its visits in all.
struct WhereItGoes {
  std::array<Point, kLanes> point;
  std::vector<double> outside;
  std::array<double, kLanes> visits{};
};

WhereItGoes follow_deployed(const mdp::SideBySide& truths, const mdp::Policy& deployed,
                            std::span<const double> positions, std::int64_t steps, double threshold) {
  const mdp::SideBySide::Followed now = truths.follow(deployed.pair_of_state(), positions, steps);
  WhereItGoes result;
  result.outside.resize(now.visits.size());
  for (std::size_t i = 0; i < now.visits.size(); ++i) result.visits[i % kLanes] += now.visits[i];
  for (std::size_t w = 0; w < kLanes; ++w) result.point[w].value = now.value[w];
  for (std::size_t i = 0; i < now.visits.size(); ++i) {
    if (now.visits[i] >= threshold * result.visits[i % kLanes]) continue;
    result.outside[i] = 1;
    result.point[i % kLanes].marked += now.visits[i];
  }
  return result;
}

}  // namespace

std::vector<InformationSplit> split_information(const mdp::SideBySide& truths, const mdp::Policy& deployed,
                                                std::span<const double> positions, std::int64_t steps,
                                                double threshold, double accuracy) {
  const WhereItGoes now = follow_deployed(truths, deployed, positions, steps, threshold);
  const auto free = truths.best_over(steps, positions, now.outside, {});
  std::array<LocalValue, kLanes> local;
  for (std::size_t w = 0; w < truths.size(); ++w)
    local[w] = LocalValue(free[w], now.point[w], now.visits[w], accuracy);
  for (int i = 0; i < kMostChords; ++i) {
    mdp::SideBySide::Lanes<double> lambda{};
    bool any = false;
    for (std::size_t w = 0; w < truths.size(); ++w) {
      if (!local[w].searching()) continue;
      lambda[w] = local[w].lambda();
      any = true;
    }
    if (!any) break;
    const auto next = truths.best_over(steps, positions, now.outside, lambda);
    for (std::size_t w = 0; w < truths.size(); ++w) {
      if (local[w].searching()) local[w].add(next[w]);
    }
  }
  std::vector<InformationSplit> splits(truths.size());
  for (std::size_t w = 0; w < truths.size(); ++w) {
    InformationSplit& split = splits[w];
    split.deployed = now.point[w].value;
    split.optimal = not_below(free[w].value, split.deployed);
    split.local = not_below(std::min(split.optimal, local[w].value()), split.deployed);
    split.optimal = not_below(split.optimal, split.local);
  }
  return splits;
}

InformationSplit split_information(const Mdp& truth, const mdp::Policy& deployed,
                                   std::span<const double> positions, std::int64_t steps, double threshold,
                                   double accuracy) {
  return split_information(mdp::SideBySide(std::span(&truth, 1)), deployed, positions, steps, threshold,
                           accuracy)
      .front();
}

namespace {

// each(truths) of the models begin .. end - 1, several side by side and these in parallel.
template <typename Each>
std::vector<InformationSplit> splits_of(const Situation& situation, Objective objective, std::int64_t begin,
                                        std::int64_t end, const SimulationOptions& options,
                                        const base::Threads& threads, Each each) {
  constexpr auto kBeside = static_cast<std::int64_t>(kLanes);
  const std::int64_t size = end - begin;
  std::vector<std::optional<Mdp>> drawn(static_cast<std::size_t>(size));
  threads.for_each_chunk(size, [&](std::int64_t i) {
    Mdp truth = situation.belief().sample(options.run.seed,
                                          kFirstInformationDraw + static_cast<std::uint64_t>(begin + i));
    drawn[static_cast<std::size_t>(i)] =
        objective.sum == Objective::total ? truth.with_discount(1) : std::move(truth);
  });
  std::vector<InformationSplit> splits(static_cast<std::size_t>(size));
  threads.for_each_chunk((size + kBeside - 1) / kBeside, [&](std::int64_t i) {
    std::vector<Mdp> truths;
    for (std::int64_t j = i * kBeside; j < std::min(size, (i + 1) * kBeside); ++j)
      truths.push_back(*std::move(drawn[static_cast<std::size_t>(j)]));
    const std::vector<InformationSplit> some = each(truths);
    std::copy(some.begin(), some.end(), splits.begin() + i * kBeside);
  });
  return splits;
}

// done(splits), each(truths) of the models first .. draws - 1, some at a time, until it says that these are
// enough; fewer where who listens wants to stop.
template <typename Each, typename Done>
void draw_models(const Situation& situation, Objective objective, std::int64_t first, std::int64_t draws,
                 const SimulationOptions& options, Each each, Done done) {
  const base::Threads threads(options.run.threads);
  constexpr auto kBeside = static_cast<std::int64_t>(kLanes);
  // Whether to go on.
  const auto take = [&](std::int64_t end, std::span<const InformationSplit> splits) {
    for (std::size_t i = 0; i < splits.size(); i += kLanes) {
      if (done(splits.subspan(i, std::min(kLanes, splits.size() - i)))) return false;
    }
    options.run.listener.tell("value of information", end, draws);
    return !options.run.listener.wants_to_stop();
  };
  if (base::are_shared()) {
    if (first >= draws) return;
    const base::Stage stage{"information", first, draws, kBeside};
    base::share(
        stage,
        [&](std::int64_t begin, std::int64_t end) {
          std::vector<double> numbers;
          for (const InformationSplit& split :
               splits_of(situation, objective, begin, end, options, threads, each))
            numbers.insert(numbers.end(), {split.deployed, split.local, split.optimal});
          return numbers;
        },
        [&](std::int64_t begin, std::int64_t end, std::span<const double> numbers) {
          base::check_piece(stage, numbers.size(), 3 * static_cast<std::size_t>(end - begin));
          std::vector<InformationSplit> splits;
          for (std::size_t i = 0; i < numbers.size(); i += 3)
            splits.push_back({numbers[i], numbers[i + 1], numbers[i + 2]});
          return take(end, splits);
        });
    return;
  }
  std::int64_t batch = kBeside;  // a divisor of kBetweenLooks
  while (batch < kBeside * threads.count() && batch < static_cast<std::int64_t>(kBetweenLooks)) batch *= 2;
  for (std::int64_t begin = first; begin < draws; begin += batch) {
    const std::int64_t end = std::min(begin + batch, draws);
    if (!take(end, splits_of(situation, objective, begin, end, options, threads, each))) break;
  }
}

// The same on an engine: splits = each(batch) for all of its models.
template <typename Each, typename Done>
void draw_batches(const Situation& situation, std::int64_t first, std::int64_t draws,
                  const SimulationOptions& options, Each each, Done done) {
  if (first >= draws) return;
  const Mdp shape = situation.belief().mean();
  const base::Threads threads(options.run.threads);
  mdp::ModelBatch batch(*options.engine, shape,
                        mdp::ModelBatch::part_that_fits(*options.engine, shape, draws - first));
  for (std::int64_t begin = first; begin < draws; begin += batch.models()) {
    situation.belief().sample_batch(batch, options.run.seed,
                                    kFirstInformationDraw + static_cast<std::uint64_t>(begin), threads);
    const std::vector<InformationSplit> splits = each(batch);
    const auto end = static_cast<std::size_t>(std::min<std::int64_t>(batch.models(), draws - begin));
    for (std::size_t i = 0; i < end; i += kLanes) {
      if (done(std::span(splits).subspan(i, std::min(kLanes, end - i)))) return;
    }
    options.run.listener.tell("value of information", begin + static_cast<std::int64_t>(end), draws);
    if (options.run.listener.wants_to_stop()) return;
  }
}

double discount_of(const Situation& situation, const Objective& objective) {
  return objective.sum == Objective::total ? 1 : situation.belief().simulator().discount();
}

std::vector<double> positions_of(const Situation& situation) {
  std::vector<double> positions(static_cast<std::size_t>(situation.belief().simulator().states()), 0.0);
  for (const std::int32_t s : situation.unit_state) ++positions[s];
  return positions;
}

}  // namespace

Information value_of_information(const Situation& situation, const mdp::Policy& deployed, Objective objective,
                                 std::int64_t draws, const SimulationOptions& options) {
  const std::vector<double> positions = positions_of(situation);
  const bool much = static_cast<double>(situation.belief().simulator().nonzeros()) *
                        static_cast<double>(situation.horizon) * static_cast<double>(draws) >
                    kMuch;
  Information known;
  std::vector<double> local, reach;
  const auto add = [&](std::span<const InformationSplit> splits) {
    for (const InformationSplit& split : splits) {
      known.deployed.push_back(split.deployed);
      known.gain.push_back(split.optimal - split.deployed);
      local.push_back(split.local - split.deployed);
      reach.push_back(split.optimal - split.local);
    }
    if (!much || known.gain.size() % kBetweenLooks != 0) return false;
    const double enough = kPrecise * stats::mean(known.gain);
    return gap::estimate(known.gain).standard_error <= enough &&
           gap::estimate(local).standard_error <= enough && gap::estimate(reach).standard_error <= enough;
  };
  if (options.engine) {
    const double discount = discount_of(situation, objective);
    draw_batches(
        situation, 0, draws, options,
        [&](mdp::ModelBatch& batch) {
          return split_batch(batch, deployed, positions, situation.horizon, discount, mdp::kSupportThreshold,
                             kAccuracy);
        },
        add);
  } else {
    draw_models(
        situation, objective, 0, draws, options,
        [&](const std::vector<Mdp>& truths) {
          return split_information(mdp::SideBySide(truths), deployed, positions, situation.horizon,
                                   mdp::kSupportThreshold, kAccuracy);
        },
        add);
  }
  known.draws = static_cast<std::int64_t>(known.gain.size());
  known.total = gap::estimate(known.gain);
  known.local = gap::estimate(local);
  known.reach = gap::estimate(reach);
  return known;
}

void add_draws(Information& known, const Situation& situation, const mdp::Policy& deployed,
               Objective objective, std::int64_t draws, const SimulationOptions& options) {
  const std::vector<double> positions = positions_of(situation);
  const auto first = static_cast<std::int64_t>(known.gain.size());
  const auto add = [&](std::span<const InformationSplit> splits) {
    for (const InformationSplit& split : splits) {
      known.deployed.push_back(split.deployed);
      known.gain.push_back(split.optimal - split.deployed);
    }
    return false;
  };
  if (options.engine) {
    const double discount = discount_of(situation, objective);
    draw_batches(
        situation, first, draws, options,
        [&](mdp::ModelBatch& batch) {
          return values_of_batch(batch, deployed, positions, situation.horizon, discount);
        },
        add);
    return;
  }
  draw_models(
      situation, objective, first, draws, options,
      [&](const std::vector<Mdp>& truths) {
        const mdp::SideBySide beside(truths);
        const auto now = beside.follow(deployed.pair_of_state(), positions, situation.horizon);
        const auto best = beside.best_over(situation.horizon, positions, {}, {});
        std::vector<InformationSplit> splits(truths.size());
        for (std::size_t w = 0; w < splits.size(); ++w) {
          splits[w].deployed = now.value[w];
          splits[w].optimal = not_below(best[w].value, now.value[w]);
        }
        return splits;
      },
      add);
}

bool surely_not_worth_it(const Information& known, double indifference, double level) {
  if (known.gain.size() < 2) return false;
  const double sign = stats::mean(known.deployed) < 0 ? -1 : 1;
  std::vector<double> beyond(known.gain.size());
  for (std::size_t i = 0; i < beyond.size(); ++i)
    beyond[i] = (1 + indifference) * known.gain[i] - indifference * sign * known.deployed[i];
  return stats::paired_t(beyond, level).interval->upper <= 0;
}

}  // namespace mindgap::decide

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include "mindgap/base/distributions.h"
#include "mindgap/base/random.h"
#include "mindgap/belief/beta_binomial.h"
#include "mindgap/planner/ids.h"
#include "paper/cases/hiv/planners.h"
#include "paper/variates/fast_variates.h"

// Planners that the paper leaves to later: Fisher-SEP that decides for itself whether to explore, and for how
// long, and information-directed sampling on the value.
namespace mindgap::cases::hiv {
namespace {

constexpr std::int64_t kPricedEvery = 5;    // days between looks, and days that an explorer stays
constexpr std::int64_t kPricedWindow = 60;  // days for which a finding is of use, as with the index
constexpr int kPricedDraws = 64, kIdsDraws = 16;

double sum_of_top(std::vector<double>& values, std::size_t count) {
  const std::size_t top = std::min(count, values.size());
  std::partial_sort(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(top), values.end(),
                    std::greater<>());
  return std::accumulate(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(top), 0.0);
}

// What so many tests take away of the variance of a zone's rate, and by which its mean moves.
double variance_removed(const belief::BetaShape& shape, double tests) {
  return belief::variance(shape) * tests / (shape.positive + shape.negative + tests);
}

// Sends the teams on expeditions to the zones of highest PVV for as long as what they will find is worth more
// than what they give up; the others, and afterwards all, go to the highest posterior means.
class AdaptiveFisher : public HivPlanner {
 public:
  explicit AdaptiveFisher(const Known& known)
      : known_(known), belief_(known, known.belief), orders_(static_cast<std::size_t>(known.teams)) {}

  void decide(std::int64_t day, std::span<const Zone> position, std::span<Zone> next) override {
    if (day % kPricedEvery == 0) {
      const std::vector<double> means = belief_.means();
      if (day >= until_) look(day, means, position);
      orders_.send(explorers_, top_zones(means, position.size() - explorers_), known_.navigation);
    }
    orders_.step(*known_.geography, position, next);
  }
  void observe(std::span<const TeamDay> tests) override { belief_.observe(tests); }

 private:
  // The expedition that pays most, if any does.
  void look(std::int64_t day, const std::vector<double>& means, std::span<const Zone> position) {
    const std::vector<double> pvv = zone_pvv(known_, belief_);
    double best = 0;
    explorers_ = 0;
    for (std::size_t count = 1; count < position.size(); ++count) {
      const std::vector<Zone> zones = explored(pvv, means, count, position.size());
      if (zones.size() < count) break;
      std::int64_t days = 0;
      const double net = net_worth(day, means, zones, position, days);
      if (net <= best) continue;
      best = net;
      explorers_ = count;
      until_ = day + days;
      orders_.send(0, zones, Navigation::shortest);
    }
  }

  // The highest PVV but for the zones where the other teams will be.
  std::vector<Zone> explored(std::span<const double> pvv, std::span<const double> means, std::size_t count,
                             std::size_t teams) const {
    std::vector<double> score(pvv.begin(), pvv.end());
    for (const Zone taken : top_zones(means, teams - count)) score[static_cast<std::size_t>(taken)] = -1;
    std::vector<Zone> zones = top_zones(score, count);
    std::erase_if(zones, [&](Zone z) { return score[static_cast<std::size_t>(z)] < 0; });
    return zones;
  }

  // tests x [(60 - days) E(rise of the sum of the highest means) - what the explorers would have found];
  // finds on the way are not counted, nor those of a zone that is not warm.
  double net_worth(std::int64_t day, const std::vector<double>& means, std::span<const Zone> zones,
                   std::span<const Zone> position, std::int64_t& days) const {
    const std::size_t teams = position.size();
    std::vector<double> sorted = means;
    const double now = sum_of_top(sorted, teams);
    double given_up = 0, found = 0;
    days = 0;
    for (std::size_t i = 0; i < zones.size(); ++i) {
      const std::int64_t way = known_.geography->distance(position[i], zones[i]);
      if (way < 0) return -1;
      days = std::max(days, way + kPricedEvery);
      given_up += sorted[teams - zones.size() + i] * static_cast<double>(way + kPricedEvery);
      const double warm = static_cast<double>(std::max<std::int64_t>(0, kPricedEvery - known_.warmup_days));
      found += means[static_cast<std::size_t>(zones[i])] * warm;
    }
    if (days >= kPricedWindow) return -1;
    const double rise = expected_sum_of_top(day, means, zones, teams) - now;
    return known_.tests_per_day * (static_cast<double>(kPricedWindow - days) * rise - given_up + found);
  }

  // E of the sum of the highest posterior means after the expedition: each explored zone's mean moves by
  // variance_removed(), as of a normal law.
  double expected_sum_of_top(std::int64_t day, const std::vector<double>& means, std::span<const Zone> zones,
                             std::size_t teams) const {
    base::Stream stream(
        {known_.seed, base::Purpose::planner, known_.trial, 0, static_cast<std::uint64_t>(day)});
    const double tests = known_.tests_per_day * static_cast<double>(kPricedEvery);
    double sum = 0;
    std::vector<double> drawn;
    for (int i = 0; i < kPricedDraws; ++i) {
      drawn = means;
      for (const Zone zone : zones) {
        const auto j = static_cast<std::size_t>(zone);
        const double moves = variance_removed(belief_.at(j), tests);
        drawn[j] = std::clamp(means[j] + std::sqrt(moves) * base::normal(stream), 0.0, 1.0);
      }
      sum += sum_of_top(drawn, teams);
    }
    return sum / kPricedDraws;
  }

  const Known known_;
  ZoneBelief belief_;
  Orders orders_;
  std::size_t explorers_ = 0;  // teams 0, 1, ... on an expedition
  std::int64_t until_ = 0;     // the day on which it ends
};

// Candidates are the highest zones of posterior draws, and of the posterior mean. Of each: the expected
// regret of 5 days against the best zones of the draws, and how much of the PVV 40 tests a zone would take
// away. The mixture of two with the least regret^2 / information is followed; each team draws which.
class ValueIds : public HivPlanner {
 public:
  explicit ValueIds(const Known& known)
      : known_(known),
        belief_(known, known.belief),
        orders_(static_cast<std::size_t>(known.teams)),
        stream_(base::StreamKey{known.seed, base::Purpose::planner, known.trial, 0, 0}) {}

  void decide(std::int64_t day, std::span<const Zone> position, std::span<Zone> next) override {
    if (day % kPricedEvery == 0) send(day, position.size());
    orders_.step(*known_.geography, position, next);
  }
  void observe(std::span<const TeamDay> tests) override { belief_.observe(tests); }

 private:
  void send(std::int64_t day, std::size_t teams) {
    std::vector<std::vector<Zone>> candidates{top_zones(belief_.means(), teams)};
    std::vector<std::vector<double>> drawn;
    for (int i = 0; i < kIdsDraws; ++i) {
      drawn.emplace_back(belief_.size());
      variates::fast_betas(stream_, belief_.positive(), belief_.negative(), drawn.back());
      candidates.push_back(top_zones(drawn.back(), teams));
    }
    const std::vector<double> gradient = value_gradient(known_, belief_.means());
    const double tests = known_.tests_per_day * static_cast<double>(kPricedEvery);
    std::vector<double> regret, information;
    for (const std::vector<Zone>& zones : candidates) {
      double lost = 0, known = 0;
      for (std::size_t m = 0; m < drawn.size(); ++m) {
        for (const Zone zone : candidates[m + 1]) lost += drawn[m][static_cast<std::size_t>(zone)];
        for (const Zone zone : zones) lost -= drawn[m][static_cast<std::size_t>(zone)];
      }
      for (const Zone zone : zones) {
        const auto j = static_cast<std::size_t>(zone);
        known += gradient[j] * gradient[j] * variance_removed(belief_.at(j), tests);
      }
      regret.push_back(std::max(0.0, tests * lost / kIdsDraws));
      information.push_back(known);
    }
    const planner::Mixture mixture = planner::least_information_ratio(regret, information);
    for (std::size_t team = 0; team < teams; ++team) {
      base::Stream stream(
          {known_.seed, base::Purpose::planner, known_.trial, team + 1, static_cast<std::uint64_t>(day)});
      const std::size_t pick = base::uniform(stream) < mixture.share ? mixture.first : mixture.second;
      orders_.send(team, std::span(&candidates[pick][team], 1), known_.navigation);
    }
  }

  const Known known_;
  ZoneBelief belief_;
  Orders orders_;
  variates::FastStream stream_;
};

}  // namespace

std::unique_ptr<HivPlanner> make_adaptive_fisher(const Known& known) {
  return std::make_unique<AdaptiveFisher>(known);
}
std::unique_ptr<HivPlanner> make_ids(const Known& known) {
  return std::make_unique<ValueIds>(known);
}

}  // namespace mindgap::cases::hiv

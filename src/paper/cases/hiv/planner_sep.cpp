#include <algorithm>
#include <cmath>

#include "mindgap/base/distributions.h"
#include "mindgap/base/random.h"
#include "mindgap/belief/beta_binomial.h"
#include "paper/cases/hiv/planners.h"

// Planners that explore first and then exploit: SEP and Fisher-SEP-T.
namespace mindgap::cases::hiv {
namespace {

constexpr std::int64_t kSepEvery = 10, kSepExplores = 25, kSepExplorers = 3;
constexpr std::int64_t kSepPilotDays = 3, kFisherEvery = 5, kFisherExploits = 28;
constexpr int kLookahead = 15;
constexpr double kSepDiscount = .95, kNudge = .01;

class Sep : public HivPlanner {
 public:
  explicit Sep(const Known& known)
      : known_(known), belief_(known, known.belief), orders_(static_cast<std::size_t>(known.teams)) {}

  void decide(std::int64_t day, std::span<const Zone> position, std::span<Zone> next) override {
    if (day % kSepEvery == 0) send(day < kSepExplores, position.size());
    orders_.step(*known_.geography, position, next);
  }
  void observe(std::span<const TeamDay> tests) override { belief_.observe(tests); }

 private:
  // The explorers' target is the last corner, wherever the cluster is: nothing else tells them where to go.
  void send(bool exploring, std::size_t teams) {
    const Geography& geography = *known_.geography;
    const std::vector<double> means = belief_.means();
    if (!exploring) return orders_.send(0, top_zones(means, teams), known_.navigation);
    const std::size_t explorers = std::min<std::size_t>(kSepExplorers, teams - 1);
    const std::vector<Zone> corner(explorers, geography.zone(geography.rows() - 1, geography.columns() - 1));
    orders_.send(0, corner, Navigation::shortest);
    orders_.send(explorers, top_zones(means, geography.region_a(), teams - explorers), known_.navigation);
  }

  const Known known_;
  ZoneBelief belief_;
  Orders orders_;
};

class Fisher : public HivPlanner {
 public:
  explicit Fisher(const Known& known)
      : known_(known), belief_(known, known.belief), orders_(static_cast<std::size_t>(known.teams)) {}

  void decide(std::int64_t day, std::span<const Zone> position, std::span<Zone> next) override {
    if (day < kSepPilotDays) return wander(day, position, next);
    if (day < kFisherExploits) {
      if ((day - kSepPilotDays) % kFisherEvery == 0) explore(position.size());
    } else if (day == kFisherExploits || day % kFisherEvery == 0) {
      orders_.send(0, top_zones(belief_.means(), position.size()), known_.navigation);
    }
    orders_.step(*known_.geography, position, next);
  }
  void observe(std::span<const TeamDay> tests) override { belief_.observe(tests); }

 private:
  // Uniform over the neighbours and staying.
  void wander(std::int64_t day, std::span<const Zone> position, std::span<Zone> next) const {
    for (std::size_t team = 0; team < position.size(); ++team) {
      base::Stream stream(
          {known_.seed, base::Purpose::planner, known_.trial, team, static_cast<std::uint64_t>(day)});
      const std::span<const Zone> around = known_.geography->neighbours(position[team]);
      const auto pick =
          static_cast<std::size_t>(base::uniform_index(stream, static_cast<std::int64_t>(around.size()) + 1));
      next[team] = pick < around.size() ? around[pick] : position[team];
    }
  }

  // As many explorers as region B has of the PVV, at least one and not all.
  void explore(std::size_t teams) {
    const Geography& geography = *known_.geography;
    const std::vector<double> pvv = zone_pvv(known_, belief_);
    double in_a = 0, in_b = 0;
    for (std::size_t j = 0; j < pvv.size(); ++j)
      (geography.in_b(static_cast<Zone>(j)) ? in_b : in_a) += pvv[j];
    const double share = std::round(static_cast<double>(teams) * in_b / (in_a + in_b));
    const auto explorers = std::min(std::clamp<std::size_t>(static_cast<std::size_t>(share), 1, teams - 1),
                                    geography.region_b().size());
    orders_.send(0, top_zones(pvv, geography.region_b(), explorers), Navigation::shortest);
    orders_.send(explorers, top_zones(belief_.means(), geography.region_a(), teams - explorers),
                 Navigation::shortest);
  }

  const Known known_;
  ZoneBelief belief_;
  Orders orders_;
};

}  // namespace

std::vector<double> value_gradient(const Known& known, std::span<const double> mean) {
  const std::vector<double> nobody(mean.size(), 0.0);
  std::vector<double> share(mean.size()), now;
  const auto value = [&] {
    double total = 0, weight = known.tests_per_day;
    for (int day = 0; day <= kLookahead; ++day, weight *= kSepDiscount) {
      double sum = 0;
      for (const double prevalence : now) sum += prevalence;
      total += weight * sum;
      if (day < kLookahead) spread_one_day(*known.geography, known.transmission, nobody, now, share);
    }
    return total;
  };
  now.assign(mean.begin(), mean.end());
  const double base_value = value();
  std::vector<double> gradient;
  for (std::size_t j = 0; j < mean.size(); ++j) {
    now.assign(mean.begin(), mean.end());
    now[j] += kNudge;
    gradient.push_back((value() - base_value) / kNudge);
  }
  return gradient;
}

std::vector<double> zone_pvv(const Known& known, const ZoneBelief& belief) {
  std::vector<double> pvv = value_gradient(known, belief.means());
  for (std::size_t j = 0; j < pvv.size(); ++j) pvv[j] *= pvv[j] * belief::variance(belief.at(j));
  return pvv;
}

std::unique_ptr<HivPlanner> make_sep(const Known& known) {
  return std::make_unique<Sep>(known);
}
std::unique_ptr<HivPlanner> make_fisher(const Known& known) {
  return std::make_unique<Fisher>(known);
}

}  // namespace mindgap::cases::hiv

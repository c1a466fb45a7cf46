#include <algorithm>

#include "mindgap/base/distributions.h"
#include "mindgap/base/random.h"
#include "paper/cases/hiv/planners.h"
#include "paper/variates/fast_variates.h"

// Planners that never go anywhere in order to learn: SOP, epsilon-greedy, A-SOP, Thompson.
namespace mindgap::cases::hiv {
namespace {

constexpr double kEpsilon = .15;
constexpr std::int64_t kAsopEvery = 10, kThompsonEvery = 5;

base::Stream draws(const Known& known, std::uint64_t unit, std::int64_t day) {
  return base::Stream(
      {known.seed, base::Purpose::planner, known.trial, unit, static_cast<std::uint64_t>(day)});
}

class Sop : public HivPlanner {
 public:
  explicit Sop(const Known& known) : known_(known), orders_(static_cast<std::size_t>(known.teams)) {
    orders_.send(0, top_zones(known.simulator, orders_.target.size()), known.navigation);
  }

  void decide(std::int64_t, std::span<const Zone> position, std::span<Zone> next) override {
    orders_.step(*known_.geography, position, next);
  }

 protected:
  const Known known_;

 private:
  Orders orders_;
};

class Epsilon : public Sop {
 public:
  using Sop::Sop;

  void decide(std::int64_t day, std::span<const Zone> position, std::span<Zone> next) override {
    Sop::decide(day, position, next);
    for (std::size_t team = 0; team < position.size(); ++team) {
      base::Stream stream = draws(known_, team, day);
      if (base::uniform(stream) >= kEpsilon) continue;
      const std::span<const Zone> around = known_.geography->neighbours(position[team]);
      if (around.empty()) continue;
      const std::int64_t pick = base::uniform_index(stream, static_cast<std::int64_t>(around.size()));
      next[team] = around[static_cast<std::size_t>(pick)];
    }
  }
};

// Every so many days the best zones by what is believed; A-SOP and Thompson differ in the score alone.
class Greedy : public HivPlanner {
 public:
  Greedy(const Known& known, std::int64_t every)
      : known_(known),
        belief_(known, known.belief),
        orders_(static_cast<std::size_t>(known.teams)),
        best_(orders_.target.size()),
        every_(every) {}

  void decide(std::int64_t day, std::span<const Zone> position, std::span<Zone> next) override {
    if (day % every_ == 0) {
      top_zones(score(), best_);
      orders_.send(0, best_, known_.navigation);
    }
    orders_.step(*known_.geography, position, next);
  }
  void observe(std::span<const TeamDay> tests) override { belief_.observe(tests); }

 protected:
  /// Per zone, of today; valid until the next call.
  virtual std::span<const double> score() = 0;

  const Known known_;
  ZoneBelief belief_;

 private:
  Orders orders_;
  std::vector<Zone> best_;
  std::int64_t every_;
};

class Asop : public Greedy {
 public:
  explicit Asop(const Known& known) : Greedy(known, kAsopEvery) {}

 protected:
  std::span<const double> score() override {
    means_ = belief_.means();
    return means_;
  }

 private:
  std::vector<double> means_;
};

class Thompson : public Greedy {
 public:
  explicit Thompson(const Known& known)
      : Greedy(known, kThompsonEvery),
        stream_(base::StreamKey{known.seed, base::Purpose::planner, known.trial, 0, 0}),
        drawn_(belief_.size()) {}

 protected:
  std::span<const double> score() override {
    variates::fast_betas(stream_, belief_.positive(), belief_.negative(), drawn_);
    return drawn_;
  }

 private:
  variates::FastStream stream_;
  std::vector<double> drawn_;
};

}  // namespace

std::unique_ptr<HivPlanner> make_sop(const Known& known) {
  return std::make_unique<Sop>(known);
}
std::unique_ptr<HivPlanner> make_epsilon(const Known& known) {
  return std::make_unique<Epsilon>(known);
}
std::unique_ptr<HivPlanner> make_asop(const Known& known) {
  return std::make_unique<Asop>(known);
}
std::unique_ptr<HivPlanner> make_thompson(const Known& known) {
  return std::make_unique<Thompson>(known);
}

}  // namespace mindgap::cases::hiv

#pragma once

#include <cstdint>
#include <vector>

#include "mindgap/base/random.h"
#include "paper/cases/vending/planner.h"

// What the learning planners share.
namespace mindgap::cases::vending {

/// The mean of the last daily sales of each slot, at first as many copies of the simulator's rate.
/// Days of a broken machine are left out, and days on which the slot sold out as well,
/// unless they are kept as if demand had been what was sold.
class WindowLearner {
 public:
  WindowLearner(const Briefing& briefing, bool keep_sold_out = false);

  void observe(const DaySeen& seen);
  double rate(std::size_t slot) const { return rate_[slot]; }
  /// Days that were counted so far.
  std::int64_t days(std::size_t slot) const { return days_[slot]; }
  /// Begins anew with copies of `rate`.
  void reset(std::size_t slot, double rate);

 private:
  void refresh(std::size_t slot);

  std::size_t products_, window_;
  bool keep_sold_out_;
  std::vector<double> sales_;  // [slot * window + day mod window]
  std::vector<double> sum_, rate_;
  std::vector<std::int64_t> days_;
  std::vector<std::size_t> next_;
};

/// Moves of a slot, and the planner's own random numbers.
class SlotPlanner : public VendingPlanner {
 public:
  /// The briefing must outlive this.
  SlotPlanner(const Briefing& briefing, PlannerSeed seed);

 protected:
  enum class Draw : std::uint64_t { pilot, epsilon, thompson, fisher };

  base::Stream stream(Draw draw, std::size_t index, std::int64_t day) const;
  std::size_t slots() const { return static_cast<std::size_t>(briefing_.slots()); }
  std::size_t machines() const { return static_cast<std::size_t>(briefing_.machines); }
  std::size_t products() const { return static_cast<std::size_t>(briefing_.products); }

  /// The target of `rate` at the exploit price.
  void exploit(std::size_t slot, double rate, Decision& decision) const;
  /// Full, at the explore price.
  void explore(std::size_t slot, Decision& decision) const;
  /// Every slot full at a price drawn between two shares of what the least willing pay.
  void pilot(std::int64_t day, Decision& decision) const;

  const Briefing& briefing_;
  PlannerSeed seed_;

 private:
  std::vector<Money> exploit_price_;  // by slot
};

/// Var(rate) after n days where one day has variance max(lowest, simulator's rate) and the prior variance is
/// 1: 1/(1 + n/variance).
double rate_variance(const Briefing& briefing, std::size_t slot, std::int64_t days);

}  // namespace mindgap::cases::vending

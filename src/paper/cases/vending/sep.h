#pragma once

#include <cstdint>
#include <vector>

#include "paper/cases/vending/learning.h"

namespace mindgap::cases::vending {

/// Looks for structural breaks: the mean of the last days of a slot's sales against that
/// of as many before.
class BreakDetector {
 public:
  explicit BreakDetector(const Briefing& briefing);

  /// Adds a day's sales. True where there is a break; then mean() is the mean of the last days, and the
  /// history is empty.
  bool add(std::size_t slot, double sales);
  double mean() const { return mean_; }

 private:
  std::size_t days_;
  double change_, lowest_;
  std::vector<double> history_;  // [slot * 2 days + place], oldest first
  std::vector<std::size_t> size_;
  double mean_ = 0;
};

enum class Phase { pilot, explore, exploit };

struct Break {
  std::int64_t day = 0;  // the last day of the sales it was seen in
  std::size_t slot = 0;
};

/// SEP and Fisher-SEP-R: a pilot, a test of the simulator, exploration of the machines in doubt, then the
/// learned rates, with one more day of exploration of a slot after a break.
class SepPlanner : public SlotPlanner {
 public:
  enum class Kind { sep, fisher };
  /// What the test after the pilot controls: the chance of any false alarm (Bonferroni, the paper's), or the
  /// expected share of false ones among the alarms (Benjamini and Hochberg 1995, which the paper suggests).
  enum class Gate { any, share };
  SepPlanner(const Briefing& briefing, PlannerSeed seed, Kind kind, Gate gate = Gate::any);

  void decide(const Morning& morning, Decision& decision) override;
  void learn(const DaySeen& seen) override;

  /// By machine, after the pilot: any of its slots differs from the simulator.
  const std::vector<std::uint8_t>& flagged() const { return flagged_; }
  /// By machine: explored after the pilot. The flagged ones; of Fisher-SEP-R the most informative as well.
  const std::vector<std::uint8_t>& uncertain() const { return uncertain_; }
  const std::vector<Break>& breaks() const { return breaks_; }
  /// Of a machine on the day last decided.
  Phase phase(std::size_t machine) const { return phase_[machine]; }
  double rate(std::size_t slot) const { return learner_.rate(slot); }

 private:
  void test_simulator();
  void add_informative();
  double information(std::size_t machine) const;
  bool explores(std::size_t machine, std::int64_t day) const;

  Kind kind_;
  Gate gate_;
  WindowLearner learner_;
  BreakDetector detector_;
  std::vector<double> pilot_sales_;  // [slot * pilot days + day]
  std::vector<std::size_t> pilot_size_;
  std::vector<std::uint8_t> flagged_, uncertain_, again_;
  std::vector<Phase> phase_;
  std::vector<Break> breaks_;
  bool tested_ = false;
};

}  // namespace mindgap::cases::vending

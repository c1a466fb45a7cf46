#include "paper/cases/lock/lock.h"

#include <algorithm>

#include "mindgap/base/distributions.h"
#include "mindgap/base/random.h"
#include "paper/cases/lock/rule.h"

namespace mindgap::cases::lock {
namespace {

const std::vector<trial::CaseOption>& options() {
  static const std::vector<trial::CaseOption> kAll = {
      {"errors", "c: expected number of states at which the simulator is wrong", "1"},
      {"reading",
       "sep and fisher as the paper's table needs them, or with explorers counted and no foreknowledge",
       "paper",
       {"paper", "honest"}},
      {"outside", "what staying out of the chain pays, 0 to 1; the end pays 1. 0: everybody goes in", "0"},
      {"eta", "what the simulator takes the end to pay, 0 to 1", "1"},
  };
  return kAll;
}

/// One draw of the simulator and the coins of its trial.
class Draw {
 public:
  Draw(const Lock& lock, std::uint64_t seed, std::uint64_t trial) : lock_(lock), seed_(seed), trial_(trial) {
    for (std::int64_t s = 0; s < lock.length; ++s) {
      base::Stream stream({seed, base::Purpose::world, trial, static_cast<std::uint64_t>(lock.length),
                           static_cast<std::uint64_t>(s)});
      wrong_.push_back(base::uniform(stream) < lock.error_probability());
    }
  }

  /// Whether the unit goes in, where the chain is worth it or not by what is believed.
  bool enters(const UnitRule& rule, std::int64_t unit, bool worth) const {
    if (rule.enters) return true;
    const double probability = worth ? 1 - rule.contrary : rule.contrary;
    return probability >= 1 || (probability > 0 && coin(unit, lock_.length) < probability);
  }

  /// How many states the unit gets past; `known` are those in front where the right action is known.
  std::int64_t advance(const UnitRule& rule, std::int64_t unit, std::int64_t known) const {
    for (std::int64_t s = 0; s < lock_.length; ++s) {
      const bool wrong = wrong_[static_cast<std::size_t>(s)];
      const double right = s < known ? rule.known : wrong ? rule.simulator_wrong : rule.simulator_right;
      if (right >= 1) continue;
      if (right <= 0 || coin(unit, s) >= right) return s;
    }
    return lock_.length;
  }

 private:
  double coin(std::int64_t unit, std::int64_t state) const {
    // Unit and length share a word; both are at most 1e6.
    const auto place = static_cast<std::uint64_t>(lock_.length) << 32 | static_cast<std::uint64_t>(unit);
    base::Stream stream({seed_, base::Purpose::planner, trial_, place, static_cast<std::uint64_t>(state)});
    return base::uniform(stream);
  }

  Lock lock_;
  std::uint64_t seed_, trial_;
  std::vector<bool> wrong_;
};

class LockCase : public trial::Case {
 public:
  explicit LockCase(const trial::CaseRequest& request)
      : values_("lock", options(), request),
        seed_(request.seed),
        units_(request.units.value_or(50)),
        errors_(values_.number("errors", 0, 1e6)),
        outside_(values_.number("outside", 0, 1)),
        eta_(values_.number("eta", 0, 1)),
        reading_(values_.text("reading") == "honest" ? Reading::honest : Reading::paper) {
    Lock{.length = 1, .errors = 0, .units = units_}.validate();
  }

  std::string name() const override { return "lock"; }
  std::string unit() const override { return outside_ > 0 ? "reward" : "units that reach the end"; }
  std::string horizon_unit() const override { return "chain length"; }
  std::vector<trial::PlannerName> planners() const override { return lock::planners(); }
  std::vector<std::int64_t> default_horizons() const override { return {5, 10, 15, 20, 30}; }
  std::int64_t default_trials() const override { return 300; }
  std::vector<std::pair<std::string, std::string>> settings() const override {
    auto all = values_.settings();
    all.emplace_back("units", std::to_string(units_));
    return all;
  }

  std::vector<double> run(std::string_view planner, std::uint64_t trial,
                          std::span<const std::int64_t> horizons) const override {
    const Rule rule = find_rule(planner);
    std::vector<double> reached;
    for (const std::int64_t length : horizons) {
      const Lock lock{.length = length, .errors = errors_, .units = units_, .outside = outside_, .eta = eta_};
      lock.validate();
      reached.push_back(run_one(rule, lock, trial));
    }
    return reached;
  }

 private:
  double run_one(Rule rule, const Lock& lock, std::uint64_t trial) const {
    const Draw draw(lock, seed_, trial);
    std::int64_t known = 0;
    double gathered = 0, end_pays = lock.eta;
    for (std::int64_t unit = 0; unit < lock.units; ++unit) {
      const UnitRule own = rule(reading_, lock, unit);
      if (lock.outside > 0 && !draw.enters(own, unit, (own.told ? 1 : end_pays) > lock.outside)) {
        if (own.counted) gathered += lock.outside;
        continue;
      }
      const std::int64_t passed = draw.advance(own, unit, known);
      if (own.counted && passed == lock.length) ++gathered;
      if (!own.learns) continue;
      known = std::max(known, std::min(passed + 1, lock.length));
      if (passed == lock.length) end_pays = 1;
    }
    return gathered;
  }

  trial::OptionValues values_;
  std::uint64_t seed_;
  std::int64_t units_;
  double errors_, outside_, eta_;
  Reading reading_;
};

std::unique_ptr<trial::Case> make(const trial::CaseRequest& request) {
  return std::make_unique<LockCase>(request);
}

}  // namespace

CaseInfo info() {
  return {"lock", "combination lock: a chain where one wrong action ends the run", options(), make};
}

}  // namespace mindgap::cases::lock

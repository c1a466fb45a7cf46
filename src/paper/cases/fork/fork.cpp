#include "paper/cases/fork/fork.h"

#include <algorithm>
#include <cmath>

#include "mindgap/base/check.h"
#include "mindgap/base/distributions.h"
#include "mindgap/base/error.h"
#include "mindgap/base/random.h"
#include "mindgap/base/suggest.h"
#include "paper/cases/fork/model.h"

namespace mindgap::cases::fork {
namespace {

const std::vector<trial::CaseOption>& options() {
  static const std::vector<trial::CaseOption> kAll = {
      {"uncertain", "what is not known: the fork's row, or every row", "fork", {"fork", "all"}},
      {"halt", "what halting pays, once; the end pays 1", ".1"},
      {"discount", "per step, when planning", ".99"},
      {"prior", "both pseudo-counts of a row that is not known", ".5"},
      {"temperature", "of softmax, in units of the end's reward", ".05"},
      {"steps", "steps of a unit, times the chain length", "6"},
  };
  return kAll;
}

enum class Kind { oracle, sop, asop, softmax, ucb, thompson, kg, sep, fisher };

struct Entry {
  trial::PlannerName name;
  Kind kind;
};

const std::vector<Entry>& entries() {
  static const std::vector<Entry> kAll = {
      {{"oracle", "knows every probability"}, Kind::oracle},
      {{"sop", "does what is optimal in the simulator: halts"}, Kind::sop},
      {{"asop", "does what is optimal for the posterior means"}, Kind::asop},
      {{"softmax", "takes either action by the posterior means, in proportion to exp(value / temperature)"},
       Kind::softmax},
      {{"ucb", "does what is optimal for optimistic means, with radii 1/sqrt(chain length (1 + tries))"},
       Kind::ucb},
      {{"thompson", "does what is optimal for one draw from the posterior per unit"}, Kind::thompson},
      {{"kg", "value in the simulator plus what one look at a row is worth"}, Kind::kg},
      {{"sep", "a tenth of the units acts at random, the others as asop"}, Kind::sep},
      {{"fisher", "a tenth of the units goes for the fork, the others act as asop"}, Kind::fisher},
  };
  return kAll;
}

Kind find_kind(std::string_view planner) {
  std::vector<std::string> names;
  for (const Entry& entry : entries()) {
    if (entry.name.name == planner) return entry.kind;
    names.push_back(entry.name.name);
  }
  throw InvalidArgument("fork: " + base::unknown_name("planner", planner, names));
}

/// The actions of an explorer: towards the fork by whichever action is believed likelier to advance.
std::vector<bool> directed(const Chain& chain) {
  std::vector<bool> advances;
  for (std::size_t s = 0; s < chain.advance.size(); ++s)
    advances.push_back(chain.advance[s] >= chain.halt_advance[s]);
  advances.back() = true;
  return advances;
}

/// One planner in one trial: its units in turn.
class Run {
 public:
  Run(Kind kind, const Fork& fork, ForkBelief belief, double temperature, std::uint64_t seed,
      std::uint64_t trial)
      : kind_(kind),
        fork_(fork),
        belief_(std::move(belief)),
        temperature_(temperature),
        seed_(seed),
        trial_(trial) {}

  /// Whether the unit arrives at the end.
  bool run_unit(std::int64_t unit, bool explores, std::int64_t steps) {
    base::Stream luck(key(base::Purpose::world, unit));
    std::vector<bool> advances = begin(unit, explores);
    std::int64_t state = 0;
    for (std::int64_t step = 0; step < steps; ++step) {
      const bool advancing = takes_zero(unit, explores, step, state, advances);
      const bool at_fork = state == fork_.length - 1;
      const bool advanced = advancing && (!at_fork || base::uniform(luck) < .5);
      const bool told = belief_.observe(state, advancing, advanced);
      if (!advancing) return false;
      if (advanced && at_fork) return true;
      state = advanced ? state + 1 : fork_.length - 2;
      if (told && replans(explores)) advances = advancing_policy(fork_, now());
    }
    return false;
  }

 private:
  bool replans(bool explores) const {
    return kind_ == Kind::asop || kind_ == Kind::ucb || (is_led() && !explores);
  }
  bool is_led() const { return kind_ == Kind::fisher || kind_ == Kind::sep; }  // has explorers

  Chain now() const {
    return kind_ == Kind::ucb ? belief_.optimistic(1 / std::sqrt(static_cast<double>(fork_.length)))
                              : belief_.mean();
  }

  bool takes_zero(std::int64_t unit, bool explores, std::int64_t step, std::int64_t state,
                  const std::vector<bool>& advances) const {
    const auto s = static_cast<std::size_t>(state);
    if (kind_ == Kind::kg) return kg_takes_zero(state);
    if (kind_ != Kind::softmax && !(kind_ == Kind::sep && explores)) return advances[s];
    base::Stream stream({seed_, base::Purpose::planner, trial_,
                         static_cast<std::uint64_t>(fork_.length) << 32 | static_cast<std::uint64_t>(unit),
                         static_cast<std::uint64_t>(step)});
    if (kind_ == Kind::sep) return base::uniform(stream) < .5;
    const Chain mean = belief_.mean();
    const ActionValues of = action_values(fork_, mean, optimal_values(fork_, mean), s);
    return base::uniform(stream) < 1 / (1 + std::exp((of.halt - of.advance) / temperature_));
  }

  // The paper's listing kgsep: the mean model for this step, the simulator's value after it, and what a look
  // is worth, E max after it - max before it, discounted. Ties: halt.
  bool kg_takes_zero(std::int64_t state) const {
    const auto s = static_cast<std::size_t>(state);
    const std::vector<double> value = optimal_values(fork_, simulated_chain(fork_));
    const ActionValues of = action_values(fork_, belief_.mean(), value, s);
    const double best = std::max(of.advance, of.halt);
    const auto worth = [&](bool zero) {
      const ForkBelief::Look look = belief_.look(state, zero);
      if (look.chance == 0) return 0.0;
      const ActionValues well = action_values(fork_, look.well, value, s);
      const ActionValues badly = action_values(fork_, look.badly, value, s);
      return look.chance * std::max(well.advance, well.halt) +
             (1 - look.chance) * std::max(badly.advance, badly.halt) - best;
    };
    return of.advance + fork_.discount * worth(true) > of.halt + fork_.discount * worth(false);
  }

  std::vector<bool> begin(std::int64_t unit, bool explores) const {
    if (kind_ == Kind::oracle) return advancing_policy(fork_, true_chain(fork_));
    if (kind_ == Kind::sop) return advancing_policy(fork_, simulated_chain(fork_));
    if (kind_ == Kind::fisher && explores) return directed(belief_.mean());
    if (kind_ != Kind::thompson) return advancing_policy(fork_, now());
    base::Stream stream(key(base::Purpose::planner, unit));
    return advancing_policy(fork_, belief_.draw(stream));
  }

  base::StreamKey key(base::Purpose purpose, std::int64_t unit) const {
    return {seed_, purpose, trial_, static_cast<std::uint64_t>(unit),
            static_cast<std::uint64_t>(fork_.length)};
  }

  Kind kind_;
  Fork fork_;
  ForkBelief belief_;
  double temperature_;
  std::uint64_t seed_, trial_;
};

class ForkCase : public trial::Case {
 public:
  explicit ForkCase(const trial::CaseRequest& request)
      : values_("fork", options(), request),
        seed_(request.seed),
        units_(request.units.value_or(50)),
        uncertain_(values_.text("uncertain") == "all" ? Uncertain::all : Uncertain::fork),
        prior_(values_.number("prior", 1e-6, 1e6)),
        temperature_(values_.number("temperature", 1e-6, 1e6)),
        steps_(values_.whole_number("steps", 1, 1000000)) {
    fork_.halt = values_.number("halt", 0, 1);
    fork_.discount = values_.number("discount", 0, .999999);
    base::check_range("fork", "units", static_cast<double>(units_), 1, 1e6);
  }

  std::string name() const override { return "fork"; }
  std::string unit() const override { return "units that reach the end"; }
  std::string horizon_unit() const override { return "chain length"; }
  std::vector<trial::PlannerName> planners() const override {
    std::vector<trial::PlannerName> names;
    for (const Entry& entry : entries()) names.push_back(entry.name);
    return names;
  }
  std::vector<std::int64_t> default_horizons() const override { return {4, 6, 8, 10, 12}; }
  std::int64_t default_trials() const override { return 300; }
  std::vector<std::pair<std::string, std::string>> settings() const override {
    auto all = values_.settings();
    all.emplace_back("units", std::to_string(units_));
    return all;
  }

  std::vector<double> run(std::string_view planner, std::uint64_t trial,
                          std::span<const std::int64_t> horizons) const override {
    const Kind kind = find_kind(planner);
    std::vector<double> reached;
    for (const std::int64_t length : horizons) reached.push_back(run_one(kind, trial, length));
    return reached;
  }

 private:
  double run_one(Kind kind, std::uint64_t trial, std::int64_t length) const {
    Fork fork = fork_;
    fork.length = length;
    fork.validate();
    Run run(kind, fork, ForkBelief(fork, uncertain_, prior_), temperature_, seed_, trial);
    std::int64_t reached = 0;
    for (std::int64_t unit = 0; unit < units_; ++unit) {
      if (run.run_unit(unit, unit < units_ / 10, steps_ * length)) ++reached;
    }
    return static_cast<double>(reached);
  }

  trial::OptionValues values_;
  std::uint64_t seed_;
  std::int64_t units_;
  Uncertain uncertain_;
  double prior_, temperature_;
  std::int64_t steps_;
  Fork fork_;
};

std::unique_ptr<trial::Case> make(const trial::CaseRequest& request) {
  return std::make_unique<ForkCase>(request);
}

}  // namespace

CaseInfo info() {
  return {"fork", "stochastic fork: a chain whose last step may fall back", options(), make};
}

}  // namespace mindgap::cases::fork

#include "paper/cases/vending/horizon_pilot.h"

#include <algorithm>
#include <cmath>

#include "mindgap/base/check.h"
#include "mindgap/base/distributions.h"
#include "mindgap/base/error.h"
#include "mindgap/belief/demand_filter.h"

namespace mindgap::cases::vending {
namespace {

/// A slot and one truth.
struct Slot {
  const Briefing& briefing;
  std::size_t place;
  double start_rate;  // of the truth
  double pilot_exposure;
  base::StreamKey key;  // of its days
};

// What a day is expected to earn: (price - w - handling) E min(D, S) - holding (S - E min(D, S)).
double day_value(const Slot& slot, double rate, std::int32_t target, double price) {
  const std::size_t product = slot.briefing.product_of(slot.place);
  const double sales = expected_sales(rate, target);
  return (price - slot.briefing.wholesale[product] - slot.briefing.handling) * sales -
         slot.briefing.holding[product] * (target - sales);
}

// The value of each day with a pilot of `length` days.
void run(const Slot& slot, std::int64_t length, std::vector<double>& value) {
  const Briefing& briefing = slot.briefing;
  const std::size_t product = briefing.product_of(slot.place);
  const belief::DemandFilterOptions law;
  belief::DemandFilter filter(
      std::clamp(briefing.simulator_rate[slot.place], law.lowest_rate, law.highest_rate), law);
  double rate = slot.start_rate;
  for (std::size_t day = 0; day < value.size(); ++day) {
    const bool pilot = static_cast<std::int64_t>(day) < length;
    const std::int32_t target = pilot ? briefing.slot_capacity : stock_target(briefing, filter.mean());
    const Money price = pilot ? briefing.explore_price[product] : briefing.exploit_price[product];
    const double exposed = rate * (pilot ? slot.pilot_exposure : 1);
    value[day] = day_value(slot, exposed, target, dollars(price));
    base::StreamKey key = slot.key;
    key.step = day;
    base::Stream words(key);
    rate *= std::exp(law.drift_sd * base::normal(words));
    const std::int64_t demand = base::poisson(words, exposed);
    filter.predict();
    if (target == 0) continue;
    filter.observe(std::min<std::int64_t>(demand, target), demand >= target, pilot ? slot.pilot_exposure : 1);
  }
}

// Over the horizon: the days simulated, and beyond them the mean of the last quarter.
double total(const std::vector<double>& value, std::int64_t horizon) {
  const auto days = static_cast<std::int64_t>(value.size());
  double sum = 0, last = 0;
  const std::int64_t quarter = std::max<std::int64_t>(1, days / 4);
  for (std::int64_t day = 0; day < days; ++day) {
    sum += value[static_cast<std::size_t>(day)];
    if (day >= days - quarter) last += value[static_cast<std::size_t>(day)];
  }
  return sum + static_cast<double>(horizon - days) * last / static_cast<double>(quarter);
}

}  // namespace

std::vector<PilotValue> pilot_values(const Briefing& briefing, std::int64_t horizon,
                                     const PilotValueOptions& options) {
  base::check_range("pilot_values", "horizon", static_cast<double>(horizon), 1, 1e9);
  base::check_range("pilot_values", "draws", static_cast<double>(options.draws), 2, 1e6);
  base::check_range("pilot_values", "days", static_cast<double>(options.days), 1, 1e6);
  if (options.lengths.empty() || options.lengths.front() != 0) {
    throw InvalidArgument("pilot_values: the first of lengths must be 0");
  }
  const belief::DemandFilterOptions law;
  const auto slots = static_cast<std::size_t>(briefing.slots());
  std::vector<double> value(static_cast<std::size_t>(std::min(horizon, options.days)));
  std::vector<double> sum(options.lengths.size(), 0), squares(sum.size(), 0);
  for (std::int64_t draw = 0; draw < options.draws; ++draw) {
    std::vector<double> gain(options.lengths.size(), 0);
    for (std::size_t place = 0; place < slots; ++place) {
      base::StreamKey key{.seed = options.seed,
                          .purpose = base::Purpose::design,
                          .trial = static_cast<std::uint64_t>(draw),
                          .unit = place};
      base::StreamKey first = key;
      first.step = ~std::uint64_t{0};
      base::Stream words(first);
      const double rate = briefing.simulator_rate[place] * std::exp(law.prior_sd * base::normal(words));
      const Money price = briefing.explore_price[briefing.product_of(place)];
      const Slot slot{briefing, place, rate, exposure(briefing, place, price), key};
      double without = 0;
      for (std::size_t i = 0; i < gain.size(); ++i) {
        run(slot, options.lengths[i], value);
        const double worth = total(value, horizon);
        if (i == 0) without = worth;
        gain[i] += worth - without;
      }
    }
    for (std::size_t i = 0; i < gain.size(); ++i) {
      sum[i] += gain[i];
      squares[i] += gain[i] * gain[i];
    }
  }
  const auto n = static_cast<double>(options.draws);
  std::vector<PilotValue> values;
  for (std::size_t i = 0; i < sum.size(); ++i) {
    const double mean = sum[i] / n;
    const double variance = std::max(0.0, (squares[i] - n * mean * mean) / (n - 1));
    values.push_back({options.lengths[i], mean, std::sqrt(variance / n)});
  }
  return values;
}

std::int64_t best_pilot_length(const std::vector<PilotValue>& values) {
  PilotValue best;
  for (const PilotValue& value : values) {
    if (value.gain > 2 * value.standard_error && value.gain > best.gain) best = value;
  }
  return best.length;
}

}  // namespace mindgap::cases::vending

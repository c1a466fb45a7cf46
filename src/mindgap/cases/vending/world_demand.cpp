#include <algorithm>
#include <array>
#include <cmath>

#include "mindgap/base/distributions.h"
#include "mindgap/cases/vending/world.h"

// Customers (spec/vending.md 3 and 10).
namespace mindgap::cases::vending {

// A customer of uniform u has z = Phi^-1(u) and is willing to pay m (1 + spread z)(1 + weather W), m the mean
// of segment and product. They pay `price` where z >= (price/(m (1 + weather W)) - 1)/spread, that is where u
// is at least Phi of it; for a substitute m is larger by a factor.
void World::set_thresholds(std::size_t machine, const Decision& decision) {
  const Money* price = &decision.price[machine * products_];
  if (threshold_day_ == day_ && std::equal(threshold_price_.begin(), threshold_price_.end(), price)) return;
  threshold_day_ = day_;
  std::copy_n(price, products_, threshold_price_.begin());
  const double factor = configuration_.demand.substitute_willingness;
  for (std::size_t s = 0; s < segments_; ++s) {
    const Segment& segment = configuration_.segments[s];
    for (std::size_t p = 0; p < products_; ++p) {
      const Product& product = configuration_.products[p];
      const double mean = segment.willingness * product.wholesale * (1 + product.weather * weather_);
      const double scale = segment.willingness_spread * std::sqrt(2.0);
      const double asked = dollars(price[p]) / mean;
      buys_above_[s * products_ + p] = std::erfc((1 - asked) / scale) / 2;
      takes_above_[s * products_ + p] = std::erfc((1 - asked / factor) / scale) / 2;
    }
  }
}

// Each customer has four words, one block of their segment's stream: product, willingness to pay, whether
// they would substitute, by what.
void World::serve(std::size_t machine, std::size_t segment, std::int64_t customers) {
  base::Stream words = stream(Kind::customers, machine * segments_ + segment);
  const double* cumulative = &cumulative_[segment * products_];
  const double* buys_above = &buys_above_[segment * products_];
  const double* takes_above = &takes_above_[segment * products_];
  const double substitution = configuration_.segments[segment].substitution;
  for (std::int64_t customer = 0; customer < customers && left_in_all_ > 0; ++customer) {
    const std::array<double, 4> u = {base::uniform(words), base::uniform(words), base::uniform(words),
                                     base::uniform(words)};
    std::size_t product = 0;
    while (u[0] >= cumulative[product]) ++product;
    if (u[1] < buys_above[product]) continue;
    if (left_[product] == 0) {
      if (u[2] >= substitution) continue;
      // The others, renormalised: the point u[3] of the line with the first choice cut out.
      const double below = product == 0 ? 0 : cumulative[product - 1];
      const double own = cumulative[product] - below;
      if (own >= 1) continue;
      double point = u[3] * (1 - own);
      if (point >= below) point += own;
      std::size_t other = 0;
      while (other + 1 < products_ && point >= cumulative[other]) ++other;
      if (other == product || left_[other] == 0 || u[1] < takes_above[other]) continue;
      product = other;
    }
    --left_[product];
    --left_in_all_;
  }
}

void World::sell(std::size_t machine, const Decision& decision) {
  const std::size_t first = machine * products_;
  left_in_all_ = 0;
  for (std::size_t p = 0; p < products_; ++p) left_in_all_ += left_[p] = slot_[first + p].units();
  if (left_in_all_ == 0) return;
  set_thresholds(machine, decision);
  const auto group = static_cast<std::size_t>(configuration_.machines[machine].group);
  const double shock = 1 + configuration_.demand.group_shock * shock_[group];
  for (std::size_t s = 0; s < segments_; ++s) {
    const double rate =
        configuration_.machines[machine].true_rate[s] * machine_factor_[machine] * segment_factor_[s] * shock;
    base::Stream words = stream(Kind::arrivals, machine * segments_ + s);
    serve(machine, s, base::poisson(words, std::max(configuration_.demand.lowest_arrivals, rate)));
  }
  for (std::size_t p = 0; p < products_; ++p) sales_[first + p] = slot_[first + p].units() - left_[p];
}

void World::note_sales(const Decision& decision) {
  for (std::size_t slot = 0; slot < slot_.size(); ++slot) {
    const std::int32_t sold = sales_[slot];
    if (sold > 0) {
      slot_[slot].take(day_, sold);
      unit_ledger_[slot % products_].sold += sold;
      ledger_.revenue += sold * decision.price[slot];
    }
    sold_out_[slot] = slot_[slot].units() == 0;
  }
}

}  // namespace mindgap::cases::vending

#include <algorithm>
#include <cmath>

#include "mindgap/base/distributions.h"
#include "mindgap/cases/vending/world.h"

// Customers (spec/vending.md 3 and 10).
namespace mindgap::cases::vending {
namespace {

// Inside (0, 1), from 32 bits.
double half_uniform(std::uint64_t bits) {
  return (static_cast<double>(bits) + .5) * 0x1p-32;
}

}  // namespace

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

// Each customer has two words of their segment's stream: the halves of the first choose the product and,
// where it is sold out, whether they substitute and by what (the uniform v below `substitution` p, stretched
// to v/p); the second is their willingness to pay.
void World::serve(std::size_t machine, std::size_t segment, std::int64_t customers) {
  base::Stream words = stream(Kind::customers, machine * segments_ + segment);
  const double* cumulative = &cumulative_[segment * products_];
  const double* buys_above = &buys_above_[segment * products_];
  for (std::int64_t customer = 0; customer < customers && left_in_all_ > 0; ++customer) {
    const std::uint64_t choices = words.next();
    const double z = base::to_unit_interval(words.next());
    const double first = half_uniform(choices >> 32);
    std::size_t product = 0;
    for (std::size_t p = 0; p + 1 < products_; ++p) product += first >= cumulative[p] ? 1 : 0;
    if (z < buys_above[product]) continue;
    if (left_[product] == 0) {
      product = substitute(segment, product, half_uniform(choices & 0xffffffff));
      if (product == products_ || left_[product] == 0 || z < takes_above_[segment * products_ + product])
        continue;
    }
    --left_[product];
    --left_in_all_;
  }
}

// What a customer takes instead of `product`, products_ where nothing: the point of a line on which the
// others lie side by side, each as long as its preference.
std::size_t World::substitute(std::size_t segment, std::size_t product, double v) const {
  const double chance = configuration_.segments[segment].substitution;
  if (v >= chance) return products_;
  const double* cumulative = &cumulative_[segment * products_];
  const double below = product == 0 ? 0 : cumulative[product - 1];
  const double own = cumulative[product] - below;
  if (own >= 1) return products_;
  double point = v / chance * (1 - own);
  if (point >= below) point += own;
  std::size_t other = 0;
  while (other + 1 < products_ && point >= cumulative[other]) ++other;
  return other == product ? products_ : other;
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
      slot_[slot].take(sold);
      unit_ledger_[slot % products_].sold += sold;
      ledger_.revenue += sold * decision.price[slot];
    }
    sold_out_[slot] = slot_[slot].units() == 0;
  }
}

}  // namespace mindgap::cases::vending

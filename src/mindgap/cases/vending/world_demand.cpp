#include <algorithm>
#include <array>
#include <cmath>

#include "mindgap/base/distributions.h"
#include "mindgap/cases/vending/world.h"

// Customers.
namespace mindgap::cases::vending {
namespace {

constexpr std::size_t kBatch = 32;

// A customer's word: 20 bits choose the product, 24 say what they would pay, 20 whether they would substitute
// and by what. A probability is kept to 1e-6, the share of those who pay to 6e-8.
constexpr int kSecondBits = 20, kPayBits = 24, kFirstBits = 20;

std::uint32_t first_of(std::uint64_t word) {
  return static_cast<std::uint32_t>(word >> (kSecondBits + kPayBits));
}
std::uint32_t pays_of(std::uint64_t word) {
  return static_cast<std::uint32_t>(word >> kSecondBits) & ((1U << kPayBits) - 1);
}
std::uint32_t second_of(std::uint64_t word) {
  return static_cast<std::uint32_t>(word) & ((1U << kSecondBits) - 1);
}

// The smallest k with k + 1/2 >= 2^bits p: a uniform of so many bits is at least p where it is at least k.
std::uint32_t bits_at(double p, int bits) {
  const double place = std::max(0.0, p * static_cast<double>(1 << bits) - .5);
  const auto below = static_cast<std::uint32_t>(place);
  return below + (static_cast<double>(below) < place ? 1 : 0);
}

}  // namespace

void World::set_choices() {
  for (const Segment& segment : configuration_.segments) {
    double sum = 0;
    for (const double preference : segment.preference) {
      chooses_above_.push_back(bits_at(sum += preference, kFirstBits));
    }
  }
  for (std::size_t s = 0; s < segments_; ++s) {
    for (std::size_t p = 0; p < products_; ++p) set_substitutes(s, p);
  }
}

// Who finds `product` sold out takes another with chance p, each as often as it is preferred among the
// others: a uniform is cut into pieces of p * preference/(1 - own), one for each product in turn, none for
// the first choice, and what is left over takes nothing.
void World::set_substitutes(std::size_t segment, std::size_t product) {
  const Segment& law = configuration_.segments[segment];
  const double others = 1 - law.preference[product];
  double sum = 0;
  for (std::size_t q = 0; q < products_; ++q) {
    if (q != product && others > 1e-12) sum += law.substitution * law.preference[q] / others;
    substitutes_above_.push_back(bits_at(std::min(sum, 1.0), kSecondBits));
  }
}

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
      buys_above_[s * products_ + p] = bits_at(std::erfc((1 - asked) / scale) / 2, kPayBits);
      takes_above_[s * products_ + p] = bits_at(std::erfc((1 - asked / factor) / scale) / 2, kPayBits);
    }
  }
}

// Each customer has one word (above). Those who would not pay are left out first, without a branch, and the
// others are served in turn; a substitute is tried with the uniform v below `substitution` p, stretched to
// v/p.
void World::serve(base::Stream& words, std::size_t segment, std::int64_t customers) {
  constexpr std::uint32_t kNever = ~std::uint32_t{0};
  const std::uint32_t* chooses_above = &chooses_above_[segment * products_];
  const std::uint32_t* buys_above = &buys_above_[segment * products_];
  const std::uint32_t* takes_above = &takes_above_[segment * products_];
  const std::uint32_t second = products_ > 1 ? chooses_above[0] : kNever;
  const std::uint32_t third = products_ > 2 ? chooses_above[1] : kNever;
  std::array<std::uint64_t, kBatch> drawn, buyers;
  std::array<std::uint32_t, kBatch> wanted;
  while (customers > 0 && left_in_all_ > 0) {
    const std::size_t batch = std::min<std::size_t>(kBatch, static_cast<std::size_t>(customers));
    customers -= static_cast<std::int64_t>(batch);
    for (std::size_t i = 0; i < batch; ++i) drawn[i] = words.next();
    std::size_t count = 0;
    for (std::size_t i = 0; i < batch; ++i) {
      const std::uint32_t first = first_of(drawn[i]);
      std::uint32_t product = (first >= second ? 1U : 0U) + (first >= third ? 1U : 0U);
      for (std::size_t p = 2; p + 1 < products_; ++p) product += first >= chooses_above[p] ? 1 : 0;
      buyers[count] = drawn[i];
      wanted[count] = product;
      count += pays_of(drawn[i]) >= buys_above[product] ? 1 : 0;
    }
    for (std::size_t i = 0; i < count && left_in_all_ > 0; ++i) {
      std::size_t product = wanted[i];
      if (left_[product] == 0) {
        const std::uint32_t* above = &substitutes_above_[(segment * products_ + product) * products_];
        const std::uint32_t chance = second_of(buyers[i]);
        product = 0;
        while (product < products_ && chance >= above[product]) ++product;
        if (product == products_ || left_[product] == 0 || pays_of(buyers[i]) < takes_above[product])
          continue;
      }
      --left_[product];
      --left_in_all_;
    }
  }
}

// The stream of a machine and day: how many come, by segment, and then a word for each in turn. All of it is
// the same whatever is in stock.
void World::sell(std::size_t machine, const Decision& decision) {
  const std::size_t first = machine * products_;
  left_in_all_ = 0;
  for (std::size_t p = 0; p < products_; ++p) left_in_all_ += left_[p] = slot_[first + p].units();
  if (left_in_all_ == 0) return;
  set_thresholds(machine, decision);
  const auto group = static_cast<std::size_t>(configuration_.machines[machine].group);
  const double shock = 1 + configuration_.demand.group_shock * shock_[group];
  base::Stream words = stream(Kind::customers, machine);
  const double factor = machine_factor_[machine] * shock;
  for (std::size_t s = 0; s < segments_; ++s) {
    const double rate = configuration_.machines[machine].true_rate[s] * segment_factor_[s] * factor;
    arrivals_[s] = base::poisson(words, std::max(configuration_.demand.lowest_arrivals, rate));
  }
  for (std::size_t s = 0; s < segments_; ++s) {
    serve(words, s, arrivals_[s]);
    if (left_in_all_ == 0) break;
  }
  for (std::size_t p = 0; p < products_; ++p) sales_[first + p] = slot_[first + p].units() - left_[p];
}

void World::note_sales(const Decision& decision) {
  for (std::size_t slot = 0; slot < slot_.size(); ++slot) {
    const std::int32_t sold = sales_[slot];
    if (sold > 0) {
      slot_[slot].take(sold);
      unit_ledger_[product_of_[slot]].sold += sold;
      ledger_.revenue += sold * decision.price[slot];
    }
    sold_out_[slot] = slot_[slot].units() == 0;
  }
}

}  // namespace mindgap::cases::vending

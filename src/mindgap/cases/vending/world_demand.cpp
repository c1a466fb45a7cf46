#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <numbers>

#include "mindgap/base/distributions.h"
#include "mindgap/base/poisson_envelope.h"
#include "mindgap/cases/vending/world.h"

// Customers.
namespace mindgap::cases::vending {
namespace {

// A uniform of a customer is a cell of 16 bits, which is drawn always, and a place in the cell, which is
// drawn where the cell holds a threshold and so cannot tell: in one of 10^4.
constexpr double kCells = 1 << 16;
constexpr std::int32_t kMiddle = 1 << 15;

// Eight cells side by side.
constexpr std::size_t kLanes = 8;
using Cells __attribute__((vector_size(2 * kLanes))) = std::int16_t;

// From words as they were written, one by one: no wait for both.
Cells cells_of(std::uint64_t low, std::uint64_t high) {
  return std::bit_cast<Cells>(std::array<std::uint64_t, 2>{low, high});
}

// Bit i is set where lane i is odd. Of four lanes in a word, bits 0, 16, 32, 48 are brought to 48, 49, 50, 51
// by a product.
std::uint64_t odd_lanes(Cells lanes) {
  const auto words = std::bit_cast<std::array<std::uint64_t, 2>>(lanes);
  const auto four = [](std::uint64_t word) {
    return ((word & 0x0001000100010001) * 0x0001000200040008) >> 48 & 15;
  };
  return four(words[0]) | four(words[1]) << 4;
}

// Cell i of words of four cells each, the lowest bits first.
std::int16_t cell_at(const std::uint64_t* words, std::size_t i) {
  return static_cast<std::int16_t>(words[i / 4] >> (16 * (i % 4)));
}

// A uniform of 1 is in no cell: it lies at the end of the last one.
inline Threshold threshold_at(double uniform) {
  const double at = uniform * kCells;
  const std::int32_t below = std::min(static_cast<std::int32_t>(at), (1 << 16) - 1);
  return {static_cast<std::int16_t>(below - kMiddle), at - below};
}

// The share of customers that would pay less than `asked` times the mean: P(1 + s Z < asked), with
// steepness = 1/(s sqrt(2)).
double share_below(double asked, double steepness) {
  return std::erfc((1 - asked) * steepness) / 2;
}

// Minus the number of customers who want the first, second and third product, lane by lane.
struct Tally {
  Cells one = {}, two = {}, three = {};
};

std::int32_t sum(Cells minus) {
  const auto words = std::bit_cast<std::array<std::uint64_t, 2>>(-minus);
  return static_cast<std::int32_t>((words[0] + words[1]) * 0x0001000100010001 >> 48);
}

// How many thresholds each first uniform has passed: 2 p + 1 where product p is bought, an even number where
// it is too dear, or the customer is one of those who did not come; for three products. What is written
// behind the end the next segment writes again. False, and nothing but `passed` is written, where a cell
// cannot tell.
inline bool count(const std::uint64_t* first, const double* above, double kept, std::size_t begin,
                  std::size_t end, std::int16_t* passed_of, std::uint64_t& buyers_of, Tally& tally) {
  constexpr Cells kPlace = {0, 1, 2, 3, 4, 5, 6, 7}, kZero = {};
  const auto cell = [&](std::size_t k) { return kZero + threshold_at(kept * above[k]).cell; };
  const Cells a = cell(0), b = cell(1), c = cell(2), d = cell(3), e = cell(4), f = cell(5);
  Cells unsure = {};
  Tally all = tally;
  std::uint64_t buyers = buyers_of;
  for (std::size_t i = begin; i < end; i += kLanes) {
    const Cells u = cells_of(first[i / 4], first[i / 4 + 1]);
    const Cells there = kPlace < static_cast<std::int16_t>(end - i);
    const Cells passed = -((u > a) + (u > b) + (u > c) + (u > d) + (u > e) + (u > f)) & there;
    unsure |= ((u == a) | (u == b) | (u == c) | (u == d) | (u == e) | (u == f)) & there;
    all.one += passed == 1;
    all.two += passed == 3;
    all.three += passed == 5;
    std::memcpy(passed_of + i, &passed, sizeof passed);
    buyers |= odd_lanes(passed) << i;
  }
  const auto halves = std::bit_cast<std::array<std::uint64_t, 2>>(unsure);
  if ((halves[0] | halves[1]) != 0) return false;
  tally = all;
  buyers_of = buyers;
  return true;
}

}  // namespace

void World::set_choices() {
  for (const Segment& segment : configuration_.segments) {
    double sum = 0;
    for (const double preference : segment.preference) {
      wants_above_.push_back(std::min(sum, 1.0));
      sum += preference;
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
    substitutes_above_.push_back(256 * std::min(sum, 1.0));
  }
}

inline double World::end_of_piece(std::size_t segment, std::size_t product) const {
  return product + 1 < products_ ? wants_above_[segment * products_ + product + 1] : 1;
}

// The first uniform of a customer is cut into pieces, one for each product as long as it is preferred. Who
// has the share u of the piece below them has z = Phi^-1(u) and is willing to pay m (1 + spread z)(1 +
// weather W), m the mean of segment and product. They pay `price` where z >= (price/(m (1 + weather W)) -
// 1)/spread, that is where u is at least Phi of it.
void World::set_thresholds(std::size_t machine, const Decision& decision) {
  const Money* price = &decision.price[machine * products_];
  if (threshold_day_ == day_ && std::equal(threshold_price_.begin(), threshold_price_.end(), price)) return;
  threshold_day_ = day_;
  std::copy_n(price, products_, threshold_price_.begin());
  std::fill(takes_above_.begin(), takes_above_.end(), -1.0);
  for (std::size_t p = 0; p < products_; ++p) {
    const Product& product = configuration_.products[p];
    asked_[p] = dollars(price[p]) / (product.wholesale * (1 + product.weather * weather_));
  }
  for (std::size_t s = 0; s < segments_; ++s) {
    const Segment& segment = configuration_.segments[s];
    const double spread = 1 / (segment.willingness_spread * std::numbers::sqrt2);
    const double willingness = 1 / segment.willingness;
    for (std::size_t p = 0; p < products_; ++p) {
      const std::size_t here = s * products_ + p;
      const double begin = wants_above_[here], end = end_of_piece(s, p);
      buys_above_[2 * here] = begin + (end - begin) * share_below(asked_[p] * willingness, spread);
      buys_above_[2 * here + 1] = end;
    }
  }
}

// Word 2 n of a stream of its own for the first uniform of customer n, word 2 n + 1 for the second.
double World::place_in_cell(const Customer& customer, std::size_t which) const {
  const base::StreamKey key = stream(Kind::places, customer.machine).key();
  const auto number = static_cast<std::uint64_t>(customer.number);
  std::array<std::uint64_t, 4> words;
  base::Stream(key, number / 2).fill(words);
  return base::to_unit_interval(words[2 * (number % 2) + which]);
}

inline bool World::passes(const Customer& customer, double above) const {
  const Threshold threshold = threshold_at(above);
  if (customer.first == threshold.cell) [[unlikely]]
    return place_in_cell(customer, 0) >= threshold.place;
  return customer.first > threshold.cell;
}

// For a substitute the mean is larger by a factor. The share of those who would not take it is computed when
// it is asked for first.
double World::share_not_taking(std::size_t segment, std::size_t product) {
  const Segment& law = configuration_.segments[segment];
  const double asked = asked_[product] / (law.willingness * configuration_.demand.substitute_willingness);
  return takes_above_[segment * products_ + product] =
             share_below(asked, 1 / (law.willingness_spread * std::numbers::sqrt2));
}

inline bool World::takes(std::size_t segment, std::size_t wanted, std::size_t product,
                         const Customer& customer) {
  double share = takes_above_[segment * products_ + product];
  if (share < 0) share = share_not_taking(segment, product);
  const double begin = wants_above_[segment * products_ + wanted], end = end_of_piece(segment, wanted);
  const double kept = kept_[customer.machine * segments_ + segment];
  return passes(customer, kept * (begin + (end - begin) * share));
}

// Of a stream of their own, those of a batch at once when the first is asked for.
std::int32_t World::second_cell(const Customer& customer) {
  const std::int64_t batch = customer.number / static_cast<std::int64_t>(kBatch);
  if (batch != second_batch_) {
    second_batch_ = batch;
    const std::int64_t size = std::min<std::int64_t>(kBatch, coming_ - batch * std::int64_t{kBatch});
    const base::StreamKey key = stream(Kind::substitutes, customer.machine).key();
    base::Stream(key, static_cast<std::uint64_t>(batch) * (kBatch / 32))
        .fill(std::span(second_).first(static_cast<std::size_t>(size + 7) / 8));
  }
  const std::size_t i = static_cast<std::size_t>(customer.number) % kBatch;
  return static_cast<std::int32_t>(second_[i / 8] >> (8 * (i % 8)) & 255);
}

// Who finds `wanted` sold out takes the product whose piece of substitutes_above_ the second uniform lies in,
// if they would pay for it and it is there; else they leave.
void World::substitute(std::size_t segment, std::size_t wanted, const Customer& customer) {
  const double* above = &substitutes_above_[(segment * products_ + wanted) * products_];
  const std::int32_t second = second_cell(customer);
  std::size_t product = 0;
  std::int32_t apart = 1;  // 0 where a cell cannot tell
  for (std::size_t q = 0; q < products_; ++q) {
    const std::int32_t beyond = second - static_cast<std::int32_t>(above[q]);
    product += static_cast<std::uint32_t>(-beyond) >> 31;
    apart &= beyond == 0 ? 0 : 1;
  }
  if (apart == 0) {
    const double exact = second + place_in_cell(customer, 1);
    product = 0;
    while (product < products_ && exact >= above[product]) ++product;
  }
  if (left_[product] == 0 || !takes(segment, wanted, product, customer)) return;
  --left_[product];
  --left_in_all_;
}

// The same for any number of products, one customer after the other, and sure.
void World::count_surely(std::size_t machine, std::size_t segment, std::size_t begin, std::size_t end,
                         std::int64_t number) {
  for (std::size_t i = begin; i < end; ++i) {
    const Customer customer = {machine, number + static_cast<std::int64_t>(i), cell_at(first_.data(), i)};
    std::int16_t passed = 0;
    for (std::size_t k = 0; k < 2 * products_; ++k) {
      if (passes(customer, kept_[machine * segments_ + segment] * buys_above_[2 * segment * products_ + k]))
        ++passed;
    }
    passed_[i] = passed;
    buyers_ = (buyers_ & ~(std::uint64_t{1} << i)) | static_cast<std::uint64_t>(passed & 1) << i;
  }
}

// The buyers of the batch in turn; `number` is that of the batch's first among the customers of the machine
// and day.
void World::serve_in_turn(std::size_t machine, std::int64_t number) {
  for (std::uint64_t buyers = buyers_; buyers != 0 && left_in_all_ > 0; buyers &= buyers - 1) {
    const auto i = static_cast<std::size_t>(std::countr_zero(buyers));
    const std::size_t wanted = static_cast<std::size_t>(passed_[i]) / 2;
    if (left_[wanted] > 0) {
      --left_[wanted];
      --left_in_all_;
    } else {
      substitute(segment_of_[i / 4], wanted,
                 {machine, number + static_cast<std::int64_t>(i), cell_at(first_.data(), i)});
    }
  }
}

// How many come is drawn of the day's own words, half of one for each machine and segment: so many that
// Poisson(mean) are left where each is kept with probability `kept`, whatever the others.
void World::draw_arrivals(const std::vector<std::uint64_t>& halves) {
  const Demand& demand = configuration_.demand;
  const base::PoissonEnvelopes& envelopes = base::PoissonEnvelopes::get();
  std::size_t here = 0;
  for (std::size_t i = 0; i < machines_; ++i) {
    const auto group = static_cast<std::size_t>(configuration_.machines[i].group);
    const double factor = machine_factor_[i] * (1 + demand.group_shock * shock_[group]);
    for (std::size_t s = 0; s < segments_; ++s, ++here) {
      const double mean = std::max(demand.lowest_arrivals, true_rate_[here] * segment_factor_[s] * factor);
      if (mean <= base::PoissonEnvelopes::kHighest) {
        const base::PoissonEnvelope& envelope = envelopes.above(mean);
        kept_[here] = mean * envelope.inverse;
        arrivals_[here] = envelope.law.at(halves[here] << 32 | 0x80000000);
      } else {
        base::Stream many = stream(Kind::crowds, here);
        kept_[here] = 1;
        arrivals_[here] = base::poisson(many, mean);
      }
    }
  }
}

// A quarter of a word of the machine's and day's stream for each who comes, segment after segment, each of
// which begins with a word of its own. All of it is the same whatever is in stock.
void World::sell(std::size_t machine, const Decision& decision) {
  const std::size_t first = machine * products_;
  left_in_all_ = 0;
  for (std::size_t p = 0; p < products_; ++p) left_in_all_ += left_[p] = slot_[first + p].units();
  coming_ = 0;
  for (std::size_t s = 0; s < segments_; ++s) coming_ += (arrivals_[machine * segments_ + s] + 3) / 4 * 4;
  if (left_in_all_ == 0 || coming_ == 0) return;
  set_thresholds(machine, decision);
  second_batch_ = -1;
  serve(machine);
  for (std::size_t p = 0; p < products_; ++p) sales_[first + p] = slot_[first + p].units() - left_[p];
}

// A batch after the other, as long as there is something to sell.
void World::serve(std::size_t machine) {
  base::Stream words = stream(Kind::customers, machine);
  std::size_t segment = 0;
  std::int64_t waiting = arrivals_[machine * segments_];
  for (std::int64_t number = 0; number < coming_ && left_in_all_ > 0; number += kBatch) {
    const auto batch = static_cast<std::size_t>(std::min<std::int64_t>(kBatch, coming_ - number));
    words.fill(std::span(first_).first(batch / 4));
    Tally tally;
    bool sure = true;
    buyers_ = 0;
    for (std::size_t at = 0; at < batch;) {
      while (waiting == 0) waiting = arrivals_[machine * segments_ + ++segment];
      const auto here = std::min<std::size_t>(batch - at, static_cast<std::size_t>(waiting));
      const std::size_t piece = machine * segments_ + segment;
      if (products_ != 3 || !count(first_.data(), &buys_above_[6 * segment], kept_[piece], at, at + here,
                                   passed_.data(), buyers_, tally)) {
        count_surely(machine, segment, at, at + here, number);
        sure = false;
      }
      waiting -= static_cast<std::int64_t>(here);
      for (const std::size_t end = at + here; at < end; at += 4) {
        segment_of_[at / 4] = static_cast<std::uint8_t>(segment);
      }
    }
    const std::array<std::int32_t, 3> wanted = {sum(tally.one), sum(tally.two), sum(tally.three)};
    if (sure && wanted[0] <= left_[0] && wanted[1] <= left_[1] && wanted[2] <= left_[2]) {
      // Enough for all of them, in whatever order.
      for (std::size_t p = 0; p < 3; ++p) {
        left_[p] -= wanted[p];
        left_in_all_ -= wanted[p];
      }
    } else {
      serve_in_turn(machine, number);
    }
  }
}

void World::note_sales(const Decision& decision) {
  Money revenue = 0;
  for (std::size_t slot = 0; slot < slot_.size(); ++slot) {
    const std::int32_t sold = sales_[slot];
    slot_[slot].take(sold);
    unit_ledger_[product_of_[slot]].sold += sold;
    revenue += sold * decision.price[slot];
    sold_out_[slot] = slot_[slot].units() == 0;
  }
  ledger_.revenue += revenue;
}

}  // namespace mindgap::cases::vending

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <numbers>

#include "mindgap/base/distributions.h"
#include "paper/cases/vending/world.h"
#include "paper/variates/poisson_envelope.h"

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
using Bytes __attribute__((vector_size(kLanes))) = std::int8_t;

// From words as they were written, one by one: no wait for both.
Cells cells_of(std::uint64_t low, std::uint64_t high) {
  return std::bit_cast<Cells>(std::array<std::uint64_t, 2>{low, high});
}

// Bit i is bit `bit` of byte i, by a product.
std::uint64_t bits_of(std::uint64_t bytes, int bit) {
  return ((bytes >> bit & 0x0101010101010101) * 0x0102040810204080) >> 56;
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

// The cells of threshold_at(kept * above[k]), k < 4, each twice in a lane of 32 bits.
using Pairs __attribute__((vector_size(16))) = std::int32_t;
inline Pairs pairs_at(const double* above, double kept) {
  using Two __attribute__((vector_size(16))) = double;
  using TwoHalves __attribute__((vector_size(8))) = std::int32_t;
  Two one, two;
  std::memcpy(&one, above, sizeof one);
  std::memcpy(&two, above + 2, sizeof two);
  const TwoHalves x = __builtin_convertvector(one * kept * kCells, TwoHalves);
  const TwoHalves y = __builtin_convertvector(two * kept * kCells, TwoHalves);
  Pairs cells = __builtin_shufflevector(x, y, 0, 1, 2, 3);
  cells += cells > (1 << 16) - 1;  // it is 1 << 16 at most
  cells -= kMiddle;
  return (cells & 0xffff) | cells << 16;
}

template <int lane>
inline Cells everywhere(Pairs pairs) {
  return std::bit_cast<Cells>(__builtin_shufflevector(pairs, pairs, lane, lane, lane, lane));
}

// The share of customers that would pay less than `asked` times the mean: P(1 + s Z < asked), with
// steepness = 1/(s sqrt(2)).
double share_below(double asked, double steepness) {
  return std::erfc((1 - asked) * steepness) / 2;
}

// Who of the customers begin .. end - 1 would buy the first, second and third product: product p is bought
// where the first uniform has passed threshold 2 p and not 2 p + 1. False, and nothing is written, where a
// cell cannot tell.
inline bool compare(const std::uint64_t* first, const double* above, double kept, std::size_t begin,
                    std::size_t end, std::uint64_t* wants) {
  constexpr Cells kPlace = {0, 1, 2, 3, 4, 5, 6, 7};
  const Pairs low = pairs_at(above, kept), high = pairs_at(above + 2, kept);
  const Cells a = everywhere<0>(low), b = everywhere<1>(low), c = everywhere<2>(low), d = everywhere<3>(low);
  const Cells e = everywhere<2>(high), f = everywhere<3>(high);
  Cells unsure = {};
  std::uint64_t one = 0, two = 0, three = 0;
  for (std::size_t i = begin; i < end; i += kLanes) {
    const Cells u = cells_of(first[i / 4], first[i / 4 + 1]);
    const Cells there = kPlace < static_cast<std::int16_t>(end - i);
    const Cells bought =
        (((u > a) & (u <= b) & 1) | ((u > c) & (u <= d) & 2) | ((u > e) & (u <= f) & 4)) & there;
    unsure |= ((u == a) | (u == b) | (u == c) | (u == d) | (u == e) | (u == f)) & there;
    const auto bytes = std::bit_cast<std::uint64_t>(__builtin_convertvector(bought, Bytes));
    one |= bits_of(bytes, 0) << i;
    two |= bits_of(bytes, 1) << i;
    three |= bits_of(bytes, 2) << i;
  }
  const auto halves = std::bit_cast<std::array<std::uint64_t, 2>>(unsure);
  if ((halves[0] | halves[1]) != 0) return false;
  wants[0] |= one;
  wants[1] |= two;
  wants[2] |= three;
  return true;
}

// How many bits of each byte and those below it are set, in that byte.
std::uint64_t counts_up_to(std::uint64_t bits) {
  bits -= bits >> 1 & 0x5555555555555555;
  bits = (bits & 0x3333333333333333) + (bits >> 2 & 0x3333333333333333);
  return ((bits + (bits >> 4)) & 0x0f0f0f0f0f0f0f0f) * 0x0101010101010101;
}

// The place of the k-th set bit, 1 <= k <= their number.
int place_of(std::uint64_t bits, std::uint64_t counts, std::int32_t k) {
  // Byte i of `less` has its upper bit set where fewer than k are set up to it: counts are 64 at most.
  const std::uint64_t least = static_cast<std::uint64_t>(k) * 0x0101010101010101;
  const std::uint64_t less = ~((counts | 0x8080808080808080) - least) & 0x8080808080808080;
  const int byte = 8 * static_cast<int>((less >> 7) * 0x0101010101010101 >> 56);
  // In the byte, by halves: without branches, which nobody could predict.
  auto rest = static_cast<std::uint32_t>(bits >> byte);
  auto rank = static_cast<std::uint32_t>(k) - static_cast<std::uint32_t>((counts << 8) >> byte & 255);
  std::uint32_t place = 0;
  const auto halve = [&](std::uint32_t width, std::uint32_t below) {
    const std::uint32_t upper = 0U - static_cast<std::uint32_t>(rank > below);
    rank -= below & upper;
    rest >>= width & upper;
    place += width & upper;
  };
  halve(4, static_cast<std::uint32_t>(0x4332322132212110 >> (4 * (rest & 15)) & 15));
  halve(2, (rest & 1) + (rest >> 1 & 1));
  halve(1, rest & 1);
  return byte + static_cast<int>(place);
}

// The bits above a place from -1 to 64.
std::uint64_t above_place(int place) {
  return place >= 63 ? 0 : ~std::uint64_t{0} << (place + 1);
}

}  // namespace

void World::set_choices() {
  for (const Segment& segment : configuration_.segments) {
    double sum = 0;
    for (const double preference : segment.preference) {
      wants_above_.push_back(std::min(sum, 1.0));
      sum += preference;
    }
    per_willingness_.push_back(1 / segment.willingness);
    per_substitute_.push_back(1 / (segment.willingness * configuration_.demand.substitute_willingness));
    steepness_.push_back(1 / (segment.willingness_spread * std::numbers::sqrt2));
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
  const double* above = &substitutes_above_[substitutes_above_.size() - products_];
  for (int cell = 0; cell < 256; ++cell) {
    const auto passed = std::count_if(above, above + products_, [&](double a) { return cell >= a; });
    const bool sure =
        std::all_of(above, above + products_, [&](double a) { return cell >= a || cell + 1 <= a; });
    substitute_of_.push_back(sure ? static_cast<std::uint16_t>(passed) : kUnsure);
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
    for (std::size_t p = 0; p < products_; ++p) {
      const std::size_t here = s * products_ + p;
      const double begin = wants_above_[here], end = end_of_piece(s, p);
      buys_above_[2 * here] =
          begin + (end - begin) * share_below(asked_[p] * per_willingness_[s], steepness_[s]);
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
  const double asked = asked_[product] * per_substitute_[segment];
  return takes_above_[segment * products_ + product] = share_below(asked, steepness_[segment]);
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
void World::draw_second(std::size_t machine, std::int64_t batch) {
  second_batch_ = batch;
  const std::int64_t size = std::min<std::int64_t>(kBatch, coming_ - batch * std::int64_t{kBatch});
  base::Stream(stream(Kind::substitutes, machine).key(), static_cast<std::uint64_t>(batch) * (kBatch / 32))
      .fill(std::span(second_).first(static_cast<std::size_t>(size + 31) / 32 * 4));
}

inline std::int32_t World::second_cell(const Customer& customer) {
  const std::int64_t batch = customer.number / static_cast<std::int64_t>(kBatch);
  if (batch != second_batch_) draw_second(customer.machine, batch);
  const std::size_t i = static_cast<std::size_t>(customer.number) % kBatch;
  return static_cast<std::int32_t>(second_[i / 8] >> (8 * (i % 8)) & 255);
}

// Who finds `wanted` sold out takes the product whose piece of substitutes_above_ the second uniform lies in,
// if they would pay for it and it is there; else they leave.
inline std::size_t World::substitute(std::size_t segment, std::size_t wanted, const Customer& customer) {
  const std::int32_t second = second_cell(customer);
  const std::size_t here = segment * products_ + wanted;
  const std::uint16_t product = substitute_of_[here * 256 + static_cast<std::size_t>(second)];
  if (product != kUnsure) [[likely]]
    return product;
  const double* above = &substitutes_above_[here * products_];
  const double exact = second + place_in_cell(customer, 1);
  return static_cast<std::size_t>(
      std::count_if(above, above + products_, [&](double a) { return exact >= a; }));
}

// The same as compare() for any number of products, one customer after the other, and sure.
void World::compare_surely(std::size_t machine, std::size_t segment, std::size_t begin, std::size_t end,
                           std::int64_t number) {
  for (std::size_t i = begin; i < end; ++i) {
    const Customer customer = {machine, number + static_cast<std::int64_t>(i), cell_at(first_.data(), i)};
    std::size_t passed = 0;
    for (std::size_t k = 0; k < 2 * products_; ++k) {
      if (passes(customer, kept_[machine * segments_ + segment] * buys_above_[2 * segment * products_ + k]))
        ++passed;
    }
    if (passed % 2 == 1) wants_[passed / 2] |= std::uint64_t{1} << i;
  }
}

// Sells to the batch, in turn; `number` is that of the batch's first among the customers of the machine and
// day. Of each product, `over` is what would be left if all who want it first got it. Where that is more
// than 0 it is there for all of the batch. Else `last` is who gets the last one, and those after them have to
// look for another: they are seen one by one, and where one of them takes a unit of another product, someone
// after them comes too late for that. known_products is the number of products, or 0 for any.
template <std::size_t known_products>
void World::serve_batch(std::size_t machine, std::int64_t number) {
  const std::size_t products = known_products > 0 ? known_products : products_;
  std::uint64_t* const wants = wants_.data();
  std::int32_t* const over = over_.data();
  int* const last = last_.data();
  std::uint64_t late = 0;
  int longest = -1;
  for (std::size_t p = 0; p < products; ++p) {
    const std::uint64_t counts = counts_up_to(wants[p]);
    over[p] = left_[p] - static_cast<std::int32_t>(counts >> 56);
    last[p] = over[p] > 0 ? 64 : left_[p] > 0 ? place_of(wants[p], counts, left_[p]) : -1;
    late |= wants[p] & above_place(last[p]);
    longest = std::max(longest, last[p]);
  }
  for (; late != 0; late &= late - 1) {
    const int i = std::countr_zero(late);
    if (i > longest) break;
    const auto place = static_cast<std::size_t>(i);
    std::size_t wanted = 0;
    for (std::size_t p = 1; p < products; ++p) wanted += p * (wants[p] >> i & 1);
    std::size_t segment = 0;
    for (std::size_t s = 0; s + 1 < segments_; ++s) segment += number + i >= ends_[s] ? 1 : 0;
    const Customer customer = {machine, number + i, cell_at(first_.data(), place)};
    const std::size_t product = substitute(segment, wanted, customer);
    if (i > last[product] || !takes(segment, wanted, product, customer)) continue;
    if (--over[product] > 0) continue;
    const int before = last[product];
    std::uint64_t after = wants[product] & above_place(i);
    if (before < 64) {
      after &= ~above_place(before - 1);
      late |= std::uint64_t{1} << before;
    }
    last[product] = after == 0 ? i : 63 - std::countl_zero(after);
    longest = -1;
    for (std::size_t p = 0; p < products; ++p) longest = std::max(longest, last[p]);
  }
  std::int32_t left = 0;
  for (std::size_t p = 0; p < products; ++p) left += left_[p] = std::max(0, over[p]);
  left_in_all_ = left;
}

// How many come is drawn of the day's own words, half of one for each machine and segment: so many that
// Poisson(mean) are left where each is kept with probability `kept`, whatever the others.
void World::draw_arrivals(const std::vector<std::uint64_t>& halves) {
  const Demand& demand = configuration_.demand;
  const variates::PoissonEnvelopes& envelopes = variates::PoissonEnvelopes::get();
  std::size_t here = 0;
  for (std::size_t i = 0; i < machines_; ++i) {
    const auto group = static_cast<std::size_t>(configuration_.machines[i].group);
    const double factor = machine_factor_[i] * (1 + demand.group_shock * shock_[group]);
    for (std::size_t s = 0; s < segments_; ++s, ++here) {
      const double mean = std::max(demand.lowest_arrivals, true_rate_[here] * segment_factor_[s] * factor);
      if (mean <= variates::PoissonEnvelopes::kHighest) {
        const variates::PoissonEnvelope& envelope = envelopes.above(mean);
        kept_[here] = mean * envelope.inverse;
        arrivals_[here] = envelope.count(static_cast<std::uint32_t>(halves[here]));
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
  std::int32_t left = 0;
  for (std::size_t p = 0; p < products_; ++p) left += left_[p] = slot_[first + p].units();
  left_in_all_ = left;
  std::int64_t coming = 0;
  for (std::size_t s = 0; s < segments_; ++s) {
    coming += (arrivals_[machine * segments_ + s] + 3) & ~std::int64_t{3};
    ends_[s] = coming;
  }
  coming_ = coming;
  if (left == 0 || coming == 0) return;
  set_thresholds(machine, decision);
  second_batch_ = -1;
  serve(machine);
  for (std::size_t p = 0; p < products_; ++p) sales_[first + p] = slot_[first + p].units() - left_[p];
}

// A batch after the other, as long as there is something to sell.
void World::serve(std::size_t machine) {
  base::Stream words = stream(Kind::customers, machine);
  for (std::int64_t number = 0; number < coming_ && left_in_all_ > 0; number += kBatch) {
    const std::int64_t end = std::min<std::int64_t>(number + kBatch, coming_);
    words.fill(std::span(first_).first(static_cast<std::size_t>(end - number + 15) / 16 * 4));
    std::fill(wants_.begin(), wants_.end(), 0);
    std::int64_t begin = 0;
    for (std::size_t s = 0; s < segments_; begin = ends_[s++]) {
      const std::size_t piece = machine * segments_ + s;
      const std::int64_t from = std::max(begin, number), to = std::min(begin + arrivals_[piece], end);
      if (from >= to) continue;
      const auto first = static_cast<std::size_t>(from - number),
                 last = static_cast<std::size_t>(to - number);
      if (products_ != 3 ||
          !compare(first_.data(), &buys_above_[6 * s], kept_[piece], first, last, wants_.data())) {
        compare_surely(machine, s, first, last, number);
      }
    }
    products_ == 3 ? serve_batch<3>(machine, number) : serve_batch<0>(machine, number);
  }
}

}  // namespace mindgap::cases::vending

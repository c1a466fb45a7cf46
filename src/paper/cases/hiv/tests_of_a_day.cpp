#include "paper/cases/hiv/tests_of_a_day.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "mindgap/base/distributions.h"
#include "paper/variates/clones.h"

namespace mindgap::cases::hiv {
namespace {

constexpr double kTableMean = 10;
constexpr std::size_t kTeams = 8;  // that are drawn side by side
constexpr std::size_t kTerms = 4;  // of the binomial law between two looks whether all have their number
constexpr std::size_t kTestsOfADayMost = 128;  // tests of a team in a day, by a table

// k and 1/(k+1).
constexpr auto kPlace = [] {
  std::array<double, kTestsOfADayMost + kTerms> numbers{};
  for (std::size_t k = 0; k < numbers.size(); ++k) numbers[k] = static_cast<double>(k);
  return numbers;
}();
constexpr auto kShare = [] {
  std::array<double, kTestsOfADayMost + kTerms> numbers{};
  for (std::size_t k = 0; k < numbers.size(); ++k) numbers[k] = 1 / static_cast<double>(k + 1);
  return numbers;
}();

// Four teams side by side, which stay in registers (a language extension of g++ and clang).
constexpr std::size_t kWidth = 4, kParts = kTeams / kWidth;
using Reals = double __attribute__((vector_size(8 * kWidth)));
using Wholes = std::uint64_t __attribute__((vector_size(8 * kWidth)));

// The smallest k with F(k) >= u for Binomial(n, p), p <= 1/2: f(0) = (1-p)^n, f(k) = f(k-1) (n-k+1)/k
// p/(1-p). For p > 1/2, n less the failures, by 1 - u. Without a branch for any single team. n <= `most`.
MINDGAP_CLONES void invert(const double* tests, const double* uniform, const double* chance,
                           std::int64_t most, double* positives) {
  const Reals one = Reals{} + 1, half = Reals{} + 0.5;
  Reals n[kParts], u[kParts], p[kParts], odds[kParts], sum[kParts], term[kParts], power[kParts],
      count[kParts];
  Wholes left[kParts];
  for (std::size_t i = 0; i < kParts; ++i) {
    Reals in_n, in_u, in_p;  // a copy right into an array would go through memory
    std::memcpy(&in_n, tests + kWidth * i, sizeof in_n);
    std::memcpy(&in_u, uniform + kWidth * i, sizeof in_u);
    std::memcpy(&in_p, chance + kWidth * i, sizeof in_p);
    n[i] = in_n;
    p[i] = in_p;
    u[i] = in_p > half ? 1 - in_u : in_u;
    const Reals rare = in_p > half ? 1 - in_p : in_p;
    power[i] = 1 - rare;
    odds[i] = rare / power[i];
    term[i] = one;
    count[i] = Reals{};
    left[i] = reinterpret_cast<Wholes>(in_n + 0x1p52);  // whose last bits are n's
  }
  for (std::int64_t bits = most; bits > 0; bits >>= 1) {
    for (std::size_t i = 0; i < kParts; ++i) {
      term[i] *= (left[i] & 1) != 0 ? power[i] : one;
      power[i] *= power[i];
      left[i] >>= 1;
    }
  }
  for (std::size_t i = 0; i < kParts; ++i) sum[i] = term[i];
  for (std::size_t k = 0; static_cast<std::int64_t>(k) < most; k += kTerms) {
    Wholes more = {};
    for (std::size_t next = k; next < k + kTerms; ++next) {
      for (std::size_t i = 0; i < kParts; ++i) {
        count[i] += u[i] > sum[i] ? one : Reals{};
        term[i] *= odds[i] * ((n[i] - kPlace[next]) * kShare[next]);
        sum[i] += term[i];
      }
    }
    for (std::size_t i = 0; i < kParts; ++i) more |= reinterpret_cast<Wholes>(u[i] > sum[i]);
    if ((more[0] | more[1] | more[2] | more[3]) == 0) break;
  }
  for (std::size_t i = 0; i < kParts; ++i) {
    const Reals k = count[i] < n[i] ? count[i] : n[i], found = p[i] > half ? n[i] - k : k;
    std::memcpy(positives + kWidth * i, &found, sizeof found);
  }
}

}  // namespace

// f(k) = f(k-1) mean / k, each rounded to a whole number of words; n = 1 has those of 0, too, and the last n
// those that are left over.
TestsOfADay::TestsOfADay(double mean) : mean_(mean) {
  if (mean >= kTableMean) return;
  const double none = std::exp(-mean);
  double term = none * mean, probability = none + term;
  std::uint64_t next = 0;
  for (bool more = true; more;) {
    const auto words = static_cast<std::uint64_t>(std::min(probability, 1 - 0x1p-53) * 0x1p64);
    more = words > 0 && next + words > next;
    const std::uint64_t last = more ? next + words - 1 : ~std::uint64_t{0};
    words_.push_back(
        {next, last, 2 / (static_cast<double>(last - next) + 1), static_cast<double>(words_.size() + 1)});
    next += words;
    term *= mean / static_cast<double>(words_.size() + 1);
    probability = term;
  }
  for (std::size_t place = words_.size(); place-- > 0;) {
    const auto from = guide_.begin() + static_cast<std::ptrdiff_t>(words_[place].first >> (64 - kGuideBits));
    const auto to = guide_.begin() + static_cast<std::ptrdiff_t>(words_[place].last >> (64 - kGuideBits));
    std::fill(from, to + 1, static_cast<std::uint8_t>(place));
  }
}

void TestsOfADay::draw(std::span<const std::uint64_t> words, std::span<const double> chance,
                       std::span<double> tests, std::span<double> positives) const {
  alignas(64) std::array<double, kTeams> uniform;
  const Words* table = words_.data();
  for (std::size_t first = 0; first < words.size(); first += kTeams) {
    const std::size_t count = std::min(kTeams, words.size() - first);
    std::size_t most = 0;
    for (std::size_t i = 0; i < count; ++i) {
      const std::uint64_t word = words[first + i];
      std::size_t place = guide_[word >> (64 - kGuideBits)];
      while (table[place].last < word) ++place;
      const auto within = static_cast<std::int64_t>((word - table[place].first) >> 1);
      uniform[i] = (static_cast<double>(within) + 0.5) * table[place].shrink;
      tests[first + i] = table[place].tests;
      most = std::max(most, place + 1);
    }
    if (count == kTeams) [[likely]] {
      invert(&tests[first], uniform.data(), &chance[first], static_cast<std::int64_t>(most),
             &positives[first]);
      continue;
    }
    std::array<double, kTeams> some_tests{}, some_chance{}, some_positives;
    std::fill(uniform.begin() + static_cast<std::ptrdiff_t>(count), uniform.end(), 0.0);
    std::copy_n(&tests[first], count, some_tests.begin());
    std::copy_n(&chance[first], count, some_chance.begin());
    invert(some_tests.data(), uniform.data(), some_chance.data(), static_cast<std::int64_t>(most),
           some_positives.data());
    std::copy_n(some_positives.begin(), count, &positives[first]);
  }
}

void TestsOfADay::draw(base::Stream& stream, double chance, double& tests, double& positives) const {
  const std::int64_t count = std::max<std::int64_t>(1, base::poisson(stream, mean_));
  tests = static_cast<double>(count);
  positives = static_cast<double>(base::binomial(stream, count, chance));
}

}  // namespace mindgap::cases::hiv

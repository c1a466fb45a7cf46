#include "mindgap/belief/surprise.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "mindgap/base/check.h"
#include "mindgap/base/distributions.h"
#include "mindgap/base/log_pmf.h"
#include "mindgap/base/parallel.h"

namespace mindgap::belief {
namespace {

std::vector<double> logs_of(std::span<const double> weights) {
  std::vector<double> result;
  for (const double w : weights) result.push_back(std::log(w));
  return result;
}

// The part of log n! / prod_j n_j! that is not the same for all data sets with as many moves.
double log_coefficient(const PairData& data) {
  double sum = 0;
  if (data.moves > 0)
    for (const double n : data.count) sum -= base::log_rising(1, n);
  return sum;
}

// Several data sets of one pair, all with as many rewards and moves.
class DrawnPair {
 public:
  DrawnPair(const PairData& like, std::size_t size)
      : like_(like), count_(size * like.count.size()), data_(size) {}

  void draw(std::size_t i, const MemberLaw& law, std::int32_t member, base::Stream& stream) {
    const std::size_t entries = like_.count.size();
    data_[i] = law.draw(member, like_, stream, std::span(count_).subspan(i * entries, entries));
  }
  std::span<const PairData> data() const { return data_; }

 private:
  const PairData& like_;
  std::vector<double> count_;
  std::vector<PairData> data_;
};

// log Gamma(a_j + n) / Gamma(a_j) of one member's row for n = 0, 1, ..., moves. Data sets of a row are many
// and their counts few, so looking up is faster than computing.
class RisingTable {
 public:
  RisingTable(const PairData& like, std::size_t data_sets)
      : width_(static_cast<std::size_t>(like.moves) + 1), alpha_(like.count.size()) {
    const auto whole = [](double n) { return n == std::floor(n); };
    used_ = like.moves > 0 && like.moves < static_cast<double>(data_sets) &&
            std::ranges::all_of(like.count, whole);
    if (used_) table_.resize(width_ * alpha_.size());
  }
  bool used() const { return used_; }

  void set(const MemberLaw& law, std::int32_t member, std::int32_t pair) {
    law.row(member, pair, alpha_);
    for (std::size_t j = 0; j < alpha_.size(); ++j)
      for (std::size_t n = 0; n < width_; ++n)
        table_[j * width_ + n] = base::log_rising(alpha_[j], static_cast<double>(n));
  }
  double sum(std::span<const double> count) const {
    double sum = 0;
    for (std::size_t j = 0; j < count.size(); ++j)
      sum += table_[j * width_ + static_cast<std::size_t>(count[j])];
    return sum;
  }

 private:
  bool used_ = false;
  std::size_t width_;
  std::vector<double> alpha_, table_;
};

// Data sets of an ensemble, seen or drawn, and how probable they are. Sums are by data set and member.
class Judge {
 public:
  Judge(const Ensemble& ensemble, const SurpriseOptions& options)
      : law_(ensemble.law()),
        options_(options),
        seen_(ensemble.data()),
        members_(law_.members().weights().size()),
        prior_(law_.members().weights()),
        posterior_(ensemble.weights()),
        log_prior_(logs_of(prior_)),
        log_posterior_(logs_of(posterior_)) {}

  std::span<const PairData> seen() const { return seen_; }

  double log_density_of_seen() const {
    std::vector<double> sums = log_prior_;
    for (const PairData& pair : seen_) add({&pair, 1}, sums);
    return log_sum_exp(sums);
  }

  // Log densities of the data sets begin .. begin + out.size() - 1. Every pair has a stream of its own.
  void drawn(std::int64_t begin, std::span<double> out) const {
    std::vector<std::int32_t> member;
    std::vector<double> sums;
    for (std::size_t d = 0; d < out.size(); ++d) {
      base::Stream stream = stream_of(begin + static_cast<std::int64_t>(d), 0);
      member.push_back(base::categorical(stream, prior_));
      sums.insert(sums.end(), log_prior_.begin(), log_prior_.end());
    }
    for (const PairData& pair : seen_) {
      DrawnPair drawn(pair, out.size());
      for (std::size_t d = 0; d < out.size(); ++d) {
        base::Stream stream = stream_of(begin + static_cast<std::int64_t>(d), 1 + pair.pair);
        drawn.draw(d, law_, member[d], stream);
      }
      add(drawn.data(), sums);
    }
    for (std::size_t d = 0; d < out.size(); ++d) out[d] = total(sums, d);
  }

  PairSurprise of_pair(const PairData& seen) const {
    const auto draws = static_cast<std::size_t>(options_.draws);
    std::vector<double> sums = log_posterior_;
    add({&seen, 1}, sums);
    const double wanted = total(sums, 0);
    base::Stream stream = stream_of(options_.draws, seen.pair);
    DrawnPair drawn(seen, draws);
    sums.clear();
    for (std::size_t d = 0; d < draws; ++d) {
      drawn.draw(d, law_, base::categorical(stream, posterior_), stream);
      sums.insert(sums.end(), log_posterior_.begin(), log_posterior_.end());
    }
    add(drawn.data(), sums);
    PairSurprise result{seen.pair, -wanted, 0};
    for (std::size_t d = 0; d < draws; ++d) {
      const double value = total(sums, d);
      result.shortfall += value / static_cast<double>(draws);
      result.share += (value <= wanted) / static_cast<double>(draws);
    }
    return result;
  }

 private:
  base::Stream stream_of(std::int64_t draw, std::int32_t unit) const {
    return base::Stream({options_.run.seed, base::Purpose::analysis, static_cast<std::uint64_t>(draw),
                         static_cast<std::uint64_t>(unit)});
  }
  double total(std::span<const double> sums, std::size_t data_set) const {
    return log_sum_exp(sums.subspan(data_set * members_, members_));
  }

  // Adds the log densities of a pair's data, one data set after the other, given each member.
  void add(std::span<const PairData> data, std::span<double> sums) const {
    const PairData& like = data.front();
    RisingTable table(like, data.size());
    for (std::size_t i = 0; i < members_; ++i) {
      const auto member = static_cast<std::int32_t>(i);
      if (table.used()) table.set(law_, member, like.pair);
      for (std::size_t d = 0; d < data.size(); ++d) {
        sums[d * members_ + i] += table.used()
                                      ? law_.log_density_of_mean(member, data[d]) + table.sum(data[d].count)
                                      : law_.log_density(member, data[d]);
      }
    }
    for (std::size_t d = 0; d < data.size(); ++d) {
      const double coefficient = log_coefficient(data[d]);
      for (double& sum : sums.subspan(d * members_, members_)) sum += coefficient;
    }
  }

  const MemberLaw& law_;
  const SurpriseOptions& options_;
  std::vector<PairData> seen_;
  std::size_t members_;
  std::span<const double> prior_, posterior_;
  std::vector<double> log_prior_, log_posterior_;
};

std::vector<PairSurprise> worst_pairs(const Judge& judge, std::int64_t wanted, const base::Threads& threads) {
  if (wanted == 0) return {};
  std::vector<PairSurprise> pairs(judge.seen().size());
  threads.for_each_chunk(static_cast<std::int64_t>(pairs.size()),
                         [&](std::int64_t i) { pairs[i] = judge.of_pair(judge.seen()[i]); });
  std::ranges::stable_sort(pairs, std::ranges::greater(), &PairSurprise::shortfall);
  pairs.resize(std::min(pairs.size(), static_cast<std::size_t>(wanted)));
  return pairs;
}

// A pair with a whole move that no member calls possible: then none explains what was seen. Parts of moves,
// which spreading a state over corners leaves anywhere, prove nothing.
std::optional<std::int32_t> impossible_move(const Ensemble& ensemble) {
  for (const OffSupport& one : ensemble.off_support()) {
    if (one.count >= 1) return one.pair;
  }
  return std::nullopt;
}

}  // namespace

void SurpriseOptions::validate() const {
  base::check_range("surprise", "draws", static_cast<double>(draws), 1, 1e9);
  base::check_range("surprise", "worst", static_cast<double>(worst), 0, 1e9);
}

Surprise surprise(const Ensemble& ensemble, const SurpriseOptions& options) {
  options.validate();
  if (const std::optional<std::int32_t> pair = impossible_move(ensemble)) {
    Surprise none{.share = 0};
    if (options.worst > 0) none.worst.push_back({.pair = *pair});
    return none;
  }
  const base::Threads threads(options.run.threads);
  const Judge judge(ensemble, options);
  std::vector<double> drawn(static_cast<std::size_t>(options.draws));
  constexpr std::int64_t kTogether = 64;  // data sets that share the tables of a pair
  base::parallel_for(threads, options.draws, kTogether, [&](std::int64_t begin, std::int64_t end) {
    judge.drawn(begin, std::span(drawn).subspan(begin, end - begin));
  });
  const double seen = judge.log_density_of_seen();
  const auto at_most = static_cast<double>(std::ranges::count_if(drawn, [&](double x) { return x <= seen; }));
  const auto draws = static_cast<double>(options.draws);
  const double moderate = (at_most + 1) / (draws + 2);
  return {.share = at_most / draws,
          .standard_error = std::sqrt(moderate * (1 - moderate) / draws),
          .draws = options.draws,
          .pairs = static_cast<std::int64_t>(judge.seen().size()),
          .worst = worst_pairs(judge, options.worst, threads)};
}

}  // namespace mindgap::belief

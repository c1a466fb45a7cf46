#include "mindgap/decide/verdict.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>

#include "mindgap/base/check.h"
#include "mindgap/base/error.h"
#include "mindgap/stats/moments.h"

namespace mindgap::decide {
namespace {

constexpr std::array<Kind, 3> kKinds = {Kind::deploy, Kind::learn, Kind::experiment};

// D(p, q) of verdict.h.
struct Contrast {
  double mean = 0, half_width = 0;
  bool ahead = false;  // p is surely not behind q, whatever the indifference

  bool surely_tied() const { return ahead || mean - half_width >= 0; }
  bool surely_worse() const { return mean + half_width < 0; }
  // Worlds, as a multiple of those there are, until one of the above holds.
  double worlds() const {
    if (surely_tied() || surely_worse()) return 1;
    return mean == 0 ? std::numeric_limits<double>::infinity() : std::pow(half_width / mean, 2);
  }
};

class Contrasts {
 public:
  Contrasts(std::span<const std::vector<double>> values, std::span<const Kind> kinds, double indifference,
            double level)
      : kinds_(kinds), contrast_(values.size() * values.size()) {
    double pairs = 0;
    for (const Kind p : kinds)
      pairs += static_cast<double>(std::count_if(kinds.begin(), kinds.end(), [&](Kind q) { return p != q; }));
    for (std::size_t p = 0; p < values.size(); ++p) {
      for (std::size_t q = 0; q < values.size(); ++q) {
        if (kinds[p] != kinds[q])
          contrast_[p * values.size() + q] =
              contrast(values[p], values[q], indifference, 1 - (1 - level) / pairs);
      }
    }
  }

  const Contrast& at(std::size_t p, std::size_t q) const { return contrast_[p * kinds_.size() + q]; }

  // By the means: is some plan of the kind tied with every plan of the others?
  bool is_tied(Kind kind) const {
    return exists(kind, [&](std::size_t p) {
      return every_other(kind, [&](std::size_t q) { return at(p, q).mean >= 0; });
    });
  }

  // The least multiple of the worlds by which `tied` is certain: some plan of the kind is tied with all
  // others, or all plans of the kind are worse than some other.
  double worlds_until(Kind kind, bool tied) const {
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t one = 0; one < kinds_.size(); ++one) {
      if ((kinds_[one] == kind) != tied) continue;
      double most = 1;
      for (std::size_t other = 0; other < kinds_.size(); ++other) {
        if ((kinds_[other] == kind) == tied) continue;
        const Contrast& d = tied ? at(one, other) : at(other, one);
        const bool right = tied ? d.mean >= 0 : d.mean < 0;
        most = std::max(most, right ? d.worlds() : std::numeric_limits<double>::infinity());
      }
      least = std::min(least, most);
    }
    return least;
  }

 private:
  // Mean and half-width of the interval of p + factor q.
  static Contrast combined(std::span<const double> p, std::span<const double> q, double factor,
                           double level) {
    std::vector<double> d(p.size());
    for (std::size_t w = 0; w < d.size(); ++w) d[w] = p[w] + factor * q[w];
    const double mean = stats::mean(d);
    const double error = stats::standard_deviation(d) / std::sqrt(static_cast<double>(d.size()));
    const stats::Interval interval =
        stats::student_interval(mean, error, static_cast<std::int64_t>(d.size()), level);
    return {mean, interval.upper - mean};
  }

  static Contrast contrast(std::span<const double> p, std::span<const double> q, double indifference,
                           double level) {
    const double slack = stats::mean(q) < 0 ? -indifference : indifference;
    Contrast result = combined(p, q, slack - 1, level);
    const Contrast plain = combined(p, q, -1, level);
    result.ahead = plain.mean - plain.half_width >= 0;
    return result;
  }

  template <typename Holds>
  bool exists(Kind kind, Holds holds) const {
    for (std::size_t p = 0; p < kinds_.size(); ++p) {
      if (kinds_[p] == kind && holds(p)) return true;
    }
    return false;
  }
  template <typename Holds>
  bool every_other(Kind kind, Holds holds) const {
    for (std::size_t q = 0; q < kinds_.size(); ++q) {
      if (kinds_[q] != kind && !holds(q)) return false;
    }
    return true;
  }

  std::span<const Kind> kinds_;
  std::vector<Contrast> contrast_;  // [p * plans + q]
};

std::optional<std::size_t> best_where(std::span<const std::vector<double>> values,
                                      std::span<const Kind> kinds, Kind kind, bool is_kind) {
  std::optional<std::size_t> best;
  for (std::size_t p = 0; p < values.size(); ++p) {
    if ((kinds[p] == kind) != is_kind) continue;
    if (!best || stats::mean(values[p]) > stats::mean(values[*best])) best = p;
  }
  return best;
}

}  // namespace

Verdict settle(std::span<const std::vector<double>> values, std::span<const Kind> kinds, double indifference,
               double level) {
  base::check_size("settle", "kinds", kinds.size(), values.size());
  if (values.empty()) throw InvalidArgument("settle: there is no plan");
  const auto worlds = static_cast<double>(values[0].size());
  const Contrasts contrasts(values, kinds, indifference, level);
  // The verdict is certain once the kind is certainly tied and no simpler one is; the last kind is what is
  // left.
  const Kind last = *std::max_element(kinds.begin(), kinds.end());
  double needed = 1;
  for (const Kind kind : kKinds) {
    if (kind == last) break;
    if (std::find(kinds.begin(), kinds.end(), kind) == kinds.end()) continue;
    const bool tied = contrasts.is_tied(kind);
    needed = std::max(needed, contrasts.worlds_until(kind, tied));
    if (tied) return {kind, needed <= 1, needed * worlds};
  }
  return {last, needed <= 1, needed * worlds};
}

double level_of_look(double level, std::int64_t look) {
  const auto j = static_cast<double>(look);
  return 1 - (1 - level) * 6 / (std::numbers::pi * std::numbers::pi * j * j);
}

std::optional<std::size_t> best_of_kind(std::span<const std::vector<double>> values,
                                        std::span<const Kind> kinds, Kind kind) {
  return best_where(values, kinds, kind, true);
}

std::optional<std::size_t> best_of_others(std::span<const std::vector<double>> values,
                                          std::span<const Kind> kinds, Kind kind) {
  return best_where(values, kinds, kind, false);
}

}  // namespace mindgap::decide

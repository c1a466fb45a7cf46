#pragma once

#include <cfloat>
#include <cstdint>

#include "random.h"

// What is done for a range of rows (states or pairs) of one model: plain functions of where the numbers lie,
// for the host and for a device. Neighbouring threads of a device have neighbouring models, so every load but
// those of the shared structure is contiguous. A sum over a row goes from left to right.
namespace mindgap::engine {

// Numbers by row and model: those of a row lie side by side.
template <typename T>
struct Field {
  T* at = nullptr;
  std::int64_t stride = 0;
  MINDGAP_BOTH T& operator()(std::int64_t row, std::int32_t model) const { return at[row * stride + model]; }
};

struct Models {
  std::int32_t states = 0, pairs = 0;
  std::int64_t nonzeros = 0;
  const std::int32_t* pair_begin = nullptr;
  const std::int64_t* row_begin = nullptr;
  const std::int32_t* next_state = nullptr;
  Field<double> reward, probability;
};

// The models that something is done for, ascending; null: all of them, from 0.
struct Chosen {
  std::int32_t count = 0;
  const std::int32_t* list = nullptr;
  MINDGAP_BOTH std::int32_t operator()(std::int32_t i) const { return list ? list[i] : i; }
};

MINDGAP_BOTH void lower(double* target, double value) {
#ifdef __CUDA_ARCH__
  // Doubles of one sign compare as integers: positive ones alike, negative ones the other way round.
  if (value >= 0)
    atomicMin(reinterpret_cast<long long*>(target), __double_as_longlong(value));
  else
    atomicMax(reinterpret_cast<unsigned long long*>(target),
              static_cast<unsigned long long>(__double_as_longlong(value)));
#else
  if (value < *target) *target = value;
#endif
}

MINDGAP_BOTH void raise(double* target, double value) {
#ifdef __CUDA_ARCH__
  if (value >= 0)
    atomicMax(reinterpret_cast<long long*>(target), __double_as_longlong(value));
  else
    atomicMin(reinterpret_cast<unsigned long long*>(target),
              static_cast<unsigned long long>(__double_as_longlong(value)));
#else
  if (value > *target) *target = value;
#endif
}

// Per model; each may be null.
struct Extremes {
  double *min = nullptr, *max = nullptr, *magnitude = nullptr;
};

struct Seen {
  double min = DBL_MAX, max = -DBL_MAX, magnitude = 0;
  MINDGAP_BOTH void add(double before, double after) {
    const double d = after - before, size = fmax(fabs(before), fabs(after));
    min = d < min ? d : min;
    max = d > max ? d : max;
    magnitude = size > magnitude ? size : magnitude;
  }
  // + 0.0: a zero must be the positive one, whose bits are 0.
  MINDGAP_BOTH void give(const Extremes& to, std::int32_t m) const {
    if (to.min) lower(to.min + m, min + 0.0);
    if (to.max) raise(to.max + m, max + 0.0);
    if (to.magnitude) raise(to.magnitude + m, magnitude);
  }
};

MINDGAP_BOTH double row_sum(const Models& models, std::int64_t begin, std::int64_t end, std::int32_t m,
                            const Field<double>& value) {
  double sum = 0;
#pragma unroll 4
  for (std::int64_t i = begin; i < end; ++i) sum += models.probability(i, m) * value(models.next_state[i], m);
  return sum;
}

// V(s) <- max over k of r(k) + g p(k)'V, less the price where s is outside.
struct Improve {
  Models models;
  double discount;
  Field<const std::uint8_t> outside;
  const double* price;
  Field<double> in, out;
  Field<std::uint16_t> pick;
  Extremes extremes;

  MINDGAP_BOTH void operator()(std::int32_t begin, std::int32_t end, std::int32_t m) const {
    const double lambda = price[m];
    Seen seen;
    for (std::int32_t s = begin; s < end; ++s) {
      const std::int32_t first = models.pair_begin[s], last = models.pair_begin[s + 1];
      double best = -DBL_MAX;
      std::int32_t which = first;
      for (std::int32_t k = first; k < last; ++k) {
        const double q = models.reward(k, m) +
                         discount * row_sum(models, models.row_begin[k], models.row_begin[k + 1], m, in);
        which = q > best ? k : which;
        best = q > best ? q : best;
      }
      if (lambda != 0 && outside(s, m)) best -= lambda;
      seen.add(in(s, m), best);
      out(s, m) = best;
      pick(s, m) = static_cast<std::uint16_t>(which - first);
    }
    seen.give(extremes, m);
  }
};

// The same with the actions as they are.
struct Evaluate {
  Models models;
  double discount;
  Field<const std::uint8_t> outside;
  const double* price;
  Field<double> in, out;
  Field<const std::uint16_t> pick;

  MINDGAP_BOTH void operator()(std::int32_t begin, std::int32_t end, std::int32_t m) const {
    const double lambda = price[m];
    for (std::int32_t s = begin; s < end; ++s) {
      const std::int32_t k = models.pair_begin[s] + pick(s, m);
      double value = models.reward(k, m) +
                     discount * row_sum(models, models.row_begin[k], models.row_begin[k + 1], m, in);
      if (lambda != 0 && outside(s, m)) value -= lambda;
      out(s, m) = value;
    }
  }
};

// O(s) <- 1 where s is outside + g p(pick)'O.
struct VisitOutside {
  Models models;
  double discount;
  Field<const std::uint8_t> outside;
  Field<double> in, out;
  Field<const std::uint16_t> pick;
  Extremes extremes;

  MINDGAP_BOTH void operator()(std::int32_t begin, std::int32_t end, std::int32_t m) const {
    Seen seen;
    for (std::int32_t s = begin; s < end; ++s) {
      const std::int32_t k = models.pair_begin[s] + pick(s, m);
      const double value = (outside(s, m) ? 1.0 : 0.0) +
                           discount * row_sum(models, models.row_begin[k], models.row_begin[k + 1], m, in);
      seen.add(in(s, m), value);
      out(s, m) = value;
    }
    if (extremes.min) seen.give(extremes, m);
  }
};

// One step of backward induction: the action that is best with the price, its rewards without, its visits
// outside.
struct FiniteStep {
  Models models;
  double discount;
  Field<const std::uint8_t> outside;
  const double* price;
  Field<double> reward_in, reward_out, visits_in, visits_out;

  MINDGAP_BOTH void operator()(std::int32_t begin, std::int32_t end, std::int32_t m) const {
    const double lambda = price[m];
    for (std::int32_t s = begin; s < end; ++s) {
      double best = -DBL_MAX, reward = 0, visits = 0;
      for (std::int32_t k = models.pair_begin[s]; k < models.pair_begin[s + 1]; ++k) {
        double gain = 0, out = 0;
#pragma unroll 4
        for (std::int64_t i = models.row_begin[k]; i < models.row_begin[k + 1]; ++i) {
          const double p = models.probability(i, m);
          const std::int32_t next = models.next_state[i];
          gain += p * reward_in(next, m);
          out += p * visits_in(next, m);
        }
        gain = models.reward(k, m) + discount * gain;
        out *= discount;
        const double q = gain - lambda * out;
        if (q > best) {
          best = q;
          reward = gain;
          visits = out;
        }
      }
      reward_out(s, m) = reward;
      visits_out(s, m) = visits + (outside(s, m) ? 1.0 : 0.0);
    }
  }
};

// Entries by where they lead: the entries into state s are at begin[s] .. begin[s+1]-1, each with the state
// it leaves and the place of its action there.
struct Columns {
  const std::int64_t* begin = nullptr;
  const std::int64_t* entry = nullptr;
  const std::int32_t* from = nullptr;
  const std::uint16_t* place = nullptr;  // null: all entries count
};

// One step forward: next(s) = sum over entries into s of g now(from) p; and it is added to the visits.
struct Forward {
  Models models;
  Columns columns;
  double discount;
  Field<const std::uint16_t> pick;
  Field<double> now, next, visits;

  MINDGAP_BOTH void operator()(std::int32_t begin, std::int32_t end, std::int32_t m) const {
    for (std::int32_t s = begin; s < end; ++s) {
      double sum = 0;
      for (std::int64_t j = columns.begin[s]; j < columns.begin[s + 1]; ++j) {
        const std::int32_t from = columns.from[j];
        if (columns.place && columns.place[j] != pick(from, m)) continue;
        sum += discount * now(from, m) * models.probability(columns.entry[j], m);
      }
      next(s, m) = sum;
      visits(s, m) += sum;
    }
  }
};

// x(s) y(s), into z.
struct RewardOfVisits {
  Models models;
  const std::int32_t* pair_of_state;  // null: pick
  Field<const std::uint16_t> pick;
  Field<const double> visits;
  Field<double> out;
  MINDGAP_BOTH void operator()(std::int32_t begin, std::int32_t end, std::int32_t m) const {
    for (std::int32_t s = begin; s < end; ++s) {
      const std::int32_t k = pair_of_state ? pair_of_state[s] : models.pair_begin[s] + pick(s, m);
      out(s, m) = visits(s, m) * models.reward(k, m);
    }
  }
};

struct MarkOutside {
  double threshold;
  const double* total;
  Field<const double> visits;
  Field<std::uint8_t> outside;
  Field<double> visits_outside;
  MINDGAP_BOTH void operator()(std::int32_t begin, std::int32_t end, std::int32_t m) const {
    for (std::int32_t s = begin; s < end; ++s) {
      const bool is = visits(s, m) < threshold * total[m];
      outside(s, m) = is ? 1 : 0;
      visits_outside(s, m) = is ? visits(s, m) : 0.0;
    }
  }
};

// The same number in every model.
struct Spread {
  const double* value;  // null: 0
  Field<double> out;
  MINDGAP_BOTH void operator()(std::int32_t begin, std::int32_t end, std::int32_t m) const {
    for (std::int32_t s = begin; s < end; ++s) out(s, m) = value ? value[s] : 0.0;
  }
};

struct Weigh {
  const double* weights;
  Field<const double> in;
  Field<double> out;
  MINDGAP_BOTH void operator()(std::int32_t begin, std::int32_t end, std::int32_t m) const {
    for (std::int32_t s = begin; s < end; ++s) out(s, m) = weights[s] * in(s, m);
  }
};

// Row j of the result is the sum of rows kSummed j .. kSummed (j + 1) - 1.
constexpr std::int32_t kSummed = 32;
struct SumRows {
  std::int32_t rows;
  Field<const double> in;
  Field<double> out;
  MINDGAP_BOTH void operator()(std::int32_t begin, std::int32_t end, std::int32_t m) const {
    for (std::int32_t j = begin; j < end; ++j) {
      const std::int32_t first = j * kSummed, last = first + kSummed < rows ? first + kSummed : rows;
      double sum = 0;
#pragma unroll 8
      for (std::int32_t i = first; i < last; ++i) sum += in(i, m);
      out(j, m) = sum;
    }
  }
};

// One thread a state: sum over models of factor times visits.
struct SumModels {
  std::int32_t models;
  const double* factor;
  Field<const double> visits;
  double* out;
  MINDGAP_BOTH void operator()(std::int32_t s) const {
    double sum = 0;
    for (std::int32_t m = 0; m < models; ++m) sum += factor[m] * visits(s, m);
    out[s] = sum;
  }
};

// Of each model: extremes of the sums of rows, and the largest |reward|; over pairs.
struct Ranges {
  Models models;
  Extremes extremes;
  MINDGAP_BOTH void operator()(std::int32_t begin, std::int32_t end, std::int32_t m) const {
    Seen seen;
    for (std::int32_t k = begin; k < end; ++k) {
      double sum = 0;
      for (std::int64_t i = models.row_begin[k]; i < models.row_begin[k + 1]; ++i)
        sum += models.probability(i, m);
      seen.min = sum < seen.min ? sum : seen.min;
      seen.max = sum > seen.max ? sum : seen.max;
      const double r = fabs(models.reward(k, m));
      seen.magnitude = r > seen.magnitude ? r : seen.magnitude;
    }
    seen.give(extremes, m);
  }
};

// Draws of mindgap::belief: the reward with one word, then the row, from the stream of the pair; over pairs.
struct Draw {
  Models models;
  const double *reward_mean, *reward_sd, *alpha;
  std::uint64_t seed, purpose, first;

  MINDGAP_BOTH void operator()(std::int32_t begin, std::int32_t end, std::int32_t m) const {
    for (std::int32_t k = begin; k < end; ++k) {
      Stream stream(seed, purpose, first + static_cast<std::uint64_t>(m), static_cast<std::uint64_t>(k));
      models.reward(k, m) = reward_mean[k] + reward_sd[k] * normal_quantile(stream.uniform());
      dirichlet(stream, models.row_begin[k], models.row_begin[k + 1], m);
    }
  }

  MINDGAP_BOTH void dirichlet(Stream& stream, std::int64_t begin, std::int64_t end, std::int32_t m) const {
    if (end - begin == 1) {
      models.probability(begin, m) = 1;
      return;
    }
    double largest = 0;
    for (std::int64_t i = begin; i < end; ++i) largest = alpha[i] > largest ? alpha[i] : largest;
    const double scale = largest < 1e-200 ? 0x1p300 : 1;
    double top = -DBL_MAX;
    for (std::int64_t i = begin; i < end; ++i) {
      const double log_variate = log_gamma_draw(stream, alpha[i] * scale);
      models.probability(i, m) = log_variate;
      top = log_variate > top ? log_variate : top;
    }
    double sum = 0;
    for (std::int64_t i = begin; i < end; ++i) {
      const double variate = exp(models.probability(i, m) - top);
      models.probability(i, m) = variate;
      sum += variate;
    }
    for (std::int64_t i = begin; i < end; ++i) {
      const double p = models.probability(i, m) / sum;
      models.probability(i, m) = p > DBL_MIN ? p : DBL_MIN;
    }
  }
};

// One model in or out of a field; over rows, with the model fixed.
struct Put {
  const double* from;
  Field<double> to;
  std::int32_t model;
  MINDGAP_BOTH void operator()(std::int32_t row) const { to(row, model) = from[row]; }
};
struct Take {
  Field<const double> from;
  double* to;
  std::int32_t model;
  MINDGAP_BOTH void operator()(std::int32_t row) const { to[row] = from(row, model); }
};
struct TakePick {
  Models models;
  Field<const std::uint16_t> pick;
  std::int32_t* to;
  std::int32_t model;
  MINDGAP_BOTH void operator()(std::int32_t s) const { to[s] = models.pair_begin[s] + pick(s, model); }
};

}  // namespace mindgap::engine

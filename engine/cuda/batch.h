#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "kernels.h"
#include "mindgap/mdp/engine_abi.h"

// A batch of models on a Backend, and the functions of engine_abi.h over it. A Backend has
//   Buffer<T>: allocate(n), size(), data(), upload(const T*, n), download(T*, n), for memory that it computes
//   on; launch(rows, chosen, kernel): kernel(begin, end, model) for ranges that cover all rows, each model
//   that is chosen;
//   launch_rows(rows, kernel): kernel(row) for each row.
namespace mindgap::engine {

template <typename Backend>
class Batch {
 public:
  Batch(const MindgapShape& shape, std::int32_t models) : count_(models) {
    check_shape(shape);
    stride_ = (models + 31) / 32 * 32;
    models_.states = shape.states;
    models_.pairs = shape.pairs;
    models_.nonzeros = shape.nonzeros;
    pair_begin_host_.assign(shape.pair_begin, shape.pair_begin + shape.states + 1);
    row_begin_host_.assign(shape.row_begin, shape.row_begin + shape.pairs + 1);
    next_state_host_.assign(shape.next_state, shape.next_state + shape.nonzeros);
    models_.pair_begin = put(pair_begin_, pair_begin_host_);
    models_.row_begin = put(row_begin_, row_begin_host_);
    models_.next_state = put(next_state_, next_state_host_);
    models_.reward = field(reward_, models_.pairs);
    models_.probability = field(probability_, models_.nonzeros);
    outside_.allocate(cells(models_.states));
    fill_zero(outside_);
    pick_.allocate(cells(models_.states));
    fill_zero(pick_);
  }

  // Bytes that one model takes, all buffers together.
  static std::int64_t bytes_per_model(const MindgapShape& shape) {
    return 8 * (shape.nonzeros + shape.pairs) + std::int64_t{shape.states} * (kFields * 8 + 3);
  }
  // And what all models share.
  static std::int64_t shared_bytes(const MindgapShape& shape) {
    return 32 * shape.nonzeros + 32 * std::int64_t{shape.pairs} + 64 * std::int64_t{shape.states};
  }

  std::int32_t count() const { return count_; }

  void load(std::int32_t model, const double* reward, const double* probability) {
    check_model(model);
    staging_.reserve_upload(probability, models_.nonzeros);
    Backend::launch_rows(rows(models_.nonzeros), Put{staging_.data(), models_.probability, model});
    staging_.reserve_upload(reward, models_.pairs);
    Backend::launch_rows(models_.pairs, Put{staging_.data(), models_.reward, model});
  }

  void read(std::int32_t model, double* reward, double* probability) {
    check_model(model);
    take(models_.probability, models_.nonzeros, model, probability);
    take(models_.reward, models_.pairs, model, reward);
  }

  void draw(const MindgapLaw& law, std::uint64_t first) {
    typename Backend::template Buffer<double> mean, sd, alpha;
    mean.reserve_upload(law.reward_mean, models_.pairs);
    sd.reserve_upload(law.reward_sd, models_.pairs);
    alpha.reserve_upload(law.alpha, models_.nonzeros);
    Backend::launch(models_.pairs, all(),
                    Draw{models_, mean.data(), sd.data(), alpha.data(), law.seed, law.purpose, first});
    Backend::finish();  // before the buffers go
  }

  void ranges(double* row_sum_min, double* row_sum_max, double* reward_magnitude) {
    const Extremes extremes = fresh_extremes();
    Backend::launch(models_.pairs, all(), Ranges{models_, extremes});
    give_extremes(nullptr, row_sum_min, row_sum_max, reward_magnitude);
  }

  void follow(const std::int32_t* pair_of_state, const double* weights, double discount, std::int64_t steps,
              double* total, double* reward) {
    const Columns columns = pair_of_state ? columns_of(pair_of_state) : all_columns();
    Field<double> now = field(now_, models_.states), next = field(next_, models_.states);
    const Field<double> visits = field(visits_, models_.states);
    const double* start = upload_weights(weights);
    Backend::launch(models_.states, all(), Spread{start, now});
    Backend::launch(models_.states, all(), Spread{start, visits});
    for (std::int64_t t = 1; t < steps; ++t) {
      Backend::launch(models_.states, all(), Forward{models_, columns, discount, pick(), now, next, visits});
      std::swap(now, next);
    }
    sum_states(constant(visits), models_.states, total);
    const std::int32_t* pairs = nullptr;
    if (pair_of_state) {
      pair_of_state_.reserve_upload(pair_of_state, models_.states);
      pairs = pair_of_state_.data();
    }
    const Field<double> each = field(scratch_, models_.states);
    Backend::launch(models_.states, all(), RewardOfVisits{models_, pairs, pick(), constant(visits), each});
    sum_states(constant(each), models_.states, reward);
  }

  void mark_outside(double threshold, double* outside) {
    const Field<double> visits = field(visits_, models_.states), each = field(scratch_, models_.states);
    sum_states(constant(visits), models_.states, nullptr);
    Backend::launch(models_.states, all(),
                    MarkOutside{threshold, sums_.data(), constant(visits), {outside_.data(), stride_}, each});
    sum_states(constant(each), models_.states, outside);
  }

  void sum_visits(const double* factor, double* visits) {
    factor_.reserve_upload(factor, count_);
    staging_.reserve(models_.states);
    Backend::launch_rows(
        models_.states,
        SumModels{count_, factor_.data(), constant(field(visits_, models_.states)), staging_.data()});
    staging_.download(visits, models_.states);
  }

  void finite_horizon(double discount, std::int64_t steps, const double* weights, const double* price,
                      const std::uint8_t* active, double* reward, double* outside) {
    Field<double> r = field(now_, models_.states), r_next = field(next_, models_.states);
    Field<double> o = field(outside_value_[0], models_.states);
    Field<double> o_next = field(outside_value_[1], models_.states);
    const Chosen wanted = chosen(active);
    const double* lambda = upload_price(price);
    Backend::launch(models_.states, all(), Spread{nullptr, r});
    Backend::launch(models_.states, all(), Spread{nullptr, o});
    for (std::int64_t t = 0; t < steps; ++t) {
      Backend::launch(models_.states, wanted,
                      FiniteStep{models_, discount, is_outside(), lambda, r, r_next, o, o_next});
      std::swap(r, r_next);
      std::swap(o, o_next);
    }
    const double* from = upload_weights(weights);
    give_weighed(from, r, active, reward);
    give_weighed(from, o, active, outside);
  }

  void set_value(const double* value) {
    const Field<double> v = field(value_[0], models_.states);
    staging_.reserve_upload(value, models_.states);
    Backend::launch(models_.states, all(), Spread{staging_.data(), v});
    fill_zero(pick_);
  }

  void improve(double discount, const double* price, const std::uint8_t* active, std::int32_t evaluations,
               double* residual_min, double* residual_max, double* magnitude) {
    Field<double> v = field(value_[0], models_.states), next = field(value_[1], models_.states);
    const Chosen wanted = chosen(active);
    const double* lambda = upload_price(price);
    const auto bellman = [&](const Extremes& extremes) {
      Backend::launch(models_.states, wanted,
                      Improve{models_, discount, is_outside(), lambda, v, next,
                              Field<std::uint16_t>{pick_.data(), stride_}, extremes});
      std::swap(v, next);
    };
    // An even number of sweeps ends where it began, which models that are not wanted never left.
    if (evaluations % 2 == 0) bellman({});
    for (std::int32_t i = 0; i < evaluations; ++i) {
      Backend::launch(models_.states, wanted,
                      Evaluate{models_, discount, is_outside(), lambda, v, next, pick()});
      std::swap(v, next);
    }
    bellman(fresh_extremes());
    give_extremes(active, residual_min, residual_max, magnitude);
  }

  void weigh_value(const double* weights, double* value) {
    give_weighed(upload_weights(weights), field(value_[0], models_.states), nullptr, value);
  }

  void read_value(std::int32_t model, double* value, std::int32_t* pair) {
    check_model(model);
    take(field(value_[0], models_.states), models_.states, model, value);
    pair_of_state_.reserve(models_.states);
    Backend::launch_rows(models_.states, TakePick{models_, pick(), pair_of_state_.data(), model});
    pair_of_state_.download(pair, models_.states);
  }

  void visit_outside(double discount, const double* weights, const std::uint8_t* active, std::int32_t sweeps,
                     bool restart, double* residual_min, double* residual_max, double* outside) {
    const bool first = outside_value_[0].size() == 0;
    Field<double> o = field(outside_value_[0], models_.states);
    Field<double> next = field(outside_value_[1], models_.states);
    if (restart || first) Backend::launch(models_.states, all(), Spread{nullptr, o});
    const Chosen wanted = chosen(active);
    const Extremes extremes = fresh_extremes();
    const std::int32_t even = std::max(2, sweeps + sweeps % 2);
    for (std::int32_t i = 0; i < even; ++i) {
      Backend::launch(models_.states, wanted,
                      VisitOutside{models_, discount, is_outside(), o, next, pick(),
                                   i + 1 == even ? extremes : Extremes{}});
      std::swap(o, next);
    }
    give_extremes(active, residual_min, residual_max, nullptr);
    give_weighed(upload_weights(weights), o, active, outside);
  }

 private:
  static constexpr int kFields = 9;  // of doubles per state and model, sums of them included
  template <typename T>
  using Buffer = typename Backend::template Buffer<T>;

  static void check_shape(const MindgapShape& shape) {
    for (std::int32_t s = 0; s < shape.states; ++s) {
      if (shape.pair_begin[s + 1] - shape.pair_begin[s] > std::numeric_limits<std::uint16_t>::max())
        throw std::runtime_error("more than 65,535 actions in one state");
    }
    if (shape.nonzeros > std::numeric_limits<std::int32_t>::max())
      throw std::runtime_error("more than 2,147,483,647 transitions");
  }
  void check_model(std::int32_t model) const {
    if (model < 0 || model >= count_) throw std::runtime_error("no such model in the batch");
  }

  static std::int32_t rows(std::int64_t n) { return static_cast<std::int32_t>(n); }
  std::int64_t cells(std::int64_t n) const { return n * stride_; }

  template <typename T>
  const T* put(Buffer<T>& buffer, const std::vector<T>& values) {
    buffer.reserve_upload(values.data(), static_cast<std::int64_t>(values.size()));
    return buffer.data();
  }
  // The field of a buffer, which is there from its first use on.
  Field<double> field(Buffer<double>& buffer, std::int64_t n) {
    if (buffer.size() == 0) buffer.allocate(cells(n));
    return {buffer.data(), stride_};
  }
  template <typename T>
  static Field<const T> constant(const Field<T>& field) {
    return {field.at, field.stride};
  }
  template <typename T>
  static void fill_zero(Buffer<T>& buffer) {
    buffer.zero();
  }
  Field<const std::uint16_t> pick() const { return {pick_.data(), stride_}; }
  Field<const std::uint8_t> is_outside() const { return {outside_.data(), stride_}; }

  const double* upload_weights(const double* weights) {
    weights_.reserve_upload(weights, models_.states);
    return weights_.data();
  }
  const double* upload_price(const double* price) {
    price_.reserve_upload(price, count_);
    return price_.data();
  }
  Chosen all() const { return {count_, nullptr}; }
  Chosen chosen(const std::uint8_t* active) {
    std::vector<std::int32_t> list;
    for (std::int32_t m = 0; m < count_; ++m) {
      if (!active || active[m]) list.push_back(m);
    }
    const auto wanted = static_cast<std::int32_t>(list.size());
    if (wanted == count_) return all();
    chosen_.reserve_upload(list.data(), wanted);
    return {wanted, chosen_.data()};
  }

  Extremes fresh_extremes() {
    const auto n = static_cast<std::size_t>(count_);
    extremes_host_.assign(3 * n, std::numeric_limits<double>::max());
    std::fill_n(extremes_host_.begin() + count_, n, std::numeric_limits<double>::lowest());
    std::fill_n(extremes_host_.begin() + 2 * count_, n, 0.0);
    extremes_.reserve_upload(extremes_host_.data(), 3 * count_);
    return {extremes_.data(), extremes_.data() + count_, extremes_.data() + 2 * count_};
  }
  void give_extremes(const std::uint8_t* active, double* min, double* max, double* magnitude) {
    extremes_.download(extremes_host_.data(), 3 * count_);
    double* const to[3] = {min, max, magnitude};
    for (int i = 0; i < 3; ++i) {
      if (to[i]) give(extremes_host_.data() + i * count_, active, to[i]);
    }
  }
  void give(const double* from, const std::uint8_t* active, double* to) const {
    for (std::int32_t m = 0; m < count_; ++m) {
      if (!active || active[m]) to[m] = from[m];
    }
  }

  // Sums over rows, always in the same order; they stay in sums_, and are given where wanted.
  void sum_states(Field<const double> in, std::int32_t n, double* sums) {
    bool into_first = true;
    while (n > 1) {
      const std::int32_t less = (n + kSummed - 1) / kSummed;
      Buffer<double>& to = into_first ? sums_ : more_sums_;
      if (to.size() < cells(less)) to.allocate(cells(less));
      const Field<double> out{to.data(), stride_};
      Backend::launch(less, all(), SumRows{n, in, out});
      in = constant(out);
      n = less;
      into_first = !into_first;
    }
    if (in.at != sums_.data()) {
      if (sums_.size() < stride_) sums_.allocate(stride_);
      Backend::launch(1, all(), SumRows{1, in, Field<double>{sums_.data(), stride_}});
    }
    if (sums) sums_.download(sums, count_);
  }
  void give_weighed(const double* weights, const Field<double>& in, const std::uint8_t* active, double* to) {
    const Field<double> each = field(scratch_, models_.states);
    Backend::launch(models_.states, all(), Weigh{weights, constant(in), each});
    std::vector<double> sums(static_cast<std::size_t>(count_));
    sum_states(constant(each), models_.states, sums.data());
    give(sums.data(), active, to);
  }
  void take(const Field<double>& from, std::int64_t n, std::int32_t model, double* to) {
    staging_.reserve(n);
    Backend::launch_rows(rows(n), Take{constant(from), staging_.data(), model});
    staging_.download(to, n);
  }

  // By counting sort, so that entries into a state are in the order of the states they leave.
  template <typename EachEntry>
  Columns sort_columns(EachEntry each_entry, bool with_place) {
    std::vector<std::int64_t> begin(static_cast<std::size_t>(models_.states) + 1, 0);
    each_entry([&](std::int64_t i, std::int32_t, std::uint16_t) { ++begin[next_state_host_[i] + 1]; });
    for (std::size_t s = 1; s < begin.size(); ++s) begin[s] += begin[s - 1];
    std::vector<std::int64_t> entry(static_cast<std::size_t>(begin.back())), place_of = begin;
    std::vector<std::int32_t> from(entry.size());
    std::vector<std::uint16_t> place(with_place ? entry.size() : 0);
    each_entry([&](std::int64_t i, std::int32_t s, std::uint16_t a) {
      const std::int64_t j = place_of[next_state_host_[i]]++;
      entry[j] = i;
      from[j] = s;
      if (with_place) place[j] = a;
    });
    Columns columns{put(column_begin_, begin), put(column_entry_, entry), put(column_from_, from), nullptr};
    if (with_place) columns.place = put(column_place_, place);
    return columns;
  }
  Columns columns_of(const std::int32_t* pair_of_state) {
    return sort_columns(
        [&](const auto& each) {
          for (std::int32_t s = 0; s < models_.states; ++s) {
            const std::int32_t k = pair_of_state[s];
            for (std::int64_t i = row_begin_host_[k]; i < row_begin_host_[k + 1]; ++i) each(i, s, 0);
          }
        },
        false);
  }
  Columns all_columns() {
    return sort_columns(
        [&](const auto& each) {
          for (std::int32_t s = 0; s < models_.states; ++s) {
            for (std::int32_t k = pair_begin_host_[s]; k < pair_begin_host_[s + 1]; ++k) {
              for (std::int64_t i = row_begin_host_[k]; i < row_begin_host_[k + 1]; ++i)
                each(i, s, static_cast<std::uint16_t>(k - pair_begin_host_[s]));
            }
          }
        },
        true);
  }

  std::int32_t count_;
  std::int64_t stride_ = 0;
  Models models_;
  std::vector<std::int32_t> pair_begin_host_, next_state_host_;
  std::vector<std::int64_t> row_begin_host_;
  std::vector<double> extremes_host_;
  Buffer<std::int32_t> pair_begin_, next_state_, pair_of_state_, column_from_, chosen_;
  Buffer<std::int64_t> row_begin_, column_begin_, column_entry_;
  Buffer<std::uint16_t> pick_, column_place_;
  Buffer<std::uint8_t> outside_;
  Buffer<double> reward_, probability_;
  Buffer<double> value_[2], outside_value_[2], now_, next_, visits_, scratch_;
  Buffer<double> sums_, more_sums_, extremes_, weights_, price_, factor_, staging_;
};

// The table of engine_abi.h over Batch<Backend>.
template <typename Backend>
class Engine {
 public:
  static const MindgapEngine* table(const char* device) {
    static const MindgapEngine kEngine = {
        MINDGAP_ENGINE_ABI,
        device,
        [] { return message().c_str(); },
        [](const MindgapShape* shape) -> std::int64_t {
          std::int64_t fits = -1;
          guard([&] {
            const std::int64_t free = Backend::free_bytes() / 10 * 9 - Models::shared_bytes(*shape);
            fits = std::max<std::int64_t>(0, free / Models::bytes_per_model(*shape) / 32 * 32);
          });
          return fits;
        },
        [](const MindgapShape* shape, std::int32_t models, MindgapBatch** batch) {
          return guard([&] { *batch = reinterpret_cast<MindgapBatch*>(new Models(*shape, models)); });
        },
        [](MindgapBatch* batch) { delete of(batch); },
        [](MindgapBatch* b, std::int32_t model, const double* reward, const double* probability) {
          return guard([&] { of(b)->load(model, reward, probability); });
        },
        [](MindgapBatch* b, std::int32_t model, double* reward, double* probability) {
          return guard([&] { of(b)->read(model, reward, probability); });
        },
        [](MindgapBatch* b, const MindgapLaw* law, std::uint64_t first) {
          return guard([&] { of(b)->draw(*law, first); });
        },
        [](MindgapBatch* b, double* min, double* max, double* magnitude) {
          return guard([&] { of(b)->ranges(min, max, magnitude); });
        },
        [](MindgapBatch* b, const std::int32_t* pair, const double* weights, double discount,
           std::int64_t steps, double* total, double* reward) {
          return guard([&] { of(b)->follow(pair, weights, discount, steps, total, reward); });
        },
        [](MindgapBatch* b, double threshold, double* outside) {
          return guard([&] { of(b)->mark_outside(threshold, outside); });
        },
        [](MindgapBatch* b, const double* factor, double* visits) {
          return guard([&] { of(b)->sum_visits(factor, visits); });
        },
        [](MindgapBatch* b, double discount, std::int64_t steps, const double* weights, const double* price,
           const std::uint8_t* active, double* reward, double* outside) {
          return guard(
              [&] { of(b)->finite_horizon(discount, steps, weights, price, active, reward, outside); });
        },
        [](MindgapBatch* b, const double* value) { return guard([&] { of(b)->set_value(value); }); },
        [](MindgapBatch* b, double discount, const double* price, const std::uint8_t* active,
           std::int32_t evaluations, double* min, double* max, double* magnitude) {
          return guard([&] { of(b)->improve(discount, price, active, evaluations, min, max, magnitude); });
        },
        [](MindgapBatch* b, const double* weights, double* value) {
          return guard([&] { of(b)->weigh_value(weights, value); });
        },
        [](MindgapBatch* b, std::int32_t model, double* value, std::int32_t* pair) {
          return guard([&] { of(b)->read_value(model, value, pair); });
        },
        [](MindgapBatch* b, double discount, const double* weights, const std::uint8_t* active,
           std::int32_t sweeps, std::int32_t restart, double* min, double* max, double* outside) {
          return guard([&] {
            of(b)->visit_outside(discount, weights, active, sweeps, restart != 0, min, max, outside);
          });
        }};
    return &kEngine;
  }

 private:
  using Models = Batch<Backend>;
  static Models* of(MindgapBatch* batch) { return reinterpret_cast<Models*>(batch); }
  static std::string& message() {
    thread_local std::string text;
    return text;
  }
  template <typename Body>
  static int guard(Body body) {
    try {
      body();
      return 0;
    } catch (const std::exception& error) {
      message() = error.what();
      return 1;
    }
  }
};

}  // namespace mindgap::engine

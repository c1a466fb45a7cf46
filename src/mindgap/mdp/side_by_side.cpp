#include "mindgap/mdp/side_by_side.h"

#include <algorithm>
#include <utility>

#include "mindgap/base/check.h"
#include "mindgap/base/error.h"
#include "mindgap/base/listener.h"

namespace mindgap::mdp {
namespace {

constexpr std::size_t kLanes = SideBySide::kLanes;
template <typename T>
using Lanes = SideBySide::Lanes<T>;

// Where things lie; rows of numbers are kLanes long.
struct View {
  std::int32_t states;
  const std::int32_t* pair_begin;
  const std::int64_t* row_begin;
  const std::int32_t* next_state;
  const double *probability, *reward;
  double discount;
};

struct Sweeps {
  void (*step_back)(const View& view, const double* after, double* now, const double* marked,
                    const double* penalty);
  void (*step_back_unmarked)(const View& view, const double* after, double* now);
  void (*step_forward)(const View& view, const std::int32_t* pair, const double* now, double* next,
                       double* visits, double* value);
};

namespace any_processor {
#include "mindgap/mdp/side_by_side_sweeps.inc"
}

// The attribute target_clones would come too late: vectors of a kind that the default target lacks are taken
// apart before functions are cloned.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#pragma GCC push_options
#pragma GCC target("avx2")
namespace with_avx2 {
#include "mindgap/mdp/side_by_side_sweeps.inc"
}
#pragma GCC pop_options
const Sweeps& sweeps() {
  static const bool kWide = __builtin_cpu_supports("avx2") != 0;
  return kWide ? with_avx2::kSweeps : any_processor::kSweeps;
}
#else
const Sweeps& sweeps() {
  return any_processor::kSweeps;
}
#endif

bool same_shape(const Mdp& a, const Mdp& b) {
  if (a.discount() != b.discount()) return false;
  if (a.next_state().data() == b.next_state().data()) return true;
  return std::ranges::equal(a.pair_begin(), b.pair_begin()) &&
         std::ranges::equal(a.row_begin(), b.row_begin()) &&
         std::ranges::equal(a.next_state(), b.next_state());
}

const Mdp& first_of(std::span<const Mdp> models) {
  base::check_range("SideBySide", "models", static_cast<double>(models.size()), 1,
                    static_cast<double>(kLanes));
  for (const Mdp& model : models) {
    if (!same_shape(models.front(), model))
      throw InvalidArgument("SideBySide: models must have the same pairs, transitions and discount");
  }
  return models.front();
}

View view_of(const Mdp& shape, std::span<const double> probability, std::span<const double> reward) {
  return {shape.states(),           shape.pair_begin().data(),
          shape.row_begin().data(), shape.next_state().data(),
          probability.data(),       reward.data(),
          shape.discount()};
}

}  // namespace

SideBySide::SideBySide(std::span<const Mdp> models) : size_(models.size()), shape_(first_of(models)) {
  probability_.resize(static_cast<std::size_t>(shape_.nonzeros()) * kLanes);
  reward_.resize(static_cast<std::size_t>(shape_.pairs()) * kLanes);
  const auto interleave = [&](auto numbers, LargeVector<double>& into) {
    Lanes<const double*> from{};
    for (std::size_t w = 0; w < kLanes; ++w)  // lanes without a model repeat the first
      from[w] = numbers(models[w < size_ ? w : 0]).data();
    for (std::size_t i = 0; i < into.size() / kLanes; ++i) {
      for (std::size_t w = 0; w < kLanes; ++w) into[i * kLanes + w] = from[w][i];
    }
  };
  interleave([](const Mdp& model) { return model.probability(); }, probability_);
  interleave([](const Mdp& model) { return model.reward(); }, reward_);
}

SideBySide::Followed SideBySide::follow(std::span<const std::int32_t> pair_of_state,
                                        std::span<const double> positions, std::int64_t steps) const {
  const auto states = static_cast<std::size_t>(shape_.states());
  base::check_size("SideBySide::follow", "pair_of_state", pair_of_state.size(), states);
  base::check_size("SideBySide::follow", "positions", positions.size(), states);
  const View view = view_of(shape_, probability_, reward_);
  std::vector<double> now(states * kLanes), next(states * kLanes);
  for (std::size_t i = 0; i < now.size(); ++i) now[i] = positions[i / kLanes];
  Followed result;
  result.visits.assign(states * kLanes, 0.0);
  for (std::int64_t t = 0; t < steps; ++t) {
    std::fill(next.begin(), next.end(), 0.0);
    sweeps().step_forward(view, pair_of_state.data(), now.data(), next.data(), result.visits.data(),
                          result.value.data());
    std::swap(now, next);
  }
  return result;
}

Lanes<SideBySide::Point> SideBySide::best_over(std::int64_t steps, std::span<const double> positions,
                                               std::span<const double> marked,
                                               const Lanes<double>& penalty) const {
  const auto states = static_cast<std::size_t>(shape_.states());
  base::check_positive("SideBySide::best_over", "steps", static_cast<double>(steps));
  base::check_size("SideBySide::best_over", "positions", positions.size(), states);
  if (!marked.empty()) base::check_size("SideBySide::best_over", "marked", marked.size(), states * kLanes);
  const View view = view_of(shape_, probability_, reward_);
  const std::size_t width = marked.empty() ? kLanes : 2 * kLanes;
  LargeVector<double> after(states * width, 0.0), now(states * width);
  for (std::int64_t t = 0; t < steps; ++t) {
    base::interruption_point();
    if (marked.empty()) {
      sweeps().step_back_unmarked(view, after.data(), now.data());
    } else {
      sweeps().step_back(view, after.data(), now.data(), marked.data(), penalty.data());
    }
    std::swap(after, now);
  }
  Lanes<Point> best{};
  for (std::size_t s = 0; s < states; ++s) {
    for (std::size_t w = 0; w < size_; ++w) {
      best[w].value += positions[s] * after[s * width + w];
      if (!marked.empty()) best[w].marked += positions[s] * after[s * width + kLanes + w];
    }
  }
  return best;
}

}  // namespace mindgap::mdp

#pragma once

#include <cmath>

#include "mindgap/mdp/side_by_side.h"

// How information.cpp and batch_information.cpp find the local value of one model. Not part of the library's
// interface.
namespace mindgap::decide {

// Rounding must not make a gap of two equal values, nor a negative one.
inline double not_below(double value, double floor) {
  return value - floor > 1e-12 * (1 + std::abs(floor)) ? value : floor;
}

constexpr int kMostChords = 60;

// The highest value of a mixture of policies that visits `out` no more than the deployed one: the upper hull
// of all policies' points at out = deployed.out. (By duality the minimum over lambda >= 0 of
// max(value - lambda out) + lambda deployed.out.) A chord between a point beyond and one within is raised
// until no policy lies above it (Kelley's cutting planes in one dimension). Its ends are policies that exist,
// so the result lies between deployed and free whatever rounding does to the search.
//
// lambda is the slope of the chord. It is bounded: visits that differ by less than `kSame` of themselves
// differ by rounding, and below `kNone` of all visits there are none; without that, policies that all go out
// as often as the moves happen to would give an infinite lambda.
//
// The search ends where no policy lies above the chord by more than `accuracy` of what free is ahead.
class LocalValue {
 public:
  using Point = mdp::SideBySide::Point;  // `marked` is what is practically unreached

  LocalValue() = default;
  LocalValue(const Point& free, const Point& deployed, double visits, double accuracy)
      : far_(free),
        near_(deployed),
        deployed_out_(deployed.marked),
        visits_(visits),
        enough_(accuracy * (free.value - deployed.value)),
        within_(!beyond(free)) {}

  /// Whether another policy is wanted: one of highest value - lambda() out.
  bool searching() const { return !within_ && !ended_ && far_.value > near_.value; }
  double lambda() const { return (far_.value - near_.value) / (far_.marked - near_.marked); }
  void add(const Point& next) {
    const double above = (next.value - near_.value) - lambda() * (next.marked - near_.marked);
    ended_ = above <= enough_ + 1e-12 * (1 + std::abs(near_.value) + std::abs(far_.value));
    if (!ended_) (beyond(next) ? far_ : near_) = next;
  }
  double value() const {
    if (within_) return far_.value;
    if (far_.value <= near_.value) return near_.value;
    return near_.value +
           (far_.value - near_.value) * (deployed_out_ - near_.marked) / (far_.marked - near_.marked);
  }

 private:
  bool beyond(const Point& p) const {
    constexpr double kSame = 1e-12, kNone = 1e-30;
    return p.marked - deployed_out_ > kSame * (p.marked + deployed_out_) + kNone * visits_;
  }

  Point far_, near_;
  double deployed_out_ = 0, visits_ = 0, enough_ = 0;
  bool within_ = true, ended_ = false;
};

}  // namespace mindgap::decide

#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

// Points of a box of numbers, the corners of its cells, and how a state between them is spread over them.
namespace mindgap::program {

/// A state of d axes is spread over 2^d corners. Beyond five or six axes a grid is too large anyway.
constexpr std::int32_t kMostAxes = 12;
constexpr std::size_t kMostCornersOfCell = std::size_t{1} << kMostAxes;

/// One axis: its points ascend strictly and need not be evenly spaced.
struct Axis {
  std::string name;
  std::vector<double> points;
  /// The length after which a periodic axis repeats: more than the last point minus the first, which are
  /// neighbours across the seam. 0: not periodic.
  double period = 0;

  bool periodic() const { return period > 0; }
  bool operator==(const Axis&) const = default;
};

/// From one place to another, the short way round a periodic axis.
double move_between(const Axis& axis, double from, double to);

/// An axis of `count` evenly spaced points: from low to high, both included; where it is periodic, low and
/// high are one place and only low is a point. Throws InvalidArgument.
Axis even_axis(std::string name, double low, double high, std::int32_t count, bool periodic = false);

/// Where a state lies: per axis the two points around it and how far it is from the lower to the upper one.
struct Location {
  std::array<std::int32_t, kMostAxes> lower, upper;
  std::array<double, kMostAxes> fraction;  // from 0 (at the lower point) to 1 (at the upper one)
  std::uint32_t below = 0, above = 0;      // bit a: beyond the lower or the upper end of axis a

  bool outside() const { return (below | above) != 0; }
};

/// Corners with their weights, which are positive and sum to 1 up to rounding. Kept by callers, so that no
/// loop allocates.
struct Corners {
  std::vector<std::int32_t> corner = std::vector<std::int32_t>(kMostCornersOfCell);
  std::vector<double> weight = std::vector<double>(kMostCornersOfCell);
  std::size_t size = 0;
};

/// All combinations of the points of some axes. Corners are numbered with the last axis fastest.
///
/// A state x in a cell has weight prod_a (1 - f_a or f_a) at each of its 2^d corners, f_a the fraction of the
/// cell that lies below x on axis a: the multilinear interpolant of values at corners, and the transition
/// probabilities of the Markov chain that approximates a continuous one (Kushner and Dupuis, Numerical
/// Methods for Stochastic Control Problems in Continuous Time, ch. 5). Multilinear functions are reproduced
/// up to rounding. A state outside the box is moved to the nearest face.
class Grid {
 public:
  /// Throws InvalidArgument, with the axis by name, where an axis has fewer than two points, its points do
  /// not ascend or are not finite, a period is too short, two axes have one name, or there are more than 2^31
  /// - 1 corners.
  explicit Grid(std::vector<Axis> axes);

  std::int32_t dimension() const { return static_cast<std::int32_t>(axes_.size()); }
  std::int32_t corners() const { return corners_; }
  const std::vector<Axis>& axes() const { return axes_; }

  /// Throws InvalidArgument where the state has another dimension or a number that is not finite.
  Location locate(std::span<const double> state) const;
  /// The corners of the location's cell whose weight is not 0.
  void corners_of(const Location& location, Corners& found) const;
  /// Both at once.
  Location spread(std::span<const double> state, Corners& found) const;

  /// The coordinates of a corner; `state` has dimension() elements.
  void state_of(std::int32_t corner, std::span<double> state) const;
  /// "angle=0.5 speed=-1": as many digits as tell the points of an axis apart.
  std::string name_of(std::int32_t corner) const;
  std::vector<std::string> names() const;

  /// The grid of every second point of an axis, its last point included; where an axis has two points, they
  /// stay.
  Grid coarser(std::int32_t axis) const;

  bool operator==(const Grid& other) const { return axes_ == other.axes_; }

 private:
  // How an axis is searched: evenly spaced points by one division, others by halving.
  struct Search {
    bool even = false;
    double step = 0;
  };

  void locate_on(std::int32_t axis, double value, Location& found) const;

  std::vector<Axis> axes_;
  std::vector<Search> search_;
  std::vector<std::int32_t> stride_;
  std::vector<std::vector<std::string>> labels_;  // per axis, of its points
  std::int32_t corners_ = 0;
};

}  // namespace mindgap::program

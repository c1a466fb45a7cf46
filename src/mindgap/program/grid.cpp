#include "mindgap/program/grid.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "mindgap/base/check.h"
#include "mindgap/base/error.h"
#include "mindgap/base/readable.h"

namespace mindgap::program {
namespace {

void check_axis(const Axis& axis) {
  const auto fail = [&](const std::string& problem) {
    throw InvalidArgument(fmt::format("Grid: axis '{}' {}", base::printable(axis.name), problem));
  };
  if (axis.name.empty()) throw InvalidArgument("Grid: an axis has an empty name");
  if (axis.points.size() < 2) fail(fmt::format("has {} points, but needs two at least", axis.points.size()));
  for (std::size_t i = 0; i < axis.points.size(); ++i) {
    if (!std::isfinite(axis.points[i]))
      fail(fmt::format("has the point {}, which is not finite", axis.points[i]));
    if (i > 0 && !(axis.points[i] > axis.points[i - 1]))
      fail(fmt::format("has the point {} after {}, but points must ascend", axis.points[i],
                       axis.points[i - 1]));
  }
  const double length = axis.points.back() - axis.points.front();
  if (!std::isfinite(length)) fail("is too long");
  if (axis.period < 0 || !std::isfinite(axis.period)) fail(fmt::format("has the period {}", axis.period));
  if (axis.periodic() && !(axis.period > length))
    fail(fmt::format("has points over a length of {}, but must repeat after more than that, not after {}",
                     length, axis.period));
}

// The shortest texts of all points that still differ.
std::vector<std::string> labels_of(const Axis& axis) {
  for (int digits = 6;; digits += digits < 15 ? 3 : 2) {
    std::vector<std::string> labels;
    for (const double point : axis.points) {
      const double shown = point == 0 ? 0.0 : point;  // no "-0"
      labels.push_back(fmt::format("{}={:.{}g}", axis.name, shown, std::min(digits, 17)));
    }
    if (digits >= 17 || std::set<std::string>(labels.begin(), labels.end()).size() == labels.size())
      return labels;
  }
}

}  // namespace

double move_between(const Axis& axis, double from, double to) {
  const double move = to - from;
  return axis.periodic() ? move - axis.period * std::round(move / axis.period) : move;
}

Axis even_axis(std::string name, double low, double high, std::int32_t count, bool periodic) {
  const std::string said = fmt::format("Grid: axis '{}'", base::printable(name));
  if (!std::isfinite(low) || !std::isfinite(high))
    throw InvalidArgument(fmt::format("{} goes from {} to {}, but both must be finite", said, low, high));
  if (!(low < high))
    throw InvalidArgument(fmt::format("{} goes from {} to {}, but low must be below high", said, low, high));
  if (count < 2) throw InvalidArgument(fmt::format("{} has {} points, but needs two at least", said, count));
  Axis axis{.name = std::move(name), .points = {}, .period = periodic ? high - low : 0};
  const std::int32_t steps = periodic ? count : count - 1;
  for (std::int32_t i = 0; i < count; ++i) {
    const double share = static_cast<double>(i) / steps;
    axis.points.push_back(i == steps ? high : low + (high - low) * share);
  }
  return axis;
}

Grid::Grid(std::vector<Axis> axes) : axes_(std::move(axes)) {
  if (axes_.empty()) throw InvalidArgument("Grid: there are no axes");
  if (axes_.size() > kMostAxes)
    throw InvalidArgument(
        fmt::format("Grid: there are {} axes, but {} at most are possible", axes_.size(), kMostAxes));
  std::set<std::string> names;
  double corners = 1;
  for (const Axis& axis : axes_) {
    check_axis(axis);
    if (!names.insert(axis.name).second)
      throw InvalidArgument(fmt::format("Grid: two axes are called '{}'", base::printable(axis.name)));
    corners *= static_cast<double>(axis.points.size());
  }
  if (corners >= std::numeric_limits<std::int32_t>::max())
    throw InvalidArgument(fmt::format("Grid: there are {} corners, but {} at most are possible",
                                      base::number(corners, 3),
                                      std::numeric_limits<std::int32_t>::max() - 1));
  corners_ = 1;
  stride_.resize(axes_.size());
  for (std::size_t a = axes_.size(); a-- > 0;) {
    stride_[a] = corners_;
    corners_ *= static_cast<std::int32_t>(axes_[a].points.size());
  }
  for (const Axis& axis : axes_) {
    const std::vector<double>& points = axis.points;
    const double step = (points.back() - points.front()) / static_cast<double>(points.size() - 1);
    bool even = true;
    for (std::size_t i = 0; i < points.size() && even; ++i)
      even = std::abs(points[i] - (points.front() + step * static_cast<double>(i))) < 1e-6 * step;
    search_.push_back({even, step});
    labels_.push_back(labels_of(axis));
  }
}

void Grid::locate_on(std::int32_t axis, double value, Location& found) const {
  const std::vector<double>& points = axes_[axis].points;
  const std::int32_t last = static_cast<std::int32_t>(points.size()) - 1;
  const double period = axes_[axis].period;
  if (period > 0) {
    value -= period * std::floor((value - points.front()) / period);
    value = std::max(value, points.front());  // rounding
    if (value >= points.front() + period) value = points.front();
    if (value > points.back()) {  // across the seam
      found.lower[axis] = last;
      found.upper[axis] = 0;
      found.fraction[axis] =
          std::min(1.0, (value - points.back()) / (points.front() + period - points.back()));
      return;
    }
  } else if (value < points.front()) {
    found.below |= 1U << axis;
    value = points.front();
  } else if (value > points.back()) {
    found.above |= 1U << axis;
    value = points.back();
  }
  std::int32_t at = 0;
  if (search_[axis].even) {
    at = std::min(static_cast<std::int32_t>((value - points.front()) / search_[axis].step), last - 1);
    if (points[at] > value) --at;  // rounding
    if (at + 1 < last && points[at + 1] <= value) ++at;
  } else {
    at =
        static_cast<std::int32_t>(std::upper_bound(points.begin(), points.end(), value) - points.begin()) - 1;
    at = std::min(at, last - 1);
  }
  found.lower[axis] = at;
  found.upper[axis] = at + 1;
  found.fraction[axis] = std::clamp((value - points[at]) / (points[at + 1] - points[at]), 0.0, 1.0);
}

Location Grid::locate(std::span<const double> state) const {
  if (state.size() != axes_.size()) base::check_size("Grid::locate", "state", state.size(), axes_.size());
  Location found;
  for (std::int32_t a = 0; a < dimension(); ++a) {
    if (!std::isfinite(state[a]))
      throw InvalidArgument(
          fmt::format("Grid::locate: the state's {} is {}, but must be finite", axes_[a].name, state[a]));
    locate_on(a, state[a], found);
  }
  return found;
}

void Grid::corners_of(const Location& location, Corners& found) const {
  found.corner[0] = 0;
  found.weight[0] = 1;
  found.size = 1;
  for (std::size_t a = 0; a < axes_.size(); ++a) {
    const double f = location.fraction[a];
    const std::int32_t lower = location.lower[a] * stride_[a], upper = location.upper[a] * stride_[a];
    if (f > 0 && f < 1) {
      for (std::size_t i = 0; i < found.size; ++i) {
        found.corner[found.size + i] = found.corner[i] + upper;
        found.weight[found.size + i] = found.weight[i] * f;
        found.corner[i] += lower;
        found.weight[i] *= 1 - f;
      }
      found.size *= 2;
    } else {
      for (std::size_t i = 0; i < found.size; ++i) found.corner[i] += f > 0 ? upper : lower;
    }
  }
}

Location Grid::spread(std::span<const double> state, Corners& found) const {
  const Location location = locate(state);
  corners_of(location, found);
  return location;
}

void Grid::state_of(std::int32_t corner, std::span<double> state) const {
  for (std::size_t a = 0; a < axes_.size(); ++a) {
    state[a] = axes_[a].points[static_cast<std::size_t>(corner / stride_[a])];
    corner %= stride_[a];
  }
}

std::string Grid::name_of(std::int32_t corner) const {
  std::string name;
  for (std::size_t a = 0; a < axes_.size(); ++a) {
    if (a > 0) name += ' ';
    name += labels_[a][static_cast<std::size_t>(corner / stride_[a])];
    corner %= stride_[a];
  }
  return name;
}

std::vector<std::string> Grid::names() const {
  std::vector<std::string> names;
  names.reserve(static_cast<std::size_t>(corners_));
  for (std::int32_t c = 0; c < corners_; ++c) names.push_back(name_of(c));
  return names;
}

Grid Grid::coarser(std::int32_t axis) const {
  base::check_range("Grid::coarser", "axis", axis, 0, dimension() - 1);
  std::vector<Axis> axes = axes_;
  const std::vector<double>& points = axes_[axis].points;
  if (points.size() == 2) return *this;
  std::vector<double>& kept = axes[axis].points;
  kept.clear();
  for (std::size_t i = 0; i < points.size(); i += 2) kept.push_back(points[i]);
  if (!axes[axis].periodic() && points.size() % 2 == 0) kept.push_back(points.back());
  return Grid(std::move(axes));
}

}  // namespace mindgap::program

#include "mindgap/voi/spline_basis.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "mindgap/base/distributions.h"

namespace mindgap::voi {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;

constexpr Index kDegree = 3;
constexpr double kRidge = 1e-7;  // of the Gram matrix's mean diagonal: functions that overlap stay apart

// Splines of one input alone: fine where there are draws for it.
Index fineness(Index draws) {
  return std::clamp<Index>(draws / 20, 6, 20);
}

// Of each input in a product of two or three.
Index coarseness(std::size_t inputs, std::size_t of, Index draws) {
  const Index most = of == 2 ? 12 : (inputs == 2 ? 7 : 5);
  return draws < 1'000 ? 4 : most;
}

// The four cubic B-splines on unit knots that are not 0 at `u` of an interval's way.
std::array<double, 4> cubics(double u) {
  const double v = 1 - u;
  return {v * v * v / 6, (4 - 6 * u * u + 3 * u * u * u) / 6, (4 - 6 * v * v + 3 * v * v * v) / 6,
          u * u * u / 6};
}

// Where `x` lies among `count` functions over [low, high]: the first that is not 0, and the values of four.
struct Local {
  Index first;
  std::array<double, 4> value;
};
Local local_of(double x, double low, double high, Index count) {
  const Index intervals = count - kDegree;
  const double at = (x - low) / (high - low) * static_cast<double>(intervals);
  const Index interval = std::clamp<Index>(static_cast<Index>(std::floor(at)), 0, intervals - 1);
  return {interval, cubics(std::clamp(at - static_cast<double>(interval), 0.0, 1.0))};
}

// D'D of second differences of `count` coefficients.
MatrixXd second_differences(Index count) {
  MatrixXd d = MatrixXd::Zero(count - 2, count);
  for (Index i = 0; i + 2 < count; ++i) d.block<1, 3>(i, i) << 1, -2, 1;
  return d.transpose() * d;
}

MatrixXd kronecker(const MatrixXd& a, const MatrixXd& b) {
  MatrixXd product(a.rows() * b.rows(), a.cols() * b.cols());
  for (Index i = 0; i < a.rows(); ++i) {
    for (Index j = 0; j < a.cols(); ++j)
      product.block(i * b.rows(), j * b.cols(), b.rows(), b.cols()) = a(i, j) * b;
  }
  return product;
}

// Along each of `inputs` inputs, summed.
MatrixXd penalty_of_product(std::size_t inputs, Index count) {
  const MatrixXd along = second_differences(count), same = MatrixXd::Identity(count, count);
  MatrixXd sum;
  for (std::size_t one = 0; one < inputs; ++one) {
    MatrixXd product = MatrixXd::Ones(1, 1);
    for (std::size_t i = 0; i < inputs; ++i) product = kronecker(product, i == one ? along : same);
    sum = one == 0 ? product : MatrixXd(sum + product);
  }
  return sum;
}

}  // namespace

std::vector<double> normal_scores(std::span<const double> values) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return values[a] < values[b]; });
  std::vector<double> scores(values.size());
  const auto n = static_cast<double>(values.size());
  for (std::size_t i = 0; i < order.size();) {
    std::size_t end = i + 1;
    while (end < order.size() && values[order[end]] == values[order[i]]) ++end;
    const double score = base::normal_quantile(static_cast<double>(i + end) / (2 * n));
    for (; i < end; ++i) scores[order[i]] = score;
  }
  return scores;
}

SplineBasis::SplineBasis(std::vector<std::vector<double>> inputs, bool interactions)
    : inputs_(std::move(inputs)) {
  for (const std::vector<double>& input : inputs_) {
    const auto [low, high] = std::minmax_element(input.begin(), input.end());
    low_.push_back(*low);
    high_.push_back(*high);
  }
  for (std::size_t i = 0; i < inputs_.size(); ++i) add_block({i}, fineness(draws()));
  main_ = size_;
  if (!interactions) return;
  const std::size_t count = inputs_.size();
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t j = i + 1; j < count; ++j) add_block({i, j}, coarseness(2, count, draws()));
  }
  if (count == 3) add_block({0, 1, 2}, coarseness(3, 3, draws()));
}

void SplineBasis::add_block(std::vector<std::size_t> inputs, Index count) {
  Index size = 1;
  for (std::size_t i = 0; i < inputs.size(); ++i) size *= count;
  blocks_.push_back({std::move(inputs), count, size_, size});
  size_ += size;
}

void SplineBasis::add_row(std::int64_t draw, SparseRow& row) const {
  row.clear();
  for (const Block& block : blocks_) {
    std::array<Local, 3> local;
    for (std::size_t i = 0; i < block.inputs.size(); ++i) {
      const std::size_t input = block.inputs[i];
      local[i] =
          local_of(inputs_[input][static_cast<std::size_t>(draw)], low_[input], high_[input], block.count);
    }
    const auto visit = [&](auto&& self, std::size_t input, Index place, double value) -> void {
      if (input == block.inputs.size()) {
        row.push_back({block.begin + place, value});
        return;
      }
      for (std::size_t k = 0; k < 4; ++k) {
        self(self, input + 1, place * block.count + local[input].first + static_cast<Index>(k),
             value * local[input].value[k]);
      }
    };
    visit(visit, 0, 0, 1.0);
  }
}

MatrixXd SplineBasis::penalty(const MatrixXd& gram, double weight) const {
  const Index size = gram.rows();
  MatrixXd all = kRidge * gram.trace() / static_cast<double>(size) * MatrixXd::Identity(size, size);
  for (const Block& block : blocks_) {
    if (block.begin >= size) break;
    const MatrixXd wiggles = penalty_of_product(block.inputs.size(), block.count);
    const double trace = gram.diagonal().segment(block.begin, block.size).sum();
    all.block(block.begin, block.begin, block.size, block.size) +=
        (block.begin < main_ ? 1.0 : weight) * trace / wiggles.trace() * wiggles;
  }
  return all;
}

}  // namespace mindgap::voi

#include "mindgap/voi/conditional_mean.h"

#include <algorithm>
#include <numeric>
#include <optional>

#include "mindgap/base/check.h"
#include "mindgap/base/distributions.h"
#include "mindgap/base/parallel.h"
#include "mindgap/voi/gaussian_process.h"
#include "mindgap/voi/spline_basis.h"

namespace mindgap::voi {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr std::int64_t kGrain = 1'024;  // draws that one thread sums up at a time

// Of interactions against main effects.
constexpr double kSmoothing[] = {1, 100};

// A random order of all draws, cut into folds: neighbours in a table may be alike.
struct Folds {
  Folds(std::int64_t draws, const ConditionalMeanOptions& options)
      : order(static_cast<std::size_t>(draws)), of(order.size()), count(options.folds) {
    std::iota(order.begin(), order.end(), std::int64_t{0});
    base::Stream stream({options.run.seed, base::Purpose::analysis, 0x766f69});
    for (std::int64_t i = draws - 1; i > 0; --i)
      std::swap(order[i], order[base::uniform_index(stream, i + 1)]);
    for (std::int64_t i = 0; i < draws; ++i) of[order[i]] = i % count;
  }
  // In the random order: all draws, or those that are not of the fold.
  std::vector<std::int64_t> without(std::int64_t fold) const {
    std::vector<std::int64_t> some;
    for (const std::int64_t i : order) {
      if (of[i] != fold) some.push_back(i);
    }
    return some;
  }

  std::vector<std::int64_t> order, of;  // of: the fold of each draw
  std::int64_t count;
};

// The best of the spline models for one outcome.
struct SplineFit {
  LinearFit fit;
  std::string_view model = "constant";
};

class Regressor {
 public:
  Regressor(std::span<const std::span<const double>> inputs, std::span<const std::vector<double>> outcomes,
            const ConditionalMeanOptions& options)
      : threads_(options.run.threads),
        folds_(static_cast<std::int64_t>(outcomes[0].size()), options),
        scores_(scores_of(inputs)),
        basis_(scores_, inputs.size() > 1 && inputs.size() <= kMostInputsOfSplines) {
    const auto draws = static_cast<Index>(outcomes[0].size());
    outcomes_.resize(static_cast<Index>(outcomes.size()), draws);
    for (std::size_t k = 0; k < outcomes.size(); ++k)
      outcomes_.row(static_cast<Index>(k)) = Eigen::Map<const VectorXd>(outcomes[k].data(), draws);
  }

  std::vector<ConditionalMean> run() {
    sum_up();
    std::vector<ConditionalMean> means(static_cast<std::size_t>(outcomes_.rows()));
    for (ConditionalMean& mean : means) {
      mean.fitted.resize(folds_.order.size());
      mean.left_out.resize(folds_.order.size());
    }
    // The last is the fit with all draws.
    std::vector<std::vector<SplineFit>> fits(static_cast<std::size_t>(folds_.count) + 1);
    threads_.for_each_chunk(folds_.count + 1, [&](std::int64_t fold) { fits[fold] = fit_splines(fold); });
    predict(fits, means);
    if (scores_.size() > kMostInputsOfSplines) try_processes(fits, means);
    return means;
  }

 private:
  static std::vector<std::vector<double>> scores_of(std::span<const std::span<const double>> inputs) {
    std::vector<std::vector<double>> scores;
    for (const std::span<const double> input : inputs) scores.push_back(normal_scores(input));
    return scores;
  }

  void sum_up() {
    const auto draws = static_cast<std::int64_t>(folds_.order.size());
    moments_.assign(static_cast<std::size_t>(folds_.count), Moments(basis_.size(), outcomes_.rows()));
    threads_.for_each_chunk(folds_.count, [&](std::int64_t fold) {
      SparseRow row;
      for (std::int64_t i = 0; i < draws; ++i) {
        if (folds_.of[i] != fold) continue;
        basis_.add_row(i, row);
        moments_[fold].add(row, outcomes_.col(i));
      }
    });
    total_ = Moments(basis_.size(), outcomes_.rows());
    for (const Moments& part : moments_) total_ += part;
  }

  std::vector<SplineFit> fit_splines(std::int64_t fold) const {
    Moments all = total_;
    if (fold < folds_.count) all -= moments_[fold];
    std::vector<SplineFit> best;
    for (Index k = 0; k < outcomes_.rows(); ++k) best.push_back({constant_fit(all, k)});
    const auto take = [&](const PenalisedFit& path, std::string_view model) {
      for (Index k = 0; k < outcomes_.rows(); ++k) {
        LinearFit fit = path.best(k);
        if (fit.score < best[k].fit.score) best[k] = {std::move(fit), model};
      }
    };
    const bool one = scores_.size() == 1;
    const Moments main = all.first(basis_.main_effects());
    take({main, basis_.penalty(main.centred_gram(), 1)}, one ? "splines" : "additive splines");
    if (basis_.size() == basis_.main_effects()) return best;
    const MatrixXd gram = all.centred_gram();
    for (const double weight : kSmoothing) take({all, basis_.penalty(gram, weight)}, "splines");
    return best;
  }

  void predict(const std::vector<std::vector<SplineFit>>& fits, std::vector<ConditionalMean>& means) const {
    const auto draws = static_cast<std::int64_t>(folds_.order.size());
    base::parallel_for(threads_, draws, kGrain, [&](std::int64_t begin, std::int64_t end) {
      SparseRow row;
      for (std::int64_t i = begin; i < end; ++i) {
        basis_.add_row(i, row);
        for (std::size_t k = 0; k < means.size(); ++k) {
          means[k].fitted[i] = fits.back()[k].fit.at(row);
          means[k].left_out[i] = fits[folds_.of[i]][k].fit.at(row);
        }
      }
    });
    for (std::size_t k = 0; k < means.size(); ++k) means[k].model = fits.back()[k].model;
  }

  // Where a Gaussian process should predict better than splines without interactions, its numbers instead.
  void try_processes(const std::vector<std::vector<SplineFit>>& fits,
                     std::vector<ConditionalMean>& means) const {
    const auto draws = static_cast<Index>(folds_.order.size());
    MatrixXd inputs(draws, static_cast<Index>(scores_.size()));
    for (std::size_t j = 0; j < scores_.size(); ++j)
      inputs.col(static_cast<Index>(j)) = Eigen::Map<const VectorXd>(scores_[j].data(), draws);
    const std::int64_t each = folds_.count + 1;
    threads_.for_each_chunk(each * outcomes_.rows(), [&](std::int64_t job) {
      const std::int64_t fold = job % each, k = job / each;
      const GaussianProcess process(inputs, outcomes_.row(k).transpose(), folds_.without(fold));
      if (!(process.score() < fits[fold][k].fit.score)) return;
      const bool all = fold == folds_.count;
      for (Index i = 0; i < draws; ++i) {
        if (all) {
          means[k].fitted[i] = process.at(inputs.row(i));
        } else if (folds_.of[i] == fold) {
          means[k].left_out[i] = process.at(inputs.row(i));
        }
      }
      if (all) means[k].model = "Gaussian process";
    });
  }

  const base::Threads threads_;
  const Folds folds_;
  const std::vector<std::vector<double>> scores_;
  const SplineBasis basis_;
  MatrixXd outcomes_;             // outcomes x draws
  std::vector<Moments> moments_;  // of each fold
  Moments total_;
};

}  // namespace

std::vector<ConditionalMean> conditional_means(std::span<const std::span<const double>> inputs,
                                               std::span<const std::vector<double>> outcomes,
                                               const ConditionalMeanOptions& options) {
  base::check_range("conditional_means", "folds", static_cast<double>(options.folds), 2, 100);
  base::check_range("conditional_means", "inputs", static_cast<double>(inputs.size()), 1, 1'000);
  if (outcomes.empty()) return {};
  base::check_range("conditional_means", "draws", static_cast<double>(outcomes[0].size()),
                    static_cast<double>(kFewestDraws), 1e9);
  for (const std::span<const double> input : inputs)
    base::check_size("conditional_means", "input", input.size(), outcomes[0].size());
  for (const std::vector<double>& outcome : outcomes)
    base::check_size("conditional_means", "outcome", outcome.size(), outcomes[0].size());
  return Regressor(inputs, outcomes, options).run();
}

}  // namespace mindgap::voi

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "mindgap/belief/beta_binomial.h"
#include "mindgap/gap/contraction.h"
#include "mindgap/view/number.h"
#include "paper/reproduce/hiv.h"

namespace mindgap::reproduce {
namespace {

using cases::hiv::BeliefForm;
using cases::hiv::Geography;
using cases::hiv::HivOptions;
using cases::hiv::Known;
using cases::hiv::Maps;
using cases::hiv::Transmission;
using cases::hiv::ZoneBelief;

constexpr std::int64_t kHorizon = 400;

HivOptions without_noise() {
  HivOptions options;
  options.prevalence_sd = options.simulated_a_sd = options.simulated_b_sd = 0;
  return options;
}

Line line_of(const std::string& what, std::optional<double> published, double ours, double tolerance,
             const std::string& why) {
  Line line;
  line.what = what;
  line.published = published;
  line.ours = ours;
  line.published_error = tolerance;
  line.why = why;
  line.exact = true;
  return line;
}

void add_gradient(const Known& known, Reproduction& result) {
  const std::vector<double> gradient = value_gradient(known, ZoneBelief(known, BeliefForm::plain).means());
  Known still = known;
  still.transmission.within = still.transmission.between = 0;
  const double alone = value_gradient(still, ZoneBelief(known, BeliefForm::plain).means()).front();
  const auto [low, high] = std::minmax_element(gradient.begin(), gradient.end());
  result.claims.push_back(
      {"Spread dominates the gradient of the value", *low / alone > 2,
       fmt::format("{} without spread, {} to {} with it: it adds {} to {} %; "
                   "see docs/math/departures.md",
                   view::fixed(alone, 2), view::fixed(*low, 2), view::fixed(*high, 2),
                   view::fixed(100 * (*low / alone - 1), 1), view::fixed(100 * (*high / alone - 1), 1))});
}

// Lemma ysne-truncation: what the first 15 terms of sum g^t L^t leave out, entry by entry, against
// (g rho)^15 / (1 - g rho). Entries of L^t may exceed rho^t, so that the lemma's step is wrong; is its bound?
void add_truncation(const std::vector<double>& jacobian, std::int32_t zones, double radius,
                    Reproduction& result) {
  constexpr int kTerms = 15, kTail = 4000;
  constexpr double kDiscount = .95;
  const auto n = static_cast<std::size_t>(zones);
  std::vector<double> power(n * n, 0.0), tail(n * n, 0.0);
  for (std::size_t i = 0; i < n; ++i) power[i * n + i] = 1;
  for (int t = 0; t < kTail; ++t) {
    if (t >= kTerms) {
      for (std::size_t i = 0; i < power.size(); ++i) tail[i] += power[i];
    }
    std::vector<double> next(n * n, 0.0);
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t k = 0; k < n; ++k) {
        if (power[i * n + k] == 0) continue;
        for (std::size_t j = 0; j < n; ++j)
          next[i * n + j] += kDiscount * power[i * n + k] * jacobian[k * n + j];
      }
    }
    power.swap(next);
    if (*std::max_element(power.begin(), power.end()) < 1e-14) break;
  }
  const double left = *std::max_element(tail.begin(), tail.end());
  const double shrink = kDiscount * radius;
  const double bound = std::pow(shrink, kTerms) / (1 - shrink);
  constexpr double kRemark = .99;  // the discount of rem. ysne-tlook, whose bound is .46
  result.lines.push_back(
      line_of("truncation after 15 days: its bound, (g rho)^15 / (1 - g rho), discount .99", .46,
              std::pow(kRemark * radius, kTerms) / (1 - kRemark * radius), .005,
              "rho is 1.0035 and not .85; see docs/math/departures.md"));
  result.lines.push_back(line_of("truncation after 15 days: the largest entry left out, discount .95",
                                 std::nullopt, left, 0, ""));
  result.claims.push_back(
      {"What the gradient leaves out after 15 days is within the lemma's bound (lemma ysne-truncation)",
       left <= bound,
       fmt::format(
           "{:.3f} against {:.3f} at discount .95: the bound holds here, but 15 of the effective 20 days "
           "leave half of the sum out ({:.0f} % of it)",
           left, bound, 100 * left * (1 - shrink))});
}

}  // namespace

Reproduction hiv_contraction(const Options& options) {
  const HivOptions of_case = without_noise();
  const Geography geography(of_case);
  const Transmission transmission = transmission_of(of_case, geography);
  const Maps maps = draw_maps(of_case, geography, 0);
  const auto contraction = [&](const std::vector<double>& map) {
    return gap::contraction(spread_jacobian(geography, transmission, map), geography.zones(), kHorizon);
  };
  const gap::Contraction simulated = contraction(maps.simulator), truth = contraction(maps.truth);
  const Known known = known_to_planners(of_case, geography, maps.simulator, 0);
  const std::vector<belief::BetaShape> prior = prior_shapes(known);

  Reproduction result;
  result.name = "hiv-contraction";
  result.title = "HIV testing: does history wash out? (prop. eps-hist-hiv and its remark)";
  result.unit = "";
  result.method = "noiseless maps; Jacobian of the appendix's spread with nobody diagnosed";
  const std::string why = "there is no recovery: prevalence never falls; see docs/math/departures.md";
  result.lines.push_back(
      line_of("spectral radius, simulator's map", .85, simulated.spectral_radius, .005, why));
  result.lines.push_back(line_of("spectral radius, true map", std::nullopt, truth.spectral_radius, 0, ""));
  result.lines.push_back(line_of("norm of its 400th power, simulator's map", std::pow(.85, kHorizon),
                                 simulated.norm, 1e-29, why));
  result.lines.push_back(line_of("norm of its 400th power, true map", std::nullopt, truth.norm, 0, ""));
  const std::string shape = "Beta(1.2, 10.8) in B and Beta(1.5, 10.5) in A; see docs/math/departures.md";
  result.lines.push_back(
      line_of("prior sd in region B", .25, std::sqrt(belief::variance(prior.back())), .005, shape));
  result.lines.push_back(
      line_of("prior sd in region A", .08, std::sqrt(belief::variance(prior.front())), .005, shape));
  result.claims.push_back(
      {"The history error is at most rho^T times the initial distance, 1e-30 at T = 400",
       simulated.contracting && truth.contracting,
       fmt::format("the history-error bound does not apply here: rho = {} > 1, nothing contracts; see "
                   "docs/math/departures.md",
                   view::fixed(simulated.spectral_radius, 10))});
  add_truncation(spread_jacobian(geography, transmission, maps.simulator), geography.zones(),
                 simulated.spectral_radius, result);
  add_gradient(known, result);
  static_cast<void>(options);
  return result;
}

}  // namespace mindgap::reproduce

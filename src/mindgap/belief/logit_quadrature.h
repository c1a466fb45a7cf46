#pragma once

#include <span>
#include <vector>

#include "mindgap/belief/beta_binomial.h"

namespace mindgap::belief {

/// Integrals over the posterior of a BetaBinomial. On the logit scale, p = 1/(1 + e^-x), its density is
///   g(x) = p^A (1-p)^B prod_j (1 - phi_j p)^(m_j),  A, B > 0.
/// d log g/dx = A (1-p) - B p - sum_j m_j phi_j p (1-p)/(1 - phi_j p) is convex in p, positive at p = 0 and
/// negative at 1, so g has exactly one mode; it falls exponentially or faster on both sides. The range where
/// g > e^-50 of its maximum is cut into panels with a Gauss-Legendre rule of 20 points each. g is singular
/// where 1 + e^x = 0 or 1 + (1-phi_j) e^x = 0, so at imaginary part pi over 0 and -log(1-phi_j): beside those
/// and the mode panels are no wider than 1 and than the width of the mode, outside they grow with the
/// distance. Then g is analytic far beyond each panel, and the rule exact to rounding.
class LogitQuadrature {
 public:
  /// Keeps a view of the belief, which must outlive this and not change.
  explicit LogitQuadrature(const BetaBinomial& belief);

  double mean() const { return mean_; }
  double variance() const;
  double density(double p) const;
  double cdf(double p) const;
  double quantile(double probability) const;

 private:
  double slope(double x) const;      // d log g/dx
  double log_ratio(double d) const;  // log g(mode + d) - log g(mode)
  double mode() const;
  double panel_width() const;
  void cut_into_panels();
  template <typename Integrand>
  double integrate(double low, double high, Integrand integrand) const;

  double positive_, negative_;  // A, B
  std::span<const BetaBinomial::Missed> missed_;
  double mode_ = 0;
  double peak_p_ = 0, peak_q_ = 0;  // p and 1-p at the mode
  std::vector<double> peak_odds_;   // per phi_j: (1-phi) e^x / (1 + (1-phi) e^x) at the mode
  std::vector<double> edges_;       // of the panels, as distances from the mode, increasing
  std::vector<double> below_;       // per edge the integral of g / g(mode) up to it
  double mean_ = 0;
};

}  // namespace mindgap::belief

#pragma once

#include "mindgap/stats/interval.h"

// Intervals that hold at all looks at once: a running study may be looked at after every result, and stopped
// because of what is seen.
namespace mindgap::stats {

/// Robbins' (1970) normal mixture boundary: for a sum S of martingale differences with variance process V
///   P(at any time |S| >= sqrt((V + rho) log((V + rho) / (rho alpha^2)))) <= alpha,  alpha = 1 - level,
/// exactly for Gaussian (or sub-Gaussian with variance factors V) differences; asymptotically, with the
/// sample variance in place of V, for others with a bit more than two moments (Waudby-Smith, Arbour, Sinha,
/// Kennedy and Ramdas 2024, "Time-uniform central limit theory and asymptotic confidence sequences",
/// Theorem 2.2). rho > 0 must be chosen before the data; it says where the boundary is tight (mixture_rho). V
/// >= 0.
double mixture_boundary(double variance, double rho, double level = .95);

/// The rho for which the boundary is tightest, up to a few per cent, at variance process V > 0:
///   V / (2 log(1/alpha) + log(1 + 2 log(1/alpha)))  (Howard, Ramdas, McAuliffe and Sekhon 2021,
///   section 3.5).
double mixture_rho(double variance, double level = .95);

/// The interval for the average conditional mean (1/n) sum E[x_i | past] of n differences that sum to `sum`:
/// (sum -+ mixture_boundary(variance)) / n. n >= 1. What is covered is the average of the differences that
/// were to be expected at each step given all that had happened: a number that may move while units do.
Interval confidence_sequence(double sum, double variance, double n, double rho, double level = .95);

}  // namespace mindgap::stats

#pragma once

#include <span>
#include <vector>

// Many tests at once: adjusted p-values. Reject where the adjusted value is at most the level wanted.
namespace mindgap::stats {

/// min(1, m p): the chance of any false rejection is at most the level, whatever the dependence.
std::vector<double> bonferroni(std::span<const double> p_values);

/// Holm's (1979) step-down form of the same guarantee; never larger than bonferroni().
std::vector<double> holm(std::span<const double> p_values);

/// Benjamini and Hochberg (1995): the expected share of false ones among the rejected is at most the level,
/// for independent or positively dependent tests. Never larger than holm().
std::vector<double> benjamini_hochberg(std::span<const double> p_values);

}  // namespace mindgap::stats
